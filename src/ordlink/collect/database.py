"""The database: SQLite in a file, or PostgreSQL by its address; one thread writes.

SQLite runs in WAL mode with synchronous=FULL: a commit has reached the disk when it returns.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import queue
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

import sqlalchemy as sa
from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from ordlink._locks import try_lock
from ordlink.collect import schema
from ordlink.errors import InputError, MissingDependencyError

LOG = logging.getLogger("ordlink.collect")
MIGRATIONS = Path(__file__).parent / "migrations"
MOST_AT_ONCE = 256  # writes in one transaction
Result = TypeVar("Result")
P = ParamSpec("P")
WriteMany = Callable[[sa.Connection, list[Any]], list[Any]]
_SQLITE_PRAGMAS = (
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=FULL",
    "PRAGMA foreign_keys=ON",
    "PRAGMA busy_timeout=10000",
    "PRAGMA wal_autocheckpoint=20000",  # a last resort, see `checkpoint`
)


@dataclass(frozen=True)
class _Queued:
    """A function to call in a transaction, alone or with the items of others, and who waits."""

    write: Any
    item: Any
    is_alone: bool
    future: asyncio.Future[Any] | Future[Any]


_Done = list[tuple[_Queued, Any, Exception | None]]


class Database:
    """Owns the engine and the thread that writes.

    While a commit is on its way to the disk, further writes queue up and share the next
    transaction. Callers get their result after the commit.
    """

    def __init__(self, url: str) -> None:
        self.engine = open_database(url)
        self.on_rollback: Callable[[], None] = lambda: None  # drops what is kept in memory
        self._queue: queue.SimpleQueue[_Queued | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="writer", daemon=True)
        self._thread.start()

    async def read(
        self, query: Callable[Concatenate[sa.Connection, P], Result], *args: P.args, **kw: P.kwargs
    ) -> Result:
        """Return the result of a query with these arguments, run in another thread."""

        def run() -> Result:
            with self.engine.connect() as connection:
                return query(connection, *args, **kw)

        return await asyncio.to_thread(run)

    async def write(
        self, write: Callable[Concatenate[sa.Connection, P], Result], *args: P.args, **kw: P.kwargs
    ) -> Result:
        """Return the result after its commit; if it fails, other writes go on (a savepoint)."""
        return await asyncio.wrap_future(
            self.submit(lambda connection: write(connection, *args, **kw))
        )

    def submit(self, write: Callable[[sa.Connection], Result]) -> Future[Result]:
        """Queue a write from any thread; it cannot be cancelled."""
        future: Future[Result] = Future()
        future.set_running_or_notify_cancel()
        self._queue.put(_Queued(write, None, is_alone=True, future=future))
        return future

    async def write_together(self, write: WriteMany, item: Any) -> Any:
        """Return the result for an item after its commit; all queued items share one call."""
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._queue.put(_Queued(write, item, is_alone=False, future=future))
        return await future

    def close(self) -> None:
        """Finish what is queued, then close all connections."""
        self._queue.put(None)
        self._thread.join()
        self.engine.dispose()

    def _run(self) -> None:
        connection: sa.Connection | None = None
        is_running = True
        while is_running:
            batch, is_running = self._next_batch()
            if not batch:
                continue
            try:
                connection = connection or self.engine.connect()
                self._commit(connection, batch)
            except sa.exc.DBAPIError as error:  # the connection may be gone
                if connection is not None:
                    connection.invalidate()
                    connection.close()
                connection = None
                LOG.warning("%s writes are retried one by one: %s", len(batch), error)
                self._commit_each(batch)
            except Exception:  # a write that fails must not take the others down
                self._commit_each(batch)
        if connection is not None:
            connection.close()

    def _next_batch(self) -> tuple[list[_Queued], bool]:
        """Return what is queued, at least one write, and False if it is the last."""
        batch: list[_Queued] = []
        with contextlib.suppress(queue.Empty):
            queued = self._queue.get()
            while queued is not None:
                batch.append(queued)
                if len(batch) == MOST_AT_ONCE:
                    break
                queued = self._queue.get_nowait()
            return batch, queued is not None
        return batch, True

    def _commit(self, connection: sa.Connection, batch: list[_Queued]) -> None:
        done: _Done = []
        try:
            with connection.begin():
                done += _together(connection, [one for one in batch if not one.is_alone])
                done += _each(connection, [one for one in batch if one.is_alone])
        except BaseException:
            self.on_rollback()
            raise
        _resolve(done)

    def _commit_each(self, batch: list[_Queued]) -> None:
        for queued in batch:
            try:
                with self.engine.connect() as connection:
                    self._commit(connection, [queued])
            except Exception as error:
                _resolve([(queued, None, error)])


def _together(connection: sa.Connection, group: list[_Queued]) -> _Done:
    """Call each function once with all its items."""
    by_function: dict[WriteMany, list[_Queued]] = {}
    for queued in group:
        by_function.setdefault(queued.write, []).append(queued)
    return [
        (queued, result, None)
        for write, those in by_function.items()
        for queued, result in zip(
            those, write(connection, [queued.item for queued in those]), strict=True
        )
    ]


def _each(connection: sa.Connection, group: list[_Queued]) -> _Done:
    """Call each function within a savepoint."""
    done: _Done = []
    for queued in group:
        try:
            with connection.begin_nested():
                done.append((queued, queued.write(connection), None))
        except sa.exc.OperationalError:
            raise
        except Exception as error:
            done.append((queued, None, error))
    return done


def _resolve(done: _Done) -> None:
    """Give the callers their results; each event loop is woken once, since that is slow."""
    by_loop: dict[asyncio.AbstractEventLoop | None, _Done] = {}
    for one in done:
        future = one[0].future
        loop = future.get_loop() if isinstance(future, asyncio.Future) else None
        by_loop.setdefault(loop, []).append(one)
    for loop, those in by_loop.items():
        if loop is None:
            _set_results(those)
        else:
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
                loop.call_soon_threadsafe(_set_results, those)


def _set_results(done: _Done) -> None:
    for queued, result, error in done:
        if queued.future.done():  # the caller was cancelled
            continue
        if error is None:
            queued.future.set_result(result)
        else:
            queued.future.set_exception(error)


def open_database(url: str) -> sa.Engine:
    """Return an engine for a database whose tables are up to date."""
    engine = make_engine(url)
    try:
        with engine.begin() as connection:
            _migrate(connection)
    except sa.exc.OperationalError as error:
        raise InputError(
            f"the database cannot be opened ({error.orig}); check the address",
            where=hide_password(url),
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
            "expected an address like postgresql://user@host/name; for SQLite leave it out",
            where=hide_password(url),
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
def snapshot(engine: sa.Engine) -> Iterator[sa.Connection]:
    """Yield a connection whose queries all see the database as it is at one moment."""
    with engine.connect() as connection:
        if is_sqlite(engine):
            connection.exec_driver_sql("BEGIN")  # the driver begins only where something is written
        else:
            connection.execution_options(isolation_level="REPEATABLE READ")
        yield connection


def checkpoint(engine: sa.Engine) -> None:
    """Move SQLite's log into its file, so that no commit has to do it; nothing on PostgreSQL."""
    if is_sqlite(engine):
        with engine.connect() as connection:
            connection.execute(sa.text("PRAGMA wal_checkpoint(PASSIVE)"))


