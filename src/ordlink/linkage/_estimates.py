"""What answers say about the merges of a tree: their dissimilarity, and the evidence for them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ordlink._threads import one_blas_thread
from ordlink._typing import AnyArray, FloatArray, Int32Array
from ordlink.comparisons import Comparisons, ListedComparisons, RankedComparisons, pair_members
from ordlink.hierarchy import Hierarchy

MOST_COMPARISONS = 500_000  # of more, some at equal distances are used
STEP = 0.5  # prior standard deviation of the step from a merge to its parent, in log-odds
MOST_ITERATIONS = 200
DIGITS = 4  # of a height: the last ones depend on the machine


class MergeCounts(NamedTuple):
    """How often pairs of one merge were judged more alike than pairs of another."""

    won: Int32Array  # the merge where the objects of the more similar pair meet
    lost: Int32Array
    counts: FloatArray


def describe_merges(tree: Hierarchy, comparisons: Comparisons) -> Hierarchy:
    """Return the tree with `heights` and `evidence` from the answers that it was built from."""
    found = count_merges(tree, comparisons)
    return tree.with_estimates(
        heights=merge_heights(tree, found), evidence=merge_evidence(tree, found)
    )


def count_merges(tree: Hierarchy, comparisons: Comparisons) -> MergeCounts:
    """Return the comparisons by the merges that join the objects of their pairs."""
    winners, losers, counts = _some_comparisons(comparisons)
    n = tree.n_objects
    won, lost = (tree.lca_of(*pair_members(pairs, n)) for pairs in (winners, losers))
    keys, of_row = np.unique(won.astype(np.int64) * n + lost, return_inverse=True)
    merged = np.bincount(of_row.ravel(), counts, len(keys)).astype(np.float64)
    return MergeCounts((keys // n).astype(np.int32), (keys % n).astype(np.int32), merged)


def _some_comparisons(comparisons: Comparisons) -> tuple[AnyArray, AnyArray, FloatArray]:
    """Return winners, losers and counts of at most `MOST_COMPARISONS`, which stand for all."""
    if isinstance(comparisons, ListedComparisons):
        step = -(-max(comparisons.n_rows, 1) // MOST_COMPARISONS)
        winners, losers = comparisons.winners[::step], comparisons.losers[::step]
        given = comparisons.counts
        counts = np.ones(len(winners)) if given is None else given[::step].astype(np.float64)
        return winners, losers, counts * step
    assert isinstance(comparisons, RankedComparisons)
    ranks = comparisons.ranks
    one, two = np.random.default_rng(0).integers(0, max(len(ranks), 1), (2, MOST_COMPARISONS // 4))
    if not len(ranks):
        one = two = one[:0]
    differ = ranks[one] != ranks[two]
    one, two = one[differ], two[differ]
    first = ranks[one] > ranks[two]
    weight = comparisons.n_comparisons / max(len(one), 1)
    counts = np.full(len(one), weight)
    return np.where(first, one, two), np.where(first, two, one), counts


def merge_evidence(tree: Hierarchy, found: MergeCounts) -> FloatArray:
    """Return the evidence of the answers for splitting each merge's cluster in two, (N - 1,).

    The pairs of the cluster took part in comparisons, with outcome +1 if the pair was judged more
    alike and -1 if less. The evidence is the log-likelihood ratio (of outcomes that are normal with
    variance 1) of two means, one for pairs across the split and one for those within its sides,
    against a single mean; 0 if pairs across are judged as much alike as those within, or more.
    """
    n = tree.n_objects
    wins = np.bincount(found.won, found.counts, n - 1)
    losses = np.bincount(found.lost, found.counts, n - 1)
    across = np.column_stack([wins - losses, wins + losses])
    inside = np.zeros((2 * n - 1, 2))
    for merge, (one, two) in enumerate(tree.merges.tolist()):
        inside[n + merge] = inside[one] + inside[two]
        for child in (one, two):
            if child >= n:
                inside[n + merge] += across[child - n]
    (sum_across, n_across), (sum_inside, n_inside) = across.T, inside[n:].T
    known = (n_across > 0) & (n_inside > 0)
    gap = np.zeros(n - 1)
    gap[known] = sum_inside[known] / n_inside[known] - sum_across[known] / n_across[known]
    weight = n_across * n_inside / np.maximum(n_across + n_inside, 1.0)
    return np.where(gap > 0, np.round(weight * gap**2 / 2, DIGITS), 0.0)


def merge_heights(tree: Hierarchy, found: MergeCounts) -> FloatArray:
    """Return the dissimilarity of each merge, (N - 1,), from 0 to 1.

    It is the probability that a pair of objects that the merge joins is judged less alike than a
    random pair. The merges' log-odds are fitted to the answers (Bradley and Terry 1952), with
    those of a merge never below those of one under it, and steps between them shrunk towards 0.
    """
    n = tree.n_objects
    if n == 1:
        return np.empty(0)
    from scipy.optimize import minimize  # takes long to import

    from ordlink.linkage._kernels_heights import loss

    parents = tree.parents[n:] - n
    parents[-1] = n - 2  # of the root: itself
    differ = found.won != found.lost
    won, lost, counts = found.won[differ], found.lost[differ], found.counts[differ]
    strengths, gradient = np.empty(n - 1), np.empty(n - 1)

    def penalised(steps: FloatArray) -> tuple[float, FloatArray]:
        value = loss(steps, parents, won, lost, counts, strengths, gradient)
        slopes = gradient[:-1] + steps / STEP**2
        return value + float((steps**2).sum()) / (2 * STEP**2), slopes

    steps = np.full(n - 2, STEP / 2)
    if n > 2:
        settings: Any = {"method": "L-BFGS-B", "options": {"maxiter": MOST_ITERATIONS}}
        with one_blas_thread():  # starting threads takes longer than these products
            steps = minimize(penalised, steps, jac=True, bounds=[(0, None)] * (n - 2), **settings).x
    loss(steps, parents, won, lost, counts, strengths, gradient)  # sets the strengths
    return np.round(_less_alike_than_random(tree, strengths), DIGITS)


def _less_alike_than_random(tree: Hierarchy, strengths: FloatArray) -> FloatArray:
    """Return the mean probability that a pair of each merge loses against the pairs of all."""
    n_pairs = np.prod(tree.sizes[tree.merges].astype(np.float64), axis=1)
    weights = n_pairs / n_pairs.sum()
    heights = np.empty(len(strengths))
    for start in range(0, len(strengths), 512):  # all at once may not fit into memory
        block = slice(start, start + 512)
        behind = np.minimum(strengths - strengths[block, None], 700.0)
        heights[block] = (weights / (1.0 + np.exp(behind))).sum(axis=1)
    return heights
