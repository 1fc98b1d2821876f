"""Oracles made of similarities, features, functions, noise and votes."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from ordlink.errors import InputError, InputKindError
from ordlink.oracles import (
    FeatureOracle,
    FunctionOracle,
    NoisyOracle,
    NoisySimilarityOracle,
    RepeatedOracle,
    SimilarityOracle,
)


def all_questions(n):
    pairs = np.column_stack(np.triu_indices(n, 1))
    e, f = np.triu_indices(len(pairs), 1)
    return np.hstack([pairs[e], pairs[f]])


@pytest.fixture
def w():
    upper = np.triu(np.random.default_rng(0).integers(0, 8, (7, 7)), 1)
    return (upper + upper.T).astype(float)


@pytest.mark.parametrize(
    ("entry", "value", "message"),
    [((1, 2), np.nan, r"row 1, column 2.*finite"), ((0, 3), 99, r"row 0, column 3.*symmetric")],
)
def test_a_wrong_similarity_is_named(w, entry, value, message):
    w[entry] = value

    for oracle in (SimilarityOracle, lambda matrix: NoisySimilarityOracle(matrix, 0.1)):
        with pytest.raises(InputError, match=message):
            oracle(w)


@pytest.mark.parametrize(
    "metric",
    ["cosine", "euclidean", "cityblock", "chebyshev", "correlation", "seuclidean", "mahalanobis"],
)
def test_features_answer_like_the_whole_distance_matrix(metric):
    rng = np.random.default_rng(1)
    features = rng.integers(1, 5, (9, 3)) + np.array([0, 5, 2]) * np.eye(9, 3)
    options = {}
    if metric == "seuclidean":
        options = {"V": features.var(axis=0, ddof=1)}
    if metric == "mahalanobis":
        options = {"VI": np.linalg.inv(np.cov(features.T))}
    distances = cdist(features, features, metric, **options)
    i, j, k, l = all_questions(9).T  # noqa: E741

    answers = FeatureOracle(features, metric).compare(all_questions(9))

    difference = distances[k, l] - distances[i, j]
    clear = np.abs(difference) > 1e-12
    assert np.array_equal(answers[clear], np.sign(difference[clear]))


def test_equal_distances_between_features_are_ties():
    oracle = FeatureOracle([[0.1], [0.4], [0.1], [0.4]], "euclidean")

    assert oracle.compare([[0, 1, 2, 3], [0, 1, 0, 3], [0, 2, 1, 3]]).tolist() == [0, 0, 0]


def test_metric_options_reach_scipy():
    features = [[0, 0], [3, 3], [0, 5]]

    assert FeatureOracle(features, "minkowski", p=1).compare([[0, 1, 0, 2]]).tolist() == [-1]
    assert FeatureOracle(features, "minkowski", p=9).compare([[0, 1, 0, 2]]).tolist() == [1]


def test_wrong_features_are_refused():
    with pytest.raises(InputError, match=r"row 1, column 0.*finite"):
        FeatureOracle([[1, 2], [np.inf, 0]])
    with pytest.raises(InputError, match="distance of objects 0 and 1 is undefined"):
        FeatureOracle([[0, 0], [1, 0]])
    with pytest.raises(InputError, match="metric: SciPy refuses 'nonsense'"):
        FeatureOracle([[1, 0], [1, 0]], "nonsense")
    with pytest.raises(InputKindError, match="table of numbers"):
        FeatureOracle([["a", "b"]])
    with pytest.raises(InputError, match="shape"):
        FeatureOracle([1, 2, 3])


def test_flips_are_independent_draws_at_the_given_rate(w):
    truth = SimilarityOracle(w)
    noisy = NoisyOracle(truth, 0.25, seed=0)
    questions = all_questions(7)
    told = truth.compare(questions) != 0

    asks = np.array([noisy.compare(questions) for _ in range(200)])

    wrong = (asks != truth.compare(questions))[:, told]
    assert abs(wrong.mean() - 0.25) < 0.01
    assert wrong.any(axis=0).all()
    assert not wrong.all(axis=0).any()
    assert (asks[:, ~told] == 0).all()
    assert noisy.n_questions == len(questions)
    assert np.array_equal(asks[0], NoisyOracle(truth, 0.25, seed=0).compare(questions))


def test_noise_on_similarities_confuses_close_pairs_more():
    w = np.zeros((4, 4))
    w[0, 1], w[0, 2], w[0, 3] = 10.0, 0.0, 0.5
    oracle = NoisySimilarityOracle(w + w.T, noise=1.0, seed=0)
    questions = np.array([[0, 1, 0, 2], [0, 3, 0, 2]] * 4000)

    answers = oracle.compare(questions).reshape(-1, 2)

    assert (answers[:, 0] == 1).all()
    # The difference of two noisy similarities is 0.5 + N(0, 2): above 0 with probability 0.638.
    assert abs((answers[:, 1] == 1).mean() - 0.638) < 0.03
    assert oracle.n_questions == 2


def test_no_noise_is_the_truth(w):
    questions = all_questions(7)

    answers = NoisySimilarityOracle(w, noise=0.0).compare(questions)

    assert np.array_equal(answers, SimilarityOracle(w).compare(questions))


def test_majority_repairs_flips_and_counts_each_question_once(w):
    truth = SimilarityOracle(w)
    questions = all_questions(7)
    voting = RepeatedOracle(NoisyOracle(truth, 0.2, seed=1), 101)

    assert np.array_equal(voting.compare(questions), truth.compare(questions))
    assert voting.n_questions == len(questions)


def test_majority_of_equally_many_votes_is_a_tie():
    votes = iter([1, -1, 1, 0, -1, -1])
    voting = RepeatedOracle(FunctionOracle(lambda *question: next(votes), 3), 2)

    answers = [voting.compare([[0, 1, 0, 2]])[0] for _ in range(3)]

    assert answers == [0, 1, -1]
    assert voting.n_questions == 1


@pytest.mark.parametrize(
    ("answer", "expected"),
    [(True, 1), (False, -1), (np.True_, 1), (1, 1), (-1, -1), (0, 0), (None, 0), (1.0, 1)],
)
def test_functions_may_answer_in_several_ways(answer, expected):
    heard = []

    def function(*question):
        heard.append(question)
        return answer

    assert FunctionOracle(function, 4).compare([[3, 2, 1, 0]]).tolist() == [-expected]
    assert heard == [(0, 1, 2, 3)]


@pytest.mark.parametrize("answer", ["yes", 2, np.nan, [1]])
def test_other_answers_of_functions_are_refused(answer):
    with pytest.raises(InputError, match=r"must answer True, False.*question \(0, 1, 0, 2\)"):
        FunctionOracle(lambda *question: answer, 3).compare([[0, 1, 0, 2]])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda oracle: NoisyOracle(oracle, 1.5), "flip_probability"),
        (lambda oracle: NoisyOracle(oracle, float("nan")), "flip_probability"),
        (lambda oracle: NoisySimilarityOracle(np.zeros((2, 2)), -1), "noise"),
        (lambda oracle: RepeatedOracle(oracle, 0), "times"),
        (lambda oracle: RepeatedOracle(oracle, 2.5), "times"),
    ],
)
def test_wrong_options_are_refused(w, make, message):
    with pytest.raises(InputError, match=message):
        make(SimilarityOracle(w))


def test_what_is_no_function_is_refused():
    with pytest.raises(InputKindError, match="expected a function"):
        FunctionOracle(3, 4)


@pytest.mark.parametrize("make", [SimilarityOracle, lambda w: NoisySimilarityOracle(w, 0.0)])
def test_changing_the_matrix_later_changes_no_answer(make):
    w = np.array([[0.0, 2, 1], [2, 0, 1], [1, 1, 0]])
    oracle = make(w)

    w[0, 1] = w[1, 0] = 0.0

    assert oracle.compare([[0, 1, 0, 2]]).tolist() == [1]


def test_cosines_of_whole_numbers_tie_exactly():
    from ordlink.datasets import load_zoo

    zoo = load_zoo()
    w = zoo.similarities()
    rng = np.random.default_rng(0)
    i, j = np.triu_indices(len(w), 1)
    e, f = rng.integers(0, len(i), (2, 40_000))
    e, f = e[e != f], f[e != f]
    questions = np.stack([i[e], j[e], i[f], j[f]], axis=1)

    answers = FeatureOracle(zoo.features).compare(questions)

    assert np.array_equal(answers, np.sign(w[i[e], j[e]] - w[i[f], j[f]]))
    assert (answers == 0).sum() > 100


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "correlation"])
def test_distances_that_differ_by_rounding_are_a_tie(metric):
    rows = np.random.default_rng(0).normal(size=(4, 5))
    # Turned round, the features are added up in another order.
    features = np.concatenate([rows, rows[:, ::-1]])
    oracle = FeatureOracle(features, metric)

    i, j = np.triu_indices(4, 1)
    answers = oracle.compare(np.stack([i, j, i + 4, j + 4], axis=1))

    assert answers.tolist() == [0] * 6
    assert FeatureOracle([[0.0], [1.0], [2.0 + 1e-9]], metric="euclidean").compare(
        [[0, 1, 1, 2]]
    ).tolist() == [1]
