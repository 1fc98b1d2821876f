"""Opening the database: SQLite in a file, or PostgreSQL by its address; always at the newest form.

SQLite runs in WAL mode with synchronous=FULL: a commit has reached the disk when it returns.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.script import ScriptDirectory

from ordlink._locks import try_lock
from ordlink.collect import schema
from ordlink.collect.study import Study
from ordlink.errors import InputError, MissingDependencyError

MIGRATIONS = Path(__file__).parent / "migrations"
_SQLITE_PRAGMAS = (
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=FULL",
    "PRAGMA foreign_keys=ON",
    "PRAGMA busy_timeout=10000",
    "PRAGMA wal_autocheckpoint=20000",  # a last resort, see `checkpoint`
)


def open_database(url: str) -> sa.Engine:
    """Return an engine for the database at this address, with all migrations applied.

    Parameters
    ----------
    url : str
        ``sqlite:///path/to/file.db`` or ``postgresql://user@host/name``.

    Raises
    ------
    InputError
        If the database cannot be opened, or a newer ordlink wrote it.
    """
    engine = make_engine(url)
    try:
        with engine.begin() as connection:
            _migrate(connection)
    except sa.exc.OperationalError as error:
        raise InputError(
            f"{_shown(url)}: the database cannot be opened ({error.orig}); check the address"
        ) from error
    return engine


def make_engine(url: str) -> sa.Engine:
    """Return an engine without looking at what is in the database."""
    if url.startswith("sqlite"):
        engine = sa.create_engine(url)
        sa.event.listen(engine, "connect", _prepare_sqlite)
        return engine
    if not url.startswith(("postgresql://", "postgresql+psycopg://", "postgres://")):
        raise InputError(
            f"{_shown(url)}: expected an address like postgresql://user@host/name; for SQLite "
            "leave it out"
        )
    try:
        import psycopg  # noqa: F401
    except ImportError as error:
        raise MissingDependencyError(
            "PostgreSQL needs the package psycopg; install it with pip install 'ordlink[postgres]'"
        ) from error
    address = "postgresql+psycopg://" + url.split("://", 1)[1]
    return sa.create_engine(address, pool_pre_ping=True)


def is_sqlite(engine: sa.Engine) -> bool:
    """Return whether the database belongs to one process."""
    return engine.dialect.name == "sqlite"


@contextmanager
def one_moment(engine: sa.Engine) -> Iterator[sa.Connection]:
    """Give a connection whose queries all see the database as it is at one moment."""
    with engine.connect() as connection:
        if is_sqlite(engine):
            connection.exec_driver_sql("BEGIN")  # the driver begins only where something is written
        else:
            connection.execution_options(isolation_level="REPEATABLE READ")
        yield connection


def checkpoint(engine: sa.Engine) -> None:
    """Move what is in SQLite's log into its file, so that no commit has to do it; else nothing."""
    if is_sqlite(engine):
        with engine.connect() as connection:
            connection.execute(sa.text("PRAGMA wal_checkpoint(PASSIVE)"))


@contextmanager
def one_process_only(database: Path) -> Iterator[None]:
    """Refuse a second server on the same SQLite file.

    Raises
    ------
    InputError
        If another process holds the file.
    """
    with database.with_suffix(".lock").open("ab") as file:
        if not try_lock(file):
            raise InputError(
                f"{database}: another ordlink collect runs on this file; stop it first, or use "
                "PostgreSQL (--database) for several server processes"
            )
        yield


