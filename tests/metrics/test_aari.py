"""AARI against the contingency-table formula written as loops."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordlink.errors import InputError, InputKindError
from ordlink.hierarchy import Hierarchy
from ordlink.metrics import aari, ari_per_level

without_deadline = settings(deadline=None)  # the first call imports scikit-learn


def random_tree(generator, n_objects, names=None):
    nodes = list(range(n_objects))
    merges = []
    while len(nodes) > 1:
        left = nodes.pop(int(generator.integers(len(nodes))))
        right = nodes.pop(int(generator.integers(len(nodes))))
        nodes.append(n_objects + len(merges))
        merges.append((left, right))
    return Hierarchy(np.array(merges, dtype=np.int32).reshape(-1, 2), names=names)


def cut_by_sets(tree, n_clusters):
    """Undo the last merges: the labels of the clusters after the first N - n_clusters."""
    clusters = {i: {i} for i in range(tree.n_objects)}
    for t in range(tree.n_objects - n_clusters):
        left, right = (int(node) for node in tree.merges[t])
        clusters[tree.n_objects + t] = clusters.pop(left) | clusters.pop(right)
    labels = [0] * tree.n_objects
    for label, members in enumerate(clusters.values()):
        for i in members:
            labels[i] = label
    return labels


def literal_ari(first, second):
    """Hubert and Arabie's index from the contingency table."""
    n = len(first)
    table, rows, columns = {}, {}, {}
    for a, b in zip(first, second, strict=True):
        table[a, b] = table.get((a, b), 0) + 1
        rows[a] = rows.get(a, 0) + 1
        columns[b] = columns.get(b, 0) + 1
    index = sum(math.comb(count, 2) for count in table.values())
    in_rows = sum(math.comb(count, 2) for count in rows.values())
    in_columns = sum(math.comb(count, 2) for count in columns.values())
    if in_rows == in_columns == index:
        return 1.0
    expected = in_rows * in_columns / math.comb(n, 2)
    return (index - expected) / ((in_rows + in_columns) / 2 - expected)


@st.composite
def trees_and_labels(draw):
    n_objects = draw(st.integers(1, 12))
    labels = draw(
        st.lists(
            st.lists(st.integers(-3, 5), min_size=n_objects, max_size=n_objects),
            min_size=1,
            max_size=4,
        )
    )
    tree = random_tree(np.random.default_rng(draw(st.integers(0, 10**6))), n_objects)
    return tree, np.array(labels)


@without_deadline
@given(trees_and_labels())
def test_each_level_equals_the_contingency_table_formula(case):
    tree, labels = case

    levels = ari_per_level(labels, tree)

    literal = [literal_ari(list(row), cut_by_sets(tree, len(set(row.tolist())))) for row in labels]
    assert levels.dtype == np.float64
    np.testing.assert_allclose(levels, literal, atol=1e-12)
    assert aari(labels, tree) == pytest.approx(np.mean(literal), abs=1e-12)


@without_deadline
@given(st.integers(2, 40), st.integers(0, 10**6))
def test_a_tree_scores_one_against_itself_at_every_number_of_levels(n_objects, seed):
    tree = random_tree(np.random.default_rng(seed), n_objects)

    for n_levels in range(1, int(math.log2(n_objects)) + 1):
        assert aari(tree, tree, n_levels=n_levels) == 1.0


@without_deadline
@given(st.integers(4, 20), st.integers(0, 10**6))
def test_two_trees_may_change_places(n_objects, seed):
    generator = np.random.default_rng(seed)
    first, second = random_tree(generator, n_objects), random_tree(generator, n_objects)

    there = ari_per_level(first, second, n_levels=2)

    np.testing.assert_allclose(there, ari_per_level(second, first, n_levels=2), atol=1e-12)
    literal = [literal_ari(cut_by_sets(first, k), cut_by_sets(second, k)) for k in (2, 4)]
    np.testing.assert_allclose(there, literal, atol=1e-12)


@without_deadline
@given(trees_and_labels(), st.permutations(range(-3, 6)))
def test_the_values_of_the_labels_do_not_matter(case, renamed):
    tree, labels = case

    other = np.array(renamed)[labels + 3]

    assert aari(other, tree) == pytest.approx(aari(labels, tree), abs=1e-12)


