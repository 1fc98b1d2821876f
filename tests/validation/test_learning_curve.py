"""Learning curves: made-up ones are recovered, measured ones are those of the subsamples."""

from __future__ import annotations

import math

import numpy as np
import pytest

import ordlink as ol
from ordlink.errors import InputError, InputKindError, OrdlinkError
from ordlink.validation import LearningCurve, learning_curve
from ordlink.validation._extrapolation import RisingCurves, draw_curves
from ordlink.validation._learning_curve import _Answers

SIZES = np.array([100, 200, 400, 800, 1600])


def _curve(accuracy, n_answers=2000, noise=0.0, n_objects=20, seed=0):
    shape = (4, 5, len(SIZES))
    accuracies = accuracy(SIZES) + noise * np.random.default_rng(seed).standard_normal(shape)
    return LearningCurve("4-AL", n_objects, n_answers, SIZES, accuracies, np.ones((4, 5)))


def rising(ceiling, half_way, steepness=1.4):
    """Return a curve that rises from guessing."""
    return lambda n: 0.5 + (ceiling - 0.5) / (1 + (half_way / n) ** steepness)


@pytest.mark.parametrize(
    ("ceiling", "half_way", "steepness"),
    [(0.8, 300, 1.4), (0.65, 100, 1.0), (0.95, 50, 1.8), (0.7, 0.5, 1.4)],
)
def test_made_up_curves_are_recovered(ceiling, half_way, steepness):
    truth = rising(ceiling, half_way, steepness)

    found = draw_curves(
        SIZES.astype(float), truth(SIZES), np.zeros(5), 500, np.random.default_rng(0)
    )

    assert np.median(found.ceilings) == pytest.approx(ceiling, abs=0.01)
    assert np.median(found.at(5000)) == pytest.approx(truth(5000), abs=0.005)
    assert found.ceilings.min() >= 0.5 and found.ceilings.max() <= 1


@pytest.mark.parametrize(("ceiling", "half_way"), [(0.8, 400), (1.0, 8000)])
def test_curves_are_drawn_as_often_as_a_literal_search_finds_them_likely(ceiling, half_way):
    rng = np.random.default_rng(4)
    sizes, variances = SIZES.astype(float), np.array([4, 3, 2, 1, 1]) * 1e-4
    noise = 0.01 * np.abs(rng.standard_normal(5))  # above guessing, all of them
    accuracies = rising(ceiling, half_way)(sizes) + noise

    found = draw_curves(sizes, accuracies, variances, 4000, rng)

    likely, gains = [], []
    for deviation in np.linspace(-2, 2, 9):
        for half_way in np.geomspace(1, 8 * 1600, 60):
            for ceiling in np.linspace(0.5, 1, 101):
                curve = rising(ceiling, half_way, 1.4 * np.exp(0.3 * deviation))
                misfit = ((accuracies - curve(sizes)) ** 2 / (variances + 0.003**2)).sum()
                likely.append(np.exp(-(misfit + deviation**2) / 2))
                gains.append(curve(4000.0) - curve(2000.0))
    expected = np.average(gains, weights=likely)
    drawn = found.at(4000) - found.at(2000)
    assert drawn.mean() == pytest.approx(expected, abs=0.002)
    assert drawn.std() == pytest.approx(
        np.sqrt(np.average((np.array(gains) - expected) ** 2, weights=likely)), rel=0.1
    )


def test_the_number_for_a_target_is_where_the_curve_reaches_it():
    curves = RisingCurves(np.array([0.3, 0.3]), np.array([200.0, 200.0]), np.array([1.0, 2.0]))

    numbers = curves.reaching(0.75)

    assert [curves.at(number)[k] for k, number in enumerate(numbers)] == pytest.approx([0.75] * 2)
    assert curves.reaching(0.8).tolist() == [math.inf, math.inf]
    assert curves.reaching(0.9).tolist() == [math.inf, math.inf]
    curve = _curve(rising(0.8, 300))
    assert curve.predict(curve.answers_for(0.77).value).value == pytest.approx(0.77, abs=0.003)
    assert curve.answers_for(0.9).value == math.inf
    assert curve.ceiling.value == pytest.approx(0.8, abs=0.01)


@pytest.mark.parametrize("half_way", [400, 3000])
def test_the_gain_is_expected_and_its_interval_holds_it(half_way):
    truth = rising(0.75, half_way)
    held, values = 0, []
    for seed in range(20):
        gain = _curve(truth, noise=0.02, seed=seed).what_next(2000)
        held += gain.low <= truth(4000) - truth(2000) <= gain.high
        values.append(gain.value)

    assert held >= 16
    assert np.mean(values) == pytest.approx(truth(4000) - truth(2000), rel=0.5)


