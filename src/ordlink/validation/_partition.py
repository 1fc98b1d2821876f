"""The clusters of a tree that answers support best, also answers that it was not built from."""

from __future__ import annotations

from ordlink.comparisons import ListedComparisons
from ordlink.hierarchy import Hierarchy, Partition
from ordlink.linkage import describe_merges
from ordlink.validation._cross_validation import check_listed, check_tree


def best_partition(
    comparisons: ListedComparisons, tree: Hierarchy, n_clusters: int | None = None
) -> Partition:
    """Return the partition into clusters of the tree that the answers support best.

    The evidence for a split is a log-likelihood ratio: how much better the outcomes of comparisons
    are explained if pairs across the split are judged less alike than pairs within its two sides.
    The rest is `Hierarchy.partition`, which does the same with the answers that the tree was built
    from.

    Parameters
    ----------
    comparisons : ListedComparisons
        The answers.
    tree : Hierarchy
        A tree of the same objects.
    n_clusters : int, optional
        As in `Hierarchy.partition`; by default a suggested number.

    Examples
    --------
    >>> import ordlink as ol
    >>> planted = ol.datasets.planted_hierarchy(depth=2, leaf_size=5, gap=1.0, noise=0.1, seed=0)
    >>> rows = ol.datasets.simulate_answers(planted.similarities, 2000, seed=0)
    >>> c = ol.Comparisons.from_triplets(rows)
    >>> best_partition(c, ol.cluster(c, "4-AL"), 4).labels.tolist()
    [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3]
    """
    check_listed(comparisons)
    check_tree(tree, comparisons.n_objects)
    return describe_merges(tree, comparisons).partition(n_clusters)
