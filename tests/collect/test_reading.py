"""What was answered: read once, and all of it, in whatever order it is stored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from ordlink.collect import samplers, trees
from ordlink.collect.database import make_engine, open_database, snapshot
from ordlink.collect.people import Origin, hash_token, join, withdraw
from ordlink.collect.registration import register_study
from ordlink.collect.rows import bump_revision
from ordlink.collect.schema import answer, participant, serving
from ordlink.collect.trees import build_tree
from ordlink.collect.worker import MainAnswer, RecordReader, StudyTasks, read_main_answers
from tests.collect.conftest import text_study

STUDY = text_study(method="AddS-AL")


@pytest.fixture
def engine(tmp_path: Path) -> sa.Engine:
    made = open_database(f"sqlite:///{tmp_path / 'study.db'}")
    register_study(made, STUDY)
    with made.begin() as connection:
        join(connection, Origin(), hash_token("x"))
    return made


def store(connection: sa.Connection, numbers: range, person: int = 1) -> None:
    """Store answers with these numbers."""
    for number in numbers:
        shown = f"{number % 4},{4 + number % 3},{8 + number % 4}"
        connection.execute(
            serving.insert().values(
                participant_id=person, number=number, role="main", shown=shown, status="answered",
                served_at=0.0,
            )
        )  # fmt: skip
        connection.execute(
            answer.insert().values(
                id=number, participant_id=person, number=number, choice="0", seconds=1.0, n_blurs=0,
                device="", received_at=0.0, undone=False,
            )
        )  # fmt: skip
    counted = participant.update().where(participant.c.id == person)
    connection.execute(counted.values(n_main=participant.c.n_main + len(numbers)))


def test_answers_of_a_slower_server_are_read_although_their_numbers_are_smaller(
    engine: sa.Engine,
) -> None:
    reader, tasks = RecordReader(engine, STUDY), StudyTasks(engine, STUDY)
    with engine.begin() as connection:
        store(connection, range(21, 41))
    early = tasks.build_trees()
    n_early = len(reader.read().answers)
    with engine.begin() as connection:
        store(connection, range(1, 21))
    late = tasks.build_trees(early.version)

    assert n_early == early.everybody["n_answers"] == 20
    assert [one.id for one in reader.read().answers] == list(range(1, 41))
    assert late is not None and late.everybody["n_answers"] == 40
    assert tasks.build_trees(late.version) is None


def test_with_many_answers_the_tree_is_by_a_quick_method_and_says_so(
    engine: sa.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trees, "MANY_ANSWERS", 30)
    tasks = StudyTasks(engine, text_study(method="search"))
    shown = []
    for numbers in (range(1, 21), range(21, 31)):
        with engine.begin() as connection:
            store(connection, numbers)
        shown += [tasks.build_trees(), tasks.build_trees()]

    methods = [one.kept["method"] for one in shown]
    assert methods == ["tSTE-AL", "search", "tSTE-AL", "tSTE-AL"]
    assert [one.is_first for one in shown] == [True, False, False, False]
    assert "--method tSTE-AL" in shown[-1].kept["command"]


def test_only_answers_of_whoever_changed_something_are_read_again(
    engine: sa.Engine, monkeypatch
) -> None:
    reader = RecordReader(engine, STUDY)
    with engine.begin() as connection:
        store(connection, range(1, 11))
        second = join(connection, Origin(), "second")
        store(connection, range(11, 16), person=second)
    before = reader.read()
    n_read = []

    def read(*arguments: Any) -> list[MainAnswer]:
        found = list(read_main_answers(*arguments))
        n_read.append(len(found))
        return found

    monkeypatch.setattr("ordlink.collect.worker.read_main_answers", read)
    with engine.begin() as connection:  # the second participant undoes an answer
        connection.execute(answer.update().where(answer.c.id == 12).values(undone=True))
        whose = participant.c.id == second
        connection.execute(participant.update().where(whose).values(n_main=4))
    after = reader.read()

    assert n_read == [0, 4]
    assert after.answers == tuple(one for one in before.answers if one.id != 12)
    with engine.begin() as connection:
        withdraw(connection, second)
    assert reader.read().answers == before.answers[:10]


def test_queries_of_one_moment_see_nothing_that_is_stored_meanwhile(engine: sa.Engine) -> None:
    count = sa.select(sa.func.count(answer.c.id))
    other = make_engine(str(engine.url))
    with snapshot(engine) as moment:
        before = moment.execute(count).scalar_one()
        with other.begin() as connection:
            store(connection, range(1, 4))

        assert moment.execute(count).scalar_one() == before == 0
    with snapshot(engine) as moment:
        assert moment.execute(count).scalar_one() == 3


def test_adaptive_draws_know_all_answers_but_for_the_last_few(
    engine: sa.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    grown = []
    monkeypatch.setattr(
        samplers,
        "build_tree",
        lambda known, method: grown.append(len(known)) or build_tree(known, method),
    )
    tasks = StudyTasks(engine, STUDY)
    draws = []
    for numbers in (range(1, 101), range(101, 111), range(111, 112)):
        with engine.begin() as connection:
            store(connection, numbers)
        draws.append(tasks.draw(10, len(draws)))

    assert [draw.last_answer for draw in draws] == [100, 100, 111]
    assert grown == [100, 111]  # the trees of the first draw serve for the second one too
    assert draws[0].questions != draws[1].questions


def test_a_change_of_earlier_answers_is_news(engine: sa.Engine) -> None:
    tasks = StudyTasks(engine, STUDY)
    with engine.begin() as connection:
        store(connection, range(1, 101))
    tasks.draw(10, 0)
    with engine.begin() as connection:
        store(connection, range(101, 102))
        bump_revision(connection)

    assert tasks.draw(10, 1).last_answer == 101
