"""Methods of others on the bench: they find a tree that is clearly there."""

from __future__ import annotations

import numpy as np
import pytest

import ordlink as ol
from studies.rivals import ON_TRIPLETS, RIVALS, rooted_triplets

pytestmark = pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")


@pytest.fixture(scope="module")
def planted() -> ol.datasets.PlantedHierarchy:
    return ol.datasets.planted_hierarchy(depth=2, leaf_size=3, gap=1.0, noise=0.1, seed=0)


@pytest.mark.parametrize("name", list(RIVALS))
def test_a_clear_tree_is_found(planted, name) -> None:
    rows = ol.datasets.simulate_answers(planted.similarities, 3000, seed=1)
    answers = ol.Comparisons.from_triplets(rows, n_objects=12)

    tree = RIVALS[name](answers, 0)

    truth = ol.metrics.comparison_accuracy(answers, planted.tree)
    assert ol.metrics.comparison_accuracy(answers, tree) > truth - 0.03


def test_rooted_triplets_begin_with_the_object_that_is_in_both_pairs() -> None:
    answers = ol.Comparisons.from_quadruplets([[1, 0, 2, 1], [0, 3, 0, 2], [0, 1, 2, 3]])

    triplets, counts = rooted_triplets(answers)

    assert sorted(triplets.tolist()) == [[0, 3, 2], [1, 0, 2]]
    np.testing.assert_array_equal(counts, [1.0, 1.0])


def test_methods_on_triplets_are_named() -> None:
    assert set(ON_TRIPLETS) < set(RIVALS)
