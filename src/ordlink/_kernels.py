"""The only user of `njit`: compiles all kernels, and tells the user about it."""

from __future__ import annotations

import gc
import sys
import time
import warnings
from collections.abc import Callable
from functools import cache
from threading import Timer
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core import event, types
from numba.extending import intrinsic

from ordlink.errors import OrdlinkWarning

Function = TypeVar("Function", bound=Callable[..., object])

SAY_AFTER_SECONDS = 2.0
"""Compiling that takes longer than this, all kernels together, is announced."""


_OPTIONS: dict[str, Any] = {"nogil": True, "no_cfunc_wrapper": True, "error_model": "numpy"}

whole = cast(Callable[[Any], int], np.int64)
"""Make an integer an int64: with two types of integers, a kernel would be compiled twice."""


def kernel(function: Function) -> Function:
    """Compile a kernel on first use and keep the machine code on disk for the next process.

    Where no folder for it can be written (a container without a home), nothing is kept.
    """
    try:
        return cast(Function, numba.njit(cache=True, **_OPTIONS)(function))
    except RuntimeError as error:
        if "cannot cache" not in str(error):
            raise
        _warn_without_cache()
        return cast(Function, numba.njit(**_OPTIONS)(function))


def inlined(function: Function) -> Function:
    """Make a function a part of the kernels that call it: it is compiled with them alone."""
    return cast(Function, numba.njit(inline="always", **_OPTIONS)(function))


@cache
def _warn_without_cache() -> None:
    message = "compiled code cannot be kept, so every start takes some seconds longer; set "
    message += "NUMBA_CACHE_DIR to a folder that can be written"
    warnings.warn(message, OrdlinkWarning, stacklevel=3)


def _count_bits(typing_context: Any, word: Any) -> Any:
    """Return the number of ones in an unsigned integer: one instruction, and it vectorises."""
    if not isinstance(word, types.Integer):
        return None

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return word(word), generate


count_bits = cast(Callable[[Any], Any], intrinsic(_count_bits))


class _Compiling(event.Listener):
    """Says once per process, on a terminal, that compiling takes a while and why.

    Meanwhile there is no garbage collection: it would look through all that the compiler keeps,
    again and again, which takes a sixth of the time.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._collects = False
        self._started = 0.0
        self._spent = 0.0
        self._timer: Timer | None = None
        self._said = False

    def on_start(self, event: Any) -> None:
        """Start the clock with the outermost compilation."""
        self._depth += 1
        if self._depth == 1:
            self._collects = gc.isenabled()
            gc.disable()
        if self._depth == 1 and not self._said:
            self._started = time.monotonic()
            self._timer = Timer(max(0.0, SAY_AFTER_SECONDS - self._spent), self._say)
            self._timer.daemon = True
            self._timer.start()

    def on_end(self, event: Any) -> None:
        """Stop the clock."""
        self._depth -= 1
        if self._depth == 0 and self._collects:
            gc.enable()
        if self._depth == 0 and self._timer is not None:
            self._timer.cancel()
            self._spent += time.monotonic() - self._started

    def _say(self) -> None:
        self._said = True
        if sys.stderr.isatty():
            message = "ordlink: compiling for this machine; this happens only once"
            print(message, file=sys.stderr)


event.register("numba:compile", _Compiling())  # type: ignore[no-untyped-call]
