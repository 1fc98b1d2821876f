"""What a method needs at its peak, estimated before it starts."""

from __future__ import annotations

from typing import Any

import numpy as np

from ordlink._memory import available_memory, in_gb
from ordlink._threads import n_threads
from ordlink.comparisons import ListedComparisons, n_pairs
from ordlink.errors import NotEnoughMemoryError
from ordlink.linkage import InitialPartition, list_parts
from ordlink.methods._table import Method
from ordlink.methods.embedding import LISTED_AT_MOST
from ordlink.methods.search import MOST_OBJECTS, n_folds, why_not_compared

BYTES = {
    "4-AL": (46.0, 0.0, 38.0),
    "AddS-AL": (24.5, 0.0, 10.0),
    "4K-AL": (46.0, 0.0, 7.0),
    "spectral": (215.0, 0.0, 45.0),
    "tSTE-AL": (24.5, 0.0, 90.0),
    "SOE-AL": (24.5, 0.0, 90.0),
    "FORTE-AL": (40.0, 0.0, 90.0),
    "blocks": (0.0, 450.0, 40.0),  # its lists: 36 for a triplet, 48 for a quadruplet
}
"""Bytes per entry of an N x N table, per object and per comparison.

Measured at 500 to 4,000 objects, for blocks at 20,000 to 500,000. Active methods keep what they
asked and hardly anything else.
"""
RANKED_BYTES = {
    "AL": 32.0,
    "4-AL": 36.0,
    "AddS-AL": 24.5,
    "4K-AL": 48.0,
    "spectral": 105.0,
    "search": 105.0,
    "auto": 105.0,
}
"""The same per entry of a similarity matrix, or of the ranks of all pairs."""
SEARCH_BYTES = 8.0, 600.0, 200.0
"""Bytes of search per triple of objects, per entry of an N x N table, per comparison and thread."""


def estimate_memory(method: str, n_objects: int, n_rows: int | None) -> float:
    """Return the bytes that a method needs beside the answers; 0 if that is not known.

    Without a number of rows, all comparisons are known, by ranks or similarities.

    Examples
    --------
    >>> round(estimate_memory("AddS-AL", 20_000, 10_000_000) / 1e9, 1)
    9.9
    """
    per_triple, per_entry, per_row = SEARCH_BYTES
    triples = per_triple * n_objects**3 if n_objects <= MOST_OBJECTS else 0.0
    if n_rows is None and method in RANKED_BYTES:
        return RANKED_BYTES[method] * n_objects**2 + (triples if method == "search" else 0.0)
    if n_rows is None:
        n_rows = min(LISTED_AT_MOST, n_pairs(n_objects) ** 2 // 2)
    if method in ("auto", "search") and triples:
        at_once = min(n_threads(), n_folds(n_objects, n_rows))
        n_tables = at_once if method == "auto" else 1
        return n_tables * triples + per_entry * n_objects**2 + at_once * per_row * n_rows
    known = BYTES.get("spectral" if method == "auto" else method, (0.0, 0.0, 0.0))
    per_entry, per_object, per_row = known
    return per_entry * n_objects**2 + per_object * n_objects + per_row * n_rows


def check_memory(method: Method, data: Any, partition: InitialPartition) -> None:
    """Raise NotEnoughMemoryError before the work if a method would need more than there is."""
    if method.needs == "an oracle":
        return
    n_rows = data.n_rows if isinstance(data, ListedComparisons) else None
    needed = estimate_memory(*_largest_work(method, data, partition), n_rows)
    there = available_memory()
    if needed > there:
        amount = f"needs about {in_gb(needed)} of memory, but only {in_gb(there)} are available"
        raise not_enough_memory(method, data, partition, amount)


def not_enough_memory(
    method: Method,
    data: Any,
    partition: InitialPartition,
    amount: str = "needs more memory than there is",
) -> NotEnoughMemoryError:
    """Return the error with its remedy."""
    name, n_objects = _largest_work(method, data, partition)
    problem = f"{method.name} of {_count_objects(data):,} objects {amount}"
    remedy = "use fewer objects, or a machine with more memory"
    if name in ("auto", "search") and n_objects <= MOST_OBJECTS:
        problem += f": a table of all triples takes {in_gb(4.0 * n_objects**3)}"
        remedy = "use {method:spectral}, which has no such table"
    elif isinstance(data, ListedComparisons) and name != "blocks":
        problem += f": a table of all pairs takes {in_gb(8.0 * n_objects**2)}"
        remedy = "use {method:blocks}, which has no such tables"
    return NotEnoughMemoryError(problem, remedy=remedy)


def _largest_work(method: Method, data: Any, partition: InitialPartition) -> tuple[str, int]:
    """Return the method that is run, as `auto` may be spectral, and the objects of its tables.

    Methods that grow each compared part alone have tables of the largest part.
    """
    name, n_objects = method.name, _count_objects(data)
    if name == "auto" and why_not_compared(data):
        name = "spectral"
    if name not in ("auto", "search", "spectral") or not isinstance(data, ListedComparisons):
        return name, n_objects
    parts = list_parts(data, partition)
    return name, len(parts[0]) if parts else n_objects


def _count_objects(data: Any) -> int:
    return len(data) if isinstance(data, np.ndarray) else int(data.n_objects)
