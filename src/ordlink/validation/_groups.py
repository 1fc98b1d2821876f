"""The trees of groups of answers, and how far they differ."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import coo_array

from ordlink._html import Shown
from ordlink._text import counted
from ordlink._typing import AnyArray, FloatArray
from ordlink._validate import Seed, check_whole_number, seed_number
from ordlink.comparisons import ListedComparisons
from ordlink.errors import InputError, OrdlinkWarning
from ordlink.hierarchy import Hierarchy
from ordlink.methods import DEFAULT_METHOD, cluster
from ordlink.metrics import agreements, comparison_accuracy, triplet_distance
from ordlink.validation._cross_validation import check_listed

LEVEL = 0.05
MOST_FOLDS = 10  # trees without some of a group's people, to score these
FAST_METHOD = "AddS-AL"  # of those trees


@dataclass(frozen=True, eq=False, kw_only=True)
class BranchDifference:
    """How much more a group agrees with a branch of the tree of everybody than the others."""

    objects: tuple[int, ...]
    """The objects of the branch."""
    shares: tuple[float, ...]
    """Per group: share of comparisons of pairs inside and across it won by the inside pair."""
    p_value: float
    """Adjusted for the number of branches."""


@dataclass(frozen=True, eq=False, kw_only=True)
class GroupComparison(Shown):
    """The trees of groups of answers, in the order of their names."""

    groups: tuple[str, ...]
    n_answers: tuple[int, ...]
    trees: tuple[Hierarchy, ...]
    distances: FloatArray
    """Share of the triples of objects that two trees resolve differently; 2/3 if unrelated."""
    accuracies: FloatArray
    """Share of the comparisons of a group (row) that the tree of a group (column) agrees with."""
    p_value: float
    """Of the groups being alike; NaN unless each group has at least two people."""
    branches: tuple[BranchDifference, ...]
    """The branches of the tree of everybody; none where groups were not tested."""
    people: tuple[str, ...]
    follows: FloatArray
    """Share of a person's comparisons (row) that a group's tree (column) without them agrees with.

    These trees are built by AddS-AL.
    """
    warnings: tuple[str, ...]
    """Warnings about the trees, each with its group, and about the test."""


def compare_groups(
    comparisons: ListedComparisons,
    groups: Sequence[str] | AnyArray,
    method: str = DEFAULT_METHOD,
    *,
    n_permutations: int = 999,
    seed: Seed = 0,
    **options: Any,
) -> GroupComparison:
    """Return a tree for each group of answers, how far the trees differ, and whether by chance.

    The test permutes people: if groups are alike, it does not matter who belongs to which. Each
    person is the vector of wins minus losses of all pairs of objects; the statistic is the sum of
    squares between groups (PERMANOVA), so no tree decides it. Branches of the tree of everybody
    are tested in the same way, with the maximum over all of them (Westfall and Young).

    Parameters
    ----------
    groups : sequence of str
        The group of each comparison; "" leaves it out. A person is in one group.
    n_permutations : int
        Number of permutations; the smallest p-value is 1 / (n_permutations + 1).
    comparisons, method, seed, **options
        As in :func:`ordlink.cluster`; the seed is that of the permutations.

    Examples
    --------
    >>> import ordlink as ol
    >>> c = ol.Comparisons.from_triplets([[0, 1, 2], [0, 2, 1]], annotators=["ann", "model"])
    >>> compare_groups(c, c.details.annotators).distances.tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    check_listed(comparisons)
    n_permutations = check_whole_number(n_permutations, "n_permutations", lowest=1)
    labels = np.asarray(groups, dtype=str)
    if labels.shape != (comparisons.n_rows,):
        problem = f"expected {counted(comparisons.n_rows, 'name')}, one per comparison"
        raise InputError(f"{problem}, got shape {labels.shape}", parameter="groups")
    names = tuple(name for name in np.unique(labels).tolist() if name)
    if len(names) < 2:
        problem = f"expected at least two groups, got {', '.join(map(repr, names)) or 'none'}"
        raise InputError(problem, parameter="groups")
    parts = [comparisons.take(labels == name) for name in names]
    trees, told = [], []
    for name, part in zip(names, parts, strict=True):
        tree, problems = _quiet_tree(part, method, options)
        trees.append(tree)
        told += [f"{name}: {one}" for one in problems]
    crowd = _Crowd.of(comparisons.take(labels != ""), labels[labels != ""], names)
    p_value: float = math.nan
    branches: tuple[BranchDifference, ...] = ()
    if crowd.can_be_tested:
        everybody, _ = _quiet_tree(crowd.comparisons, method, options)
        rng = np.random.default_rng(seed_number(seed))
        p_value, branches = _test(crowd, everybody, n_permutations, rng)
        if crowd.smallest_p_value > LEVEL:
            told.append(
                f"too few people to find a difference: p cannot be below "
                f"{crowd.smallest_p_value:.2g}; a test needs, for example, four people in each of "
                "two groups"
            )
    else:
        told.append("not tested: a test needs at least two people in each group, each in one group")
    return GroupComparison(
        groups=names,
        n_answers=tuple(part.n_answers for part in parts),
        trees=tuple(trees),
        distances=np.array([[triplet_distance(one, other) for other in trees] for one in trees]),
        accuracies=np.array([[comparison_accuracy(part, t) for t in trees] for part in parts]),
        p_value=p_value,
        branches=branches,
        people=crowd.people,
        follows=_follows(crowd),
        warnings=tuple(told),
    )


