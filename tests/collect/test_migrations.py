"""Databases of earlier versions, and starts that are killed: every later start works."""

from __future__ import annotations

import os
import signal
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from ordlink.collect import database, running
from ordlink.collect.database import make_engine, open_database
from ordlink.collect.people import Origin, join
from ordlink.collect.registration import register_study
from ordlink.collect.schema import answer, event, metadata, participant
from ordlink.errors import InputError
from soak.servers import missing_postgres, postgres
from tests.collect.conftest import serve, text_study
from tests.waiting import wait_until

KEPT = Path(__file__).parent / "data" / "study-0001.sql"  # of the first version, with answers


NEW = ("condition", "questionnaire", "n_catches", "n_repeats", "seen_at")  # since the third version


def keep_old(file: Path) -> str:
    """Make the database of the first version; return its address."""
    with sqlite3.connect(file) as connection:
        connection.executescript(KEPT.read_text())
    return f"sqlite:///{file}"


def downgrade(url: str) -> None:
    """Make the tables those of the first version."""
    engine = open_database(url)
    register_study(engine, text_study())
    with engine.begin() as connection:
        join(connection, Origin("id", "one"), "token")
        for name in ("is_shared", "asks_removal", "n_undone", *NEW):
            connection.execute(sa.text(f"ALTER TABLE participant DROP COLUMN {name}"))
        connection.execute(sa.text("ALTER TABLE question DROP COLUMN condition"))
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '0001'"))
    engine.dispose()


def contents(url: str, tables: Any = None) -> dict[str, list[tuple[Any, ...]]]:
    engine = make_engine(url)
    with engine.connect() as connection:
        found = {
            table.name: [tuple(row) for row in connection.execute(sa.select(table))]
            for table in (metadata.tables.values() if tables is None else tables)
        }
    engine.dispose()
    return found


