"""What a method needs at its peak, estimated before it starts."""

from __future__ import annotations

from ordlink._memory import available_memory, in_gb
from ordlink._threads import n_threads
from ordlink.comparisons import ListedComparisons
from ordlink.errors import NotEnoughMemoryError
from ordlink.methods._table import Method
from ordlink.methods.search import MOST_OBJECTS, n_folds

BYTES = {
    "4-AL": (46.0, 0.0, 38.0),
    "AddS-AL": (24.5, 0.0, 10.0),
    "4K-AL": (46.0, 0.0, 7.0),
    "spectral": (215.0, 0.0, 60.0),
    "tSTE-AL": (24.5, 0.0, 100.0),
    "SOE-AL": (24.5, 0.0, 100.0),
    "FORTE-AL": (40.0, 0.0, 100.0),
    "blocks": (0.0, 650.0, 40.0),  # its lists: 36 for a triplet, 48 for a quadruplet
}
"""Bytes per entry of an N x N table, per object and per comparison.

Measured at 500 to 4,000 objects, for blocks at 20,000 to 500,000. Active methods keep what they
asked and hardly anything else.
"""
SEARCH_BYTES = 8.0, 600.0, 200.0
"""Bytes of search per triple of objects, per entry of an N x N table and per comparison."""


def estimate_memory(method: str, n_objects: int, n_rows: int) -> float:
    """Return the bytes that a method needs beside the answers; 0 if that is not known.

    Examples
    --------
    >>> round(estimate_memory("AddS-AL", 20_000, 10_000_000) / 1e9, 1)
    9.9
    """
    if method in ("auto", "search") and n_objects <= MOST_OBJECTS:
        at_once = min(n_threads(), n_folds(n_objects, n_rows))
        per_triple, per_entry, per_row = SEARCH_BYTES
        triples = per_triple * n_objects**3 * (at_once if method == "auto" else 1)
        return triples + at_once * (per_entry * n_objects**2 + per_row * n_rows)
    known = BYTES.get("spectral" if method == "auto" else method, (0.0, 0.0, 0.0))
    per_entry, per_object, per_row = known
    return per_entry * n_objects**2 + per_object * n_objects + per_row * n_rows


def check_memory(method: Method, data: object) -> None:
    """Raise NotEnoughMemoryError before the work if a method would need more than there is."""
    if not isinstance(data, ListedComparisons):
        return
    needed, there = estimate_memory(method.name, data.n_objects, data.n_rows), available_memory()
    if needed > there:
        amount = f"needs about {in_gb(needed)} of memory, but only {in_gb(there)} are available"
        raise not_enough_memory(method, data.n_objects, amount)


def not_enough_memory(
    method: Method, n_objects: int, amount: str = "needs more memory than there is"
) -> NotEnoughMemoryError:
    """Return the error with its remedy."""
    problem = f"{method.name} of {n_objects:,} objects {amount}"
    remedy = "use fewer objects, or a machine with more memory"
    if method.name in ("auto", "search") and n_objects <= MOST_OBJECTS:
        problem += f": a table of all triples takes {in_gb(4.0 * n_objects**3)}"
        remedy = "use {method:spectral}, which has no such table"
    elif method.needs == "comparisons" and method.name != "blocks":
        problem += f": a table of all pairs takes {in_gb(8.0 * n_objects**2)}"
        remedy = "use {method:blocks}, which has no such tables"
    return NotEnoughMemoryError(problem, remedy=remedy)
