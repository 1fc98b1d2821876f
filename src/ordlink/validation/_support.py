"""Support: how firmly the answers hold each branch of a tree."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Literal, get_args

from ordlink._typing import FloatArray, Int32Array, LabelArray, Progress
from ordlink.comparisons import Comparisons, ListedComparisons
from ordlink.errors import InputError, OrdlinkWarning
from ordlink.hierarchy import Hierarchy
from ordlink.methods import InitialClusters, cluster, find_method
from ordlink.validation._branches import match_known_branches
from ordlink.validation._checks import check_whole_number
from ordlink.validation._consensus import consensus_tree
from ordlink.validation._folds import answer_units
from ordlink.validation._replicates import Draw, pools_of, rarity_of_objects, replicate_trees
from ordlink.validation._shuffled import relabel_clusters
from ordlink.validation._votes import Votes

Resample = Literal["both", "answers", "pairs"]
FEWEST_ANNOTATORS = 5
"""Fewer people are not drawn with replacement: they say nothing about others."""


@dataclass(frozen=True, eq=False)
class BranchSupport:
    """How firmly the answers hold each branch of a tree; one entry per merge, 1 for the root.

    Attributes
    ----------
    tree : Hierarchy
        The tree of all answers, with `support`.
    support : ndarray of shape (N-1,), dtype float64
        The share of the replicates that have the branch with a given object on its side of it, for
        the object where this is lowest: no object of the branch, and none outside, is more
        doubtful than that. Of a branch of p among N objects, up to a quarter of the smaller of
        p - 1 and N - p may be out of place; so for up to four objects this is the share of the
        replicates that have exactly the branch.
    shares : ndarray of shape (N-1,), dtype float64
        Share of the replicates that have exactly the branch. Strict for large branches, which are
        missing where any one object is out of place.
    transfers : ndarray of shape (N-1,), dtype float64
        Transfer support: 1 minus the mean number of objects that must move to make the branch out
        of its nearest counterpart, relative to the most that could be needed. Lenient: a
        large branch may score high though some objects do not belong to it.
    replicates : tuple of Hierarchy
        The trees of the replicates.
    """

    tree: Hierarchy
    support: FloatArray
    shares: FloatArray
    transfers: FloatArray
    replicates: tuple[Hierarchy, ...]

    def consensus(self, *, min_share: float = 0.5) -> Hierarchy:
        """Return the majority-rule consensus of the replicates, see `consensus_tree`."""
        return consensus_tree(self.replicates, min_share=min_share)


def branch_support(
    comparisons: Comparisons,
    method: str = "4-AL",
    *,
    n_replicates: int = 200,
    resample: Resample = "both",
    initial_clusters: InitialClusters = None,
    seed: int = 0,
    progress: Progress | None = None,
    **options: Any,
) -> BranchSupport:
    """Return the tree of a method with the support of each of its branches.

    The method is run again on replicates, the answers as they might have come out, and each
    branch looked for in their trees. Two kinds of noise are redrawn:

    - of asking: people are drawn with replacement, with all their answers, where at least 5
      annotators are known. With many answers this noise vanishes, though branches may still be
      accidents;
    - of the similarities themselves: each pair of objects takes over all that was said about
      another one, drawn from the pairs that meet in the same merge of the tree, or, where these
      are fewer than 10, in merges of as many to twice as many pairs. In the paper's planted model
      this redraws the noise R of each similarity and keeps the structure that the tree has found.
      It redraws the answers about a pair along with it.

    Somebody who is drawn three times counts three times, though most methods by default count a
    question once, however many have answered it. A question is decided by the majority of the
    answers drawn, and counts as often as its answers were drawn on average, in whole numbers and
    at least once; so one that was asked once counts three times here. With ``repeats="net"``
    every answer drawn counts for itself. Methods without this option take what is drawn as it is.

    Drawing objects would not do: two objects that are alike by accident stay so in every draw
    that has both.

    Parameters
    ----------
    comparisons : Comparisons
        Listed or ranked.
    method : str
        A method that takes comparisons.
    n_replicates : int
        Number of replicates.
    resample : {"both", "answers", "pairs"}
        "both" draws people, where they are known, and pairs, with the answers about them;
        "pairs" draws no people; "answers" draws people or, where they are not known, answers, and
        keeps the pairs, which shows the noise of asking alone and needs listed comparisons.
    initial_clusters : sequence of sequences of int, optional
        As in `ordlink.cluster`, for the tree and all replicates.
    seed : int
        Makes the draws reproducible.
    progress : callable, optional
        Called with (replicates done, replicates in all).
    **options
        Options of the method.

    Returns
    -------
    BranchSupport

    Raises
    ------
    InputError, InputKindError
        As in `ordlink.cluster`, or if answers are to be drawn and are not listed.

    References
    ----------
    J. Felsenstein: Confidence limits on phylogenies: an approach using the bootstrap, Evolution
    1985. F. Lemoine et al.: Renewing Felsenstein's phylogenetic bootstrap in the era of big data,
    Nature 2018 (transfer support).

    Examples
    --------
    >>> import ordlink as ol
    >>> planted = ol.datasets.planted_hierarchy(depth=1, leaf_size=5, gap=2, noise=0.5, seed=0)
    >>> c = ol.Comparisons.from_similarities(planted.similarities, 1.0)
    >>> result = branch_support(c, "4-AL", n_replicates=50)
    >>> print(result.tree.to_newick(min_support=0.9))
    ((0:8,3:8,4:8,2:8,1:8)1:1,(5:6,6:6,9:6,7:6,8:6)1:3);
    """
    n_replicates = check_whole_number(n_replicates, "n_replicates", lowest=1)
    seed = check_whole_number(seed, "seed", lowest=0)
    if resample not in get_args(Resample):
        raise InputError(
            f"resample: expected one of {', '.join(get_args(Resample))}, got {resample!r}."
        )
    with warnings.catch_warnings():
        # Ties are decided anew in each replicate: support says what they mean.
        warnings.filterwarnings("ignore", "[0-9]+ of [0-9]+ merges", OrdlinkWarning)
        tree = cluster(comparisons, method, initial_clusters=initial_clusters, **options)
    units = _units(comparisons, resample)
    pools = None if resample == "answers" else pools_of(tree, rarity_of_objects(comparisons))
    votes, of_replicates = None, dict(options)
    if units is not None and "repeats" in find_method(method).options:
        assert isinstance(comparisons, ListedComparisons)
        if (options.get("repeats") or "majority") == "majority":
            votes = Votes.of(comparisons)
        of_replicates["repeats"] = "net"  # of what is decided, it counts how often it was drawn
    draw = Draw(comparisons, units, pools, votes)

    def build(replicate: Comparisons, order: Int32Array) -> Hierarchy:
        start = relabel_clusters(initial_clusters, order)
        return cluster(replicate, method, initial_clusters=start, **of_replicates)

    trees = replicate_trees(draw, build, n_replicates, seed, progress)
    matches = match_known_branches(tree, trees, comparisons)
    return BranchSupport(
        tree.with_support(matches.weakest),
        matches.weakest,
        matches.shares,
        matches.transfers,
        trees,
    )


def _units(comparisons: Comparisons, resample: Resample) -> LabelArray | None:
    """Return what is drawn with replacement: the annotator or answer of each row, or nothing."""
    if not isinstance(comparisons, ListedComparisons):
        if resample == "answers":
            raise InputError(
                "resample: expected 'pairs' or 'both', since all comparisons are given and no "
                "answer could be missing or repeated, got 'answers'."
            )
        return None
    details = comparisons.details
    annotators = None if details is None else details.annotators
    known = 0 if annotators is None else len(set(annotators.tolist()) - {""})
    if resample == "pairs" or (resample == "both" and known < FEWEST_ANNOTATORS):
        return None
    return answer_units(comparisons, by_annotator=None, fewest=FEWEST_ANNOTATORS)
