"""Bradley-Terry strengths: likelihoods, fits, and what is chosen on held-out answers."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import ordlink as ol
from ordlink.comparisons import n_pairs
from ordlink.methods.spectral import _pair_strengths
from ordlink.methods.spectral._answers import PairAnswers
from ordlink.methods.spectral._pair_strengths import (
    MANY_PAIRS,
    KnownStrengths,
    PairModel,
    as_matrix,
    by_pair,
    leading_eigenpairs,
)
from ordlink.methods.spectral._rows import (
    are_often_compared,
    held_out_rows,
    thin_out,
    thin_out_pairs,
)
from ordlink.methods.spectral._shrinkage import (
    VARIANCES,
    estimate_lapse_rate,
    first_points,
    fit_low_rank,
    guess_strengths,
    noise_edge,
    strengths_of,
)
from tests.methods.spectral.instances import planted_answers
from tests.reference import strengths as literal


def test_a_matrix_and_its_pairs_are_the_same() -> None:
    numbers = np.arange(10.0)
    matrix = as_matrix(numbers, 5)

    np.testing.assert_array_equal(by_pair(matrix), numbers)
    np.testing.assert_array_equal(matrix, matrix.T)
    assert matrix[1, 2] == numbers[ol.comparisons.pair_ids(np.array(1), np.array(2), 5)]
    assert not matrix.diagonal().any()


@pytest.mark.parametrize("variance", [0.1, 3.0])
def test_the_most_likely_strengths_balance_answers_and_expectations(variance) -> None:
    answers = PairAnswers.of(planted_answers(error_rate=0.2))
    expected = np.random.default_rng(1).normal(size=answers.n_pairs)

    found = PairModel(answers, variance).fit(expected)

    _, slopes = answers.likelihood(found)
    np.testing.assert_allclose(slopes, (found - expected) / variance, atol=0.02)


def _answers_about_many_pairs() -> PairAnswers:
    """Return answers about 502 objects: 125,751 pairs, for which fits are less exact."""
    n_objects, rng = 502, np.random.default_rng(0)
    n_all = n_pairs(n_objects)
    assert n_all > MANY_PAIRS
    winners = rng.integers(0, n_all, 4000).astype(np.int32)
    losers = ((winners + rng.integers(1, n_all, 4000)) % n_all).astype(np.int32)
    return PairAnswers(n_objects, winners, losers, np.empty(0))


def test_strengths_of_many_pairs_are_nearly_those_of_an_exact_fit(monkeypatch) -> None:
    answers = _answers_about_many_pairs()
    expected = np.random.default_rng(1).normal(size=answers.n_pairs)

    quick = PairModel(answers, 1.0).fit(expected)
    monkeypatch.setattr(_pair_strengths, "MANY_PAIRS", answers.n_pairs)
    exact = PairModel(answers, 1.0).fit(expected)

    asked = np.unique([answers.winners, answers.losers])
    moved = np.abs(exact - expected)[asked]
    assert np.abs(quick - exact).max() < 0.05 * moved.max()
    assert (quick != exact).any()  # it stops sooner
    np.testing.assert_array_equal(np.delete(quick, asked), np.delete(expected, asked))


@pytest.mark.parametrize(("many", "n_looked"), [(True, 1), (False, 3)])
def test_of_many_pairs_the_curvatures_found_last_are_taken_again(
    monkeypatch, many: bool, n_looked: int
) -> None:
    answers = _answers_about_many_pairs() if many else PairAnswers.of(planted_answers())
    expected = np.zeros(answers.n_pairs)
    curved_calls, curvatures = [], PairAnswers.curvatures

    def note(self, strengths):
        curved_calls.append(strengths)
        return curvatures(self, strengths)

    monkeypatch.setattr(PairAnswers, "curvatures", note)
    model = PairModel(answers, 1.0)
    fits = [model.fit(expected) for _ in range(3)]

    assert len(curved_calls) == n_looked
    np.testing.assert_allclose(fits[0], fits[2], atol=0.02)


def test_pairs_without_answers_count_a_little_as_average_ones() -> None:
    answers = PairAnswers.of(planted_answers(n_answers=10))
    expected = np.full(answers.n_pairs, 0.5)

    observed = PairModel(answers, 1.0).posterior(expected)

    strengths, precisions = by_pair(observed.strengths), by_pair(observed.precisions)
    asked = np.unique([answers.winners, answers.losers])
    silent = np.setdiff1d(np.arange(answers.n_pairs), asked)
    named = np.zeros(answers.n_objects, dtype=bool)
    named[np.concatenate(ol.comparisons.pair_members(asked, answers.n_objects))] = True
    of_named = by_pair(np.outer(named, named).astype(float)) > 0
    average = np.average(strengths[asked], weights=precisions[asked])
    known, unknown = silent[of_named[silent]], silent[~of_named[silent]]
    assert len(known)
    np.testing.assert_allclose(strengths[known], average)
    assert 0 < precisions[known].sum() <= 0.05 * precisions[asked].sum() * (1 + 1e-9)
    assert precisions[known].max() <= 0.1 * precisions[asked].mean() * (1 + 1e-9)
    assert not precisions[unknown].any()
    assert (precisions[asked] > 0).all()


def test_pulls_vary_as_much_as_calibrated_precisions_say() -> None:
    answers = PairAnswers.of(planted_answers(n_answers=3000, error_rate=0.2))
    expected = np.repeat([-1.0, 0.0, 2.0], answers.n_pairs // 3)

    observed = PairModel(answers, 3.0).posterior(expected)

    precisions = by_pair(observed.precisions)
    pulls = precisions * (by_pair(observed.strengths) - expected)
    assert np.sum(pulls**2) == pytest.approx(np.sum(precisions))


def test_an_answer_counts_as_much_whether_it_was_to_be_expected_or_not() -> None:
    # Two equally strong pairs meet the same two weak ones; the first wins both, the other loses.
    e, f, g, h = range(4)
    answers = PairAnswers(
        4, np.array([e, e, g, h], np.int32), np.array([g, h, f, f], np.int32), np.empty(0)
    )
    expected = np.array([2.0, 2.0, 0.0, 0.0, 0.0, 0.0])

    observed = PairModel(answers, 1.0).posterior(expected, calibrated=False)

    precisions, strengths = by_pair(observed.precisions), by_pair(observed.strengths)
    assert precisions[e] == pytest.approx(precisions[f])
    assert strengths[f] < 2.0 < strengths[e]


def test_low_rank_points_are_a_stationary_point() -> None:
    answers = PairAnswers.of(planted_answers(n_answers=2000, error_rate=0.2))
    ridge = 0.3 * noise_edge(answers)

    points = fit_low_rank(answers, first_points(answers), ridge)

    _, slopes = answers.likelihood(strengths_of(points))
    gradient = ridge * points - as_matrix(slopes, answers.n_objects) @ points
    assert np.abs(gradient).max() < 0.05 * ridge * np.abs(points).max()


def test_a_ridge_above_all_signal_leaves_nothing() -> None:
    answers = PairAnswers.of(planted_answers())

    points = fit_low_rank(answers, first_points(answers), 50 * noise_edge(answers))

    np.testing.assert_allclose(points, 0.0, atol=1e-3)


def test_the_noise_edge_bounds_the_spectrum_of_coin_flips() -> None:
    n, rng = 60, np.random.default_rng(0)
    winners, losers = rng.integers(0, n_pairs(n), (2, 20_000)).astype(np.int32)
    answers = PairAnswers(n, winners, losers, np.empty(0))
    _, slopes = answers.likelihood(np.zeros(n_pairs(n)))

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
    clean = guess_strengths(planted_answers(n_answers=6000))
    noisy = guess_strengths(planted_answers(n_answers=6000, error_rate=0.45))

    assert clean.variance > noisy.variance
    assert np.abs(clean.strengths).mean() > np.abs(noisy.strengths).mean()


@pytest.mark.parametrize("error_rate", [0.0, 0.1, 0.25])
def test_lapses_are_counted_where_clusters_are_clear(error_rate) -> None:
    # Three distances: with one alone, lapses could not be told from clusters that are closer.
    planted = ol.datasets.planted_hierarchy(depth=3, leaf_size=4, gap=0.2, seed=0)
    rows = ol.datasets.simulate_answers(
        planted.similarities, 20_000, form="quadruplet", error_rate=error_rate, seed=0
    )
    comparisons = ol.Comparisons.from_quadruplets(rows, n_objects=32)

    found = estimate_lapse_rate(comparisons, 10.0 * by_pair(planted.expected_similarities))

    assert found == pytest.approx(error_rate, abs=0.001)


def test_few_answers_get_defaults() -> None:
    guess = guess_strengths(planted_answers(n_answers=20))

    assert guess.variance in VARIANCES
    assert np.isfinite(guess.strengths).all()


def test_counts_are_worth_as_much_as_repeated_rows() -> None:
    comparisons = planted_answers(n_answers=40)
    counted = dataclasses.replace(comparisons, counts=np.full(40, 3, dtype=np.int32))
    repeated = comparisons.take(np.repeat(np.arange(40), 3))
    expected = np.zeros(n_pairs(12))

    one, other = (
        PairModel(PairAnswers.of(given), 1.0).posterior(expected) for given in (counted, repeated)
    )

    np.testing.assert_allclose(one.strengths, other.strengths, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(one.precisions, other.precisions, rtol=1e-6, atol=1e-9)


def test_strengths_from_ranks_rise_with_similarity_and_tie_where_it_ties() -> None:
    matrix = np.array([[0, 3, 1, 1], [3, 0, 2, 1], [1, 2, 0, 5], [1, 1, 5, 0]], dtype=float)

    model = KnownStrengths.of_ranks(ol.Comparisons.from_similarities(matrix))
    strengths = model.posterior(np.zeros(6)).strengths

    order = np.argsort(by_pair(matrix), kind="stable")
    assert (np.diff(by_pair(strengths)[order]) >= 0).all()
    assert strengths[0, 2] == strengths[0, 3] == strengths[1, 3]
    assert strengths[0, 1] < strengths[2, 3]


def test_strengths_from_many_answers_are_where_their_slopes_meet_the_prior() -> None:
    comparisons = planted_answers(n_answers=2000)

    strengths = KnownStrengths.of_answers(PairAnswers.of(comparisons).by_object()).fit(
        np.zeros(n_pairs(12))
    )

    rows = zip(comparisons.winners, comparisons.losers, np.ones(2000), strict=True)
    _, slopes, _ = literal.likelihood(strengths.tolist(), list(rows), 0.0)
    np.testing.assert_allclose(slopes, strengths / 3.0, atol=0.05)


def test_pairs_are_often_compared_if_nine_of_ten_are() -> None:
    def ring(n_compared: int) -> ol.Comparisons:
        winners = np.arange(n_compared, dtype=np.int32)
        losers = np.roll(winners, 1)
        rows = np.concatenate([winners] * 3), np.concatenate([losers] * 3)
        comparisons = ol.Comparisons.from_quadruplets([[0, 1, 0, 2]], n_objects=21)
        return dataclasses.replace(comparisons, winners=rows[0], losers=rows[1], details=None)

    assert n_pairs(21) == 210
    assert are_often_compared(ring(190))
    assert not are_often_compared(ring(188))


def test_thinning_keeps_whole_answers_and_about_as_many_rows_as_asked_for() -> None:
    rows = np.random.default_rng(0).permuted(np.tile(np.arange(20), (4000, 1)), axis=1)[:, :3]
    comparisons = ol.Comparisons.from_odd_one_out(rows, n_objects=20)

    few = thin_out(comparisons, 2000)

    assert thin_out(comparisons, 8000) is comparisons
    assert 1800 < few.n_rows < 2200
    assert (np.unique(few.answer_ids, return_counts=True)[1] == 2).all()


def test_thinning_by_pairs_spares_those_that_are_compared_seldom() -> None:
    rng = np.random.default_rng(0)
    often = np.stack([rng.integers(0, 4, 20_000), rng.integers(4, 8, 20_000)], axis=1)
    often = np.concatenate([often[:, :1], often[:, 1:] - 4, often[:, 1:], often[:, :1] + 4], axis=1)
    often = often[(often[:, 0] != often[:, 1]) & (often[:, 2] != often[:, 3])]
    seldom = np.array([[8, 9, 0, 4], [8, 0, 8, 1]])
    comparisons = ol.Comparisons.from_quadruplets(np.concatenate([often, seldom]), n_objects=10)

    few = thin_out_pairs(comparisons, 50)

    n = n_pairs(10)
    counts = np.bincount(few.winners, minlength=n) + np.bincount(few.losers, minlength=n)
    before = np.bincount(comparisons.winners, minlength=n)
    before += np.bincount(comparisons.losers, minlength=n)
    assert thin_out_pairs(comparisons, int(before.max())) is comparisons
    assert few.n_rows < comparisons.n_rows / 10
    assert few.quadruplets[-2:].tolist() == comparisons.quadruplets[-2:].tolist()
    assert (counts[before > 50] > 20).all() and counts.max() < 150


def test_a_guess_from_another_one_is_as_likely_as_one_from_scratch() -> None:
    comparisons = planted_answers(n_answers=3000, error_rate=0.1)
    answers = PairAnswers.of(comparisons).with_lapse_rate(0.1)

    scratch = guess_strengths(comparisons, 0.1)
    near = guess_strengths(comparisons, 0.1, near=guess_strengths(comparisons))

    losses = [answers.mean_loss(guess.strengths) for guess in (scratch, near)]
    assert losses[1] == pytest.approx(losses[0], rel=0.01)
