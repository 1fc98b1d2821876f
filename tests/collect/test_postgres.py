"""Several servers on PostgreSQL: what only a database with transactions side by side can show."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
import sqlalchemy as sa

from ordlink.collect.database import Database, open_database
from ordlink.collect.people import Origin, hash_token, join, new_token
from ordlink.collect.question_queue import add_draw
from ordlink.collect.registration import register_study
from ordlink.collect.samplers import Draw, DrawnQuestion
from ordlink.collect.schema import answer, participant, question, serving, study
from ordlink.collect.worker import RecordReader
from soak.servers import missing_postgres, postgres
from tests.collect.conftest import text_study

STUDY = text_study()
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(missing_postgres()), reason=missing_postgres()),
]


@pytest.fixture(scope="module")
def engine() -> Iterator[sa.Engine]:
    with postgres() as url:
        made = open_database(url)
        register_study(made, STUDY)
        yield made
        made.dispose()


def store(connection: sa.Connection, person: int, numbers: range) -> None:
    """Store main answers of a person."""
    rows = [{"participant_id": person, "number": number} for number in numbers]
    shown = {"role": "main", "shown": "0,1,2", "status": "answered", "served_at": 0.0}
    given = {"choice": "0", "seconds": 1.0, "n_blurs": 0, "device": "", "received_at": 0.0,
             "undone": False}  # fmt: skip
    connection.execute(serving.insert(), [{**row, **shown} for row in rows])
    connection.execute(answer.insert(), [{**row, **given} for row in rows])
    connection.execute(
        participant.update()
        .where(participant.c.id == person)
        .values(n_main=participant.c.n_main + len(rows))
    )


def test_answers_that_are_committed_late_are_read(engine: sa.Engine) -> None:
    reader = RecordReader(engine, STUDY)
    with engine.begin() as connection:
        slow, fast = (join(connection, Origin(), hash_token(name)) for name in ("a", "b"))

    with engine.connect() as late:
        store(late, slow, range(1, 21))
        with engine.begin() as early:
            store(early, fast, range(1, 21))
        before = reader.read().answers
        late.commit()
    after = reader.read().answers

    assert {one.person for one in before} == {fast}
    assert len(after) == 40
    assert after[0].id < before[0].id
    assert [one.id for one in after] == sorted(one.id for one in after)


def test_two_servers_never_add_questions_of_a_plan_at_the_same_time(engine: sa.Engine) -> None:
    planned = (DrawnQuestion((0, 1, 2, 3), "SL needs it", 1),)
    drawn = Draw("SL", 0, 0, 0, planned)
    with engine.begin() as one:
        first = add_draw(one, drawn, 1)
        with engine.begin() as other:
            at_the_same_time = add_draw(other, drawn, 1)
    with engine.begin() as other:
        later = add_draw(other, drawn, 1)
        n_questions = other.execute(sa.select(sa.func.count(question.c.id))).scalar_one()

    assert (first, at_the_same_time, later) == (True, False, True)
    assert n_questions == 1


def test_servers_that_add_the_same_people_at_the_same_time_add_each_once(engine: sa.Engine) -> None:
    url = engine.url.render_as_string(hide_password=False)
    servers = [Database(url) for _ in range(2)]
    ids = [f"person {number}" for number in range(60)]

    async def join_all() -> list[int]:
        origins = [Origin(source, one) for one in ids for source in ("id", "prolific", "mturk")]
        return await asyncio.gather(
            *(
                server.write(join, origin, new_token())
                for server, those in zip(servers, (origins, origins[::-1]), strict=True)
                for origin in those
            )
        )

    joined = asyncio.run(join_all())
    for server in servers:
        server.close()

    assert len(joined) == 360
    assert len(set(joined)) == len(ids)


def test_a_write_that_meets_one_of_another_server_is_made_again(engine: sa.Engine) -> None:
    server = Database(engine.url.render_as_string(hide_password=False))
    n_tries = 0

    def conflict(connection: sa.Connection) -> int:
        nonlocal n_tries
        n_tries += 1
        if n_tries < 4:
            connection.execute(study.insert().from_select(list(study.c), sa.select(study)))
        return n_tries

    assert asyncio.run(server.write(conflict)) == 4
    server.close()


def test_what_the_dashboard_reads_is_of_one_moment(engine: sa.Engine) -> None:
    server = Database(engine.url.render_as_string(hide_password=False))
    n_people = sa.select(sa.func.count(participant.c.id))

    def count_twice(connection: sa.Connection) -> tuple[int, int]:
        before = connection.execute(n_people).scalar_one()
        with engine.begin() as other:
            join(other, Origin(), new_token())
        return before, connection.execute(n_people).scalar_one()

    before, after = asyncio.run(server.read(count_twice))
    server.close()

    assert before == after
