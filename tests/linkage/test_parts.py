"""Parts that were never compared with each other: trees of their own, joined last."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

import ordlink as ol
from ordlink.hierarchy import Hierarchy
from ordlink.linkage import initial_partition
from ordlink.linkage._parts import join_trees, list_parts
from tests.checks import relabelled

pytestmark = pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
spectral_linkage = partial(ol.cluster, method="spectral")


def test_parts_come_large_ones_first() -> None:
    comparisons = ol.Comparisons.from_triplets([[0, 2, 5], [1, 3, 4], [4, 3, 6]], n_objects=8)

    parts = [part.tolist() for part in list_parts(comparisons, initial_partition(8))]

    assert parts == [[1, 3, 4, 6], [0, 2, 5]]  # 7 was never named


def test_trees_of_parts_are_taken_apart_side_by_side() -> None:
    first = Hierarchy([[0, 1], [2, 3], [4, 5]], scores=[9.0, 4.0, 1.0])
    second = Hierarchy([[0, 1], [2, 3]], scores=[7.0, 2.0])
    third = Hierarchy([[0, 1]], scores=[3.0])
    parts = [np.array([0, 2, 4, 6]), np.array([1, 3, 5]), np.array([7, 8])]

    tree = join_trees(parts, [first, second, third])

    np.testing.assert_array_equal(tree.scores, [9.0, 7.0, 4.0, 3.0, 2.0, 1.0, np.nan, np.nan])
    assert tree.tied.tolist() == [False] * 6 + [True] * 2
    for part, own in zip(parts, (first, second, third), strict=True):
        assert relabelled(own, part) <= relabelled(tree, np.arange(9))
    assert sorted(np.bincount(tree.cut(2)).tolist()) == [2, 7]
    assert sorted(np.bincount(tree.cut(3)).tolist()) == [2, 3, 4]


def test_each_part_has_the_tree_that_it_would_have_alone() -> None:
    rows = []
    for half in range(2):
        planted = ol.datasets.planted_hierarchy(depth=1, leaf_size=6, gap=0.3, seed=half)
        rows.append(ol.datasets.simulate_answers(planted.similarities, 400, seed=half) + 12 * half)
    labels = np.arange(24) // 6

    tree = spectral_linkage(ol.Comparisons.from_triplets(np.concatenate(rows), n_objects=26))

    alone = spectral_linkage(ol.Comparisons.from_triplets(rows[0], n_objects=12))
    named = tree.restrict(range(24))
    assert relabelled(alone, np.arange(12)) <= relabelled(named, np.arange(24))
    assert adjusted_rand_score(labels, tree.cut(4)[:24]) == 1.0
    assert np.isnan(tree.scores[-1])
    assert tree.tied[-1]
    assert tree.tied[:-1].tolist() == [True] * 2 + [False] * 22  # 24 and 25 were never named


def test_initial_clusters_link_parts() -> None:
    comparisons = ol.Comparisons.from_triplets([[0, 2, 5], [1, 3, 4], [8, 9, 10]], n_objects=12)

    clusters = [[5, 6], [2, 4], [7, 11]]
    parts = [part.tolist() for part in list_parts(comparisons, initial_partition(12, clusters))]

    assert parts == [[0, 1, 2, 3, 4, 5, 6], [8, 9, 10]]


def test_merges_inside_initial_clusters_come_before_all_others() -> None:
    first = Hierarchy([[0, 1], [2, 3]], scores=[np.nan, np.nan], tied=[True, True])
    second = Hierarchy([[0, 1], [2, 3]], scores=[np.nan, 2.0])  # 0 and 1: an initial cluster

    tree = join_trees([np.array([0, 2, 4]), np.array([1, 3, 5])], [first, second])

    assert tree.merges[0].tolist() == [1, 3]
    assert tree.tied.tolist() == [False, True, True, False, True]


def test_hardly_linked_parts_keep_their_clusters() -> None:
    right = []
    for seed in range(6):
        planted = ol.datasets.planted_hierarchy(depth=2, leaf_size=6, gap=0.3, seed=seed)
        similarities = planted.similarities
        rows = [
            ol.datasets.simulate_answers(similarities[:12, :12], 400, seed=seed),
            ol.datasets.simulate_answers(similarities[12:, 12:], 400, seed=seed + 9) + 12,
            ol.datasets.simulate_answers(similarities, 50, seed=seed + 5),
        ]

        tree = spectral_linkage(ol.Comparisons.from_triplets(np.concatenate(rows), n_objects=24))

        right.append(adjusted_rand_score(np.arange(24) // 6, tree.cut(4)))
    assert np.mean(right) > 0.85
    assert right.count(1.0) >= 4
