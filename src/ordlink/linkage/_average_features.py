"""Average linkage of the kernel K = F F^T of sign features, without the kernel (4K-AL-act)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from ordlink._typing import (
    AnyArray,
    BoolArray,
    Float32Array,
    FloatArray,
    Int8Array,
    Int32Array,
    Int64Array,
    Progress,
)
from ordlink.hierarchy import Hierarchy
from ordlink.linkage._initial_partition import InitialPartition

if TYPE_CHECKING:
    from ordlink.linkage._kernels_lists import Clusters, Lists

LIST_LENGTH = 16
"""Nearest clusters kept of each cluster: more of them save searches and cost merges."""
PRODUCTS_AT_ONCE = 1 << 23
"""Products of one block (float32): 32 MB."""
_ROWS_AT_ONCE = 1024


def link_features_by_average(
    features: Int8Array,
    partition: InitialPartition,
    *,
    names: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> Hierarchy:
    """Return the tree of average linkage of K = F F^T, in O(N d) memory.

    ``W(G, G') = <sum F_G, sum F_G'> / (|G| |G'|)``, the mean of K over G x G', so a cluster is a
    row of whole numbers and a size. Average linkage is reducible: merging reciprocal nearest
    neighbours in any order gives the merges of the greedy algorithm, which are then sorted into its
    order.

    Decisions are free of rounding: float32 products propose candidates, all within their proven
    error are evaluated in integers, and the quotients are compared exactly. Of exactly equal
    scores, the cluster pair whose smallest objects come first is merged; there is no tolerance as
    in :func:`average_linkage`.

    Each cluster keeps a list of its nearest clusters and a bound on all others. Scores with a
    merged cluster are means, so neither grows, and all clusters are searched, many at once by
    matrix products, only when a list is used up: about 1.2 N^2 d operations in total.

    Parameters
    ----------
    features : ndarray of shape (N, d), dtype int8
        F, entries -1, 0 and 1, see :func:`ordlink.methods.kernel_al.active_features`.
    partition, names, progress
        As in :func:`average_linkage`; progress counts first searches and merges.

    Returns
    -------
    Hierarchy
        Scores are the mean of K. A merge is tied if another one had exactly the same score.

    Examples
    --------
    >>> import numpy as np
    >>> signs = np.array([[1, 1, 1], [1, 1, -1], [-1, -1, -1], [-1, -1, 1]], dtype=np.int8)
    >>> tree = link_features_by_average(signs, InitialPartition.of_labels(np.arange(4)))
    >>> tree.merges.tolist(), tree.scores.tolist()
    ([[0, 1], [2, 3], [4, 5]], [1.0, 1.0, -2.0])
    """
    features = np.ascontiguousarray(features)
    pairs, numbers, weights, unsure = _merge_all(features, partition, progress)
    order, same_as_next = _greedy_order(pairs, numbers, weights)
    pairs, numbers, weights = pairs[order], numbers[order], weights[order]
    tied = same_as_next.copy()
    # A pair of two other clusters with the same score would still have it after the merge. So
    # only where the next score is another one must the rivals be pairs with one of the merged
    # clusters; and then they were in its list, or its bound was as high, when it was merged.
    unsure = unsure[order] & ~same_as_next
    if unsure.any():
        from ordlink.linkage._kernels_chains import find_ties

        find_ties(pairs, numbers, weights, unsure, _clusters_of(features, partition), tied)
    return partition.finish(pairs, numbers / weights, tied, names=names)


def _clusters_of(features: Int8Array, partition: InitialPartition) -> Clusters:
    from ordlink.linkage._kernels_lists import Clusters

    if partition.n_slots == partition.n_objects:
        sums = features.astype(np.int32)
    else:
        sums = np.zeros((partition.n_slots, features.shape[1]), dtype=np.int32)
        np.add.at(sums, partition.labels, features)
    return Clusters(sums, partition.sizes.copy(), np.arange(partition.n_slots, dtype=np.int32))


def _merge_all(
    features: Int8Array, partition: InitialPartition, progress: Progress | None
) -> tuple[Int32Array, Int64Array, Int64Array, BoolArray]:
    """Return all merges as they are found; used-up lists are rebuilt all at once."""
    from ordlink.linkage._kernels_chains import Merges, merge_along_chains

    n_slots, n_merges = partition.n_slots, partition.n_slots - 1
    clusters = _clusters_of(features, partition)
    lists = _empty_lists(n_slots)
    numbers, weights = (np.empty(n_merges, dtype=np.int64) for _ in range(2))
    pairs, unsure = np.empty((n_merges, 2), dtype=np.int32), np.empty(n_merges, dtype=bool)
    merges = Merges(pairs, numbers, weights, unsure)
    seen = np.zeros(n_slots, dtype=np.int8)
    spare = np.empty(2 * LIST_LENGTH, dtype=np.int32)

    def report(steps: int) -> None:
        if progress is not None:
            progress(steps, n_slots + n_merges)

    if n_slots == partition.n_objects:
        _search_signs(features, lists, report)
    else:
        _search_products(np.arange(n_slots, dtype=np.int32), clusters, lists, report)
    done = 0
    while done < n_merges:
        before = done
        done = merge_along_chains(done, clusters, lists, merges, seen, spare)
        report(n_slots + done)
        if done == before:
            used_up = np.flatnonzero(seen == 2).astype(np.int32)
            _search_products(used_up, clusters, lists)
    return pairs, numbers, weights, unsure


def _empty_lists(n_slots: int) -> Lists:
    from ordlink.linkage._kernels_lists import Lists

    shape = (n_slots, LIST_LENGTH + 1)
    numbers, weights = (np.empty(shape, dtype=np.int64) for _ in range(2))
    slots, counts = np.empty(shape, dtype=np.int32), np.zeros(n_slots, dtype=np.int32)
    return Lists(np.empty(shape), numbers, weights, slots, counts)


def _search_signs(features: Int8Array, lists: Lists, report: Callable[[int], None]) -> None:
    """Make the lists of all objects while they are single."""
    from ordlink._threads import in_threads
    from ordlink.linkage._kernels_search import BITS, CHUNK, pack_signs, scan_signs

    n_objects, n_features = features.shape
    signs = np.zeros((-(-n_features // BITS), n_objects), dtype=np.uint64)
    known = np.zeros_like(signs)
    pack_signs(features, signs, known)

    for first in range(0, n_objects, _ROWS_AT_ONCE):
        last = min(first + _ROWS_AT_ONCE, n_objects)

        def scan(a: int, b: int, first: int = first) -> None:
            products = np.empty(CHUNK, dtype=np.int32)
            best = np.empty((2, LIST_LENGTH + 1), dtype=np.int32)
            scan_signs(first + a, first + b, signs, known, lists, products, best)

        in_threads(scan, last - first, smallest=8)
        report(last)


def _search_products(
    rows: Int32Array,
    clusters: Clusters,
    lists: Lists,
    report: Callable[[int], None] = lambda steps: None,
) -> None:
    """Rebuild the lists of some clusters from the estimated scores with all clusters."""
    from ordlink._threads import in_threads
    from ordlink.linkage._kernels_search import scan_products

    is_root = clusters.parents == np.arange(len(clusters.parents))
    columns = np.flatnonzero(is_root).astype(np.int32)
    means = _means(columns, clusters)
    row_means = _means(rows, clusters)
    margins = _margins(row_means, means)
    n_columns = len(columns)
    n_at_once = min(max(PRODUCTS_AT_ONCE // n_columns, 1), _ROWS_AT_ONCE)
    room = np.empty((n_at_once, n_columns), dtype=np.float32)
    for first in range(0, len(rows), n_at_once):
        last = min(first + n_at_once, len(rows))
        products = np.matmul(row_means[first:last], means.T, out=room[: last - first])

        def scan(a: int, b: int, first: int = first, products: Float32Array = products) -> None:
            some = slice(first + a, first + b)
            best = np.empty(LIST_LENGTH + 2, dtype=np.float32)
            scan_products(products[a:b], rows[some], columns, margins[some], clusters, lists, best)

        in_threads(scan, last - first, smallest=8)
        report(last)


def _means(slots: Int32Array, clusters: Clusters) -> Float32Array:
    """Return the mean features, divided in float64 and rounded once to float32."""
    means = np.empty((len(slots), clusters.sums.shape[1]), dtype=np.float32)
    np.divide(clusters.sums[slots], clusters.sizes[slots, None], out=means, casting="same_kind")
    return means


def _margins(row_means: Float32Array, means: Float32Array) -> FloatArray:
    """Return how far a product of means in float32 may be from the score, for each row.

    With u = 2^-24: rounding the means costs at most 2 u, and products and sums in any order at
    most d u / (1 - d u), of sum_k |m_k m'_k| <= |m| |m'|. Four more u cover the rounding of
    this margin and of what is compared with it.
    """
    share = (means.shape[1] + 6) * 2.0**-24
    if share >= 0.5:
        return np.full(len(row_means), np.inf)
    lengths = [
        np.sqrt(np.einsum("ik,ik->i", some, some, dtype=np.float64)) for some in (row_means, means)
    ]
    margins: FloatArray = share / (1 - share) * lengths[0] * lengths[1].max()
    return margins


def _greedy_order(
    pairs: Int32Array, numbers: Int64Array, weights: Int64Array
) -> tuple[Int64Array, BoolArray]:
    """Return the order of the greedy algorithm, and where the next score is exactly the same.

    A merge comes after those that made its parts: its score is a mean of scores that were not
    better than theirs, and if it is equal, its pair of slots comes after theirs. So sorting by
    score, then by pair of slots, is enough.
    """
    scores = numbers / weights
    order = np.lexsort((pairs[:, 1], pairs[:, 0], -scores))
    divisors = np.gcd(numbers, weights)
    whole, parts = numbers // divisors, weights // divisors

    def is_same_as_next(values: AnyArray) -> BoolArray:
        same = np.zeros(len(order), dtype=bool)
        same[:-1] = values[order[1:]] == values[order[:-1]]
        return same

    same = is_same_as_next(whole) & is_same_as_next(parts)
    if (is_same_as_next(scores) & ~same).any():
        # Different quotients that are equal in float64: only with very large clusters.
        exact = [Fraction(*pair) for pair in zip(whole.tolist(), parts.tolist(), strict=True)]
        keys = [(-score, p, q) for score, (p, q) in zip(exact, pairs.tolist(), strict=True)]
        order = np.array(sorted(range(len(keys)), key=keys.__getitem__))
        same = is_same_as_next(whole) & is_same_as_next(parts)
    return order, same
