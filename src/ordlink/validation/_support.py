"""Bootstrap support of the branches of a tree."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Literal, get_args

from ordlink._typing import FloatArray, Int32Array, LabelArray, Progress
from ordlink._validate import Seed, check_choice, check_whole_number, seed_number
from ordlink.comparisons import Comparisons, ListedComparisons
from ordlink.errors import InputError, OrdlinkWarning
from ordlink.hierarchy import Hierarchy
from ordlink.methods import InitialClusters, cluster, find_method
from ordlink.validation._bootstrap import (
    Bootstrap,
    Votes,
    bootstrap_trees,
    pools_of,
    rarity_of_objects,
)
from ordlink.validation._branches import consensus_tree, match_known_branches
from ordlink.validation._folds import answer_units, count_annotators
from ordlink.validation._shuffled import relabel_clusters

Resample = Literal["both", "answers", "pairs"]
FEWEST_ANNOTATORS = 5
"""Fewer people are not resampled: they say nothing about others."""


@dataclass(frozen=True, eq=False)
class BranchSupport:
    """The support of each branch of a tree; one entry per merge, 1 for the root.

    Attributes
    ----------
    tree : Hierarchy
        The tree of all answers, with `support`.
    support : ndarray of shape (N-1,), dtype float64
        Share of the bootstrap trees that have nearly the branch with a given object on the right
        side of it, for the object where this is lowest: no object is more doubtful than that. In
        a branch of p among N objects, up to a quarter of the smaller of p - 1 and N - p may be
        misplaced; so for up to four objects this is the share with exactly the branch. A branch
        is called firm from `FIRM_SUPPORT` on.
    shares : ndarray of shape (N-1,), dtype float64
        Share of the bootstrap trees that have exactly the branch. Strict for large branches, which
        are missing where any one object is misplaced.
    transfers : ndarray of shape (N-1,), dtype float64
        Transfer support: 1 minus the mean number of objects that must move to turn the nearest
        counterpart into the branch, relative to the largest possible number. Lenient: a large
        branch may score high though some objects do not belong to it.
    bootstrap_trees : tuple of Hierarchy
        The trees of the bootstrap samples.
    """

    tree: Hierarchy
    support: FloatArray
    shares: FloatArray
    transfers: FloatArray
    bootstrap_trees: tuple[Hierarchy, ...]

    def consensus(self, *, min_share: float = 0.5) -> Hierarchy:
        """Return the majority-rule consensus of the bootstrap trees, see `consensus_tree`."""
        return consensus_tree(self.bootstrap_trees, min_share=min_share)


def branch_support(
    comparisons: Comparisons,
    method: str = "4-AL",
    *,
    n_bootstrap: int = 200,
    resample: Resample = "both",
    initial_clusters: InitialClusters = None,
    seed: Seed = 0,
    progress: Progress | None = None,
    **options: Any,
) -> BranchSupport:
    """Return the tree of a method with the bootstrap support of each branch.

    The method is run again on bootstrap samples of the answers, and each branch is looked up in
    their trees. Two sources of noise are resampled:

    - the answers: where at least 5 annotators are known, people are drawn with replacement, with
      all their answers. With many answers this noise vanishes, though branches may still be
      accidents;
    - the similarities: each pair of objects receives all comparisons of another pair, drawn from
      the pairs that meet in the same merge of the tree or, where these are fewer than 10, in
      merges of as many to twice as many pairs. In the paper's planted model this resamples the
      noise R of each similarity, along with the answers about it, and keeps the structure that
      the tree has found.

    A person drawn three times counts three times, although most methods by default count a
    question once, however many people answered it. The majority of the answers drawn decides a
    question, which counts as often as its answers were drawn on average, rounded and at least
    once. With ``repeats="net"`` every answer drawn counts separately. Methods without this option
    take the sample as it is.

    Resampling objects would not work: two objects that are alike by accident stay so in every
    sample that contains both.

    Parameters
    ----------
    comparisons : Comparisons
        Listed or ranked.
    method : str
        A method that takes comparisons.
    n_bootstrap : int
        Number of bootstrap samples.
    resample : {"both", "answers", "pairs"}
        "both" resamples people, where they are known, and pairs, with the answers about them;
        "pairs" resamples no people; "answers" resamples people or, where they are unknown,
        answers, and keeps the pairs, which needs listed comparisons.
    initial_clusters : sequence of sequences of int, optional
        As in `ordlink.cluster`, for the tree and all bootstrap samples.
    seed : int, numpy.random.Generator or None
        Random seed.
    progress : callable, optional
        Called with (samples done, samples in all).
    **options
        Options of the method.

    Returns
    -------
    BranchSupport

    Raises
    ------
    InputError, InputKindError
        As in `ordlink.cluster`, or if answers are to be resampled and are not listed.

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
    >>> result = branch_support(c, "4-AL", n_bootstrap=50)
    >>> print(result.tree.to_newick(min_support=0.9))
    ((0:8,3:8,4:8,2:8,1:8)1:1,(5:6,6:6,9:6,7:6,8:6)1:3);
    """
    n_bootstrap = check_whole_number(n_bootstrap, "n_bootstrap", lowest=1)
    seed = seed_number(seed)
    check_choice(resample, "resample", get_args(Resample))
    with warnings.catch_warnings():
        # Ties are decided by chance in each sample: support shows what they matter.
        warnings.filterwarnings("ignore", "[0-9]+ of [0-9]+ merges", OrdlinkWarning)
        tree = cluster(comparisons, method, initial_clusters=initial_clusters, **options)
    units = _units(comparisons, resample)
    pools = None if resample == "answers" else pools_of(tree, rarity_of_objects(comparisons))
    votes, of_samples = None, dict(options)
    if units is not None and "repeats" in find_method(method).options:
        assert isinstance(comparisons, ListedComparisons)
        if (options.get("repeats") or "majority") == "majority":
            votes = Votes.of(comparisons)
        of_samples["repeats"] = "net"  # what was decided counts as often as it was drawn
    bootstrap = Bootstrap(comparisons, units, pools, votes)

    def build(sample: Comparisons, order: Int32Array) -> Hierarchy:
        clusters = relabel_clusters(initial_clusters, order)
        return cluster(sample, method, initial_clusters=clusters, **of_samples)

    trees = bootstrap_trees(bootstrap, build, n_bootstrap, seed, progress)
    found = match_known_branches(tree, trees, comparisons)
    return BranchSupport(
        tree.with_support(found.weakest), found.weakest, found.shares, found.transfers, trees
    )


def _units(comparisons: Comparisons, resample: Resample) -> LabelArray | None:
    """Return what is drawn with replacement: the annotator or answer of each row, or nothing."""
    if not isinstance(comparisons, ListedComparisons):
        if resample == "answers":
            raise InputError(
                "expected 'pairs' or 'both', got 'answers'; all comparisons are given, so no "
                "answer can be missing or repeated",
                parameter="resample",
            )
        return None
    n_known = count_annotators(comparisons)
    if resample == "pairs" or (resample == "both" and n_known < FEWEST_ANNOTATORS):
        return None
    return answer_units(comparisons, by_annotator=None, fewest=FEWEST_ANNOTATORS)
