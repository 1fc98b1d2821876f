"""Questions that wait: each is shown to as many different people as wanted, whatever happens."""

from __future__ import annotations

import random
import time
from pathlib import Path

import numpy as np
import pytest
import sqlalchemy as sa

from ordlink.collect.database import open_database
from ordlink.collect.people import Origin, hash_token, join, withdraw
from ordlink.collect.question_queue import (
    LEASE_SECONDS,
    QuestionQueue,
    add_draw,
    counts_as_shown,
    release_abandoned,
    return_questions,
)
from ordlink.collect.registration import register_study
from ordlink.collect.samplers import Draw, DrawnQuestion, random_questions
from ordlink.collect.schema import draw, question, serving
from ordlink.collect.session import Answer, Continue, Step, StudySession, Undo, View
from tests.collect.conftest import text_study

STUDY = text_study(people_per_question=2, questions_per_person=500)


@pytest.fixture
def engine(tmp_path: Path) -> sa.Engine:
    made = open_database(f"sqlite:///{tmp_path / 'study.db'}")
    register_study(made, STUDY)
    return made


def random_draw(n_questions: int) -> Draw:
    rng = np.random.default_rng(0)
    questions = random_questions(STUDY.kind, STUDY.n_objects, n_questions, rng, "a test")
    return Draw("random", 0, 0, 0, questions)


def no_draw(_n: int) -> Draw:
    raise AssertionError("no question should be drawn")


def show(connection: sa.Connection, waiting: QuestionQueue, person: int) -> int:
    """Show the next question to a person and write all that belongs to it."""
    taken = waiting.take(connection, person)
    last = connection.execute(
        sa.select(sa.func.max(serving.c.number)).where(serving.c.participant_id == person)
    ).scalar()
    connection.execute(
        serving.insert().values(
            participant_id=person, number=(last or 0) + 1, question_id=taken.id, role="main",
            shown="0,1,2", status="answered", served_at=0.0,
        )
    )  # fmt: skip
    connection.execute(
        question.update().where(question.c.id == taken.id).values(n_served=question.c.n_served + 1)
    )
    return taken.id


@pytest.mark.parametrize("seed", range(4))
def test_undoing_abandoning_and_withdrawing_on_two_servers_over_serves_nothing(
    engine: sa.Engine, seed: int
) -> None:
    rng = random.Random(seed)
    waiting = [QuestionQueue(name, 2, random_draw) for name in ("one", "other")]
    sessions = [StudySession(STUDY, {"": one}) for one in waiting]
    people: dict[str, tuple[int, View | None]] = {}

    def one_step(token: str) -> Step:
        view = people[token][1]
        if view is None or not view.number:
            return Step(token, Continue("instructions"))
        if view.undoable and rng.random() < 0.5:
            return Step(token, Undo(view.undoable))
        return Step(token, Answer(view.number, (0,)))

    for number in range(400):
        with engine.begin() as connection:
            lot = rng.random()
            if len(people) < 6:
                token = hash_token(f"{seed} {number}")
                people[token] = (join(connection, Origin(), token), None)
            elif lot < 0.03:
                token = rng.choice(list(people))
                withdraw(connection, people.pop(token)[0])
            elif lot < 0.06:
                release_abandoned(connection, -1.0)
                people = {token: (who, None) for token, (who, _) in people.items()}
            elif lot < 0.2:
                rng.choice(waiting).renew(connection)
            else:
                tokens = rng.sample(list(people), rng.randint(1, len(people)))
                steps = [one_step(token) for token in tokens]
                views = rng.choice(sessions).take(connection, steps)
                for token, view in zip(tokens, views, strict=True):
                    people[token] = (people[token][0], view)

    with engine.connect() as connection:
        shown = connection.execute(
            sa.select(serving.c.question_id, serving.c.participant_id).where(counts_as_shown())
        ).all()
        counted = dict(connection.execute(sa.select(question.c.id, question.c.n_served)).all())
    assert len(shown) == len(set(shown)) > 80
    real = [number for number, _ in shown]
    assert {number: real.count(number) for number in counted} == counted


