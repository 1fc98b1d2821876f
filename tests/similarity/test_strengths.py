"""Bradley-Terry strengths: likelihoods, fits, and what is chosen on answers held out."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ordlink as ol
from ordlink.comparisons import n_pairs
from ordlink.similarity import _bradley_terry
from ordlink.similarity._bradley_terry import PairAnswers, as_matrix, by_pair, held_out_rows
from ordlink.similarity._low_rank import (
    first_points,
    fit_low_rank,
    leading_eigenpairs,
    noise_edge,
    strengths_of,
)
from ordlink.similarity._pair_strengths import PairModel
from ordlink.similarity._ranked_strengths import RankModel
from ordlink.similarity._shrinkage import VARIANCES, guess_strengths, share_of_slips
from tests.reference import strengths as literal


def _answers(n: int = 12, n_answers: int = 300, seed: int = 0, error_rate: float = 0.0):
    planted = ol.datasets.planted_hierarchy(depth=1, leaf_size=n // 2, gap=0.2, seed=seed)
    rows = ol.datasets.simulate_answers(
        planted.similarities, n_answers, form="quadruplet", error_rate=error_rate, seed=seed
    )
    return ol.Comparisons.from_quadruplets(rows, n_objects=n)


@settings(max_examples=100, deadline=None)
@given(
    st.integers(2, 6),
    st.integers(0, 300),
    st.booleans(),
    st.sampled_from([0.0, 0.02, 0.3]),
    st.integers(0, 2**32),
)
def test_the_likelihood_is_the_literal_one(n, n_rows, weighted, lapse, seed) -> None:
    rng = np.random.default_rng(seed)
    n_all = n_pairs(n)
    winners, losers = rng.integers(0, n_all, (2, n_rows)).astype(np.int32)
    weights = rng.integers(1, 4, n_rows).astype(float)
    strengths = rng.normal(0, 3, n_all)

    answers = PairAnswers(n, winners, losers, weights if weighted else np.empty(0), lapse)
    loss, slopes, curvatures = answers.likelihood(strengths, curved=True)

    rows = zip(winners, losers, weights if weighted else np.ones(n_rows), strict=True)
    expected = literal.likelihood(strengths.tolist(), list(rows), lapse)
    np.testing.assert_allclose(loss, expected[0], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(slopes, expected[1], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(curvatures, expected[2], rtol=1e-9, atol=1e-9)


def test_the_likelihood_is_the_same_in_parts_and_on_any_number_of_threads(monkeypatch) -> None:
    answers = PairAnswers.of(_answers(n_answers=500))
    strengths = np.random.default_rng(0).normal(size=answers.n_pairs)
    whole = answers.likelihood(strengths, curved=True)
    monkeypatch.setattr(_bradley_terry, "_ROWS_PER_PART", 100)
    found = {}
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("ORDLINK_THREADS", threads)
        found[threads] = answers.likelihood(strengths, curved=True)

    for one, other in zip(found["1"], found["2"], strict=True):
        np.testing.assert_array_equal(one, other)
    for one, other in zip(found["1"], found["3"], strict=True):
        np.testing.assert_array_equal(one, other)
    for one, other in zip(whole, found["1"], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


def test_huge_differences_do_not_overflow() -> None:
    answers = PairAnswers(3, np.array([0, 1], np.int32), np.array([1, 0], np.int32), np.empty(0))

    loss, slopes, _ = answers.likelihood(np.array([2000.0, 0.0, 0.0]))

    assert loss == pytest.approx(2000.0)
    np.testing.assert_allclose(slopes, [-1.0, 1.0, 0.0], atol=1e-12)


def test_a_matrix_and_its_pairs_are_the_same() -> None:
    numbers = np.arange(10.0)
    matrix = as_matrix(numbers, 5)

    np.testing.assert_array_equal(by_pair(matrix), numbers)
    np.testing.assert_array_equal(matrix, matrix.T)
    assert matrix[1, 2] == numbers[ol.comparisons.pair_ids(np.array(1), np.array(2), 5)]
    assert not matrix.diagonal().any()


@pytest.mark.parametrize("variance", [0.1, 3.0])
def test_the_most_likely_strengths_balance_answers_and_expectations(variance) -> None:
    answers = PairAnswers.of(_answers(error_rate=0.2))
    expected = np.random.default_rng(1).normal(size=answers.n_pairs)

    found = PairModel(answers, variance).fit(expected)

    _, slopes, _ = answers.likelihood(found)
    np.testing.assert_allclose(slopes, (found - expected) / variance, atol=0.02)


def test_pairs_without_answers_are_as_expected_and_unknown() -> None:
    answers = PairAnswers.of(_answers(n_answers=10))
    expected = np.full(answers.n_pairs, 0.5)

    observed = PairModel(answers, 1.0).observe(expected)

    asked = np.unique([answers.winners, answers.losers])
    silent = np.setdiff1d(np.arange(answers.n_pairs), asked)
    assert not by_pair(observed.precisions)[silent].any()
    np.testing.assert_array_equal(by_pair(observed.strengths)[silent], 0.5)
    assert (by_pair(observed.precisions)[asked] > 0).all()


def test_calibrated_precisions_fit_the_spread() -> None:
    answers = PairAnswers.of(_answers(n_answers=3000))
    expected = np.zeros(answers.n_pairs)

    observed = PairModel(answers, 3.0).observe(expected)

    squares = by_pair(observed.precisions * observed.strengths**2)
    assert np.mean(squares[by_pair(observed.precisions) > 0]) == pytest.approx(1.0)


def test_low_rank_points_are_a_stationary_point() -> None:
    answers = PairAnswers.of(_answers(n_answers=2000, error_rate=0.2))
    ridge = 0.3 * noise_edge(answers)

    points = fit_low_rank(answers, first_points(answers), ridge)

    _, slopes, _ = answers.likelihood(strengths_of(points))
    gradient = ridge * points - as_matrix(slopes, answers.n_objects) @ points
    assert np.abs(gradient).max() < 0.05 * ridge * np.abs(points).max()


def test_a_ridge_above_all_signal_leaves_nothing() -> None:
    answers = PairAnswers.of(_answers())

    points = fit_low_rank(answers, first_points(answers), 50 * noise_edge(answers))

    np.testing.assert_allclose(points, 0.0, atol=1e-3)


def test_the_noise_edge_bounds_the_spectrum_of_coin_flips() -> None:
    n, rng = 60, np.random.default_rng(0)
    winners, losers = rng.integers(0, n_pairs(n), (2, 20_000)).astype(np.int32)
    answers = PairAnswers(n, winners, losers, np.empty(0))
    _, slopes, _ = answers.likelihood(np.zeros(n_pairs(n)))

    largest = np.linalg.eigvalsh(as_matrix(slopes, n))[-1]

    assert largest == pytest.approx(noise_edge(answers), rel=0.15)


@pytest.mark.parametrize("n", [30, 450])
def test_leading_eigenpairs_are_those_of_numpy(n) -> None:
    rng = np.random.default_rng(n)
    matrix = rng.normal(size=(n, n))
    direction = rng.normal(size=n)
    matrix = matrix + matrix.T + 3 * np.outer(direction, direction)

    values, vectors = leading_eigenpairs(matrix, 2)

    np.testing.assert_allclose(values, np.linalg.eigvalsh(matrix)[::-1][:2], rtol=1e-3)
    np.testing.assert_allclose(
        matrix @ vectors[:, 0], values[0] * vectors[:, 0], atol=1e-2 * values[0]
    )


def test_held_out_answers_stay_whole_and_do_not_depend_on_objects() -> None:
    rows = np.array([[0, 1, 2], [3, 4, 5]] * 50)
    comparisons = ol.Comparisons.from_odd_one_out(rows)
    renumbered = ol.Comparisons.from_odd_one_out(5 - rows)

    held_out = held_out_rows(comparisons, 0.3, seed=1)

    assert 0 < held_out.sum() < len(held_out)
    np.testing.assert_array_equal(held_out[::2], held_out[1::2])
    np.testing.assert_array_equal(held_out, held_out_rows(renumbered, 0.3, seed=1))


def test_clean_answers_are_trusted_more_than_coin_flips() -> None:
    clean = guess_strengths(_answers(n_answers=6000))
    noisy = guess_strengths(_answers(n_answers=6000, error_rate=0.45))

    assert clean.variance > noisy.variance
    assert np.abs(clean.strengths).mean() > np.abs(noisy.strengths).mean()


@pytest.mark.parametrize("error_rate", [0.0, 0.1, 0.25])
def test_slips_are_counted_where_clusters_are_clear(error_rate) -> None:
    # Three distances: with one alone, slips could not be told from clusters that are closer.
    planted = ol.datasets.planted_hierarchy(depth=3, leaf_size=4, gap=0.2, seed=0)
    rows = ol.datasets.simulate_answers(
        planted.similarities, 20_000, form="quadruplet", error_rate=error_rate, seed=0
    )
    comparisons = ol.Comparisons.from_quadruplets(rows, n_objects=32)

    found = share_of_slips(comparisons, 10.0 * by_pair(planted.expected_similarities))

    assert found == pytest.approx(error_rate, abs=0.001)


def test_few_answers_get_defaults() -> None:
    guess = guess_strengths(_answers(n_answers=20))

    assert guess.variance in VARIANCES
    assert np.isfinite(guess.strengths).all()


def test_counts_are_worth_as_much_as_repeated_rows() -> None:
    comparisons = _answers(n_answers=40)
    counted = dataclasses.replace(comparisons, counts=np.full(40, 3, dtype=np.int32))
    repeated = comparisons.take(np.repeat(np.arange(40), 3))
    expected = np.zeros(n_pairs(12))

    one, other = (
        PairModel(PairAnswers.of(given), 1.0).observe(expected) for given in (counted, repeated)
    )

    np.testing.assert_allclose(one.strengths, other.strengths, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(one.precisions, other.precisions, rtol=1e-6, atol=1e-9)


def test_strengths_from_ranks_rise_with_similarity_and_tie_where_it_ties() -> None:
    matrix = np.array([[0, 3, 1, 1], [3, 0, 2, 1], [1, 2, 0, 5], [1, 1, 5, 0]], dtype=float)

    model = RankModel(ol.Comparisons.from_similarities(matrix))
    strengths = model.observe(np.zeros(6)).strengths

    order = np.argsort(by_pair(matrix), kind="stable")
    assert (np.diff(by_pair(strengths)[order]) >= 0).all()
    assert strengths[0, 2] == strengths[0, 3] == strengths[1, 3]
    assert strengths[0, 1] < strengths[2, 3]
