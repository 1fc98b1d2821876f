"""Reports and comparisons of a few fast methods, where it does not matter which are compared."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ordlink.validation import CANDIDATES

FAST = ("4K-AL", "4-AL", "AddS-AL", "4K-AL no self")


@contextmanager
def only_candidates(*labels: str) -> Iterator[None]:
    """Compare these candidates by default, and no others."""
    every = dict(CANDIDATES)
    for label in set(every) - set(labels):
        del CANDIDATES[label]
    try:
        yield
    finally:
        CANDIDATES.clear()
        CANDIDATES.update(every)  # in the same order: it is that of preference
