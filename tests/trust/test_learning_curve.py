"""Learning curves: made-up ones are recovered, measured ones are those of the subsamples."""

from __future__ import annotations

import math

import numpy as np
import pytest

import ordlink as ol
from ordlink.errors import InputError, InputKindError
from ordlink.trust import LearningCurve, learning_curve
from ordlink.trust._learning_curve import _Answers
from ordlink.trust._power_law import fit_power_laws

SIZES = np.array([100, 200, 400, 800, 1600])


def _curve(accuracy, n_answers=2000, noise=0.0, n_objects=20, seed=0):
    shape = (4, 5, len(SIZES))
    accuracies = accuracy(SIZES) + noise * np.random.default_rng(seed).standard_normal(shape)
    return LearningCurve("4-AL", n_objects, n_answers, SIZES, accuracies, np.ones((4, 5)))


@pytest.mark.parametrize(
    ("a", "b", "c"), [(0.8, 2.0, 0.5), (0.75, 20.0, 1.0), (0.95, 1.0, 0.3), (0.7, 0.0, 0.7)]
)
def test_made_up_curves_are_recovered(a, b, c):
    found = fit_power_laws(SIZES.astype(float), (a - b * SIZES**-c)[None], np.full(5, 1e-10))

    assert found.a[0] == pytest.approx(a, abs=0.005)
    if b:
        assert found.c[0] == pytest.approx(c, rel=0.05)
        assert found.b[0] == pytest.approx(b, rel=0.2)
    assert found.at(5000)[0] == pytest.approx(a - b * 5000.0**-c, abs=0.002)


def test_the_fit_is_the_best_of_a_dense_search_within_the_bounds():
    rng = np.random.default_rng(4)
    sizes, variances = SIZES.astype(float), np.array([4, 3, 2, 1, 1]) * 1e-4

    def loss(curve, a, b, c):
        misfit = ((curve - a + b * (sizes / 1600) ** -c) ** 2 / variances).sum()
        return misfit + (np.log(c / 0.7) / 0.7) ** 2

    curves = np.stack([0.97 - 4 / np.sqrt(SIZES), np.full(5, 0.6), 0.6 + SIZES / 8000])
    curves = curves + 0.01 * rng.standard_normal(curves.shape)
    found = fit_power_laws(sizes, curves, variances)

    for number, curve in enumerate(curves):
        a, b, c = (float(values[number]) for values in (found.a, found.b, found.c))
        mine = loss(curve, a, b / 1600**c, c)
        assert a <= 1 and b >= 0
        for other_a in np.linspace(0.5, 1, 41):
            for other_b in np.linspace(0, 0.4, 41):
                for other_c in np.geomspace(0.1, 3, 15):
                    assert mine <= loss(curve, other_a, other_b, other_c) + 1e-3


def test_the_number_for_a_target_is_where_the_curve_reaches_it():
    curve = _curve(lambda n: 0.8 - 2 / np.sqrt(n))

    assert curve.answers_for(0.78).value == pytest.approx(10_000, rel=0.05)
    assert curve.answers_for(0.9).value == math.inf
    assert curve.ceiling.value == pytest.approx(0.8, abs=0.003)


def test_the_gain_is_expected_and_its_interval_holds_it():
    def truth(n):
        return 0.8 - 2 / np.sqrt(n)

    held = 0
    for seed in range(20):
        gain = _curve(truth, noise=0.004, seed=seed).what_next(2000)
        assert gain.low <= gain.high
        held += gain.low <= truth(4000) - truth(2000) <= gain.high
    assert held >= 12


def test_verdicts():
    rising = _curve(lambda n: 0.9 - 3 / np.sqrt(n)).verdict(1000)
    flat = _curve(lambda n: 0.7 + 0 * n, noise=1e-4).verdict(1000)
    chance = _curve(lambda n: 0.5 + 0 * n, noise=0.01).verdict(1000)
    early = _curve(lambda n: 0.5 + 0 * n, noise=0.01, n_objects=1000).verdict(1000)

    assert rising.advice == "go on" and "1,000 more answers" in rising.reason
    assert flat.advice == "stop" and "less than 0.5" in flat.reason
    assert chance.advice == "stop" and "no better than guessing" in chance.reason
    assert early.advice == "go on" and "too few" in early.reason


