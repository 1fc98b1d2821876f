"""How many answers are needed, against a search by brute force, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ordlink.comparisons import Comparisons
from ordlink.datasets import simulate_answers
from ordlink.errors import InputError, InputKindError
from ordlink.methods import cluster
from ordlink.metrics import aari, comparison_accuracy
from ordlink.planning import Cost, answers_cost, plan_answers
from ordlink.planning._scenario import (
    N_NEW_ANSWERS,
    Scenario,
    _draw_truth,
    check_clusters,
    simulate_limit,
    simulate_quality,
)
from ordlink.planning._search import n_reached, on_grid

FAST = {"method": "AddS-AL", "question": "quadruplet", "n_clusters": 2, "difficulty": 3.0}


def _setting(n_objects=16, **changes):
    options = {
        "n_objects": n_objects, "n_clusters": 4, "difficulty": 1.0, "error_rate": 0.1,
        "method": "AddS-AL", "question": "triplet", "target": 0.9, "measure": "aari",
    }  # fmt: skip
    return Scenario(**(options | changes))


def test_the_number_is_that_of_a_search_by_brute_force():
    plan = plan_answers(12, error_rate=0.1, seed=3, **FAST)

    def share(n_answers):
        found = [simulate_quality(plan.scenario, n_answers, 99, run) for run in range(80)]
        return n_reached(plan.scenario, found) / 80

    shares = {n: share(n) for n in np.geomspace(40, 1600, 8).astype(int).tolist()}
    smallest = min(n for n in shares if all(shares[m] >= 0.8 for m in shares if m >= n))
    assert share(plan.n_answers) >= 0.75
    assert 0.75 * smallest <= plan.n_answers <= 2 * smallest


@pytest.mark.slow
def test_a_seed_gives_the_same_plan_on_any_number_of_processes():
    plans = [plan_answers(10, seed=5, n_jobs=n, **FAST) for n in (1, 2)]
    other = plan_answers(10, seed=6, **FAST)

    assert plans[0].curve == plans[1].curve
    assert plans[0].interval == plans[1].interval
    assert plans[0].n_answers == plans[1].n_answers
    assert other.curve != plans[0].curve


def test_more_errors_and_less_contrast_need_more_answers():
    def needed(**changes):
        found = plan_answers(16, seed=1, **{**FAST, "error_rate": 0.0, **changes}).n_answers
        return math.inf if found is None else found  # out of reach is more than any number

    base = needed()

    assert 1.5 * base < needed(error_rate=0.3)
    assert base < needed(difficulty=1.2)
    assert base < math.inf


def test_a_target_above_the_ceiling_is_out_of_reach_and_the_ceiling_is_told():
    plan = plan_answers(16, n_clusters=8, difficulty=0.3, target=0.95, method="AddS-AL")

    assert plan.out_of_reach and plan.n_answers is None
    assert plan.interval == (math.inf, math.inf)
    limit = [simulate_limit(plan.scenario, 0, run) for run in range(20)]
    assert plan.ceiling == pytest.approx(np.quantile(limit, 0.2))
    assert plan.ceiling < 0.95
    assert plan.cost().hours == math.inf
    assert plan.curve


def test_errors_limit_the_accuracy():
    options = {**FAST, "n_clusters": 4, "measure": "accuracy"}
    right = plan_answers(12, error_rate=0.0, target=0.75, **options)
    wrong = plan_answers(12, error_rate=0.3, target=0.75, **options)

    assert right.n_answers is not None
    assert wrong.out_of_reach
    # A comparison predicted with probability p is confirmed with p (1 - e) + (1 - p) e.
    expected = 0.7 * right.limit_mean + 0.3 * (1 - right.limit_mean)
    assert wrong.limit_mean == pytest.approx(expected, abs=0.01)


def test_a_search_that_ends_at_the_largest_number_says_so():
    plan = plan_answers(12, error_rate=0.2, max_answers=30, **FAST)

    assert plan.n_answers is None and not plan.out_of_reach
    assert max(point.n_answers for point in plan.curve) <= 30


@pytest.mark.parametrize("question", ["triplet", "odd-one-out", "quadruplet"])
def test_three_objects_and_a_target_of_one(question):
    plan = plan_answers(
        3, n_clusters=2, difficulty=2.0, question=question, target=1.0, method="AddS-AL",
        error_rate=0.0, confidence=0.6, max_answers=500,
    )  # fmt: skip

    # The tree is right where the two objects of one cluster are the most similar pair.
    pairs = np.random.default_rng(0).normal(size=(100_000, 3)) - [0, 2, 2]
    chance = (pairs[:, 0] > pairs[:, 1:].max(axis=1)).mean()
    limit = [simulate_limit(plan.scenario, 7, run) for run in range(100)]
    assert n_reached(plan.scenario, limit) / 100 == pytest.approx(chance, abs=0.1)
    fresh = [simulate_quality(plan.scenario, plan.n_answers, 99, run) for run in range(100)]
    assert 0.6 <= n_reached(plan.scenario, fresh) / 100 <= chance + 0.1
    assert plan.n_answers <= 6  # there are three questions at most


def test_the_most_central_of_three_never_tells_which_two_are_most_alike():
    setting = _setting(3, n_clusters=2, error_rate=0.0, question="most-central")

    few, many = ([simulate_quality(setting, n, 0, run) for run in range(20)] for n in (1, 200))

    assert few == many
    assert n_reached(setting, few) < 16


@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
@pytest.mark.parametrize("measure", ["aari", "accuracy"])
def test_the_limit_is_that_of_the_methods_own_tree(measure):
    """Only spectral falls back on average linkage, so only for it the better of both counts."""

    def limits(method):
        setting = _setting(12, difficulty=0.7, method=method, measure=measure)
        return np.array([simulate_limit(setting, 2, run) for run in range(12)])

    def literal(method):
        setting = _setting(12, difficulty=0.7, method=method, measure=measure)
        found = []
        for run in range(12):
            rng = np.random.default_rng([2, run])
            similarities, levels = _draw_truth(setting, rng)
            tree = cluster(Comparisons.from_similarities(similarities), method)
            if measure == "aari":
                found.append(aari(levels, tree))
                continue
            rows = simulate_answers(
                similarities, N_NEW_ANSWERS, error_rate=0.1, seed=int(rng.integers(2**62))
            )
            fresh = Comparisons.from_triplets(rows, n_objects=12)
            found.append(comparison_accuracy(fresh, tree))
        return np.array(found)

    plain = literal("AddS-AL")
    assert limits("AddS-AL") == pytest.approx(plain)
    own = literal("4K-AL")
    assert (own < plain).any()  # the better of both would be more
    assert limits("4K-AL") == pytest.approx(own)
    spectral = literal("spectral")
    assert (spectral < plain).any() and (plain < spectral).any()
    assert limits("spectral") == pytest.approx(np.maximum(spectral, plain))


def test_the_grid_is_even_in_the_logarithm_and_bounded():
    assert on_grid(100, 100, 10**6) == 100
    assert on_grid(150, 100, 10**6) == round(100 * 2**0.5)
    assert on_grid(math.inf, 100, 777) == on_grid(1e9, 100, 777) == 777
    assert on_grid(0.1, 100, 777) == 1


def test_cost_is_time_times_pay():
    plan = plan_answers(10, **FAST)

    cost = plan.cost(seconds_per_answer=3, pay_per_hour=10)
    assert cost.hours == pytest.approx(plan.n_answers * 3 / 3600)
    assert cost.money == pytest.approx(10 * cost.hours)
    assert plan.cost().money is None
    assert plan.cost(900) == answers_cost(900)
    assert answers_cost(900, pay_per_hour=12) == Cost(hours=1.0, money=12.0)
    with pytest.raises(InputError, match="pay_per_hour"):
        answers_cost(900, pay_per_hour=-1)


def test_clusters_are_halved_and_about_equal():
    assert _setting(16, n_clusters=check_clusters(16, 2, None)).structure == [[4, 4], [4, 4]]
    assert _setting(11, n_clusters=3).structure == [[3, 4], 4]
    assert check_clusters(60, None, None) == 8
    assert check_clusters(3, None, None) == 2


def test_progress_counts_to_the_end():
    steps = []

    plan_answers(10, progress=lambda done, total: steps.append((done, total)), **FAST)

    assert steps[0][0] == 0
    assert steps[-1][0] == steps[-1][1]
    assert steps == sorted(steps)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n_objects": 2}, "n_objects"),
        ({"error_rate": 0.5}, "error_rate: expected less than 0.5"),
        ({"error_rate": 2 / 3, "question": "odd-one-out"}, "error_rate: expected less than 0.667"),
        ({"target": 0.0}, "target"),
        ({"target": 1.1}, "target"),
        ({"target": 0.5, "measure": "accuracy"}, "guessing gives 0.5"),
        ({"measure": "f1"}, "measure"),
        ({"method": "SL"}, "needs an oracle"),
        ({"difficulty": 0}, "difficulty"),
        ({"difficulty": "tough"}, "easy, medium, hard"),
        ({"n_clusters": 17}, "n_clusters: expected at most 16"),
        ({"depth": 2}, "got both"),
        ({"depth": 5, "n_clusters": None}, "depth: expected at most 4"),
        ({"confidence": 0.99}, "confidence"),
        ({"n_runs": 3}, "n_runs"),
        ({"max_answers": 0}, "max_answers"),
    ],
)
def test_what_cannot_be_is_refused(changes, message):
    options = {"n_objects": 16, "n_clusters": 4} | changes

    with pytest.raises(InputError, match=message):
        plan_answers(**options)


def test_a_seed_of_another_kind_is_refused():
    with pytest.raises(InputKindError, match="seed"):
        plan_answers(16, seed="a")
