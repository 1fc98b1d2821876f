"""Bootstrap support of branches, and the majority-rule consensus."""

from __future__ import annotations

import random
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from ordlink._html import Shown
from ordlink._parallel import check_n_jobs, use_jobs
from ordlink._typing import BoolArray, FloatArray, Int32Array, LabelArray, Progress
from ordlink._validate import Seed, check_choice, check_whole_number, seed_number
from ordlink.comparisons import Comparisons, ListedComparisons, find_named
from ordlink.errors import InputError, OrdlinkWarning
from ordlink.hierarchy import Hierarchy
from ordlink.hierarchy._structure import restrict_merges
from ordlink.methods import (
    DEFAULT_METHOD,
    InitialClusters,
    cluster,
    find_method,
    repeatable,
)
from ordlink.validation._bootstrap import (
    Bootstrap,
    TreeGrower,
    Votes,
    bootstrap_trees,
    pools_of,
    rarity_of_objects,
)
from ordlink.validation._consistency import annotators_of
from ordlink.validation._cross_validation import answer_units, check_tree

Resample = Literal["both", "answers", "pairs"]
FEWEST_ANNOTATORS = 5  # fewer people are not resampled: they say nothing about others
FIRM_SUPPORT, WEAK_SUPPORT = 0.95, 0.5
"""From the first on a branch is called firm; below the second it is not supported."""
NEAR_ENOUGH = 4  # a counterpart is near within a quarter of the largest possible difference


@dataclass(frozen=True, eq=False)
class BranchSupport(Shown):
    """The support of each branch of a tree; one entry per merge, 1 for the root."""

    tree: Hierarchy  # of all answers, with `support`
    support: FloatArray
    """Share of the bootstrap trees that have nearly the branch with a given object on the right
    side of it, for the object where this is lowest: no object is more doubtful than that. In a
    branch of p among N objects, up to a quarter of the smaller of p - 1 and N - p may be misplaced;
    so for up to four objects this is the share with exactly the branch. A branch is called firm
    from `FIRM_SUPPORT` on."""
    shares: FloatArray
    """Share of the bootstrap trees that have exactly the branch. Strict for large branches, which
    are missing where any one object is misplaced."""
    transfers: FloatArray
    """Transfer support: 1 minus the mean number of objects that must move to turn the nearest
    counterpart into the branch, relative to the largest possible number. Lenient: a large branch
    may score high though some objects do not belong to it."""
    bootstrap_trees: tuple[Hierarchy, ...]

    def consensus(self, *, min_share: float = 0.5) -> Hierarchy:
        """Return the majority-rule consensus of the bootstrap trees, see `consensus_tree`."""
        return consensus_tree(self.bootstrap_trees, min_share=min_share)


