"""Answers about pairs: their order, and the likelihood of strengths given them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ordlink as ol
from ordlink.comparisons import n_pairs, pair_members
from ordlink.methods.spectral import _answers as _pair_answers
from ordlink.methods.spectral._answers import PairAnswers
from ordlink.methods.spectral._pair_strengths import MANY_PAIRS, PairModel
from tests.methods.spectral.instances import planted_answers
from tests.reference import strengths as literal


def _answers_about_many_pairs() -> PairAnswers:
    """Return answers about 502 objects: 125,751 pairs, for which fits are less exact."""
    n_objects, rng = 502, np.random.default_rng(0)
    n_all = n_pairs(n_objects)
    assert n_all > MANY_PAIRS
    winners = rng.integers(0, n_all, 4000).astype(np.int32)
    losers = ((winners + rng.integers(1, n_all, 4000)) % n_all).astype(np.int32)
    return PairAnswers(n_objects, winners, losers, np.empty(0))


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
    loss, slopes = answers.likelihood(strengths)
    curvatures = answers.curvatures(strengths)

    rows = zip(winners, losers, weights if weighted else np.ones(n_rows), strict=True)
    expected = literal.likelihood(strengths.tolist(), list(rows), lapse)
    np.testing.assert_allclose(loss, expected[0], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(slopes, expected[1], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(curvatures, expected[2], rtol=1e-9, atol=1e-9)


def test_the_likelihood_is_the_same_in_parts_and_on_any_number_of_threads(monkeypatch) -> None:
    answers = PairAnswers.of(planted_answers(n_answers=500))
    strengths = np.random.default_rng(0).normal(size=answers.n_pairs)
    whole = *answers.likelihood(strengths), answers.curvatures(strengths)
    monkeypatch.setattr(_pair_answers, "_ROWS_PER_PART", 100)
    found = {}
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("ORDLINK_THREADS", threads)
        found[threads] = *answers.likelihood(strengths), answers.curvatures(strengths)

    for one, other in zip(found["1"], found["2"], strict=True):
        np.testing.assert_array_equal(one, other)
    for one, other in zip(found["1"], found["3"], strict=True):
        np.testing.assert_array_equal(one, other)
    for one, other in zip(whole, found["1"], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


@pytest.mark.parametrize("spread", [0.5, 5.0, 20.0])
@pytest.mark.parametrize("lapse", [0.0, 0.05])
@pytest.mark.parametrize("n", [9, 502])  # few pairs, and many
def test_the_loss_of_many_rows_is_the_sum_of_logarithms(n, spread, lapse) -> None:
    """Products of many probabilities, each small or not, neither vanish nor lose digits."""
    rng = np.random.default_rng(2)
    winners, losers = rng.integers(0, n_pairs(n), (2, 5001)).astype(np.int32)
    strengths = rng.normal(0, spread, n_pairs(n))
    answers = PairAnswers(n, winners, losers, np.empty(0), lapse)

    loss, _ = answers.likelihood(strengths)

    ahead = strengths[winners] - strengths[losers]
    meant = np.exp(-np.logaddexp(0.0, -ahead))
    logs = np.log(lapse + (1 - 2 * lapse) * meant) if lapse else -np.logaddexp(0.0, -ahead)
    assert loss == pytest.approx(-logs.sum(), rel=1e-11)


def test_rows_of_many_pairs_are_in_the_order_of_the_object_that_both_pairs_share(
    monkeypatch,
) -> None:
    rng = np.random.default_rng(0)
    triplets = np.array([rng.permutation(9)[:3] for _ in range(200)])
    quadruplets = np.array([rng.permutation(9)[:4] for _ in range(50)])
    rows = [np.column_stack([triplets[:, :2], triplets[:, [0, 2]]]), quadruplets]
    comparisons = ol.Comparisons.from_quadruplets(np.concatenate(rows), n_objects=9)
    answers = PairAnswers.of(comparisons)
    assert answers.by_object() is answers  # few pairs
    monkeypatch.setattr(_pair_answers, "_FEW_PAIRS", 0)

    ordered = answers.by_object()

    places = np.lexsort([ordered.losers, ordered.winners])
    expected = np.lexsort([answers.losers, answers.winners])
    np.testing.assert_array_equal(ordered.winners[places], answers.winners[expected])
    np.testing.assert_array_equal(ordered.losers[places], answers.losers[expected])
    objects = []
    for pairs in zip(ordered.winners, ordered.losers, strict=True):
        winner, loser = (
            {int(item[0]) for item in pair_members(np.array([pair]), 9)} for pair in pairs
        )
        objects.append(next(iter(winner & loser), min(winner)))
    assert objects == sorted(objects)


def test_answers_about_the_compared_pairs_alone_are_the_same_answers() -> None:
    answers = _answers_about_many_pairs()

    fewer, ids = answers.of_compared()

    assert fewer.n_pairs == len(ids) < answers.n_pairs
    np.testing.assert_array_equal(ids[fewer.winners], answers.winners)
    np.testing.assert_array_equal(ids[fewer.losers], answers.losers)
    expected = np.random.default_rng(1).normal(size=answers.n_pairs)
    found = PairModel(fewer, 1.0).fit(expected[ids])
    whole = PairModel(answers, 1.0).fit(expected)
    np.testing.assert_allclose(found, whole[ids], rtol=1e-9)
    left = np.setdiff1d(np.arange(answers.n_pairs), ids)
    np.testing.assert_array_equal(whole[left], expected[left])


def test_no_answers_are_about_no_pairs() -> None:
    answers = PairAnswers.of(planted_answers(n_answers=10)).take(np.empty(0, dtype=int))

    fewer, ids = answers.of_compared()

    assert len(ids) == fewer.n_pairs == 0
    assert fewer.with_lapse_rate(0.1).n_pairs == 0
    assert answers.n_pairs == n_pairs(answers.n_objects)
    assert fewer.likelihood(np.empty(0))[0] == 0.0


def test_huge_differences_do_not_overflow() -> None:
    answers = PairAnswers(3, np.array([0, 1], np.int32), np.array([1, 0], np.int32), np.empty(0))

    loss, slopes = answers.likelihood(np.array([2000.0, 0.0, 0.0]))

    assert loss == pytest.approx(2000.0)
    np.testing.assert_allclose(slopes, [-1.0, 1.0, 0.0], atol=1e-12)
