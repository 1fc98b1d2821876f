"""Agreement of a tree with comparisons, against sets of clusters."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordlink.comparisons import Comparisons
from ordlink.errors import InputError, InputKindError
from ordlink.hierarchy import Hierarchy
from ordlink.metrics import comparison_accuracy
from tests.instances import random_merges

without_deadline = settings(deadline=None)  # the first call may compile


def clusters_in_merge_order(tree):
    clusters = [{i} for i in range(tree.n_objects)]
    for left, right in tree.merges.tolist():
        clusters.append(clusters[left] | clusters[right])
    return clusters


def first_cluster_with(clusters, i, j):
    return next(t for t, members in enumerate(clusters) if i in members and j in members)


def different_pairs(row):
    i, j, k, l = row  # noqa: E741 - the paper's letters
    return i != j and k != l and {i, j} != {k, l}


@st.composite
def cases(draw, *, row_length):
    n_objects = draw(st.integers(3, 9))
    rows = st.tuples(*[st.integers(0, n_objects - 1)] * row_length)
    valid = different_pairs if row_length == 4 else (lambda row: len(set(row)) == 3)
    listed = draw(st.lists(rows.filter(valid), min_size=1, max_size=15))
    merges = random_merges(np.random.default_rng(draw(st.integers(0, 10**6))), n_objects)
    tree = Hierarchy(merges)
    return tree, listed


@without_deadline
@given(cases(row_length=4), st.data())
def test_the_share_equals_loops_over_clusters_in_merge_order(case, data):
    tree, rows = case
    counts = data.draw(
        st.none() | st.lists(st.integers(1, 5), min_size=len(rows), max_size=len(rows))
    )
    comparisons = Comparisons.from_quadruplets(rows, n_objects=tree.n_objects, counts=counts)

    accuracy = comparison_accuracy(comparisons, tree)

    clusters = clusters_in_merge_order(tree)
    agreed = total = 0.0
    for (i, j, k, l), count in zip(rows, counts or [1] * len(rows), strict=True):  # noqa: E741
        winner, loser = first_cluster_with(clusters, i, j), first_cluster_with(clusters, k, l)
        agreed += count * (1.0 if winner < loser else 0.5 if winner == loser else 0.0)
        total += count
    assert accuracy == pytest.approx(agreed / total, abs=1e-12)


@without_deadline
@given(cases(row_length=3))
def test_for_triplets_only_the_shape_of_the_tree_matters(case):
    tree, rows = case
    comparisons = Comparisons.from_triplets(rows, n_objects=tree.n_objects)

    accuracy = comparison_accuracy(comparisons, tree)

    clusters = clusters_in_merge_order(tree)
    shares = []
    for i, j, k in rows:
        with_j_alone = any({i, j} <= members and k not in members for members in clusters)
        with_k_alone = any({i, k} <= members and j not in members for members in clusters)
        shares.append((1 + with_j_alone - with_k_alone) / 2)
    assert accuracy == pytest.approx(np.mean(shares), abs=1e-12)


@without_deadline
@given(cases(row_length=4))
def test_opposite_comparisons_share_the_whole(case):
    tree, rows = case
    opposite = [(k, l, i, j) for i, j, k, l in rows]  # noqa: E741 - the paper's letters

    shares = [
        comparison_accuracy(Comparisons.from_quadruplets(listed, n_objects=tree.n_objects), tree)
        for listed in (rows, opposite)
    ]

    assert sum(shares) == pytest.approx(1)


def test_merge_order_decides_between_branches():
    answers = Comparisons.from_quadruplets([(0, 1, 2, 3)])

    assert comparison_accuracy(answers, Hierarchy([[0, 1], [2, 3], [4, 5]])) == 1
    assert comparison_accuracy(answers, Hierarchy([[2, 3], [0, 1], [4, 5]])) == 0


def test_no_comparisons_have_no_share():
    tree = Hierarchy([[0, 1], [2, 3]])
    answers = Comparisons.from_triplets([(0, 1, 2)]).take(np.array([], dtype=int))

    with pytest.raises(InputError, match="at least one comparison"):
        comparison_accuracy(answers, tree)


def test_comparisons_of_other_objects_are_refused():
    answers = Comparisons.from_triplets([(0, 1, 2)], n_objects=4)

    with pytest.raises(InputError, match="expected 3 objects as in the tree, got 4"):
        comparison_accuracy(answers, Hierarchy([[0, 1], [2, 3]]))


def test_what_is_not_comparisons_is_refused():
    with pytest.raises(InputKindError, match="expected Comparisons, got ndarray"):
        comparison_accuracy(np.array([[0, 1, 0, 2]]), Hierarchy([[0, 1], [2, 3]]))


def test_objects_are_matched_by_their_names():
    tree = Hierarchy([[0, 1], [2, 3], [4, 5]], names=["a", "b", "c", "d"])
    rows = [["a", "b", "c"], ["d", "c", "a"], ["b", "d", "a"]]
    answers = Comparisons.from_triplets(rows, names=["d", "c", "b", "a"])

    expected = comparison_accuracy(Comparisons.from_triplets(rows, names=tree.names), tree)

    assert comparison_accuracy(answers, tree) == expected
    with pytest.raises(InputError, match="expected the names of the tree, each once, got 'x'"):
        comparison_accuracy(
            Comparisons.from_triplets([["x", "b", "c"]], names=["x", "b", "c", "d"]), tree
        )