def test_accuracies_near_guessing_leave_open_what_comes():
    """The first answers hardly help: no reason to think that the next will not."""
    early = _curve(rising(0.7, 4000), noise=0.02).what_next(4000)
    late = _curve(rising(0.7, 100), noise=0.02).what_next(4000)

    assert early.high > 0.07
    assert late.value < 0.01
    assert late.high < 0.03


def test_the_advice_is_about_twice_as_many_answers():
    growing = _curve(rising(0.9, 2000)).verdict()
    flat = _curve(rising(0.7, 120), noise=0.002).verdict()
    chance = _curve(lambda n: 0.5 + 0 * n, noise=0.01).verdict()
    early = _curve(lambda n: 0.5 + 0 * n, noise=0.01, n_objects=1000).verdict()

    assert growing.advice == "go on" and "twice as many answers" in growing.reason
    assert flat.advice == "stop" and "less than 1 point" in flat.reason
    assert chance.advice == "stop" and "no better than guessing" in chance.reason
    assert early.advice == "go on" and "too few" in early.reason


@pytest.mark.parametrize("level", [0.0, 0.3, 1.0])
def test_no_accuracy_breaks_the_curve(level):
    curve = _curve(lambda n: level + 0 * n)

    assert curve.verdict().advice == "stop"
    assert 0.5 <= curve.ceiling.low <= curve.ceiling.high <= 1


def test_a_gain_of_nothing_is_called_so():
    assert "do not change" in _curve(lambda n: 1.0 + 0 * n).verdict().reason


def test_stopping_needs_evidence():
    """The same curve: where folds differ, it might gain more than is likely."""
    clear, blurred = (_curve(rising(0.7, 120), noise=noise) for noise in (0.002, 0.02))

    assert clear.verdict(worthwhile=0.004).advice == "stop"
    assert blurred.verdict(worthwhile=0.004).advice == "go on"
    assert blurred.verdict(worthwhile=0.006).advice == "stop"


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
    scores = ol.validation.cross_validate(comparisons, "AddS-AL", n_repetitions=2, seed=3)

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
    curve = _curve(rising(0.8, 300))
    with pytest.raises(InputError, match=r"above 0.5"):
        curve.answers_for(0.5)
    with pytest.raises(InputError, match="n_more"):
        curve.what_next(0)


def test_sizes_are_met_where_some_answers_were_given_many_times():
    similarities = ol.datasets.planted_hierarchy(depth=1, leaf_size=4, seed=0).similarities
    rows = ol.datasets.simulate_answers(similarities, 200, seed=0)
    counts = np.ones(200, dtype=int)
    counts[[3, 50, 120]] = 100
    comparisons = ol.Comparisons.from_triplets(rows, n_objects=8, counts=counts)
    answers = _Answers(comparisons, 5)
    everything = np.ones(comparisons.n_rows, dtype=bool)
    sizes = np.array([10, 60, 150, 300])

    found = [
        answers.n_in(kept) for kept in answers.growing(everything, sizes, np.random.default_rng(1))
    ]

    assert found == sizes.tolist()


@pytest.mark.parametrize("seed", [-1, 1.5, "a"])
def test_a_seed_of_another_kind_is_refused(seed):
    similarities = ol.datasets.planted_hierarchy(depth=1, leaf_size=3, seed=0).similarities
    rows = ol.datasets.simulate_answers(similarities, 100, seed=0)
    comparisons = ol.Comparisons.from_triplets(rows, n_objects=6)

    for function in (
        ol.validation.learning_curve, ol.validation.cross_validate, ol.validation.branch_support,
        ol.validation.hierarchy_test,
    ):  # fmt: skip
        with pytest.raises(OrdlinkError, match="seed: expected"):
            function(comparisons, "AddS-AL", seed=seed)


@pytest.mark.parametrize("seed", [None, "a generator"])
def test_seeds_may_be_generators_or_none(seed):
    similarities = ol.datasets.planted_hierarchy(depth=1, leaf_size=3, seed=0).similarities
    rows = ol.datasets.simulate_answers(similarities, 100, seed=0)
    comparisons = ol.Comparisons.from_triplets(rows, n_objects=6)

    def run(function):
        given = np.random.default_rng(7) if seed else None
        return function(comparisons, "AddS-AL", seed=given)

    first = run(ol.validation.cross_validate)
    second = run(ol.validation.cross_validate)

    assert not seed or np.array_equal(first.accuracies, second.accuracies)
    merges = ol.cluster(comparisons, "AddS-AL").merges
    assert np.array_equal(run(ol.validation.branch_support).tree.merges, merges)
    assert 0 < run(ol.validation.hierarchy_test).p_value <= 1


def test_processes_give_the_same_curve(comparisons):
    settings = {"n_repetitions": 1, "seed": 2}

    one = learning_curve(comparisons, "AddS-AL", **settings)
    two = learning_curve(comparisons, "AddS-AL", n_jobs=2, **settings)

    assert np.array_equal(one.accuracies, two.accuracies)
    assert np.array_equal(one.stabilities, two.stabilities, equal_nan=True)
