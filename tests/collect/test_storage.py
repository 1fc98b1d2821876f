"""The database: migrations, one writer with group commit, constraints, leases."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from ordlink.cli import run
from ordlink.collect import schema
from ordlink.collect.database import Database, make_engine, one_process_only, open_database
from ordlink.collect.people import Origin, decline, hash_token, join, new_token
from ordlink.collect.question_queue import LEASE_SECONDS, QuestionQueue, add_draw
from ordlink.collect.registration import register_study
from ordlink.collect.running import RunningStudy
from ordlink.collect.samplers import Draw, DrawnQuestion
from ordlink.collect.session import Answer, Continue, Step
from ordlink.collect.stimuli import Stimulus
from ordlink.collect.study import make_study
from ordlink.errors import InputError
from tests.collect.conftest import LocalWorker, text_study


@pytest.fixture
def engine(tmp_path: Path) -> sa.Engine:
    return open_database(f"sqlite:///{tmp_path / 'study.db'}")


def take_part(engine: sa.Engine, condition: str) -> None:
    """Let somebody join in a condition."""
    with engine.begin() as connection:
        join(connection, Origin(), new_token(), choose=lambda _: condition)


def test_opening_again_changes_nothing_and_keeps_the_data(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'study.db'}"
    secret = register_study(open_database(url), text_study())

    assert register_study(open_database(url), text_study()) == secret


def test_a_database_of_a_newer_ordlink_is_refused(tmp_path: Path, engine: sa.Engine) -> None:
    with engine.begin() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))

    with pytest.raises(InputError, match="newer ordlink"):
        open_database(str(engine.url))


def test_sqlite_writes_ahead_and_waits_for_the_disk(engine: sa.Engine) -> None:
    with engine.connect() as connection:
        assert connection.execute(sa.text("PRAGMA journal_mode")).scalar() == "wal"
        assert connection.execute(sa.text("PRAGMA synchronous")).scalar() == 2  # FULL
        assert connection.execute(sa.text("PRAGMA foreign_keys")).scalar() == 1


@pytest.mark.parametrize(
    ("stimuli", "settings", "message"),
    [
        (["a", "b", "c"], {}, "it has 4 stimuli, the study 3"),
        (["a", "b", "c", "x"], {}, "stimulus 4 was 'd', now it is 'x'"),
        (["a", "b", "c", "d"], {"question": "odd-one-out"}, "it is about triplet questions"),
    ],
)
def test_a_study_does_not_go_on_with_other_stimuli(
    engine: sa.Engine, stimuli: list[str], settings: dict[str, Any], message: str
) -> None:
    register_study(engine, make_study({}, tuple(Stimulus(name, "text", name) for name in "abcd")))
    with engine.begin() as connection:
        join(connection, Origin(), "somebody")

    with pytest.raises(InputError, match=message):
        other = tuple(Stimulus(name, "text", name) for name in stimuli)
        register_study(engine, make_study(settings, other))


def test_a_condition_does_not_go_on_with_another_type_of_question(engine: sa.Engine) -> None:
    odd: dict[str, Any] = {"conditions": {"a": {"question": "odd-one-out"}, "b": {}}}
    register_study(engine, text_study(**odd))
    take_part(engine, "a")

    register_study(engine, text_study(**odd, budget=9))
    with pytest.raises(InputError, match="about odd-one-out questions in condition a, the study"):
        register_study(engine, text_study(conditions={"a": {}, "b": {}}))
    with pytest.raises(InputError, match="about odd-one-out questions in condition a, the study"):
        register_study(engine, text_study(conditions={"b": {}}))


def test_a_condition_that_comes_back_keeps_its_type_of_question(engine: sa.Engine) -> None:
    plain: dict[str, Any] = {"a": {}, "b": {}}
    register_study(engine, text_study(conditions=plain))
    take_part(engine, "a")

    register_study(engine, text_study(conditions={"b": {}}))
    with pytest.raises(InputError, match="about triplet questions in condition a, the study asks"):
        register_study(engine, text_study(conditions={**plain, "a": {"question": "odd-one-out"}}))
    register_study(engine, text_study(conditions=plain))


def test_the_type_of_question_may_change_where_nobody_took_part(engine: sa.Engine) -> None:
    odd, pairs = {"question": "odd-one-out"}, {"question": "quadruplet"}
    register_study(engine, text_study(conditions={"a": odd, "b": odd, "c": pairs, "d": pairs}))
    take_part(engine, "a")
    with engine.begin() as connection:
        decline(connection, "nobody", "")
        for name, objects in (("a", (0, 1, 2)), ("b", (0, 1, 2)), ("c", (0, 1, 2, 3))):
            drawn = (DrawnQuestion(objects, "at random", 1),)
            add_draw(connection, Draw("random", 0, 0, 0, drawn), 1, name)

    register_study(engine, text_study(question="odd-one-out", conditions={"a": {}, "c": {}}))

    with engine.connect() as connection:  # no pairs are shown as odd ones out
        waiting = connection.scalars(sa.select(schema.question.c.condition)).all()
    assert sorted(waiting) == ["a", "b"]


def test_stimuli_can_be_added_to_a_study_that_has_begun(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'study.db'}"
    register_study(open_database(url), text_study(12))
    with open_database(url).begin() as connection:
        join(connection, Origin(), "somebody")
    more = tuple(Stimulus(name, "text", name) for name in ("a", "z"))

    running = RunningStudy(
        make_study({}, (*text_study(12).stimuli, *more)), url, make_worker=LocalWorker
    )
    running.database.close()

    assert running.study.names == (*(f"thing {i}" for i in range(12)), "a", "z")
    with open_database(url).connect() as connection:
        stored = connection.scalars(sa.select(schema.stimulus.c.name)).all()
    assert tuple(stored) == running.study.names


def test_a_second_server_on_the_same_file_is_refused(tmp_path: Path) -> None:
    with (
        one_process_only(tmp_path / "study.db"),
        pytest.raises(InputError, match="another 'ordlink collect' is using"),
        one_process_only(tmp_path / "study.db"),
    ):
        pass
    with one_process_only(tmp_path / "study.db"):
        pass


def test_sqlite_by_its_address_is_refused_since_nothing_would_guard_it(
    tmp_path: Path, monkeypatch, capsys
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("ordlink.collect.server.listen", lambda _: None)
    monkeypatch.setattr("uvicorn.Server.run", lambda _self, **_: None)

    assert run(["collect", "--demo", "--database", f"sqlite:///{tmp_path / 'x.db'}"]) == 2

    error = capsys.readouterr().err
    assert "expected a URL like postgresql://" in error
    assert "--data" in error
    assert error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_the_database_itself_refuses_a_second_answer_and_too_many_showings(
    engine: sa.Engine,
) -> None:
    register_study(engine, text_study())
    with engine.begin() as connection:
        person = join(connection, Origin(), hash_token("x"))
        add_draw(connection, Draw("random", 0, 0, 0, (DrawnQuestion((0, 1, 2), "why"),)), 1)
        shown = {"participant_id": person, "role": "main", "shown": "0,1,2", "served_at": 0.0}
        connection.execute(
            schema.serving.insert().values(**shown, number=1, status="open", question_id=1)
        )
    row = {"participant_id": 1, "number": 1, "choice": "0", "seconds": 1.0, "n_blurs": 0,
           "device": "", "received_at": 0.0, "undone": False}  # fmt: skip
    with engine.begin() as connection:
        connection.execute(schema.answer.insert().values(**row))

    for statement in (
        schema.answer.insert().values(**row),
        schema.answer.insert().values(**{**row, "number": 2}),
        schema.serving.insert().values(**shown, number=2, status="open", question_id=1),
        schema.question.update().values(n_served=2),
    ):
        with pytest.raises(sa.exc.IntegrityError), engine.begin() as connection:
            connection.execute(statement)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = Database(f"sqlite:///{tmp_path / 'study.db'}")
    yield opened
    opened.close()


def test_writes_that_wait_go_together_and_a_bad_one_harms_no_other(database: Database) -> None:
    batches: list[list[int]] = []
    rolled_back: list[bool] = []
    begun, hold = threading.Event(), threading.Event()
    database.on_rollback = lambda: rolled_back.append(True)

    def write(connection: sa.Connection, items: list[int]) -> list[int]:
        begun.set()
        hold.wait(10)
        batches.append(items)
        if any(item < 0 for item in items):
            raise ValueError("a bad item")
        rows = [{"at": 0.0, "kind": "step", "data": str(item)} for item in items]
        connection.execute(schema.event.insert(), rows)
        return [10 * item for item in items]

    async def run() -> list[Any]:
        first = asyncio.ensure_future(database.write_together(write, 1))
        await asyncio.to_thread(begun.wait, 10)  # the thread is at work on it
        others = [asyncio.ensure_future(database.write_together(write, n)) for n in (2, 3, -4, 5)]
        await asyncio.sleep(0)  # let them queue
        hold.set()
        return await asyncio.gather(first, *others, return_exceptions=True)

    replies = asyncio.run(run())

    assert [reply for reply in replies if isinstance(reply, int)] == [10, 20, 30, 50]
    assert isinstance(replies[3], ValueError)
    assert batches == [[1], [2, 3, -4, 5], [2], [3], [-4], [5]]
    assert len(rolled_back) == 2
    with database.engine.connect() as connection:
        stored = connection.execute(sa.select(schema.event.c.data)).scalars().all()
    assert stored == ["1", "2", "3", "5"]


def test_a_write_that_fails_leaves_the_others_in_its_transaction(database: Database) -> None:
    def fail(connection: sa.Connection) -> None:
        connection.execute(schema.event.insert().values(at=0.0, kind="bad", data=""))
        raise KeyError("no")

    good = schema.event.insert().values(at=0.0, kind="good", data="")

    async def run() -> list[Any]:
        writes = [database.write(fail), database.write(lambda c: c.execute(good))]
        return await asyncio.gather(*writes, return_exceptions=True)

    assert isinstance(asyncio.run(run())[0], KeyError)

    with database.engine.connect() as connection:
        assert connection.execute(sa.select(schema.event.c.kind)).scalars().all() == ["good"]


def test_a_question_belongs_to_the_process_that_leased_it_until_it_dies(
    engine: sa.Engine, monkeypatch
) -> None:
    register_study(engine, text_study())
    drawn = Draw("random", 0, 0, 0, tuple(DrawnQuestion((0, 1, k), "") for k in range(2, 6)))

    def none(_n: int) -> Draw:
        raise AssertionError

    one, other = QuestionQueue("one", 1, none), QuestionQueue("other", 1, none)
    with engine.begin() as connection:
        add_draw(connection, drawn, 1)
        one.lease(connection, most=3)
        other.lease(connection)
        assert (len(one), len(other)) == (3, 1)
        one.forget()
        one.lease(connection)
        assert len(one) == 3
        import time

        later = time.time() + LEASE_SECONDS + 1
        monkeypatch.setattr("ordlink.collect.question_queue.time.time", lambda: later)
        other.renew(connection)
        third = QuestionQueue("third", 1, none)
        third.lease(connection)
        assert len(third) == 3


def test_a_hundred_people_at_once_lose_nothing(tmp_path: Path) -> None:
    """Every step of many people in one process: each answer stored once, no question twice."""
    study = text_study(questions_per_person=15, repeat_share=0.1, catch_trials=2)
    running = RunningStudy(study, f"sqlite:///{tmp_path / 'study.db'}", make_worker=LocalWorker)

    async def one(number: int) -> int:
        token = hash_token(str(number))
        await running.database.write(lambda connection: join(connection, Origin(), token))
        view = await running.step(Step(token, Continue("instructions")))
        n_stored = 0
        while view is not None and view.phase != "done":
            view = await running.step(Step(token, Answer(view.number, (0,))))
            assert view is not None and view.stored
            n_stored += 1
        return n_stored

    async def run() -> list[int]:
        return await asyncio.gather(*(one(number) for number in range(100)))

    counts = asyncio.run(run())
    running.database.close()

    with make_engine(str(running.engine.url)).connect() as connection:
        n_answers = connection.execute(sa.select(sa.func.count(schema.answer.c.id))).scalar()
        n_main = connection.execute(
            sa.select(sa.func.count()).where(schema.serving.c.role == "main")
        ).scalar()
        n_served = connection.execute(sa.select(sa.func.sum(schema.question.c.n_served))).scalar()
    assert n_answers == sum(counts) > 1500
    assert n_main == n_served == 1500


def test_as_long_as_nobody_took_part_stimuli_and_questions_may_change(engine: sa.Engine) -> None:
    register_study(engine, text_study(12))
    register_study(engine, text_study(10, question="odd-one-out"))

    with engine.connect() as connection:
        assert len(connection.execute(sa.select(schema.stimulus)).all()) == 10
        assert connection.execute(sa.select(schema.study.c.settings)).scalar_one().count("odd") == 1
