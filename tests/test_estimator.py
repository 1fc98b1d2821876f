"""The scikit-learn face."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score

import ordlink as ol
from ordlink.oracles import SimilarityOracle

pytestmark = pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")


@pytest.fixture(scope="module")
def planted():
    return ol.datasets.planted_hierarchy(depth=2, leaf_size=6, gap=0.5, seed=0)


def test_fit_predict_gives_the_labels_of_the_cut(planted) -> None:
    comparisons = ol.Comparisons.from_similarities(planted.similarities, 0.3, seed=0)
    estimator = ol.OrdinalClustering(n_clusters=4)

    labels = estimator.fit_predict(comparisons)

    np.testing.assert_array_equal(labels, planted.labels)
    np.testing.assert_array_equal(labels, estimator.hierarchy_.cut(4))
    np.testing.assert_array_equal(estimator.children_, estimator.hierarchy_.merges)
    assert estimator.n_leaves_ == 24


def test_arrays_oracles_and_similarities_are_taken_too(planted) -> None:
    rows = ol.Comparisons.from_similarities(planted.similarities, 0.3, seed=0).quadruplets
    triplets = ol.datasets.simulate_answers(planted.similarities, 4000, seed=0)

    for estimator, data in (
        (ol.OrdinalClustering(n_clusters=4), rows),
        (ol.OrdinalClustering(n_clusters=4, form="triplet"), triplets),
        (ol.OrdinalClustering("CL", n_clusters=4), SimilarityOracle(planted.similarities)),
        (ol.OrdinalClustering("AL", n_clusters=4), planted.similarities),
    ):
        np.testing.assert_array_equal(estimator.fit_predict(data), planted.labels)


def test_parameters_are_read_set_and_cloned() -> None:
    estimator = ol.OrdinalClustering("4K-AL", 3, options={"self_comparisons": False})

    copy = clone(estimator).set_params(n_clusters=5)

    assert copy.get_params() == {**estimator.get_params(), "n_clusters": 5}


def test_grid_search_chooses_by_held_out_answers(planted) -> None:
    rows = ol.datasets.simulate_answers(planted.similarities, 3000, form="quadruplet", seed=1)
    search = GridSearchCV(
        ol.OrdinalClustering(n_clusters=4, n_objects=24),
        {"method": ["4-AL", "AddS-AL"], "options": [None, {"repeats": "net"}]},
        cv=3,
        error_score="raise",
    )

    search.fit(rows)

    assert search.best_score_ > 0.8
    assert search.best_estimator_.n_leaves_ == 24


def test_grid_search_and_cross_validation_take_comparisons(planted) -> None:
    rows = ol.datasets.simulate_answers(planted.similarities, 3000, form="odd-one-out", seed=1)
    comparisons = ol.Comparisons.from_odd_one_out(rows, n_objects=24)
    estimator = ol.OrdinalClustering(n_clusters=4)

    search = GridSearchCV(estimator, {"method": ["4-AL", "AddS-AL"]}, cv=3, error_score="raise")
    search.fit(comparisons)
    scores = cross_val_score(
        estimator, comparisons, cv=GroupKFold(3), groups=comparisons.answer_ids
    )

    assert search.best_score_ > 0.8
    assert search.best_estimator_.n_leaves_ == 24
    assert scores.min() > 0.8


def test_scoring_before_fitting_says_so() -> None:
    with pytest.raises(NotFittedError):
        ol.OrdinalClustering().score(ol.Comparisons.from_triplets([[0, 1, 2]]))


@pytest.mark.parametrize("method", ["SL", "CL", "AL", "4K-AL-act"])
def test_methods_without_comparisons_take_similarities(planted, method: str) -> None:
    similarities = planted.similarities
    options = {"seed": 0} if method == "4K-AL-act" else {}
    held_out = ol.datasets.simulate_answers(similarities, 500, form="quadruplet", seed=1)

    estimator = ol.OrdinalClustering(method, n_clusters=4, options=options).fit(similarities)

    expected = ol.cluster(similarities, method, **options)
    assert estimator.hierarchy_ == expected
    assert 0.5 < estimator.score(held_out) <= 1


def test_initial_clusters_reach_the_method(planted) -> None:
    comparisons = ol.Comparisons.from_similarities(planted.similarities, 0.3, seed=0)
    initial = [[0, 23], [1, 12]]

    estimator = ol.OrdinalClustering(initial_clusters=initial).fit(comparisons)

    assert estimator.hierarchy_ == ol.cluster(comparisons, initial_clusters=initial)
    assert estimator.children_[:2].tolist() == [[0, 23], [1, 12]]
