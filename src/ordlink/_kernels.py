"""The only user of `njit`: compiles all kernels, and tells the user about it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from threading import Timer
from typing import Any, TypeVar, cast

import numba
from numba.core import event, types
from numba.extending import intrinsic

Function = TypeVar("Function", bound=Callable[..., object])

SAY_AFTER_SECONDS = 2.0
"""Compiling that takes longer than this, all kernels together, is announced."""


def kernel(function: Function) -> Function:
    """Compile a kernel on first use and keep the machine code on disk for the next process."""
    return cast(Function, numba.njit(cache=True, nogil=True)(function))


def _count_bits(typing_context: Any, word: Any) -> Any:
    """Return the number of ones in an unsigned integer: one instruction, and it vectorises."""
    if not isinstance(word, types.Integer):
        return None

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return word(word), generate


count_bits = cast(Callable[[Any], Any], intrinsic(_count_bits))


class _Announcer(event.Listener):
    """Says once per process, on a terminal, that compiling takes a while and why."""

    def __init__(self) -> None:
        self._depth = 0
        self._started = 0.0
        self._spent = 0.0
        self._timer: Timer | None = None
        self._said = False

    def on_start(self, event: Any) -> None:
        """Start the clock with the outermost compilation."""
        self._depth += 1
        if self._depth == 1 and not self._said:
            self._started = time.monotonic()
            self._timer = Timer(max(0.0, SAY_AFTER_SECONDS - self._spent), self._say)
            self._timer.daemon = True
            self._timer.start()

    def on_end(self, event: Any) -> None:
        """Stop the clock."""
        self._depth -= 1
        if self._depth == 0 and self._timer is not None:
            self._timer.cancel()
            self._spent += time.monotonic() - self._started

    def _say(self) -> None:
        self._said = True
        if sys.stderr.isatty():
            message = "ordlink: compiling for this machine; this happens only once"
            print(message, file=sys.stderr)


event.register("numba:compile", _Announcer())  # type: ignore[no-untyped-call]
