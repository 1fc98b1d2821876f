"""One thread that writes: many steps of many people in one transaction.

Whoever waits for a step is told only after the commit. While a commit is on its way to the disk,
the next steps gather and go together: the more people, the larger the groups.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, Protocol

import sqlalchemy as sa

Change = Callable[[sa.Connection], Any]
Waits = asyncio.Future[Any] | Future[Any]
Entry = tuple[Any, Waits]
Told = tuple[Waits, Any, Exception | None]
MOST_AT_ONCE = 256
LOG = logging.getLogger("ordlink.collect")


class Steps(Protocol):
    """Whoever carries out steps, see :class:`ordlink.collect.desk.Desk`."""

    def take(self, connection: sa.Connection, steps: list[Any]) -> list[Any]:
        """Carry out steps within a transaction and return a reply to each."""
        ...

    def forget(self) -> None:
        """Forget what was held in memory about a transaction that failed."""
        ...


class Writer:
    """Carries out steps and other changes, one transaction at a time.

    Parameters
    ----------
    engine : sqlalchemy.Engine
        The database.
    desk : Steps
        Carries out steps of people, many at a time.
    """

    def __init__(self, engine: sa.Engine, desk: Steps) -> None:
        self._engine = engine
        self._desk = desk
        self._waiting: queue.SimpleQueue[Entry | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="writer", daemon=True)
        self._thread.start()

    def step(self, step: Any) -> asyncio.Future[Any]:
        """Have a step of a person carried out; the event loop's future is done after the commit."""
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting.put((step, future))
        return future

    def change(self, change: Change) -> Future[Any]:
        """Have any change made: a function of the connection; a savepoint guards the others."""
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()  # nobody can cancel it: it will be made
        self._waiting.put((_Change(change), future))
        return future

    def close(self) -> None:
        """Finish what is waiting, then stop."""
        self._waiting.put(None)
        self._thread.join()

    def _run(self) -> None:
        connection: sa.Connection | None = None
        open_ = True
        while open_:
            batch, open_ = self._gather()
            if not batch:
                continue
            try:
                if connection is None:
                    connection = self._engine.connect()
                self._carry_out(connection, batch)
            except (
                sa.exc.DBAPIError
            ) as error:  # the connection may be gone: each alone, on a new one
                if connection is not None:
                    connection.invalidate()
                    connection.close()
                connection = None
                LOG.warning("%s steps are carried out one by one: %s", len(batch), error)
                self._each_alone(batch)
            except Exception:  # a step that fails must not take the others down
                self._each_alone(batch)
        if connection is not None:
            connection.close()

    def _gather(self) -> tuple[list[Entry], bool]:
        batch: list[Entry] = []
        entry = self._waiting.get()
        while entry is not None:
            batch.append(entry)
            if len(batch) == MOST_AT_ONCE:
                return batch, True
            try:
                entry = self._waiting.get_nowait()
            except queue.Empty:
                return batch, True
        return batch, False

    def _carry_out(self, connection: sa.Connection, batch: list[Entry]) -> None:
        steps = [(step, future) for step, future in batch if not isinstance(step, _Change)]
        changes = [(step, future) for step, future in batch if isinstance(step, _Change)]
        done: list[Told] = []
        try:
            with connection.begin():
                if steps:
                    replies = self._desk.take(connection, [step for step, _ in steps])
                    done += [
                        (future, reply, None)
                        for (_, future), reply in zip(steps, replies, strict=True)
                    ]
                for change, future in changes:
                    try:
                        with connection.begin_nested():
                            done.append((future, change.make(connection), None))
                    except sa.exc.OperationalError:
                        raise
                    except Exception as error:
                        done.append((future, None, error))
        except BaseException:
            self._desk.forget()
            raise
        _tell(done)

    def _each_alone(self, batch: list[Entry]) -> None:
        for entry in batch:
            try:
                with self._engine.connect() as connection:
                    self._carry_out(connection, [entry])
            except Exception as error:
                _tell([(entry[1], None, error)])


def _tell(done: list[Told]) -> None:
    """Tell those who wait; those in the event loop all at once, since each wake-up costs."""
    waking: dict[asyncio.AbstractEventLoop, list[Told]] = {}
    for told in done:
        future = told[0]
        if isinstance(future, asyncio.Future):
            waking.setdefault(future.get_loop(), []).append(told)
        else:
            _settle(told)
    for loop, those in waking.items():
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(_settle_all, those)


def _settle_all(those: list[Told]) -> None:
    for told in those:
        _settle(told)


def _settle(told: Told) -> None:
    future, reply, error = told
    if future.done():  # whoever waited has gone
        return
    if error is None:
        future.set_result(reply)
    else:
        future.set_exception(error)


class _Change:
    """Marks a change that is not a step of a person."""

    def __init__(self, make: Change) -> None:
        self.make = make
