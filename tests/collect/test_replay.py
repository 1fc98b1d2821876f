"""Replaying: every draw can be made again, or it is said why not."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import sqlalchemy as sa

from ordlink.collect.draws import AT_ONCE
from ordlink.collect.people import exclude, find_person, hash_token, withdraw
from ordlink.collect.replay import replay_draw
from ordlink.collect.samplers import Drawn
from ordlink.collect.schema import draw, event, question
from ordlink.collect.security import RateLimit
from ordlink.collect.waiting import add_draw, read_objects
from ordlink.collect.worker import Bench, DrawOrder
from ordlink.errors import InputError
from tests.collect.conftest import Place, post, text_study


@pytest.fixture(autouse=True)
def draws_only_when_told(monkeypatch) -> None:
    monkeypatch.setattr("ordlink.collect.hub.TICK_SECONDS", 600.0)


def have_drawn(place: Place) -> None:
    """Have a few questions drawn from what is stored now."""
    hub = place.hub
    drawn = Bench(hub.engine, hub.study).carry_out(DrawOrder(12, hub._new_seed()))
    assert isinstance(drawn, Drawn)
    hub.writer.change(
        lambda connection: add_draw(connection, drawn, hub.study.people_per_question)
    ).result()


def answer_many(place: Place, n_answers: int, *, undo_every: int = 10_000) -> int:
    """Have a new person answer, and undo now and then; return their number."""
    place.site.stepping = RateLimit(per_second=1e6, burst=1_000_000)
    browser = place.another_browser()
    state = place.join(browser)
    for number in range(1, n_answers + 1):
        state = place.answer(state, [number % 2], browser)
        if number % undo_every == 0:
            have_drawn(place)  # which knows what is then undone
            state = post(browser, "/api/undo", number=state["undoable"])
            state = place.answer(state, [0], browser)
        if number % 10 == 0:
            have_drawn(place)
    hashed = hash_token(browser.cookies["ordlink_person"])
    with place.hub.engine.connect() as connection:
        person = find_person(connection, hashed)
    assert person is not None
    return person


def check_replay(place: Place, *, since: int = 0) -> int:
    """Draw all that was drawn after a draw again; return how many draws a sampler made."""
    n_own = 0
    with place.hub.engine.connect() as connection:
        for one in connection.execute(sa.select(draw).where(draw.c.id > since)).all():
            rows = connection.execute(
                sa.select(question.c.objects, question.c.reason, question.c.n_wanted)
                .where(question.c.draw_id == one.id)
                .order_by(question.c.id)
            ).all()
            again = replay_draw(connection, place.hub.study, one.id)
            assert [(one.objects, one.reason) for one in again] == [
                (read_objects(row.objects), row.reason) for row in rows
            ]
            n_own += bool(rows) and rows[0].reason != AT_ONCE
    return n_own


def last_draw(place: Place) -> int:
    with place.hub.engine.connect() as connection:
        return int(connection.execute(sa.select(sa.func.max(draw.c.id))).scalar() or 0)


KINDS = pytest.mark.parametrize(
    ("sampler", "kind"), [("adaptive", "triplet"), ("random", "triplet"), ("SL", "quadruplet")]
)


@KINDS
def test_draws_can_be_replayed_after_undoing_and_excluding(
    open_place: Callable, sampler: str, kind: str
) -> None:
    study = text_study(
        8, sampler=sampler, question=kind, questions_per_person=500, method="AddS-AL"
    )
    with open_place(study) as place:
        first = answer_many(place, 40, undo_every=7)
        answer_many(place, 40, undo_every=11)
        for reason in ("too wild", "", "too wild after all"):
            place.hub.writer.change(
                lambda connection, why=reason: exclude(connection, first, reason=why)
            ).result()
            answer_many(place, 20)

        assert check_replay(place) >= 15


def test_draws_can_be_replayed_after_a_restart_with_other_settings(open_place: Callable) -> None:
    plain = {"questions_per_person": 500, "method": "AddS-AL"}
    with open_place(text_study(sampler="adaptive", random_share=0.5, **plain)) as place:
        answer_many(place, 120)
    with open_place(text_study(sampler="random", seed=3, **plain)) as place:
        answer_many(place, 40)

        assert check_replay(place) >= 16


@KINDS
def test_draws_that_knew_withdrawn_answers_are_refused_and_all_others_replayed(
    open_place: Callable, sampler: str, kind: str
) -> None:
    study = text_study(sampler=sampler, question=kind, questions_per_person=500, method="AddS-AL")
    with open_place(study) as place:
        answer_many(place, 8 if sampler == "SL" else 50)  # not all that the plan needs
        n_first = last_draw(place)
        second = answer_many(place, 50)
        n_second = last_draw(place)
        place.hub.writer.change(lambda connection: withdraw(connection, second)).result()
        answer_many(place, 60)  # SQLite gives them the numbers of those that are gone

        refused = []
        with place.hub.engine.connect() as connection:
            for number in range(1, n_second + 1):
                try:
                    replay_draw(connection, study, number)
                except InputError as error:
                    assert "withdrawn since" in str(error)
                    refused.append(number)
        assert check_replay(place, since=n_second) >= (2 if sampler == "SL" else 6)
        assert len(refused) >= (2 if sampler == "SL" else 5)
        assert min(refused) > n_first


def test_what_an_older_ordlink_drew_is_not_replayed(open_place: Callable) -> None:
    with open_place(text_study()) as place:
        answer_many(place, 5)
        with place.hub.engine.begin() as connection:
            connection.execute(event.delete().where(event.c.kind == "draw"))

            with pytest.raises(InputError, match="draw 1: made by an older ordlink"):
                replay_draw(connection, place.hub.study, 1)


def test_a_draw_that_missed_answers_on_their_way_is_not_replayed(open_place: Callable) -> None:
    with open_place(text_study(sampler="random", questions_per_person=500)) as place:
        answer_many(place, 40)
        with place.hub.engine.begin() as connection:
            noted = connection.execute(
                sa.select(event.c.id, event.c.data).where(event.c.data.like('%"n_answers": %'))
            ).all()[-1]
            data = noted.data.replace('"n_answers": ', '"n_answers": 9')
            connection.execute(event.update().where(event.c.id == noted.id).values(data=data))
            number = last_draw(place)

            with pytest.raises(InputError, match="another server was storing answers"):
                for one in range(1, number + 1):
                    replay_draw(connection, place.hub.study, one)