def test_a_level_may_have_any_number_of_clusters():
    tree = Hierarchy([[0, 1], [2, 3], [6, 4], [5, 8], [7, 9]])

    assert ari_per_level(tree.levels([1, 3, 5, 6]), tree).tolist() == [1.0] * 4


def test_crossed_partitions_score_below_zero():
    tree = Hierarchy([[0, 1], [2, 3], [4, 5]])

    assert aari([[0, 1, 0, 1]], tree) == pytest.approx(-0.5)


def test_one_row_of_labels_is_one_level():
    tree = Hierarchy([[0, 1], [2, 3], [4, 5]])

    assert ari_per_level([5, 5, 2, 2], tree).tolist() == [1.0]


def test_n_levels_takes_the_coarsest_rows():
    tree = Hierarchy([[0, 1], [2, 3], [4, 5]])

    assert ari_per_level([[0, 0, 1, 1], [0, 1, 2, 2]], tree, n_levels=1).tolist() == [1.0]


def test_many_small_clusters_give_no_warning(recwarn):
    tree = random_tree(np.random.default_rng(0), 64)

    assert aari(tree, tree, n_levels=6) == 1.0
    assert not list(recwarn)


TREE = Hierarchy([[0, 1], [2, 3], [4, 5]])


@pytest.mark.parametrize(
    ("truth", "n_levels", "error", "words"),
    [
        (TREE, None, InputError, "pass n_levels=2 or fewer for 4 objects"),
        (TREE, 3, InputError, r"from 1 to 2, got 3; level l has 2\*\*l clusters"),
        (TREE, 0, InputError, "from 1 to 2, got 0"),
        (TREE, 1.5, InputError, r"expected a whole number .* got 1\.5"),
        (TREE, True, InputKindError, r"expected a whole number .* got True"),
        (Hierarchy([[0, 1]]), 1, InputError, "expected 4 objects as in the tree, got 2"),
        ([[0, 0, 1]], None, InputError, r"shape \(n_levels, 4\).*got shape \(1, 3\)"),
        ([[0, 0, 1, 1], [0, 0]], None, InputError, "rows of different lengths"),
        (np.zeros((1, 1, 4), dtype=int), None, InputError, r"got shape \(1, 1, 4\)"),
        (np.zeros((0, 4), dtype=int), None, InputError, "at least one level"),
        ([[0.0, 0.5, 1.0, 1.0]], None, InputKindError, "got float64"),
        (["a", "a", "b", "b"], None, InputKindError, "number the classes"),
        ([[0, 0, 1, 1]], 2, InputError, "from 1 to 1, got 2; the truth has 1 row"),
    ],
)
def test_bad_input_is_refused_in_words(truth, n_levels, error, words):
    with pytest.raises(error, match=words):
        aari(truth, TREE, n_levels=n_levels)


def test_one_object_has_no_levels():
    single = Hierarchy(np.empty((0, 2), dtype=np.int32))

    with pytest.raises(InputError, match="one, which has no levels"):
        aari(single, single, n_levels=1)
    assert aari([[3]], single) == 1.0


def test_trees_of_differently_ordered_names_are_refused():
    first = Hierarchy([[0, 1], [2, 3], [4, 5]], names=("a", "b", "c", "d"))
    second = Hierarchy([[0, 1], [2, 3], [4, 5]], names=("a", "c", "b", "d"))

    with pytest.raises(InputError, match="'b' for object 1, which is 'c' in the tree"):
        aari(first, second, n_levels=1)


def test_arguments_in_the_wrong_order_are_refused():
    with pytest.raises(InputKindError, match="the truth comes first"):
        aari(TREE, [[0, 0, 1, 1]])


def test_the_literal_index_is_one_for_equal_partitions_only():
    partitions = list(itertools.product(range(3), repeat=4))
    for first, second in itertools.product(partitions, repeat=2):
        same = all(
            (first[i] == first[j]) == (second[i] == second[j])
            for i, j in itertools.combinations(range(4), 2)
        )
        assert (literal_ari(first, second) == 1.0) == same
