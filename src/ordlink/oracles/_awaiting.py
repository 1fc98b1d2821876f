"""Waiting for oracles whose `compare` is a coroutine: one event loop for all of them."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Awaitable
from contextvars import ContextVar
from typing import Any

TIMEOUT: ContextVar[float | None] = ContextVar("ordlink.oracles.timeout", default=None)
"""Seconds after which a call is cancelled; set for the calls of one thread."""
_loops: dict[int, asyncio.AbstractEventLoop] = {}  # by process: threads do not survive a fork
_starting = threading.Lock()


def wait_for(awaitable: Awaitable[Any]) -> Any:
    """Return the result of an awaitable; it runs in another thread, even in a notebook.

    All awaitables share one event loop, so an HTTP client that is bound to a loop stays usable.
    """

    async def limited() -> Any:
        return await asyncio.wait_for(awaitable, timeout)

    timeout = TIMEOUT.get()
    future = asyncio.run_coroutine_threadsafe(limited(), _loop())
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


def _loop() -> asyncio.AbstractEventLoop:
    with _starting:
        if os.getpid() not in _loops:
            loop = _loops[os.getpid()] = asyncio.new_event_loop()
            threading.Thread(target=loop.run_forever, name="ordlink-oracles", daemon=True).start()
        return _loops[os.getpid()]