def branch_support(
    comparisons: Comparisons,
    method: str = DEFAULT_METHOD,
    *,
    tree: Hierarchy | None = None,
    n_bootstrap: int = 200,
    resample: Resample = "both",
    initial_clusters: InitialClusters = None,
    seed: Seed = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> BranchSupport:
    """Return the tree of a method with the bootstrap support of each branch.

    The method is run again on bootstrap samples of the answers, and each branch is looked up in
    their trees. Two sources of noise are resampled:

    - the answers: where at least 5 annotators are known, people are drawn with replacement, with
      all their answers. With many answers this noise vanishes, though branches may still be
      spurious;
    - the similarities: each pair of objects receives all comparisons of another pair, drawn from
      the pairs that meet in the same merge of the tree or, where these are fewer than 10, in
      merges of as many to twice as many pairs. In the paper's planted model this resamples the
      noise R of each similarity, along with the answers about it, and keeps the structure that
      the tree has found.

    A person drawn three times counts three times: the majority of the answers drawn decides a
    question, which counts as often as its answers were drawn on average, rounded and at least
    once. With ``repeats="net"`` every answer drawn counts separately. Methods without this option
    take the sample as it is. Resampling objects would not work: two objects that are alike by
    chance remain so in every sample that contains both.

    Parameters
    ----------
    comparisons : Comparisons
        Listed or ranked.
    tree : Hierarchy, optional
        The tree whose branches are looked up; by default that of the method.
    n_bootstrap : int
        Number of bootstrap samples.
    resample : {"both", "answers", "pairs"}
        "both" resamples people, where they are known, and pairs, with the answers about them;
        "pairs" resamples no people; "answers" resamples people or, where they are unknown,
        answers, and keeps the pairs, which needs listed comparisons.
    n_jobs : int, optional
        Number of processes, -1 for all cores; by default one process with a thread per core, which
        is slower for spectral alone. The result does not depend on it.
    method, initial_clusters, seed, progress, **options
        As in `learning_curve` and `ordlink.cluster`, for the tree and all bootstrap samples; with
        "auto", the samples are clustered as the tree was, see `ordlink.methods.repeatable`.

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
    >>> print(result.tree.to_newick(min_support=0.9, heights="rank"))
    ((0:8,3:8,4:8,2:8,1:8)1:1,(5:6,6:6,9:6,7:6,8:6)1:3);
    """
    n_bootstrap = check_whole_number(n_bootstrap, "n_bootstrap", lowest=1)
    seed, n_jobs = seed_number(seed), check_n_jobs(n_jobs)
    check_choice(resample, "resample", get_args(Resample))
    with warnings.catch_warnings(), use_jobs(n_jobs):
        # Ties are decided by chance in each sample: support shows what they matter.
        warnings.filterwarnings("ignore", "[0-9]+ of [0-9]+ merges", OrdlinkWarning)
        if tree is None:
            tree = cluster(comparisons, method, initial_clusters=initial_clusters, **options)
        tree = check_tree(tree, comparisons.n_objects)
    method, chosen = repeatable(tree, method)
    options = {**options, **chosen}
    units = _units(comparisons, resample)
    pools = None if resample == "answers" else pools_of(tree, rarity_of_objects(comparisons))
    votes, of_samples = None, dict(options)
    if units is not None and "repeats" in find_method(method).options:
        assert isinstance(comparisons, ListedComparisons)
        if (options.get("repeats") or "majority") == "majority":
            votes = Votes.of(comparisons)
        of_samples["repeats"] = "net"  # what was decided counts as often as it was drawn
    grower = TreeGrower(
        Bootstrap(comparisons, units, pools, votes),
        method,
        of_samples,
        initial_clusters,
        np.random.SeedSequence(seed).spawn(n_bootstrap),
    )
    trees = bootstrap_trees(grower, n_jobs=n_jobs, progress=progress)
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
    few = len(annotators_of(comparisons)[1]) < FEWEST_ANNOTATORS
    if resample == "pairs" or (resample == "both" and few):
        return None
    return answer_units(comparisons, by_annotator=None, fewest=FEWEST_ANNOTATORS)


def firm_branches(tree: Hierarchy) -> list[int]:
    """Return the merges below the root whose support is at least `FIRM_SUPPORT`, largest first.

    Examples
    --------
    >>> firm_branches(Hierarchy([[0, 1], [2, 3], [4, 5]]).with_support([0.96, 0.7, 1.0]))
    [0]
    """
    firm = np.flatnonzero(tree.support[:-1] >= FIRM_SUPPORT)
    sizes = tree.sizes[tree.n_objects :]
    return sorted(firm.tolist(), key=lambda t: (-int(sizes[t]), t))


@dataclass(frozen=True, eq=False)
class Matches:
    """How often the branches of a tree occur in other trees, as in `BranchSupport`."""

    shares: FloatArray
    transfers: FloatArray
    weakest: FloatArray  # what is called support there


def match_branches(tree: Hierarchy, trees: Sequence[Hierarchy]) -> Matches:
    """Look for each branch of a tree in others, in O(N^2) time per tree and O(N^2) memory.

    The counterpart of a branch is the cluster that differs from it by the fewest objects (of
    equals, the lowest). For a branch of p objects these are at most p - 1, as for any single one of
    its objects, and at most N - p, as for the root.
    """
    n = tree.n_objects
    mine = members_of(tree)
    sizes = tree.sizes[n:]
    found = np.zeros(n - 1, dtype=np.int64)
    moved = np.zeros(n - 1, dtype=np.int64)
    right_side = np.zeros((n - 1, n), dtype=np.int32)
    most = np.minimum(sizes - 1, n - sizes)
    for other in trees:
        distances = sizes + other.sizes[n:, None] - 2 * _shared(other, mine)
        nearest = distances.argmin(axis=0)
        distance = distances[nearest, np.arange(n - 1)]
        found += distance == 0
        moved += np.minimum(distance, most)
        nearly = NEAR_ENOUGH * distance <= most
        right_side += (members_of(other)[nearest] == mine) & nearly[:, None]
    transfers = 1 - moved / np.maximum(most * len(trees), 1)
    weakest = right_side.min(axis=1) / len(trees)
    return Matches(found / len(trees), transfers, weakest)


def match_known_branches(
    tree: Hierarchy, trees: Sequence[Hierarchy], comparisons: Comparisons
) -> Matches:
    """Look for each branch of a tree in others, among the objects that occur in the answers.

    The position of other objects is arbitrary; merges that only add such an object have no
    counterpart.
    """
    n = tree.n_objects
    named = find_named(comparisons) if isinstance(comparisons, ListedComparisons) else np.arange(n)
    if len(named) == n or len(named) < 2:
        return match_branches(tree, trees)
    _, rows = restrict_merges(tree.merges, named.astype(np.int32))
    found = match_branches(tree.restrict(named), [other.restrict(named) for other in trees])
    in_all = np.zeros((3, n - 1))
    in_all[:, -1] = 1.0
    in_all[:, rows] = found.shares, found.transfers, found.weakest
    return Matches(*in_all)


def members_of(tree: Hierarchy) -> BoolArray:
    """Return which objects each merge contains: shape (N-1, N), dtype bool."""
    n = tree.n_objects
    members = np.zeros((2 * n - 1, n), dtype=np.bool_)
    members[np.arange(n), np.arange(n)] = True
    for t, (left, right) in enumerate(tree.merges.tolist()):
        np.logical_or(members[left], members[right], out=members[n + t])
    return members[n:]


def _shared(other: Hierarchy, mine: BoolArray) -> Int32Array:
    """Count the objects in both merge s of the other tree and branch t: shape (N-1, N-1)."""
    n = other.n_objects
    shared = np.empty((2 * n - 1, n - 1), dtype=np.int32)
    shared[:n] = mine.T
    for s, (left, right) in enumerate(other.merges.tolist()):
        np.add(shared[left], shared[right], out=shared[n + s])
    return shared[n:]


def consensus_tree(trees: Sequence[Hierarchy], *, min_share: float = 0.5) -> Hierarchy:
    """Return the tree of the clusters that occur in more than `min_share` of the trees.

    Any two clusters that occur in more than half of the trees occur together in one of them, so
    they are compatible. The consensus is in general not binary. It is returned as a binary tree
    whose `support` is the share of the trees that have the cluster, and 0 for merges that only make
    it binary; ``min_support=0.5`` hides those in drawings and files. Merges are ordered by size.

    Parameters
    ----------
    trees : sequence of Hierarchy
        Trees of the same objects.
    min_share : float
        At least 0.5, below 1.

    Examples
    --------
    >>> first, second = Hierarchy([[0, 1], [2, 4], [3, 5]]), Hierarchy([[0, 1], [3, 4], [2, 5]])
    >>> consensus_tree([first, first, second, second]).to_newick(min_support=0.5)
    '((0:1,1:1)1:2,2:3,3:3);'
    """
    if not trees:
        raise InputError("expected at least one tree, got none", parameter="trees")
    n_objects = trees[0].n_objects
    for number, tree in enumerate(trees):
        if tree.n_objects != n_objects:
            raise InputError(
                f"expected trees of the same objects, got {n_objects} objects in the first and "
                f"{tree.n_objects} in tree {number}",
                parameter="trees",
            )
    if not 0.5 <= min_share < 1:
        raise InputError(
            f"expected at least 0.5 and below 1, got {min_share}; clusters found in fewer trees "
            f"need not be compatible",
            parameter="min_share",
        )
    counts, example = _count_clusters(trees)
    clusters = [
        (trees[number].members(node), counts[key] / len(trees))
        for key, (number, node) in example.items()
        if counts[key] > min_share * len(trees)
    ]
    return _join(clusters, n_objects, trees[0].names)


def _count_clusters(trees: Sequence[Hierarchy]) -> tuple[Counter[int], dict[int, tuple[int, int]]]:
    """Count each cluster by its key, the exclusive or of random 128-bit keys of its objects."""
    generator = random.Random(0)
    of_object = [generator.getrandbits(128) for _ in range(trees[0].n_objects)]
    counts: Counter[int] = Counter()
    example: dict[int, tuple[int, int]] = {}
    for number, tree in enumerate(trees):
        keys = list(of_object)
        for left, right in tree.merges.tolist():
            example.setdefault(keys[left] ^ keys[right], (number, len(keys)))
            keys.append(keys[left] ^ keys[right])
        counts.update(keys[tree.n_objects :])
    return counts, example


def _join(
    clusters: list[tuple[Int32Array, float]], n_objects: int, names: tuple[str, ...] | None
) -> Hierarchy:
    """Build the binary tree of compatible clusters, small ones first."""
    clusters.sort(key=lambda entry: (len(entry[0]), entry[0].tolist()))
    top = np.arange(n_objects)  # the highest node so far over each object
    merges: list[tuple[int, int]] = []
    support: list[float] = []
    for members, share in clusters:
        parts = np.unique(top[members]).tolist()
        node = parts[0]
        for part in parts[1:]:
            merges.append((node, part))
            support.append(0.0)
            node = n_objects + len(merges) - 1
        support[-1] = share
        top[members] = node
    return Hierarchy(np.array(merges).reshape(-1, 2), names=names).with_support(support)
