"""Dasgupta's cost against triple loops over sets."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordlink.errors import InputError, InputKindError
from ordlink.hierarchy import Hierarchy
from ordlink.metrics import aari, dasgupta_cost, normalised_dasgupta_cost
from tests.instances import random_merges


def clusters_of(n_objects, merges):
    clusters = [{i} for i in range(n_objects)]
    for left, right in merges:
        clusters.append(clusters[left] | clusters[right])
    return clusters


def literal_cost(n_objects, merges, similarities):
    cost = 0.0
    for i in range(n_objects):
        for j in range(i + 1, n_objects):
            smallest = n_objects
            for cluster in clusters_of(n_objects, merges):
                if i in cluster and j in cluster:
                    smallest = min(smallest, len(cluster))
            cost += similarities[i][j] * smallest
    return cost


def tree_of(n_objects, merges):
    return Hierarchy(np.array(merges, dtype=np.int32).reshape(n_objects - 1, 2))


@st.composite
def cases(draw, *, lowest):
    n_objects = draw(st.integers(1, 9))
    values = st.floats(lowest, 100, allow_subnormal=False)
    matrix = np.zeros((n_objects, n_objects))
    for i, j in itertools.combinations(range(n_objects), 2):
        matrix[i, j] = matrix[j, i] = draw(values)
    np.fill_diagonal(matrix, draw(st.sampled_from([0.0, 1.0, np.nan, np.inf])))
    matrix.flags.writeable = False
    merges = random_merges(np.random.default_rng(draw(st.integers(0, 10**6))), n_objects)
    return n_objects, merges, matrix


@given(cases(lowest=-100))
def test_the_cost_equals_loops_over_sets(case):
    n_objects, merges, similarities = case

    cost = dasgupta_cost(similarities, tree_of(n_objects, merges))

    assert cost == pytest.approx(literal_cost(n_objects, merges, similarities), rel=1e-9, abs=1e-9)


@given(cases(lowest=0))
def test_the_normalised_cost_is_the_share_of_the_way_between_the_trivial_bounds(case):
    n_objects, merges, similarities = case

    value = normalised_dasgupta_cost(similarities, tree_of(n_objects, merges))

    total = sum(similarities[i, j] for i, j in itertools.combinations(range(n_objects), 2))
    lower, upper = 2 * total, n_objects * total
    assert 0 <= value <= 1
    if n_objects > 2 and total > 0:
        cost = literal_cost(n_objects, merges, similarities)
        assert value == pytest.approx((cost - lower) / (upper - lower), abs=1e-9)
    else:
        assert value == 0


@given(cases(lowest=0), st.floats(1e-3, 1e3))
def test_the_unit_changes_the_cost_but_not_the_normalised_cost(case, unit):
    n_objects, merges, similarities = case
    tree = tree_of(n_objects, merges)

    other = similarities * unit

    cost = dasgupta_cost(similarities, tree)
    assert dasgupta_cost(other, tree) == pytest.approx(unit * cost, rel=1e-9, abs=1e-9)
    value = normalised_dasgupta_cost(similarities, tree)
    assert normalised_dasgupta_cost(other, tree) == pytest.approx(value, abs=1e-9)


@given(st.integers(3, 30), st.integers(0, 10**6))
def test_equal_similarities_give_two_thirds_whatever_the_tree(n_objects, seed):
    tree = tree_of(n_objects, random_merges(np.random.default_rng(seed), n_objects))
    ones = np.ones((n_objects, n_objects))

    assert dasgupta_cost(ones, tree) == pytest.approx((n_objects**3 - n_objects) / 3)
    assert normalised_dasgupta_cost(ones, tree) == pytest.approx(2 / 3)


def test_both_ends_of_the_normalised_scale_are_reached():
    tree = Hierarchy([[0, 1], [2, 3], [4, 5]])
    low, high = np.zeros((4, 4)), np.zeros((4, 4))
    low[[0, 1, 2, 3], [1, 0, 3, 2]] = 5
    high[[0, 2], [2, 0]] = 5

    assert normalised_dasgupta_cost(low, tree) == 0
    assert normalised_dasgupta_cost(high, tree) == 1


def test_huge_and_tiny_similarities_do_not_overflow():
    tree = Hierarchy([[0, 1], [2, 3], [4, 5]])
    for unit in (1e308, 1e-308, 5e-324):
        matrix = np.full((4, 4), unit)

        assert normalised_dasgupta_cost(matrix, tree) == pytest.approx(2 / 3)


def test_nothing_to_separate_costs_nothing():
    tree = Hierarchy([[0, 1], [2, 3], [4, 5]])

    assert normalised_dasgupta_cost(np.zeros((4, 4)), tree) == 0
    assert normalised_dasgupta_cost([[0, 3], [3, 0]], Hierarchy([[0, 1]])) == 0
    assert dasgupta_cost([[9]], Hierarchy(np.empty((0, 2), dtype=np.int32))) == 0


def broken(row, column, value):
    matrix = np.ones((4, 4))
    matrix[row, column] = value
    return matrix


@pytest.mark.parametrize("measure", [dasgupta_cost, normalised_dasgupta_cost])
@pytest.mark.parametrize(
    ("similarities", "error", "words"),
    [
        (np.ones((3, 4)), InputError, r"square matrix.*got shape \(3, 4\)"),
        (np.ones(4), InputError, r"got shape \(4,\)"),
        (np.ones((5, 5)), InputError, "expected 4 objects, got a matrix of 5"),
        (broken(1, 2, np.nan), InputError, "row 1, column 2: expected a finite number, got nan"),
        (broken(3, 0, np.inf), InputError, "row 3, column 0: expected a finite number, got inf"),
        (broken(2, 1, 7), InputError, "row 1, column 2: expected a symmetric matrix, got 1.0"),
        ([["a"] * 4] * 4, InputKindError, "matrix of real numbers"),
    ],
)
def test_bad_similarities_are_refused_in_words(measure, similarities, error, words):
    tree = Hierarchy([[0, 1], [2, 3], [4, 5]])

    with pytest.raises(error, match=words):
        measure(similarities, tree)


def test_negative_similarities_have_a_cost_but_no_normalised_one():
    tree = Hierarchy([[0, 1], [2, 3], [4, 5]])
    matrix = np.zeros((4, 4))
    matrix[[0, 2], [2, 0]] = -1

    assert dasgupta_cost(matrix, tree) == -4
    with pytest.raises(InputError, match=r"got -1\.0 in row 0, column 2"):
        normalised_dasgupta_cost(matrix, tree)


def test_swapped_arguments_are_refused_with_their_order() -> None:
    tree, similarities = Hierarchy([[0, 1], [2, 3]]), np.ones((3, 3))

    for cost in (dasgupta_cost, normalised_dasgupta_cost):
        with pytest.raises(InputKindError, match="the truth comes first, then the tree"):
            cost(tree, similarities)
    with pytest.raises(InputKindError, match="the truth comes first, then the tree"):
        aari(tree, [[0, 0, 1]])
