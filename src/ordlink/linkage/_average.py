"""Average linkage (AL) on known or estimated similarities."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ordlink._typing import FloatArray, Progress
from ordlink.comparisons import check_similarities
from ordlink.hierarchy import Hierarchy
from ordlink.linkage._initial_partition import InitialClusters, InitialPartition, initial_partition

_MERGES_PER_CALL = 256


def average_linkage(
    similarities: FloatArray,
    *,
    initial_clusters: InitialClusters = None,
    names: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> Hierarchy:
    """Return the tree of Algorithm alg:hc with W(G, G') the mean similarity (AL).

    Ties go to the cluster pair whose smallest objects come first; scores are equal if they differ
    by less than 1e-9 of the best one, or by less than 1e-13 of the largest similarity.

    Parameters
    ----------
    similarities : ndarray of shape (N, N)
        Symmetric; the diagonal is not used.
    initial_clusters : sequence of sequences of int, optional
        Clusters to start from.
    names : sequence of str, optional
        Names of the objects.
    progress : callable, optional
        Called with (merges done, total merges).

    Returns
    -------
    Hierarchy
        Scores are the mean similarities.

    Examples
    --------
    >>> import numpy as np
    >>> tree = average_linkage(np.array([[0, 3, 1], [3, 0, 2], [1, 2, 0]]))
    >>> tree.merges.tolist(), tree.scores.tolist()
    ([[0, 1], [3, 2]], [3.0, 1.5])
    """
    checked = check_similarities(similarities)
    partition = initial_partition(len(checked), initial_clusters)
    return link_by_average(checked, partition, names=names, progress=progress)


def link_by_average(
    similarities: FloatArray,
    partition: InitialPartition,
    *,
    names: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> Hierarchy:
    """Return the tree of average linkage; the input is not checked."""
    from ordlink.linkage._kernels_average import average_linkage as merge_greedily

    plain = np.array(similarities)
    np.fill_diagonal(plain, 0.0)
    unit = float(np.abs(plain).max())
    sums = partition.contract(plain)
    sizes = partition.sizes.copy()
    n_merges = partition.n_slots - 1
    pairs = np.empty((n_merges, 2), dtype=np.int32)
    scores = np.empty(n_merges)
    tied = np.empty(n_merges, dtype=bool)
    best_of = np.empty(partition.n_slots)
    best_at = np.empty(partition.n_slots, dtype=np.int32)
    for first in range(0, n_merges, _MERGES_PER_CALL):
        last = min(first + _MERGES_PER_CALL, n_merges)
        merge_greedily(sums, sizes, unit, pairs, scores, tied, first, last, best_of, best_at)
        if progress is not None:
            progress(last, n_merges)
    return partition.finish(pairs, scores, tied, names=names)
