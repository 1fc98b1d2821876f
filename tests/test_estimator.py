"""The scikit-learn estimator."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.cluster.hierarchy import is_valid_linkage
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

import ordlink as ol
from ordlink.errors import InputError, OrdlinkWarning
from ordlink.oracles import SimilarityOracle

pytestmark = pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")


def expected_failures(estimator: ol.OrdinalClustering) -> dict[str, str]:
    """Return the checks that fail, and why."""
    failures = {
        "check_non_transformer_estimators_n_iter": "max_iter is an option of the embeddings alone"
    }
    if estimator.__sklearn_tags__().input_tags.pairwise:
        failures["check_clustering"] = "passes features to pairwise estimators, too"
    return failures


@parametrize_with_checks(
    [
        ol.OrdinalClustering("4-AL"),
        ol.OrdinalClustering("AL"),
        ol.OrdinalClustering("4-AL", form="similarities"),
    ],
    expected_failed_checks=expected_failures,
)
def test_the_checks_of_scikit_learn_pass(estimator, check) -> None:
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks([ol.OrdinalClustering()], expected_failed_checks=expected_failures)
def test_the_checks_of_scikit_learn_pass_by_default(estimator, check) -> None:
    check(estimator)


@pytest.mark.parametrize("rows", [[[0, 1, 2], [1, 0, 2]], [[0, 1, 2, 3]] * 2, np.eye(5)])
def test_answers_and_similarities_are_not_taken_for_features(rows) -> None:
    with pytest.raises(InputError, match=r"form: X looks like .*pass form='triplet'"):
        ol.OrdinalClustering().fit(np.array(rows))


def test_features_are_compared_by_distance() -> None:
    points = np.array([[0.0, 0.1], [0.0, 0.3], [5.0, 5.5], [5.1, 5.2]])

    labels = ol.OrdinalClustering().fit_predict(points)

    assert labels.tolist() == [0, 0, 1, 1]


@pytest.fixture(scope="module")
def planted():
    return ol.datasets.planted_hierarchy(depth=2, leaf_size=6, gap=0.5, seed=0)


def test_fit_predict_gives_the_labels_of_the_cut(planted) -> None:
    comparisons = ol.Comparisons.from_similarities(planted.similarities, 0.3, seed=0)
    estimator = ol.OrdinalClustering("4-AL", n_clusters=4)

    labels = estimator.fit_predict(comparisons)

    np.testing.assert_array_equal(labels, planted.labels)
    np.testing.assert_array_equal(labels, estimator.hierarchy_.cut(4))
    np.testing.assert_array_equal(estimator.children_, estimator.hierarchy_.merges)
    assert estimator.n_leaves_ == 24


def test_arrays_oracles_and_similarities_are_taken_too(planted) -> None:
    rows = ol.Comparisons.from_similarities(planted.similarities, 0.3, seed=0).quadruplets
    triplets = ol.datasets.simulate_answers(planted.similarities, 4000, seed=0)

    for estimator, data in (
        (ol.OrdinalClustering("4-AL", n_clusters=4, form="quadruplet"), rows),
        (ol.OrdinalClustering("4-AL", n_clusters=4, form="triplet"), triplets),
        (ol.OrdinalClustering("CL", n_clusters=4), SimilarityOracle(planted.similarities)),
        (ol.OrdinalClustering("AL", n_clusters=4), planted.similarities),
    ):
        np.testing.assert_array_equal(estimator.fit_predict(data), planted.labels)


def test_parameters_are_read_set_and_cloned() -> None:
    estimator = ol.OrdinalClustering("4K-AL", 3, self_comparisons=False)

    copy = clone(estimator).set_params(n_clusters=5)

    assert copy.get_params() == {**estimator.get_params(), "n_clusters": 5}


def test_grid_search_chooses_by_held_out_answers(planted) -> None:
    rows = ol.datasets.simulate_answers(planted.similarities, 3000, form="quadruplet", seed=1)
    search = GridSearchCV(
        ol.OrdinalClustering(n_clusters=4, n_objects=24, form="quadruplet"),
        {"method": ["4-AL", "AddS-AL"], "repeats": [None, "net"]},
        cv=3,
        error_score="raise",
    )

    search.fit(rows)

    assert search.best_score_ > 0.8
    assert search.best_estimator_.n_leaves_ == 24


def test_grid_search_and_cross_validation_take_comparisons(planted) -> None:
    rows = ol.datasets.simulate_answers(planted.similarities, 3000, form="odd-one-out", seed=1)
    comparisons = ol.Comparisons.from_odd_one_out(rows, n_objects=24)
    estimator = ol.OrdinalClustering("4-AL", n_clusters=4)

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
    rows = ol.datasets.simulate_answers(similarities, 500, form="quadruplet", seed=1)
    held_out = ol.Comparisons.from_quadruplets(rows, n_objects=24)
    names = [f"object {i}" for i in range(24)]

    estimator = ol.OrdinalClustering(method, n_clusters=4, names=names).fit(similarities)

    expected = ol.cluster(similarities, method, **options)
    assert estimator.hierarchy_ == expected.with_names(names)
    assert 0.5 < estimator.score(held_out) <= 1


def test_initial_clusters_reach_the_method(planted) -> None:
    comparisons = ol.Comparisons.from_similarities(planted.similarities, 0.3, seed=0)
    initial = [[0, 23], [1, 12]]

    estimator = ol.OrdinalClustering("4-AL", initial_clusters=initial).fit(comparisons)

    assert estimator.hierarchy_ == ol.cluster(comparisons, "4-AL", initial_clusters=initial)
    assert estimator.children_[:2].tolist() == [[0, 23], [1, 12]]


def test_every_option_of_a_method_is_a_parameter() -> None:
    parameters = set(ol.OrdinalClustering().get_params()) | {"seed"}  # called random_state

    for method in ol.METHODS.values():
        assert set(method.options) <= parameters


def test_grid_search_takes_an_option_of_one_method(planted) -> None:
    rows = ol.datasets.simulate_answers(planted.similarities, 2000, seed=1)
    estimator = ol.OrdinalClustering("tSTE-AL", 4, form="triplet", n_objects=24, n_init=1)
    search = GridSearchCV(estimator, {"n_components": [1, 3]}, cv=2, error_score="raise")

    search.fit(rows)

    assert search.best_params_ == {"n_components": 3}


def test_options_that_the_method_does_not_take_are_ignored_with_a_warning(planted) -> None:
    comparisons = ol.Comparisons.from_similarities(planted.similarities)

    with pytest.warns(OrdlinkWarning, match="auto ignores n_components"):
        fitted = ol.OrdinalClustering(n_components=3).fit(comparisons)

    assert fitted.hierarchy_ == ol.cluster(comparisons)


def test_without_a_number_of_clusters_the_tree_is_not_cut(planted) -> None:
    fitted = ol.OrdinalClustering("AL", None).fit(planted.similarities)

    assert fitted.n_clusters_ == 24
    assert fitted.labels_.tolist() == list(range(24))
    sizes = fitted.hierarchy_.sizes[24:]
    assert is_valid_linkage(np.column_stack([fitted.children_, fitted.distances_, sizes]))


def test_names_threads_and_random_state_are_taken(planted, capsys) -> None:
    rows = ol.datasets.simulate_answers(planted.similarities, 2000, seed=1)
    names = [f"object {i}" for i in range(24)]
    given = {"form": "triplet", "names": names, "n_init": 1}

    first, second = (
        ol.OrdinalClustering(
            "tSTE-AL", random_state=np.random.RandomState(3), n_jobs=n_jobs, verbose=1, **given
        ).fit(rows)
        for n_jobs in (1, -1)
    )

    assert first.hierarchy_ == second.hierarchy_
    assert first.hierarchy_.names == tuple(names)
    assert first.n_features_in_ == 3
    assert "step" in capsys.readouterr().err


@pytest.mark.parametrize(
    "rows", [np.ones((5, 2)), np.full((3, 4), 0.5), np.zeros(4), np.zeros((2, 4))]
)
def test_arrays_that_are_no_answers_are_refused(rows) -> None:
    with pytest.raises(ValueError, match=r"rows of 4 objects|whole number|1D|pairs an object"):
        ol.OrdinalClustering(form="quadruplet").fit(rows)


def test_names_of_comparisons_are_their_own(planted) -> None:
    comparisons = ol.Comparisons.from_similarities(planted.similarities)

    with pytest.raises(InputError, match="names: expected None"):
        ol.OrdinalClustering(names=["a"] * 24).fit(comparisons)


def test_a_subclass_may_have_other_parameters() -> None:
    class Named(ol.OrdinalClustering):
        def __init__(self, extra: int = 1, n_clusters: int = 2) -> None:
            super().__init__("4-AL", n_clusters, repeats="net")
            self.extra = extra

    planted = ol.datasets.planted_hierarchy(depth=1, leaf_size=4, gap=1, seed=0)
    answers = ol.Comparisons.from_similarities(planted.similarities, 0.5, seed=0)
    model = Named().fit(answers)

    assert len(set(model.labels_)) == 2
    assert model.hierarchy_.parameters["repeats"] == "net"
