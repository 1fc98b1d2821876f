"""Checks of the parameters of generated data."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any

import numpy as np

from ordlink.errors import InputError, InputKindError


def check_whole_number(value: Any, name: str, *, smallest: int) -> int:
    """Return the value as an int after checking that it is whole and at least `smallest`."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral):
        whole = isinstance(value, Real) and not isinstance(value, bool | np.bool_)
        error = InputError if whole else InputKindError
        raise error(f"{name}: expected a whole number of at least {smallest}, got {value!r}.")
    if value < smallest:
        raise InputError(f"{name}: expected a whole number of at least {smallest}, got {value}.")
    return int(value)


def check_number(value: Any, name: str, *, smallest: float = -math.inf) -> float:
    """Return the value as a float after checking that it is finite and at least `smallest`."""
    bound = "" if smallest == -math.inf else f" of at least {smallest:g}"
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        raise InputKindError(f"{name}: expected a number{bound}, got {value!r}.")
    if not math.isfinite(value) or value < smallest:
        raise InputError(f"{name}: expected a finite number{bound}, got {value}.")
    return float(value)


def random_generator(seed: Any) -> np.random.Generator:
    """Return the generator of a seed; a generator is used as it is."""
    try:
        return np.random.default_rng(seed)
    except ValueError as error:
        raise InputError(f"seed: expected a whole number of at least 0, got {seed!r}.") from error
    except TypeError as error:
        raise InputKindError(
            f"seed: expected a whole number, a numpy.random.Generator or None, got {seed!r}."
        ) from error