@contextmanager
def one_process_only(database: Path) -> Iterator[None]:
    """Refuse a second server on the same SQLite file."""
    with database.with_suffix(".lock").open("ab") as file:
        if not try_lock(file):
            raise InputError(
                "another ordlink collect runs on this file",
                where=str(database),
                remedy="stop it first, or use PostgreSQL ({database}) for several servers",
            )
        yield


def inserted_id(made: sa.CursorResult[Any]) -> int:
    """Return the id that the database gave to a new row."""
    key = made.inserted_primary_key
    if key is None:
        raise RuntimeError("the database gave no id to a new row")
    return int(key[0])


def hide_password(url: str) -> str:
    """Return an address without its password."""
    return sa.make_url(url).render_as_string(hide_password=True) if "://" in url else url


def _migrate(connection: sa.Connection) -> None:
    """Create the tables or bring them up to date; servers that start together take turns."""
    if connection.dialect.name == "postgresql":
        connection.execute(sa.text("SELECT pg_advisory_xact_lock(718281828)"))
    script = ScriptDirectory(str(MIGRATIONS))
    context = MigrationContext.configure(
        connection, opts={"fn": lambda revision, _: script._upgrade_revs("head", revision)}
    )
    current = context.get_current_revision()
    if current is None:
        schema.metadata.create_all(connection)
        context.stamp(script, "head")
    elif current not in {revision.revision for revision in script.walk_revisions()}:
        raise InputError(
            f"a newer ordlink wrote this database (revision {current}); update ordlink",
            where=hide_password(str(connection.engine.url)),
        )
    else:
        with Operations.context(context):
            context.run_migrations()


def _prepare_sqlite(connection: Any, _record: object) -> None:
    for pragma in _SQLITE_PRAGMAS:
        connection.execute(pragma).close()
