"""Checks that the functions of this package share."""

from __future__ import annotations

import numpy as np

from ordlink.comparisons import Comparisons, ListedComparisons
from ordlink.errors import InputError, InputKindError


def check_comparisons(comparisons: object) -> None:
    """Raise InputKindError unless these are comparisons."""
    if not isinstance(comparisons, Comparisons):
        raise InputKindError(
            f"comparisons: expected Comparisons, got {type(comparisons).__name__}; make them with "
            "Comparisons.from_triplets, from_quadruplets or from_similarities."
        )


def check_listed(comparisons: object) -> None:
    """Raise InputKindError unless these are comparisons listed one by one."""
    check_comparisons(comparisons)
    if not isinstance(comparisons, ListedComparisons):
        raise InputKindError(
            "comparisons: expected comparisons listed one by one, got "
            f"{type(comparisons).__name__}; sample some of them with comparisons.sample(0.1)."
        )


def check_whole_number(value: object, what: str, *, lowest: int) -> int:
    """Return a whole number of at least `lowest`."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
        raise InputKindError(f"{what}: expected a whole number, got {value!r}.")
    if value < lowest:
        raise InputError(f"{what}: expected at least {lowest}, got {value}.")
    return int(value)
