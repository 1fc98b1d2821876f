"""Whether splits in two suit the objects.

Two sides describe a star badly (each has several clusters), and a small cluster beside large ones.
"""

from __future__ import annotations

import numpy as np

from ordlink._typing import Int64Array
from ordlink.comparisons import Comparisons
from ordlink.linkage import initial_partition, link_by_average
from ordlink.methods.adaptive._interview import Interview
from ordlink.methods.spectral import find_clusters

LOOKS, SHARE = 15, 0.05  # questions per object of the sample, if a share of the budget suffices
LEAST_SIDE, LEAST_GAP = 0.25, 0.1  # of two sides: share of the objects, and share of the heights


def has_other_groups(sample: Int64Array, interview: Interview) -> bool:
    """Return whether a sample has clusters, but no two sides of some size, well apart.

    If few questions were asked about it so far, more random ones are.
    """
    n_missing = int(min(LOOKS * len(sample) - interview.n_questions, SHARE * interview.budget))
    if n_missing > 0:
        interview.ask_triplets(interview.rng.choice(sample, size=(n_missing, 3)))
    triplets = interview.triplets
    rows = np.searchsorted(sample, triplets[np.isin(triplets, sample).all(axis=1)])
    answers = Comparisons.from_quadruplets(rows[:, [0, 1, 0, 2]], n_objects=len(sample))
    found = find_clusters(answers, initial_partition(len(sample)))
    k = len(found.strengths)
    if k == 1:
        return False
    linked = link_by_average(found.strengths, initial_partition(k))
    sides = linked.cut(2)[found.labels]
    if min(sides.mean(), 1 - sides.mean()) < LEAST_SIDE:
        return True
    if k == 2:
        return False
    last, next_to_last = float(linked.scores[-1]), float(linked.scores[-2])
    within = float(found.strengths.diagonal().mean())
    return next_to_last - last <= LEAST_GAP * (within - last)
