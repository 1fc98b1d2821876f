"""Databases of earlier versions, and starts that are killed: every later start works."""

from __future__ import annotations

import os
import signal
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from ordlink.collect import database, running
from ordlink.collect.database import make_engine, open_database
from ordlink.collect.people import Origin, join
from ordlink.collect.running import register_study
from ordlink.collect.schema import answer, event, metadata, participant
from ordlink.errors import InputError
from soak.servers import missing_postgres, postgres
from tests.collect.conftest import serve, text_study

KEPT = Path(__file__).parent / "data" / "study-0001.sql"  # of the first version, with answers


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
        for name in ("is_shared", "asks_removal", "n_undone"):
            connection.execute(sa.text(f"ALTER TABLE participant DROP COLUMN {name}"))
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
    with engine.connect() as connection:
        before = [tuple(row) for row in connection.execute(sa.select(answer))]

    upgraded = open_database(url)

    with upgraded.connect() as connection:
        people = connection.execute(sa.select(participant).order_by(participant.c.id)).all()
        after = [tuple(row) for row in connection.execute(sa.select(answer))]
        notes = connection.scalars(sa.select(event.c.data)).all()
    assert after == before and len(after) == 14
    assert [one.is_shared for one in people] == [False, True, False, False]
    assert [one.asks_removal for one in people] == [False, True, False, False]
    assert [one.n_undone for one in people] == [0, 1, 0, 0]
    assert [one.excluded_for for one in people] == ["", "", "guesses", ""]
    assert people[3].token_hash == "withdrawn 4" and people[3].last_number == 0
    assert not any("left" in note for note in notes)


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
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "UPKEEP_SECONDS", 0.01)
    with serve(text_study(), tmp_path / "study.db") as place:
        state = place.join()
        assert place.running.database.is_in_place()
        (tmp_path / "study.db").rename(tmp_path / "elsewhere.db")
        deadline = time.monotonic() + 20
        while place.running.is_open:
            assert time.monotonic() < deadline
            time.sleep(0.02)

        given = {"number": state["number"], "choice": [0]}
        assert place.browser.post("/api/answer", json=given).status_code == 500
        assert place.another_browser().post("/api/join", json={"agree": True}).status_code == 500
        assert not place.running.is_open
