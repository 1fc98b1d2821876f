"""The database: SQLite in a file, or PostgreSQL by its address; one thread writes.

SQLite runs in WAL mode with synchronous=FULL: a commit has reached the disk when it returns.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import queue
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

import sqlalchemy as sa

from ordlink._locks import try_lock
from ordlink.collect.upgrade import upgrade, vacuum_once
from ordlink.errors import InputError, MissingDependencyError

LOG = logging.getLogger("ordlink.collect")
MOST_AT_ONCE = 256  # writes in one transaction
MOST_TRIES = 5  # of a write that meets one of another server
_CONFLICTS = ("23505", "40001", "40P01")  # PostgreSQL: unique violation, serialization, deadlock
Result = TypeVar("Result")
P = ParamSpec("P")
WriteMany = Callable[[sa.Connection, list[Any]], list[Any]]
_BUSY_TIMEOUT = "PRAGMA busy_timeout=10000"
_SQLITE_PRAGMAS = (
    "PRAGMA journal_mode=WAL",
    "PRAGMA secure_delete=ON",  # what is deleted is overwritten
    "PRAGMA synchronous=FULL",
    "PRAGMA foreign_keys=ON",
    _BUSY_TIMEOUT,
    "PRAGMA wal_autocheckpoint=20000",  # a last resort, see `checkpoint`
)


@dataclass(frozen=True)
class _Queued:
    """A function to call in a transaction with this item and others, and its future."""

    write: WriteMany
    item: Any
    future: asyncio.Future[Any]


_Done = list[tuple[_Queued, Any]]  # with the result, or the exception


class DatabaseGoneError(OSError):
    """The file of the database was moved or deleted."""


OUTAGES = (sa.exc.OperationalError, DatabaseGoneError)
"""A full disk, a lost connection, a lost file: not the fault of a request."""


class Database:
    """Owns the engine and the thread that writes.

    While a commit is on its way to the disk, further writes queue up and share the next
    transaction. Callers get their result after the commit.
    """

    def __init__(self, url: str) -> None:
        self.engine = open_database(url)
        self._file = Path(self.engine.url.database or "") if is_sqlite(self.engine) else None
        self._number = self._file.stat().st_ino if self._file else 0
        self.on_rollback: Callable[[], None] = lambda: None  # drops what is kept in memory
        self._queue: queue.SimpleQueue[_Queued | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="writer", daemon=True)
        self._thread.start()

    async def read(
        self, query: Callable[Concatenate[sa.Connection, P], Result], *args: P.args, **kw: P.kwargs
    ) -> Result:
        """Return the result of queries at one moment, run in another thread."""

        def run() -> Result:
            with snapshot(self.engine) as connection:
                return query(connection, *args, **kw)

        return await asyncio.to_thread(run)

    async def write(
        self, write: Callable[Concatenate[sa.Connection, P], Result], *args: P.args, **kw: P.kwargs
    ) -> Result:
        """Return the result after its commit; if it fails, other writes go on (a savepoint)."""
        result: Result = await self.write_together(
            _write_each, lambda connection: write(connection, *args, **kw)
        )
        return result

    async def write_together(self, write: WriteMany, item: Any) -> Any:
        """Return the result for an item after its commit; all queued items share one call.

        It is written even if the caller is cancelled.
        """
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._queue.put(_Queued(write, item, future))
        return await future

    def is_in_place(self) -> bool:
        """Return whether SQLite's file is still the one that was opened."""
        try:
            return self._file is None or self._file.stat().st_ino == self._number
        except OSError:
            return False

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
                connection = connection or self._connect()
                self._commit(connection, batch)
            except sa.exc.DBAPIError as error:  # the connection may be gone
                if connection is not None:
                    connection.invalidate()
                    connection.close()
                connection = None
                LOG.warning("retrying %s writes one by one: %s", len(batch), describe(error))
                self._commit_each(batch)
            except Exception:  # a write that fails must not take the others down
                self._commit_each(batch)
        if connection is not None:
            connection.close()

    def _connect(self) -> sa.Connection:
        return self.engine.connect().execution_options(begin="BEGIN IMMEDIATE")

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
        by_function: dict[WriteMany, list[_Queued]] = {}
        for queued in batch:
            by_function.setdefault(queued.write, []).append(queued)
        done: _Done = []
        try:
            with connection.begin():
                for write, those in by_function.items():
                    results = write(connection, [queued.item for queued in those])
                    done += zip(those, results, strict=True)
                if not self.is_in_place():  # what is written there would be lost
                    raise DatabaseGoneError(DatabaseGoneError.__doc__)
        except BaseException:
            self.on_rollback()
            raise
        _resolve(done)

    def _commit_each(self, batch: list[_Queued]) -> None:
        for queued in batch:
            for n_left in reversed(range(MOST_TRIES)):
                try:
                    with self._connect() as connection:
                        self._commit(connection, [queued])
                except Exception as error:
                    if n_left and _is_conflict(error):
                        continue
                    _resolve([(queued, error)])
                break


def _is_conflict(error: Exception) -> bool:
    """Return whether a write may succeed once that of another server is done."""
    return getattr(getattr(error, "orig", None), "sqlstate", "") in _CONFLICTS


def _write_each(connection: sa.Connection, writes: list[Callable[[Any], Any]]) -> list[Any]:
    """Return the result of each function, called within a savepoint, or its exception."""
    results = []
    for write in writes:
        try:
            with connection.begin_nested():
                results.append(write(connection))
        except Exception as error:
            if isinstance(error, sa.exc.OperationalError) or _is_conflict(error):
                raise
            results.append(error)
    return results


