"""Objects that no answer names: they change nothing, and go into the larger part of every split."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import ordlink as ol
from ordlink.hierarchy import Hierarchy
from ordlink.linkage import initial_partition
from ordlink.linkage._parts import attach_uncompared
from tests.checks import relabelled

pytestmark = pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
spectral_linkage = partial(ol.cluster, method="spectral")


def test_they_go_to_the_larger_part_of_every_split() -> None:
    """Of {0 2 3} {4 6}, objects 1 and 5 go to {0 2 3}, and there to {2 3}."""
    tree = Hierarchy([[1, 2], [3, 4], [0, 5], [6, 7]], scores=[9.0, 8.0, 5.0, 1.0])

    whole = attach_uncompared(tree, np.array([0, 2, 3, 4, 6]), initial_partition(7))

    assert whole.cut(2).tolist() == [0, 0, 0, 0, 1, 0, 1]
    assert whole.cut(3).tolist() == [0, 1, 1, 1, 2, 1, 2]
    assert whole.cut(5).tolist() == [0, 1, 1, 2, 3, 1, 4]
    assert whole.tied.tolist() == [True] * 2 + [False] * 4
    np.testing.assert_array_equal(whole.scores, [np.nan, np.nan, 9.0, 8.0, 5.0, 1.0])
    assert whole.restrict([0, 2, 3, 4, 6]) == Hierarchy(
        tree.merges, scores=tree.scores, names=["0", "2", "3", "4", "6"]
    )


def test_initial_clusters_stay_whole() -> None:
    """Objects 0 and 3 are an initial cluster of the tree, 2 and 4 one that no answer names."""
    tree = Hierarchy([[0, 2], [1, 4], [3, 5]], scores=[np.nan, 2.0, 1.0])

    whole = attach_uncompared(tree, np.array([0, 1, 3, 5]), initial_partition(6, [[0, 3], [2, 4]]))

    assert whole.cut(4).tolist() == [0, 1, 2, 0, 2, 3]
    assert whole.cut(3).tolist() == [0, 1, 0, 0, 0, 2]
    assert whole.cut(2).tolist() == [0, 0, 0, 0, 0, 1]
    assert whole.tied.tolist() == [False, False, True, False, False]
    np.testing.assert_array_equal(whole.scores[-2:], [2.0, 1.0])


@pytest.mark.parametrize(
    ("shape", "n_answers"), [([10, 10], 1500), ([[14, 4], [12, 8]], 1000), ([4, 4], 40)]
)
@pytest.mark.parametrize("n_more", [1, 30])
def test_the_tree_of_the_others_is_as_it_would_be_without_them(shape, n_answers, n_more) -> None:
    planted = ol.datasets.planted_tree(shape, gap=0.3, seed=0)
    rows = ol.datasets.simulate_answers(planted.similarities, n_answers, seed=0)
    n = len(planted.similarities)

    alone = spectral_linkage(ol.Comparisons.from_triplets(rows, n_objects=n))
    tree = spectral_linkage(ol.Comparisons.from_triplets(rows, n_objects=n + n_more))

    others = tree.restrict(range(n))
    np.testing.assert_array_equal(others.merges, alone.merges)
    np.testing.assert_array_equal(others.scores, alone.scores)
    np.testing.assert_array_equal(others.tied, alone.tied)
    assert tree.tied[:n_more].all()
    assert np.isnan(tree.scores[:n_more]).all()
    for k in range(2, n + 1):
        assert len(set(tree.cut(k)[n:])) == 1  # all in one cluster, with some of the others
        assert tree.cut(k)[n] in tree.cut(k)[:n]


def test_numbering_does_not_matter() -> None:
    planted = ol.datasets.planted_tree([[10, 4], 6], gap=0.4, seed=0)
    rows = ol.datasets.simulate_answers(planted.similarities, 500, seed=0)
    order = np.random.default_rng(1).permutation(21)  # object 20 is never named

    tree = spectral_linkage(ol.Comparisons.from_triplets(rows, n_objects=21))
    moved = spectral_linkage(ol.Comparisons.from_triplets(order[rows], n_objects=21))

    assert relabelled(tree, order) == relabelled(moved, np.arange(21))
