"""Our own method: recursive spectral splits of Bradley-Terry strengths."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ordlink._threads import one_blas_thread
from ordlink._typing import AnyArray, Int32Array, Progress
from ordlink.comparisons import Comparisons, ListedComparisons, Repeats
from ordlink.errors import InputError
from ordlink.hierarchy import Hierarchy
from ordlink.linkage._initial_partition import clusters_of, initial_partition
from ordlink.linkage._numbering import order_of_appearance, permute_objects, restore_objects
from ordlink.methods.spectral._choice import choose_kind
from ordlink.methods.spectral._parts import join_trees, list_parts
from ordlink.methods.spectral._questions import check_net_counts, one_row_per_question
from ordlink.methods.spectral._thinning import thin_out_pairs
from ordlink.methods.spectral._trees import Kind, grow_trees
from ordlink.methods.spectral._uncompared import attach_uncompared


def spectral_linkage(
    comparisons: Comparisons,
    *,
    initial_clusters: Sequence[Sequence[int] | AnyArray] | None = None,
    repeats: Repeats = "majority",
    progress: Progress | None = None,
) -> Hierarchy:
    """Return the tree of recursive spectral splits, refined by a Bradley-Terry fit.

    Every pair of objects has a strength x, and P(e beats f) = q + (1 - 2 q) / (1 + exp(x_f - x_e)),
    where q is the share of slips, which is estimated too. Strengths of low rank are a first guess.
    Then, in rounds: the strengths of single pairs are drawn to what is expected of them, as far as
    answers held out tell to; sets of objects are split in two where the pairs across are weakest,
    while a split pays for its description; the clusters that this ends in give each pair its next
    expected strength. In the end, clusters are joined by average linkage and split further, firm
    or not. Other trees of these answers are taken instead if they predict answers held out better:
    average linkage of the single pairs' strengths and, of few objects that were often compared,
    splits of strengths that expect nothing of a tree.

    Parameters
    ----------
    comparisons : Comparisons
        Listed or ranked.
    initial_clusters : sequence of sequences of int, optional
        Clusters to start from.
    repeats : {"majority", "net"}
        How repeated answers count.
    progress : callable, optional
        Called with (rounds done, rounds in all).

    Returns
    -------
    Hierarchy
        The score of a merge is the mean strength across, NaN where nothing is known of it. Marked
        as tied are merges that no answer spoke for, or as much for another one. Of its
        `parameters`, `kinds` says which tree was taken ("splits", "plain splits" or "average"): one
        entry for each part of the objects, since parts never compared have trees of their own.

    Examples
    --------
    >>> from ordlink import Comparisons
    >>> comparisons = Comparisons.from_triplets([[1, 2, 0], [2, 1, 0]])
    >>> spectral_linkage(comparisons).merges.tolist()
    [[1, 2], [0, 3]]
    """
    if comparisons.n_objects < 2:
        raise InputError(f"a tree needs at least two objects, got {comparisons.n_objects}")
    partition = initial_partition(comparisons.n_objects, initial_clusters)
    with one_blas_thread():
        if not isinstance(comparisons, ListedComparisons):
            return _noted(grow_trees(comparisons, partition, progress).splits, ["splits"])
        if repeats == "net":
            check_net_counts(comparisons)
        order = order_of_appearance(comparisons)
        labels = partition.labels[order]
        tree, kinds = _grow_parts(permute_objects(comparisons, order), labels, repeats, progress)
        return _noted(restore_objects(tree, order, comparisons.names), kinds)


def _noted(tree: Hierarchy, kinds: Sequence[Kind]) -> Hierarchy:
    return tree.with_origin("spectral", {"kinds": list(kinds)})


def _grow_parts(
    comparisons: ListedComparisons,
    labels: Int32Array,
    repeats: Repeats,
    progress: Progress | None,
) -> tuple[Hierarchy, list[Kind]]:
    """Return the tree of all objects, and the kinds of the trees of parts never compared.

    Objects of equal labels are in one initial cluster.
    """
    parts = list_parts(comparisons, clusters_of(labels))
    named = np.sort(np.concatenate(parts)) if parts else np.arange(comparisons.n_objects)
    if len(parts) <= 1 and len(named) == comparisons.n_objects:
        tree, kind = _grow(comparisons, labels, repeats, progress)
        return tree, [kind]
    grown = [_grow(comparisons.subset(part), labels[part], repeats, progress) for part in parts]
    own_numbers = [np.searchsorted(named, part) for part in parts]
    tree = join_trees(own_numbers, [tree for tree, _ in grown])
    if len(named) < comparisons.n_objects:
        tree = attach_uncompared(
            tree, named, initial_partition(comparisons.n_objects, clusters_of(labels))
        )
    return tree, [kind for _, kind in grown]


def _grow(
    comparisons: ListedComparisons,
    labels: Int32Array,
    repeats: Repeats,
    progress: Progress | None,
) -> tuple[Hierarchy, Kind]:
    partition = initial_partition(comparisons.n_objects, clusters_of(labels))
    kind = choose_kind(comparisons, partition, repeats)
    rows = thin_out_pairs(one_row_per_question(comparisons, repeats))
    return grow_trees(rows, partition, progress).of_kind(kind), kind