def start_and_be_killed(url: str, at: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Open the database in this process, which ends before this statement or commit."""
    n_seen = 0

    def count(*_arguments: Any) -> None:
        nonlocal n_seen
        if n_seen == at:
            os.kill(os.getpid(), signal.SIGKILL)
        n_seen += 1

    def make_counted(address: str) -> sa.Engine:
        engine = make_engine(address)
        sa.event.listen(engine, "before_cursor_execute", count)
        sa.event.listen(engine, "commit", count)
        return engine

    monkeypatch.setattr(database, "make_engine", make_counted)
    try:
        open_database(url)
    except BaseException:
        os._exit(1)
    os._exit(0)


def kill_at_every_statement(url: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """Start and be killed before each statement in turn; return how many there were."""
    number = 0
    while True:
        child = os.fork()
        if child == 0:
            start_and_be_killed(url, number, monkeypatch)
        _, status = os.waitpid(child, 0)
        if os.WIFEXITED(status):
            assert os.WEXITSTATUS(status) == 0, f"after {number} kills it does not start"
            return number
        number += 1


def test_a_first_start_can_be_killed_at_any_statement(tmp_path: Path, monkeypatch) -> None:
    url = f"sqlite:///{tmp_path / 'study.db'}"

    n_kills = kill_at_every_statement(url, monkeypatch)

    assert n_kills > 20
    assert set(contents(url)) == set(metadata.tables)
    assert [file.name for file in tmp_path.iterdir()] == ["study.db"]


def test_an_upgrade_can_be_killed_at_any_statement(tmp_path: Path, monkeypatch) -> None:
    url = keep_old(tmp_path / "study.db")

    n_kills = kill_at_every_statement(url, monkeypatch)

    assert n_kills > 8
    assert len(contents(url, [answer])["answer"]) == 14


def test_a_study_of_the_first_version_goes_on(tmp_path: Path) -> None:
    url = keep_old(tmp_path / "study.db")
    engine = make_engine(url)
    with engine.begin() as connection:
        before = [tuple(row) for row in connection.execute(sa.select(answer))]
        for number, role in enumerate(("catch", "catch", "repeat", "repeat", "repeat"), start=2):
            row = f"participant_id = 3 AND number = {number}"
            connection.execute(sa.text(f"UPDATE serving SET role = '{role}' WHERE {row}"))
        connection.execute(sa.text(f"UPDATE answer SET undone = true WHERE {row}"))

    upgraded = open_database(url)

    with upgraded.connect() as connection:
        people = connection.execute(sa.select(participant).order_by(participant.c.id)).all()
        after = [tuple(row)[:-1] for row in connection.execute(sa.select(answer))]
        notes = connection.scalars(sa.select(event.c.data)).all()
    assert after == [row[:-1] for row in before] and len(after) == 14
    assert [one.is_shared for one in people] == [False, True, False, False]
    assert [one.asks_removal for one in people] == [False, True, False, False]
    assert [one.n_undone for one in people] == [0, 1, 1, 0]
    assert [one.n_catches for one in people] == [0, 0, 2, 0]
    assert [one.n_repeats for one in people] == [0, 0, 2, 0]
    assert [one.excluded_for for one in people] == ["", "", "guesses", ""]
    assert people[3].token_hash == "withdrawn 4" and people[3].last_number == 0
    assert not any("left" in note for note in notes)


def test_an_old_database_gets_the_tables_of_a_new_one(tmp_path: Path) -> None:
    shapes = []
    for url in (keep_old(tmp_path / "old.db"), f"sqlite:///{tmp_path / 'new.db'}"):
        found = sa.inspect(open_database(url))
        shapes.append(
            {
                table: (
                    {(c["name"], str(c["type"]), c["nullable"]) for c in found.get_columns(table)},
                    {one["name"] for one in found.get_indexes(table)},
                )
                for table in found.get_table_names()
            }
        )

    assert shapes[0] == shapes[1]


def statements() -> list[str]:
    """Return the statements that make the tables of the first version, as it made them."""
    with sqlite3.connect(":memory:") as connection:
        connection.executescript(KEPT.read_text())
        made = connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")
        return [sql for (sql,) in made]


@pytest.mark.parametrize("n_made", range(1, len(statements()) + 1))
def test_a_first_start_of_the_first_version_that_was_killed_is_mended(
    tmp_path: Path, n_made: int
) -> None:
    with sqlite3.connect(tmp_path / "study.db") as connection:
        for one in statements()[:n_made]:  # and no row in any of them
            connection.execute(one)

    engine = open_database(f"sqlite:///{tmp_path / 'study.db'}")
    register_study(engine, text_study())
    with engine.begin() as connection:
        join(connection, Origin("id", "17"), "token")
    indexes = sa.inspect(engine).get_indexes("serving")

    assert [index["name"] for index in indexes] == ["ix_serving_open"]


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        ("DELETE FROM alembic_version", "table participant has no"),
        ("UPDATE alembic_version SET version_num = '0002'", "table participant has no"),
        ("DROP TABLE owner_session", "table owner_session has no token_hash"),
        ("DROP INDEX ix_serving_open", "table serving has no ix_serving_open"),
    ],
)
def test_an_incomplete_database_with_answers_is_refused_in_one_line(
    tmp_path: Path, damage: str, said: str
) -> None:
    url = keep_old(tmp_path / "study.db")
    with sqlite3.connect(tmp_path / "study.db") as connection:
        connection.execute(damage)

    with pytest.raises(InputError, match=said) as caught:
        open_database(url)

    assert "\n" not in str(caught.value)
    with sqlite3.connect(tmp_path / "study.db") as connection:
        assert connection.execute("SELECT count(*) FROM answer").fetchone() == (14,)


def test_what_the_first_version_deleted_is_gone_after_an_upgrade(tmp_path: Path) -> None:
    url = keep_old(tmp_path / "study.db")
    secret_id = b"a-name-nobody-else-has"
    with sqlite3.connect(tmp_path / "study.db") as connection:
        connection.execute("PRAGMA secure_delete=OFF")
        rows = [(0.0, "x", secret_id.decode() * 20)] * 200
        connection.executemany("INSERT INTO event (at, kind, data) VALUES (?, ?, ?)", rows)
        connection.commit()
        connection.execute("DELETE FROM event WHERE kind = 'x'")
    assert secret_id in (tmp_path / "study.db").read_bytes()

    database._migrate(make_engine(url))  # and killed before anything else is done
    open_database(url)

    assert not any(secret_id in file.read_bytes() for file in tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize("prepare", [lambda url: None, downgrade], ids=["first", "upgrade"])
def test_starts_on_postgresql_can_be_killed_at_any_statement(
    prepare: Callable[[str], None], monkeypatch
) -> None:
    if missing_postgres():
        pytest.skip(missing_postgres())
    with postgres() as url:
        prepare(url)

        n_kills = kill_at_every_statement(url, monkeypatch)

        assert n_kills > 8
        assert set(contents(url)) == set(metadata.tables)
        assert len(contents(url, [participant])["participant"]) == (prepare is downgrade)


@pytest.mark.parametrize("content", [b"", b"no database at all" * 500])
def test_a_file_that_is_no_database_is_refused_in_one_line(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "study.db"
    file.write_bytes(content)

    with pytest.raises(InputError) as caught:
        open_database(f"sqlite:///{file}")

    assert "\n" not in str(caught.value)
    assert file.read_bytes() == content


@pytest.mark.parametrize("url", ["postgresql://[::1", "postgresql://x:y:z@:port/a", "mysql://a/b"])
def test_an_address_that_is_none_is_refused_in_one_line(url: str) -> None:
    with pytest.raises(InputError) as caught:
        open_database(url)

    assert "\n" not in str(caught.value)


def test_only_the_owner_of_the_process_reads_the_files(tmp_path: Path) -> None:
    engine = open_database(f"sqlite:///{tmp_path / 'study.db'}")
    with engine.begin() as connection:
        connection.execute(event.insert().values(at=0.0, kind="x", data=""))

    assert {file.stat().st_mode & 0o777 for file in tmp_path.iterdir()} == {0o600}
    assert len(list(tmp_path.iterdir())) == 3


def test_files_that_others_could_read_become_private(tmp_path: Path) -> None:
    url = keep_old(tmp_path / "study.db")
    (tmp_path / "study.db").chmod(0o644)

    open_database(url)

    assert (tmp_path / "study.db").stat().st_mode & 0o777 == 0o600


def test_a_file_that_is_moved_away_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(running, "UPKEEP_SECONDS", 0.01)
    with serve(text_study(), tmp_path / "study.db") as place:
        state = place.join()
        assert place.running.database.is_in_place()
        (tmp_path / "study.db").rename(tmp_path / "elsewhere.db")
        wait_until(lambda: not place.running.is_open)

        given = {"number": state["number"], "choice": [0]}
        assert place.browser.post("/api/answer", json=given).status_code == 503
        assert place.another_browser().post("/api/join", json={"agree": True}).status_code == 503
        assert not place.running.is_open
    assert all("\n" not in record.getMessage() for record in caplog.records)


def test_a_file_that_cannot_be_written_is_refused_in_one_line(tmp_path: Path, monkeypatch) -> None:
    file = tmp_path / "study.db"
    open_database(f"sqlite:///{file}").dispose()
    monkeypatch.setattr(os, "access", lambda _path, mode: not mode & os.W_OK)  # root may do all

    with pytest.raises(InputError, match="the file is not readable and writable") as caught:
        open_database(f"sqlite:///{file}")

    assert str(file) in str(caught.value)
    assert "\n" not in str(caught.value)