def test_a_question_given_back_while_it_waits_is_shown_to_as_many_as_wanted(
    engine: sa.Engine,
) -> None:
    waiting = QuestionQueue("one", 2, no_draw)
    with engine.begin() as connection:
        people = [join(connection, Origin(), hash_token(str(one))) for one in range(3)]
        add_draw(connection, random_draw(1), 2)
        first = show(connection, waiting, people[0])
        return_questions(connection, [first])  # undone: it is to be shown to two others
        second, third = (show(connection, waiting, person) for person in people[1:])
        n_served = connection.execute(sa.select(question.c.n_served)).scalar_one()

    assert first == second == third
    assert n_served == 2
    assert len(waiting) == 0


def test_a_server_that_was_away_too_long_shows_nothing_that_another_took(
    engine: sa.Engine, monkeypatch
) -> None:
    late, other = QuestionQueue("late", 2, no_draw), QuestionQueue("other", 2, no_draw)
    with engine.begin() as connection:
        add_draw(connection, random_draw(3), 2)
        late.lease(connection)
        now = time.time() + LEASE_SECONDS + 1
        monkeypatch.setattr("ordlink.collect.question_queue.time.time", lambda: now)
        other.lease(connection)
        late.renew(connection)

    assert (len(late), len(other)) == (0, 3)


def test_questions_shown_in_the_same_transaction_are_not_leased_again(engine: sa.Engine) -> None:
    waiting = QuestionQueue("one", 2, random_draw)
    with engine.begin() as connection:
        people = [join(connection, Origin(), hash_token(str(one))) for one in range(3)]
        add_draw(connection, random_draw(1), 2)
        unwritten: dict[int, int] = {}
        taken = []
        for person in people:
            taken.append(waiting.take(connection, person, unwritten=unwritten).id)
            unwritten[taken[-1]] = unwritten.get(taken[-1], 0) + 1

    assert taken[0] == taken[1] != taken[2]


def test_after_a_restart_with_one_person_per_question_nobody_sees_an_old_one_twice(
    engine: sa.Engine,
) -> None:
    waiting = QuestionQueue("one", 1, random_draw)
    with engine.begin() as connection:
        person = join(connection, Origin(), hash_token("x"))
        add_draw(connection, random_draw(4), 3)  # before the restart
        seen = [show(connection, waiting, person) for _ in range(10)]

    assert len(set(seen)) == 10
    assert set(seen) > {1, 2, 3, 4}


def test_nobody_sees_a_question_again_that_another_server_showed_them(engine: sa.Engine) -> None:
    one, other = QuestionQueue("one", 2, no_draw), QuestionQueue("other", 2, random_draw)
    with engine.begin() as connection:
        person = join(connection, Origin(), hash_token("x"))
        add_draw(connection, random_draw(2), 2)
        other.lease(connection, most=1)
        assert show(connection, other, person) == 1  # the other one now knows what they saw
        assert show(connection, one, person) == 2
        connection.execute(question.update().where(question.c.id == 2).values(leased_by=None))

        assert show(connection, other, person) not in (1, 2)


def test_what_a_plan_asks_is_added_once_by_two_servers(engine: sa.Engine) -> None:
    planned = tuple(DrawnQuestion((0, 1, 2, last), "SL needs it", 2) for last in (3, 4))
    third = DrawnQuestion((0, 1, 2, 5), "SL needs it", 2)
    chance = DrawnQuestion((0, 1, 2, 3), "share of random questions")
    with engine.begin() as connection:
        add_draw(connection, Draw("SL", 0, 0, 0, planned), 2)
        add_draw(connection, Draw("SL", 1, 0, 0, (*planned, third, chance)), 2)
        rows = connection.execute(sa.select(question.c.draw_id, question.c.objects)).all()
        n_questions = connection.execute(sa.select(draw.c.n_questions)).scalars().all()

    assert rows == [(1, "0,1,2,3"), (1, "0,1,2,4"), (2, "0,1,2,5"), (2, "0,1,2,3")]
    assert n_questions == [2, 4]


def test_a_plan_may_ask_again_what_it_knew_to_be_drawn(engine: sa.Engine) -> None:
    planned = (DrawnQuestion((0, 1, 2, 3), "SL needs it", 1),)
    with engine.begin() as connection:
        add_draw(connection, Draw("SL", 0, 0, 0, planned), 2)
        add_draw(connection, Draw("SL", 1, 0, 1, planned), 2)
        wanted = connection.execute(sa.select(question.c.n_wanted)).scalars().all()

    assert wanted == [1, 1]
