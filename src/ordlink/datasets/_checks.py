"""Checks under their former names, for modules that do not use `ordlink._validate` yet."""

from __future__ import annotations

import math
from typing import Any

from ordlink import _validate


def check_whole_number(value: Any, name: str, *, smallest: int) -> int:
    """Return the value as an int after checking that it is whole and at least `smallest`."""
    return _validate.check_whole_number(value, name, lowest=smallest)


def check_number(value: Any, name: str, *, smallest: float = -math.inf) -> float:
    """Return the value as a float after checking that it is finite and at least `smallest`."""
    return _validate.check_number(value, name, lowest=smallest)