def _resolve(done: _Done) -> None:
    """Give the callers their results; each event loop is woken once, since that is slow."""
    for loop in {queued.future.get_loop() for queued, _ in done}:
        those = [one for one in done if one[0].future.get_loop() is loop]
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(_set_results, those)


def _set_results(done: _Done) -> None:
    for queued, result in done:
        if queued.future.done():  # the caller was cancelled
            continue
        if isinstance(result, Exception):
            queued.future.set_exception(result)
        else:
            queued.future.set_result(result)


def open_database(url: str) -> sa.Engine:
    """Return an engine for a database whose tables are up to date, all in one transaction."""
    engine = make_engine(url)
    file = Path(engine.url.database or "") if is_sqlite(engine) else None
    try:
        if file is not None and not file.exists():
            # A new file gets its name when it is complete: none that we made is ever empty.
            new = file.with_name(f"{file.name}.new")
            for old in file.parent.glob(f"{new.name}*"):
                old.unlink()
            os.close(os.open(new, os.O_CREAT | os.O_WRONLY, 0o600))
            making = make_engine(f"sqlite:///{new}")
            _migrate(making)
            making.dispose()
            new.rename(file)
        elif file is not None and file.stat().st_size == 0:
            raise InputError("the file is empty; delete it, or restore a backup", where=str(file))
        elif file is not None and not os.access(file, os.R_OK | os.W_OK):
            raise InputError("the file is not readable and writable", where=str(file))
        _migrate(engine)
        if file is not None:
            file.chmod(file.stat().st_mode & 0o700)
            vacuum_once(engine)
            checkpoint(engine, "TRUNCATE")
    except (sa.exc.DBAPIError, OSError) as error:
        reason = " ".join(str(getattr(error, "orig", error)).split())
        raise InputError(
            f"the database cannot be opened ({reason}); check that it is readable and writable"
            if file
            else f"the database cannot be opened ({reason}); check the address",
            where=hide_password(url),
        ) from error
    return engine


def make_engine(url: str) -> sa.Engine:
    """Return an engine without looking at what is in the database."""
    if url.startswith("sqlite"):
        engine = sa.create_engine(url, hide_parameters=True)
        sa.event.listen(engine, "connect", _prepare_sqlite)
        # The driver would begin at the first change, and not at all before CREATE TABLE.
        sa.event.listen(
            engine,
            "begin",
            lambda made: made.exec_driver_sql(made.get_execution_options().get("begin", "BEGIN")),
        )
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
    try:
        return sa.create_engine(address, pool_pre_ping=True, hide_parameters=True)
    except (sa.exc.ArgumentError, ValueError) as error:
        raise InputError(f"cannot be read as an address ({error})", where="database") from error


def is_sqlite(engine: sa.Engine) -> bool:
    """Return whether the database belongs to one process."""
    return engine.dialect.name == "sqlite"


@contextmanager
def snapshot(engine: sa.Engine) -> Iterator[sa.Connection]:
    """Yield a connection whose queries all see the database as it is at one moment."""
    with engine.connect() as connection:
        if not is_sqlite(engine):
            connection.execution_options(isolation_level="REPEATABLE READ")
        yield connection


def checkpoint(engine: sa.Engine, mode: str = "PASSIVE") -> bool:
    """Move SQLite's log into its file, so that no commit has to do it; nothing on PostgreSQL.

    With the mode TRUNCATE the log is emptied; False if somebody reads it right now.
    """
    if not is_sqlite(engine):
        return True
    with contextlib.closing(engine.raw_connection()) as connection:
        cursor = connection.cursor()
        cursor.execute("PRAGMA busy_timeout=100")  # writes wait meanwhile
        is_busy = cursor.execute(f"PRAGMA wal_checkpoint({mode})").fetchone()[0]
        cursor.execute(_BUSY_TIMEOUT)
    return not is_busy


@contextmanager
def one_process_only(database: Path) -> Iterator[None]:
    """Refuse a second server on the same SQLite file."""
    try:
        descriptor = os.open(database.with_suffix(".lock"), os.O_CREAT | os.O_WRONLY, 0o600)
    except OSError as error:
        raise InputError(
            f"cannot be written ({error.strerror})",
            where=str(database.parent),
            remedy="choose another folder with {data}",
        ) from error
    with os.fdopen(descriptor, "ab") as file:
        if not try_lock(file):
            raise InputError(
                "another 'ordlink collect' is using this file",
                where=str(database),
                remedy="stop it first, or use PostgreSQL ({database}) for several servers",
            )
        yield


def describe(error: Exception) -> str:
    """Return what failed and where, without a message that could name a participant."""
    if isinstance(error, OUTAGES):  # their messages show no rows
        return " ".join(str(getattr(error, "orig", error)).split())
    at = "".join(traceback.format_tb(error.__traceback__))
    return f"{type(error).__name__}\n{at}"


def hide_password(url: str) -> str:
    """Return an address without its password."""
    try:
        return sa.make_url(url).render_as_string(hide_password=True)
    except (sa.exc.ArgumentError, ValueError):
        return "the database"


def _migrate(engine: sa.Engine) -> None:
    """Create the tables or bring them up to date; servers that start together take turns."""
    with engine.execution_options(begin="BEGIN IMMEDIATE").begin() as connection:
        if not is_sqlite(engine):
            connection.execute(sa.text("SELECT pg_advisory_xact_lock(718281828)"))
        upgrade(connection, hide_password(str(engine.url)))


def _prepare_sqlite(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # we say when a transaction begins
    for pragma in _SQLITE_PRAGMAS:
        connection.execute(pragma).close()
