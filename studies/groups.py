"""The test of `compare_groups` on simulated studies: how often it rejects, alike and not.

`python -m studies.groups` prints the share of studies with p <= 0.05: two groups of people answer
random triplets about 24 objects of a planted tree (similarities of their own, noisy answers); in
one group some objects are in each other's places.
"""

from __future__ import annotations

import argparse
import math
import sys
import time

import numpy as np
from joblib import Parallel, delayed

import ordlink as ol
from ordlink._typing import AnyArray
from ordlink.validation import compare_groups

LEVEL = 0.05


def two_groups(
    seed: int, *, n_moved: int, n_people: int = 20, n_triplets: int = 60
) -> tuple[ol.ListedComparisons, AnyArray]:
    """Return answers of two groups of so many people each, and the group of each answer."""
    rng = np.random.default_rng(seed)
    w = ol.datasets.planted_hierarchy(depth=3, leaf_size=3, gap=0.2, seed=seed).similarities
    n, order = len(w), np.arange(len(w))
    moved = rng.choice(n, n_moved, replace=False)
    order[moved] = np.roll(moved, 1)
    rows, people, groups = [], [], []
    for person in range(2 * n_people):
        group = person % 2
        own = rng.normal(0, 0.05, (n, n))
        seen = (w[np.ix_(order, order)] if group else w) + (own + own.T) / math.sqrt(2)
        shown = np.array([rng.choice(n, 3, replace=False) for _ in range(n_triplets)])
        gap = seen[shown[:, 0], shown[:, 1]] - seen[shown[:, 0], shown[:, 2]]
        is_first = rng.random(n_triplets) < 1 / (1 + np.exp(-gap / 0.15))
        rows.append(np.where(is_first[:, None], shown, shown[:, [0, 2, 1]]))
        people += [f"p{person}"] * n_triplets
        groups += ["ab"[group]] * n_triplets
    answers = ol.Comparisons.from_triplets(np.concatenate(rows), annotators=people)
    return answers, np.array(groups)


def p_values(seed: int, n_moved: int) -> tuple[float, float]:
    """Return the p-value of a simulated study, and the smallest of its branches."""
    answers, groups = two_groups(seed, n_moved=n_moved)
    found = compare_groups(answers, groups, "AddS-AL", n_permutations=199, seed=seed)
    return found.p_value, min(branch.p_value for branch in found.branches)


def main() -> int:
    """Print a table."""
    parser = argparse.ArgumentParser(prog="python -m studies.groups", description=__doc__)
    parser.add_argument("--studies", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--moved", type=int, nargs="*", default=[0, 2, 4, 8])
    given = parser.parse_args()
    print("| objects moved | studies | p <= 0.05 | a branch with p <= 0.05 |\n|---|---|---|---|")
    for n_moved in given.moved:
        begun = time.process_time()
        tasks = (delayed(p_values)(seed, n_moved) for seed in range(given.studies))
        found = np.array(Parallel(n_jobs=given.jobs)(tasks))
        shares = " | ".join(f"{share:.3f}" for share in (found <= LEVEL).mean(axis=0))
        print(f"| {n_moved} | {given.studies} | {shares} |", flush=True)
        print(f"{time.process_time() - begun:.0f} s in this process", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