def settle_study(engine: sa.Engine, study: Study) -> bytes:
    """Note the study at its first start; later, check that its objects are still the same.

    As long as nobody has taken part, they may change.

    Returns
    -------
    bytes
        The secret of this database, from which opaque keys are made.

    Raises
    ------
    InputError
        If the database is about other objects or another type of question.
    """
    settings = json.dumps(study.settings(), ensure_ascii=False)
    rows = [
        {"number": number, "name": one.name, "kind": one.kind, "digest": one.digest}
        for number, one in enumerate(study.stimuli)
    ]
    with engine.begin() as connection:
        if not is_sqlite(engine):  # two servers may start at the same time
            connection.execute(sa.text("LOCK TABLE study IN EXCLUSIVE MODE"))
        row = connection.execute(sa.select(schema.study)).one_or_none()
        if row is None:
            secret = secrets.token_hex(32)
            connection.execute(
                schema.study.insert().values(
                    id=1,
                    settings=settings,
                    secret=secret,
                    state="open",
                    revision=0,
                    created_at=time.time(),
                )
            )
            connection.execute(schema.stimulus.insert(), rows)
            _note_settings(connection, settings)
            return bytes.fromhex(secret)
        stored = connection.execute(
            sa.select(schema.stimulus).order_by(schema.stimulus.c.number)
        ).mappings()
        known = [dict(one) for one in stored]
        asked = json.loads(row.settings)["question"]
        if connection.execute(sa.select(schema.participant.c.id).limit(1)).first() is None:
            if known != rows or asked != study.question:
                _begin_anew(connection, rows)
        else:
            _check_same(engine, known, rows)
            if asked != study.question:
                raise InputError(
                    f"{_shown(str(engine.url))}: the answers in it are to {asked} questions, the "
                    f"study asks {study.question}; change it back, or collect into another folder "
                    "(--data)"
                )
        if settings != row.settings:
            connection.execute(schema.study.update().values(settings=settings))
            _note_settings(connection, settings)
        return bytes.fromhex(row.secret)


def _note_settings(connection: sa.Connection, settings: str) -> None:
    """Note the settings that are in force from now on: draws are replayed with theirs."""
    connection.execute(schema.event.insert().values(at=time.time(), kind="settings", data=settings))


def _begin_anew(connection: sa.Connection, rows: list[dict[str, Any]]) -> None:
    """Take other stimuli or questions: nobody has seen those of before."""
    for table in (schema.question, schema.draw, schema.stimulus):
        connection.execute(table.delete())
    connection.execute(schema.stimulus.insert(), rows)


def _check_same(
    engine: sa.Engine, known: list[dict[str, Any]], given: list[dict[str, Any]]
) -> None:
    if known == given:
        return
    where = _shown(str(engine.url))
    if len(known) != len(given):
        difference = f"it has {len(known)} stimuli, the study {len(given)}"
    else:
        old, new = next((a, b) for a, b in zip(known, given, strict=True) if a != b)
        difference = (
            f"stimulus {old['number'] + 1} was {old['name']!r}, now it is {new['name']!r}"
            if old["name"] != new["name"]
            else f"stimulus {old['number'] + 1}, {old['name']!r}, has changed"
        )
    raise InputError(
        f"{where}: the answers in it are about other stimuli: {difference}; put them back, or "
        "collect into another folder (--data)"
    )


def _migrate(connection: sa.Connection) -> None:
    """Bring the tables to the newest form; two servers that start together take turns."""
    if connection.dialect.name == "postgresql":
        connection.execute(sa.text("SELECT pg_advisory_xact_lock(718281828)"))
    script = ScriptDirectory(str(MIGRATIONS))
    known = {revision.revision for revision in script.walk_revisions()}
    if sa.inspect(connection).has_table("alembic_version"):
        there = connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalars()
        newer = set(there) - known
        if newer:
            raise InputError(
                f"{_shown(str(connection.engine.url))}: written by a newer ordlink (form "
                f"{newer.pop()}); update ordlink"
            )
    context = EnvironmentContext(
        Config(),
        script,
        fn=lambda revision, _: script._upgrade_revs("head", revision),
        destination_rev="head",
    )
    with context:
        context.configure(connection=connection, target_metadata=schema.metadata)
        context.run_migrations()


def _prepare_sqlite(connection: Any, _record: object) -> None:
    for pragma in _SQLITE_PRAGMAS:
        connection.execute(pragma).close()


def _shown(url: str) -> str:
    """Return an address without its password."""
    return sa.make_url(url).render_as_string(hide_password=True) if "://" in url else url
