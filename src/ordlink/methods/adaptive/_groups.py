"""Groups of any number and size: random questions show them, chosen questions place the objects.

A star has no two sides, and a small cluster beside large ones is hardly seen in a sample. Random
questions about all objects and the passive method spectral find such groups; then questions are
chosen about objects whose group is uncertain, and spectral finds the groups of all answers again.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from ordlink._typing import FloatArray, Int64Array
from ordlink.hierarchy import Hierarchy
from ordlink.linkage import InitialPartition
from ordlink.methods.adaptive._interview import Interview
from ordlink.methods.spectral import FirmClusters, find_clusters

N_STAGES = 8  # in each of which groups are found, and questions chosen for them
SHARE = 0.5  # of the questions of a stage, at most, that are chosen; the others are random
DECIDED = 7.0  # log-odds of a group from which on nothing more is asked about an object
SURE = 3.0  # log-odds of the objects that others are compared with
LOWEST_RATE = 0.005  # wrong answers are possible, whatever was seen
MOST_PER_ROUND = 4  # questions about one object
_AHEAD = 0.5  # share of the questions that an object is expected to need, asked in one round
_CHUNK = 4096
_DRAWS = 8


def split_into_groups(
    interview: Interview, partition: InitialPartition, question: str, max_rounds: int
) -> tuple[Hierarchy, dict[str, object]]:
    """Return the tree of the groups that all answers show, and facts about it.

    Random questions are triplets until groups are found: an answer about two pairs across is noise,
    but in a triplet (i, a, b) with a and b in one group this noise cancels. Then they are of the
    given kind, since quadruplets show the order in which groups merge.
    """
    interview.reserved = 0
    start, budget, kind = interview.n_questions, interview.budget, "triplet"
    n_stages = min(N_STAGES, max((max_rounds - interview.n_rounds) // 2, 1))
    for stage in range(n_stages):
        until = start + (budget - start) * (stage + 1) // n_stages
        if stage:
            groups = Groups(interview, find_clusters(interview.comparisons(), partition))
            rows = interview.rng.permutation(groups.questions())
            interview.ask_triplets(rows[: int(SHARE * (until - interview.n_questions))])
            kind = question if groups.n_groups > 1 else "triplet"
        interview.ask_at_random(until - interview.n_questions, kind)
    found = find_clusters(interview.comparisons(), partition)
    return found.tree(found.labels), {
        "chosen": "groups",
        "n_firm_splits": len(np.unique(found.labels)) - 1,
        "largest_unsplit": int(np.bincount(found.labels).max()),
    }


class Groups:
    """What to ask about slots whose group is uncertain.

    rates[c, d, e] is the probability that an object of group c is closer to one of d than to one of
    e, by the strengths between the groups.
    """

    def __init__(self, interview: Interview, found: FirmClusters) -> None:
        self._interview, self._rng = interview, interview.rng
        strengths = found.strengths
        self.n_groups = len(strengths)
        rates = expit(strengths[:, :, None] - strengths[:, None, :])
        self._rates = np.clip(rates, LOWEST_RATE, 1 - LOWEST_RATE)
        self._evidence = found.evidence
        self._labels = np.where(self._margin() >= SURE, found.labels, -1)

    def _margin(self) -> FloatArray:
        """Return by how much the likeliest group is ahead of the next, as log-odds."""
        if self.n_groups == 1:
            return np.full(len(self._evidence), np.inf)
        two = np.partition(self._evidence, -2, axis=1)
        return np.asarray(two[:, -1] - two[:, -2])

    def _information(self) -> float:
        """Return the evidence to be expected of an answer about an object's group."""
        own = np.arange(self.n_groups)
        table = self._rates[own, own]  # [c, e]: an object of c, one of c, one of e
        right = float(np.clip(table[~np.eye(self.n_groups, dtype=np.bool_)], 0.5, 1).mean())
        return max((2 * right - 1) * float(np.log(right / (1 - right))), 0.05)

    def questions(self) -> Int64Array:
        """Return questions about undecided slots: whether i is closer to a or b, of two groups."""
        if self.n_groups == 1:
            return np.empty((0, 3), dtype=np.int64)
        missing = DECIDED - self._margin()
        unsure = np.flatnonzero(missing > 0)
        counts = np.ceil(_AHEAD * missing[unsure] / self._information())
        i = np.repeat(unsure, np.clip(counts, 1, MOST_PER_ROUND).astype(np.int64))
        members = [np.flatnonzero(self._labels == group) for group in range(self.n_groups)]
        if not len(i) or min(map(len, members)) == 0:
            return np.empty((0, 3), dtype=np.int64)
        chunks = [i[start : start + _CHUNK] for start in range(0, len(i), _CHUNK)]
        d, e = np.concatenate([self._best_groups(chunk) for chunk in chunks]).T
        return np.stack([i, self._draw(i, d, members), self._draw(i, e, members)], axis=1)

    def _best_groups(self, i: Int64Array) -> Int64Array:
        """Return the two groups whose comparison tells most about each slot."""
        d, e = np.triu_indices(self.n_groups, 1)
        chances = self._rates[:, d, e]
        weights = np.exp(self._evidence[i] - self._evidence[i].max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        gain = _entropy(weights @ chances) - weights @ _entropy(chances)
        best = (gain * (0.6 + 0.4 * self._rng.random(gain.shape))).argmax(axis=1)
        return np.stack([d[best], e[best]], axis=1)

    def _draw(self, i: Int64Array, groups: Int64Array, members: list[Int64Array]) -> Int64Array:
        """Draw a sure object of each group, if possible one never paired with i."""
        order = np.concatenate(members)
        sizes = np.array([len(some) for some in members])
        starts = np.cumsum(sizes) - sizes
        drawn = np.empty(len(i), dtype=np.int64)
        again = np.arange(len(i))
        for _ in range(_DRAWS):
            which = groups[again]
            picks = (self._rng.random(len(again)) * sizes[which]).astype(np.int64)
            drawn[again] = order[starts[which] + picks]
            again = again[~self._interview.is_new_pair(i[again], drawn[again])]
            if not len(again):
                break
        return drawn


def _entropy(p: FloatArray) -> FloatArray:
    return np.asarray(-p * np.log(p) - (1 - p) * np.log(1 - p))
