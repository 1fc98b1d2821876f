"""Which question next: what is drawn, why, and that it can be drawn again."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa

import ordlink as ol
from ordlink.collect.database import open_database
from ordlink.collect.people import exclude
from ordlink.collect.question_queue import add_draw
from ordlink.collect.question_types import QUESTION_TYPES, to_comparisons
from ordlink.collect.registration import register_study
from ordlink.collect.results import overview_of
from ordlink.collect.samplers import (
    Draw,
    KnownAnswers,
    SamplerInput,
    draw_questions,
    find_places,
    random_objects,
    standard_order,
)
from ordlink.collect.study import Study
from ordlink.collect.worker import StudyTasks, read_main_answers
from tests.collect.conftest import Place, post, text_study

N = 12
NAMES = [f"thing {i}" for i in range(N)]


def known_about(
    kind: str, shown: list[tuple[int, ...]], choices: list[tuple[int, ...]], **more: object
) -> SamplerInput:
    type_ = QUESTION_TYPES[kind]
    comparisons = to_comparisons(type_, shown, choices, names=NAMES)
    answers = tuple(zip(shown, choices, strict=True))
    return SamplerInput(type_, N, comparisons, answers, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", QUESTION_TYPES.values(), ids=lambda kind: kind.name)
def test_random_questions_are_of_different_objects_and_all_come_up(kind) -> None:
    rows = random_objects(kind, N, 4000, np.random.default_rng(0))

    assert rows.shape == (4000, kind.n_objects)
    if kind.name == "quadruplet":
        assert (rows[:, 0] != rows[:, 1]).all() and (rows[:, 2] != rows[:, 3]).all()
        assert (np.sort(rows[:, :2], axis=1) != np.sort(rows[:, 2:], axis=1)).any(axis=1).all()
    else:
        assert all(len(set(row)) == kind.n_objects for row in rows.tolist())
    counts = np.bincount(rows.ravel(), minlength=N)
    assert counts.min() > 0.85 * rows.size / N


@pytest.mark.parametrize("method", ["SL", "CL", "4K-AL-act"])
@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
def test_a_plan_asks_what_the_method_asks_and_ends_with_its_tree(method: str) -> None:
    truth = ol.datasets.planted_hierarchy(depth=2, leaf_size=3, gap=0.5, seed=0).similarities
    oracle = ol.oracles.SimilarityOracle(truth)
    shown, choices, asked = [], [], set()
    for _ in range(200):
        known = known_about("quadruplet", shown, choices, waiting=asked)
        drawn = draw_questions(method, known, 500, seed=0, random_share=0.1)
        own = [one.objects for one in drawn if "needs" in one.reason]
        if not own:
            break
        for objects in own:
            asked.add(objects)
            shown.append(objects)
            choices.append((0,) if oracle.compare([objects])[0] > 0 else (1,))
    options = {"seed": 0} if method == "4K-AL-act" else {}

    counted = ol.oracles.SimilarityOracle(truth)
    wanted = ol.cluster(counted, method, **options)
    people = KnownAnswers(known_about("quadruplet", shown, choices))

    assert len(shown) == len(set(shown)) == counted.n_questions
    assert ol.cluster(people, method, **options).merges.tolist() == wanted.merges.tolist()


def test_a_plan_waits_for_as_many_people_as_wanted_and_follows_the_majority() -> None:
    start = draw_questions("SL", known_about("quadruplet", [], []), 5, seed=0, random_share=0.05)
    first = next(one.objects for one in start if "needs" in one.reason)
    batch = {
        one.objects
        for one in draw_questions(
            "SL", known_about("quadruplet", [], []), 500, seed=0, random_share=0.05
        )
        if "needs" in one.reason
    }
    once = known_about("quadruplet", [first], [(0,)], n_people=3)
    thrice = known_about("quadruplet", [first] * 3, [(0,), (1,), ()], n_people=3)

    def needed(known: SamplerInput) -> set[tuple[int, ...]]:
        drawn = draw_questions("SL", known, 500, seed=0, random_share=0.05)
        return {one.objects for one in drawn if "needs" in one.reason}

    assert needed(once) == batch
    assert needed(thrice) == batch - {first}


def test_a_plan_asks_nothing_that_is_drawn_and_waits_for_its_answer() -> None:
    def needed(waiting: set[tuple[int, ...]]) -> list[tuple[int, ...]]:
        known = known_about("quadruplet", [], [], waiting=waiting)
        made = draw_questions("4K-AL-act", known, 20, seed=0, random_share=0.05)
        return [one.objects for one in made if "needs" in one.reason]

    first = needed(set())
    second = needed(set(first))

    assert first and second
    assert not set(first) & set(second)


@pytest.mark.parametrize("sampler", ["SL", "CL", "4K-AL-act"])
def test_a_plan_that_waits_is_not_followed_by_random_questions(sampler: str) -> None:
    """They would keep people from what the plan asks next; and it is replayed by its length."""
    nothing = known_about("quadruplet", [], [])

    drawn = draw_questions(sampler, nothing, 10_000, seed=3, random_share=0.3)
    again = draw_questions(sampler, nothing, len(drawn), seed=3, random_share=0.3)
    waiting = {one.objects for one in drawn}
    later = known_about("quadruplet", [], [], waiting=waiting)

    assert 0 < len(drawn) < 10_000
    assert again == drawn
    assert any("needs" in one.reason for one in drawn)
    assert draw_questions(sampler, later, 50, seed=4, random_share=0.3) == ()


@pytest.mark.parametrize("sampler", ["adaptive", "CL"])
def test_the_stated_share_of_questions_is_random(sampler: str) -> None:
    rng = np.random.default_rng(0)
    shown = [
        tuple(row) for row in random_objects(QUESTION_TYPES["quadruplet"], N, 200, rng).tolist()
    ]
    known = known_about("quadruplet", shown, [(0,)] * 200)

    drawn = draw_questions(sampler, known, 400, seed=1, random_share=0.3)

    n_random = sum(one.reason == "share of random questions" for one in drawn)
    assert 0.2 < n_random / len(drawn) < 0.4


def test_adaptive_questions_are_about_objects_on_whose_side_trees_disagree() -> None:
    left = ol.Hierarchy([[0, 1], [2, 6], [3, 4], [5, 8], [7, 9]])  # {0, 1, 2} and {3, 4, 5}
    right = ol.Hierarchy([[0, 3], [4, 6], [1, 2], [5, 7], [8, 9]])  # {0, 3, 4, 5} and {1, 2}

    places = find_places(left, [left, right])

    at_root = {one.item: one for one in places if len(one.first) + len(one.second) == 5}
    assert sorted(at_root) == list(range(6))
    assert [at_root[item].doubt for item in range(6)] == [1, 0, 0, 0, 0, 0]
    assert at_root[0].weight > 10 * at_root[1].weight
    assert at_root[0].first.tolist() == [1, 2]
    assert at_root[0].second.tolist() == [3, 4, 5]
    for one in places:
        assert one.item not in [*one.first, *one.second]
        assert len(one.first) and len(one.second)


def test_an_object_that_joins_alone_is_asked_about_within_the_group_it_joins() -> None:
    chain = ol.Hierarchy([[0, 1], [2, 3], [5, 6], [4, 7]])

    places = find_places(chain, [chain])

    first = places[0]
    assert (first.item, first.first.tolist(), first.second.tolist()) == (4, [0, 1], [2, 3])


def test_a_stimulus_with_few_answers_is_asked_about_at_every_merge() -> None:
    tree = ol.Hierarchy([[0, 1], [2, 6], [3, 4], [5, 8], [7, 9]])  # {0, 1, 2} and {3, 4, 5}

    places = find_places(tree, [tree], new=np.array([5]))

    of_new = [one for one in places if one.item == 5]
    assert (of_new[0].first.tolist(), of_new[0].second.tolist()) == ([0, 1, 2], [3, 4])
    assert len(of_new) > len([one for one in places if one.item == 4])
    assert {one.doubt for one in of_new} == {1.0}


@pytest.mark.parametrize("kind", ["triplet", "quadruplet"])
def test_new_stimuli_in_a_running_study_get_more_questions_than_others(kind: str) -> None:
    rng = np.random.default_rng(0)
    type_ = QUESTION_TYPES[kind]
    shown = [tuple(row) for row in random_objects(type_, N - 1, 120, rng).tolist()]
    choices = [(int(rng.integers(2)),) for _ in shown]

    drawn = draw_questions(
        "adaptive", known_about(kind, shown, choices), 200, seed=0, random_share=0.0
    )

    counts = np.bincount([one.objects[0] for one in drawn], minlength=N)
    assert counts.argmax() == N - 1
    assert counts[N - 1] > 2 * np.median(counts)


@pytest.mark.parametrize("kind", list(QUESTION_TYPES))
def test_adaptive_questions_can_be_of_every_type(kind: str) -> None:
    rng = np.random.default_rng(0)
    type_ = QUESTION_TYPES[kind]
    shown = [tuple(row) for row in random_objects(type_, N, 100, rng).tolist()]
    choices = [tuple(range(type_.n_chosen))] * 100

    drawn = draw_questions(
        "adaptive", known_about(kind, shown, choices), 50, seed=0, random_share=0.05
    )

    assert any("uncertain side" in one.reason for one in drawn)
    for one in drawn:
        assert len(one.objects) == type_.n_objects
        if kind == "quadruplet":
            assert len({frozenset(one.objects[:2]), frozenset(one.objects[2:])}) == 2
        else:
            assert len(set(one.objects)) == type_.n_objects


def needed_now(place: Place) -> dict[tuple[int, ...], int | None]:
    """Return what the plan would ask next, and of how many people."""
    drawn = StudyTasks(place.running.engine, place.running.study).draw(500, 0)
    assert isinstance(drawn, Draw)
    return {one.objects: one.n_people for one in drawn.questions if "needs" in one.reason}


def add_planned(place: Place, n_questions: int) -> None:
    """Have questions drawn and added, so that they wait for people."""
    running = place.running
    drawn = StudyTasks(running.engine, running.study).draw(n_questions, 0)
    assert isinstance(drawn, Draw)
    asyncio.run(
        running.database.write(
            lambda connection: add_draw(connection, drawn, running.study.people_per_question)
        )
    )


@pytest.fixture
def plan(monkeypatch) -> dict[str, Any]:
    """Return the settings of a study with a plan, in which nothing is drawn unless told."""
    monkeypatch.setattr("ordlink.collect.running.FILL_SECONDS", 600.0)
    monkeypatch.setattr("ordlink.collect.running.RunningStudy._fill_queue", _do_nothing)
    return {"question": "quadruplet", "questions_per_person": 20, "random_share": 0.05}


async def _do_nothing(_hub: object) -> None:
    pass


@pytest.mark.parametrize("sampler", ["SL", "4K-AL-act"])
def test_a_plan_asks_again_what_excluded_people_answered(
    open_place: Callable, plan: dict[str, Any], sampler: str
) -> None:
    with open_place(text_study(n_objects=6, sampler=sampler, **plan)) as place:
        at_first = needed_now(place)
        add_planned(place, 20)
        while_waiting = needed_now(place)
        state = place.join()
        while state["phase"] != "done":
            state = place.answer(state, [0])
        answered = needed_now(place)
        asyncio.run(
            place.running.database.write(lambda connection: exclude(connection, 1, reason="x"))
        )

        assert needed_now(place) == at_first  # all that was asked is missing again
        assert set(while_waiting) < set(at_first)
        assert answered != at_first


def test_a_plan_asks_on_when_more_people_are_wanted_after_a_restart(
    open_place: Callable, plan: dict[str, Any]
) -> None:
    plan["sampler"] = "4K-AL-act"
    with open_place(text_study(n_objects=6, **plan)) as place:
        at_first = needed_now(place)
        add_planned(place, 20)
        planned = set(at_first) - set(needed_now(place))
        state = place.join()
        while state["phase"] != "done":
            state = place.answer(state, [0])
    with open_place(text_study(n_objects=6, people_per_question=3, **plan)) as place:
        needed = needed_now(place)
        with place.running.engine.connect() as connection:
            given = Counter(standard_order(one.shown)[0] for one in read_main_answers(connection))

    assert len(planned) > 10
    assert all(given[one] for one in planned)
    assert needed == {one: 3 - given[one] for one in at_first if given[one] < 3}


def test_what_waits_is_read_for_plans_alone(engine_of: Callable, monkeypatch) -> None:
    def fail(_connection: sa.Connection) -> dict[int, tuple[int, ...]]:
        raise AssertionError("the table of questions is read")

    monkeypatch.setattr("ordlink.collect.worker.read_waiting", fail)
    adaptive = text_study()
    planned = text_study(sampler="SL", question="quadruplet")

    StudyTasks(engine_of(adaptive), adaptive).draw(5, 0)
    with pytest.raises(AssertionError, match="is read"):
        StudyTasks(engine_of(planned), planned).draw(5, 0)


@pytest.fixture
def engine_of(tmp_path: Path) -> Callable[[Study], sa.Engine]:
    def make(study: Study) -> sa.Engine:
        engine = open_database(f"sqlite:///{tmp_path / study.sampler}.db")
        register_study(engine, study)
        return engine

    return make


def test_the_dashboard_counts_answers_to_random_questions_as_random(open_place: Callable) -> None:
    """With few answers, adaptive choice draws at random: none of it is its own."""
    with open_place(text_study(sampler="adaptive", questions_per_person=5)) as place:
        state = place.join()
        for _ in range(3):
            state = place.answer(state, [0])
        state = post(place.browser, "/api/undo", number=state["undoable"])
        gone = place.another_browser()
        place.answer(place.join(gone), [0], gone)
        post(gone, "/api/withdraw", confirm=True)
        with place.running.engine.connect() as connection:
            counts = overview_of(connection, place.site)

    assert counts["answers_by_sampler"] == {"random": 2} and counts["n_answers"] == 2


def test_the_dashboard_counts_answers_to_listed_questions(open_place: Callable) -> None:
    with open_place(text_study(trials=[["thing 1", "thing 2", "thing 3"]] * 3)) as place:
        place.answer(place.join(), [0])
        with place.running.engine.connect() as connection:
            counts = overview_of(connection, place.site)

    assert counts["answers_by_sampler"] == {"listed": 1}