@pytest.fixture(scope="module")
def comparisons():
    planted = ol.datasets.planted_hierarchy(depth=2, leaf_size=4, gap=1.0, seed=0)
    rows = ol.datasets.simulate_answers(
        planted.similarities, 600, form="odd-one-out", error_rate=0.1, seed=0
    )
    people = [f"p{i % 10}" for i in range(600)]
    return ol.Comparisons.from_odd_one_out(rows, n_objects=16, annotators=people)


def test_the_largest_size_scores_as_all_other_folds_do(comparisons):
    curve = learning_curve(comparisons, "AddS-AL", n_repetitions=2, seed=3)
    scores = ol.trust.cross_validate(comparisons, "AddS-AL", n_repetitions=2, seed=3)

    assert curve.sizes.tolist() == [30, 60, 120, 240, 480]
    assert curve.accuracies[..., -1] == pytest.approx(scores.accuracies)
    assert curve.accuracy[0] < curve.accuracy[-1]
    assert np.isnan(curve.stabilities[:, -1]).all()
    assert ((curve.stabilities[:, :-1] > 1 / 4) & (curve.stabilities[:, :-1] <= 1)).all()
    again = learning_curve(comparisons, "AddS-AL", n_repetitions=2, seed=3)
    assert np.array_equal(curve.accuracies, again.accuracies)


def test_subsamples_are_nested_whole_answers_person_by_person(comparisons):
    answers = _Answers(comparisons, 5)
    everyone = np.ones(comparisons.n_rows, dtype=bool)
    sizes = np.array([30, 100, 600])

    parts = list(answers.growing(everyone, sizes, np.random.default_rng(0)))
    first, second = answers.halves(np.random.default_rng(0))

    for size, rows in zip(sizes.tolist(), parts, strict=True):
        part = comparisons.take(rows)
        assert part.n_answers == size and part.n_comparisons == 2 * size
        people, counts = np.unique(part.details.annotators.astype(str), return_counts=True)
        assert len(people) == -(-size // 60)
        assert (counts < 120).sum() <= 1
    assert not (parts[0] & ~parts[1]).any()
    assert not (first & second).any() and (first | second).all()
    halves = [set(comparisons.take(rows).details.annotators) for rows in (first, second)]
    assert not halves[0] & halves[1]


def test_the_answers_of_one_person_come_in_random_order(comparisons):
    """Whoever is cut off, it is not by when they were asked: p0 answered 0, 10, 20, ..."""
    answers = _Answers(comparisons, 5)
    everyone = np.ones(comparisons.n_rows, dtype=bool)

    cut = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        (rows,) = answers.growing(everyone, np.array([30]), rng)
        cut.append(np.unique(comparisons.answer_ids[rows]) // 10)  # of their 60 answers, in turn

    assert all(len(taken) == 30 for taken in cut)
    assert np.mean([taken.mean() for taken in cut]) == pytest.approx(29.5, abs=5)
    assert all(taken.max() > 40 for taken in cut)


def test_repeated_answers_count_as_often_as_they_were_given():
    answers = ol.Comparisons.from_triplets([[0, 1, 2], [1, 0, 2], [2, 1, 0]], counts=[5, 1, 3])

    parts = list(
        _Answers(answers, 2).growing(
            np.ones(3, dtype=bool), np.array([1, 6, 9]), np.random.default_rng(1)
        )
    )

    assert [answers.take(rows).n_answers for rows in parts if rows.any()][-1] == 9
    assert all(answers.take(rows).n_answers <= n for rows, n in zip(parts, [1, 6, 9], strict=True))


def test_bad_options_are_refused(comparisons):
    with pytest.raises(InputError, match="at least three different"):
        learning_curve(comparisons, "AddS-AL", sizes=[10, 20])
    with pytest.raises(InputError, match="expected at most 480"):
        learning_curve(comparisons, "AddS-AL", sizes=[10, 20, 590])
    with pytest.raises(InputError, match="at least three different"):
        learning_curve(comparisons.take(np.arange(20)), "AddS-AL")
    with pytest.raises(InputKindError, match="listed"):
        learning_curve(ol.Comparisons.from_similarities(np.eye(4)), "AddS-AL")
    curve = _curve(lambda n: 0.8 - 2 / np.sqrt(n))
    with pytest.raises(InputError, match=r"above 0.5"):
        curve.answers_for(0.5)
    with pytest.raises(InputError, match="n_more"):
        curve.what_next(0)
