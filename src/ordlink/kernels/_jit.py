"""The one place that owns `njit`: how all kernels are compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., object])


def kernel(function: Function) -> Function:
    """Compile a kernel on first use and keep the machine code on disk for the next process."""
    return cast(Function, numba.njit(cache=True, nogil=True)(function))