def _quiet_tree(
    part: ListedComparisons, method: str, options: dict[str, Any]
) -> tuple[Hierarchy, list[str]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", OrdlinkWarning)
        tree = cluster(part, method, **options)
    return tree, [str(one.message) for one in caught]


@dataclass(frozen=True, eq=False)
class _Crowd:
    """The comparisons of people in groups."""

    comparisons: ListedComparisons
    people: tuple[str, ...]
    of_row: AnyArray  # the person of each comparison
    group_of: AnyArray  # the group of each person; -1 for people in several
    n_groups: int

    @staticmethod
    def of(comparisons: ListedComparisons, labels: AnyArray, names: tuple[str, ...]) -> _Crowd:
        details = comparisons.details
        who = None if details is None else details.annotators
        if who is None:
            who = np.full(comparisons.n_rows, "")
        people, of_row = np.unique(who.astype(str), return_inverse=True)
        groups = np.searchsorted(names, labels)
        first = np.full(len(people), -1)
        first[of_row[::-1]] = groups[::-1]
        first[of_row[first[of_row] != groups]] = -1
        first[people == ""] = -1
        return _Crowd(comparisons, tuple(people.tolist()), of_row, first, len(names))

    @property
    def can_be_tested(self) -> bool:
        sizes = np.bincount(self.group_of[self.group_of >= 0], minlength=self.n_groups)
        return bool(sizes.min() >= 2 and (self.group_of >= 0).all())

    @property
    def smallest_p_value(self) -> float:
        """The share of assignments of people to groups that are as extreme as the best one."""
        sizes = np.bincount(self.group_of)
        n_alike = math.prod(map(math.factorial, np.bincount(sizes[sizes > 0]).tolist()))
        n_same = math.prod(map(math.factorial, sizes.tolist()))
        return n_alike * n_same / math.factorial(len(self.people))

    def sums(self, values: AnyArray) -> FloatArray:
        """Return the sum of a value of each comparison over those of each person."""
        counts = self.comparisons.counts
        weighted = values if counts is None else values * counts
        found = np.bincount(self.of_row, weights=weighted, minlength=len(self.people))
        return found.astype(np.float64)


def _test(
    crowd: _Crowd, tree: Hierarchy, n_permutations: int, rng: np.random.Generator
) -> tuple[float, tuple[BranchDifference, ...]]:
    orders = [crowd.group_of, *(rng.permutation(crowd.group_of) for _ in range(n_permutations))]
    chosen = [(np.array(orders) == g).astype(np.float64) for g in range(crowd.n_groups)]
    products, weights = _centred_products(crowd)
    statistics = sum(((z @ products) * z).sum(axis=1) / (z @ weights) for z in chosen)
    branches = _clades(tree)
    gained, n_made = (np.array(one).T for one in zip(*_votes(crowd, branches), strict=True))
    mean = gained.sum(axis=0) / np.maximum(n_made.sum(axis=0), 1)
    spread = np.maximum(1 - mean**2, 1 / np.maximum(n_made.sum(axis=0), 1))
    of_branches = np.zeros((n_permutations + 1, len(branches)))
    for z in chosen:
        off = (z @ (gained - mean * n_made)) ** 2
        of_branches += off / np.maximum(z @ n_made, 1) / spread
    highest = of_branches.max(axis=1)
    with np.errstate(invalid="ignore"):
        shares = np.array([(1 + z[0] @ gained / (z[0] @ n_made)) / 2 for z in chosen])
    found = tuple(
        BranchDifference(
            objects=tuple(objects),
            shares=tuple(shares[:, at].tolist()),
            p_value=_share_reached(highest, of_branches[0, at]),
        )
        for at, objects in enumerate(branches)
    )
    return _share_reached(np.asarray(statistics), np.asarray(statistics)[0]), found


def _share_reached(values: FloatArray, observed: float) -> float:
    return float(np.mean(values >= observed * (1 - 1e-9)))


def _centred_products(crowd: _Crowd) -> tuple[FloatArray, FloatArray]:
    """Return the inner products of people's vectors of wins minus losses, and their weights.

    A vector is taken relative to what the mean of all would be with as many comparisons.
    """
    c = crowd.comparisons
    counts = np.ones(c.n_rows) if c.counts is None else c.counts.astype(np.float64)
    rows = np.concatenate([crowd.of_row, crowd.of_row])
    pairs = np.unique(np.concatenate([c.winners, c.losers]), return_inverse=True)[1].ravel()
    vectors = coo_array((np.concatenate([counts, -counts]), (rows, pairs))).tocsr()
    weights = crowd.sums(np.ones(c.n_rows))
    mean = np.asarray(vectors.sum(axis=0)).ravel() / weights.sum()
    along = vectors @ mean
    products = (vectors @ vectors.T).toarray()
    products -= np.outer(weights, along) + np.outer(along, weights)
    return products + np.outer(weights, weights) * (mean @ mean), weights


def _clades(tree: Hierarchy) -> list[list[int]]:
    """Return the objects below each merge but the last."""
    below = [[one] for one in range(tree.n_objects)]
    for a, b in tree.merges[:-1].tolist():
        below.append(sorted(below[a] + below[b]))
    return below[tree.n_objects :]


def _votes(crowd: _Crowd, branches: list[list[int]]) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Yield each person's votes for minus against a branch, and their number.

    A comparison of a pair inside with a pair across the branch is a vote.
    """
    quadruplets = crowd.comparisons.quadruplets.T
    for objects in branches:
        member = np.zeros(crowd.comparisons.n_objects, dtype=np.int8)
        member[objects] = 1
        i, j, k, other = member[quadruplets]
        won, lost = i + j, k + other  # 2: inside, 1: across
        vote = ((won == 2) & (lost == 1)).astype(np.int8) - ((won == 1) & (lost == 2))
        yield crowd.sums(vote), crowd.sums(np.abs(vote))


def _follows(crowd: _Crowd) -> FloatArray:
    """Return the agreement of each person with each group's tree; NaN where there is none."""
    shares = np.full((len(crowd.people), crowd.n_groups), np.nan)
    n_made = crowd.sums(np.ones(crowd.comparisons.n_rows))
    for group in range(crowd.n_groups):
        members = np.flatnonzero(crowd.group_of == group)
        others = np.flatnonzero(crowd.group_of != group)
        for left_out in (others, *np.array_split(members, min(MOST_FOLDS, max(len(members), 1)))):
            kept = np.isin(crowd.of_row, np.setdiff1d(members, left_out))
            if not len(left_out) or not kept.any():
                continue
            tree, _ = _quiet_tree(crowd.comparisons.take(kept), FAST_METHOD, {})
            agreed = crowd.sums(agreements(crowd.comparisons, tree))
            shares[left_out, group] = agreed[left_out] / n_made[left_out]
    return shares
