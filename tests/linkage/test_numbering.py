"""Objects in the order of the answers: any numbering gives the same, and trees come back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ordlink as ol
from ordlink.linkage import _numbering
from ordlink.linkage._numbering import order_of_appearance, permute_objects, restore_objects
from tests.checks import relabelled

pytestmark = pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")


@settings(max_examples=100, deadline=None)
@given(st.integers(3, 9), st.integers(1, 60), st.integers(0, 2**32))
def test_renumbered_answers_are_the_same_once_they_are_in_order(n, n_rows, seed) -> None:
    rng = np.random.default_rng(seed)
    rows = np.array([rng.permutation(n)[:3] for _ in range(n_rows)])
    new_number = rng.permutation(n)
    given_ = ol.Comparisons.from_triplets(rows, n_objects=n)
    moved = ol.Comparisons.from_triplets(new_number[rows], n_objects=n)

    first, second = order_of_appearance(given_), order_of_appearance(moved)

    one, other = permute_objects(given_, first), permute_objects(moved, second)
    np.testing.assert_array_equal(one.winners, other.winners)
    np.testing.assert_array_equal(one.losers, other.losers)
    assert sorted(first.tolist()) == list(range(n))


@pytest.mark.parametrize("at_once", [1, 2, 100])
def test_objects_come_in_the_order_in_which_they_are_named(at_once: int, monkeypatch) -> None:
    monkeypatch.setattr(_numbering, "_AT_ONCE", at_once)
    rows = [[5, 2, 4, 1], [2, 0, 3, 5], [2, 0, 4, 5]]

    order = order_of_appearance(ol.Comparisons.from_quadruplets(rows, n_objects=7))

    places = {item: place for place, item in enumerate(order.tolist())}
    assert {places[item] for item in (5, 2, 4, 1)} == {0, 1, 2, 3}
    assert {places[item] for item in (0, 3)} == {4, 5}
    assert places[6] == 6


def test_a_tree_gets_its_own_numbers_back_with_scores_ties_and_names() -> None:
    tree = ol.Hierarchy([[0, 1], [2, 3]], scores=[2.0, 1.0], tied=[False, True])

    back = restore_objects(tree, np.array([2, 0, 1], dtype=np.int32), ["a", "b", "c"])

    assert back.merges.tolist() == [[0, 2], [1, 3]] or back.merges.tolist() == [[0, 2], [3, 1]]
    assert relabelled(back, np.arange(3)) == relabelled(tree, np.array([2, 0, 1]))
    assert back.scores.tolist() == [2.0, 1.0]
    assert back.tied.tolist() == [False, True]
    assert back.names == ("a", "b", "c")
