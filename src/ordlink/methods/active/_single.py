"""Single linkage (SL) from an oracle."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ordlink._typing import AnyArray, Progress
from ordlink.hierarchy import Hierarchy
from ordlink.methods.active._classes import merge_classes
from ordlink.methods.active._sort import sort_into_classes
from ordlink.methods.active._spanning_tree import grow_spanning_tree
from ordlink.methods.active._start import start_asking
from ordlink.oracles import Oracle


def single_linkage(
    oracle: Oracle,
    *,
    initial_clusters: Sequence[Sequence[int] | AnyArray] | None = None,
    progress: Progress | None = None,
) -> Hierarchy:
    """Return the tree of Algorithm alg:hc with W(G, G') the largest similarity (SL).

    The merges are the edges of a maximum spanning tree, most similar first. The tree is grown
    by Prim's algorithm, then its N - 1 edges are sorted; sorting all pairs
    (th:activecomplexitysclinkage) would take log2 of the number of pairs for each. No question is
    asked twice. At N = 240 that comes to 1.0 to 1.3 questions per pair of objects for objects with
    clusters, in a plane, or with many ties; to 1.6 for objects along a line or a circle; and to 2.1
    if they stand along it in the order of their numbers, so that each one that joins the tree is
    nearer to all others than the one before.

    Ties go to the cluster pair whose smallest objects come first. The tree is exact if the
    oracle's answers agree with some similarities; if not, it is still a tree.

    Parameters
    ----------
    oracle : Oracle
        Answers the questions; 0 counts as a tie.
    initial_clusters : sequence of sequences of int, optional
        Clusters to start from.
    progress : callable, optional
        Called with (steps done, steps in all).

    Returns
    -------
    Hierarchy
        Without scores: an oracle tells the order of similarities, not their size.

    Raises
    ------
    InputError, InputKindError
        If `oracle` is not an oracle, or its answers are not answers.

    Examples
    --------
    >>> from ordlink.oracles import SimilarityOracle
    >>> oracle = SimilarityOracle([[0, 9, 5, 1], [9, 0, 6, 2], [5, 6, 0, 7], [1, 2, 7, 0]])
    >>> single_linkage(oracle).merges.tolist()
    [[0, 1], [2, 3], [4, 5]]
    """
    partition, asker = start_asking(oracle, initial_clusters)
    spanning_tree = grow_spanning_tree(partition, asker, progress)
    classes = sort_into_classes(asker, spanning_tree.edges)
    merges = merge_classes(partition, asker, spanning_tree, classes)
    pairs = np.array([(kept, gone) for kept, gone, _ in merges], dtype=np.int32).reshape(-1, 2)
    tied = np.array([is_tied for _, _, is_tied in merges], dtype=np.bool_)
    return partition.finish(pairs, np.full(len(pairs), np.nan), tied, names=asker.names)
