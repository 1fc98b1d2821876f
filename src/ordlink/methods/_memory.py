"""What a method needs at its peak, estimated before it starts."""

from __future__ import annotations

from ordlink._memory import available_memory, in_gb
from ordlink.comparisons import ListedComparisons
from ordlink.errors import NotEnoughMemoryError
from ordlink.methods._table import Method

BYTES = {
    "4-AL": (46.0, 38.0),
    "AddS-AL": (24.5, 10.0),
    "4K-AL": (46.0, 7.0),
    "spectral": (215.0, 10.0),
}
"""Bytes per entry of an N x N table and per comparison, measured at 500 to 4,000 objects.

Other methods say only afterwards that memory ran out.
"""


def estimate_memory(method: str, n_objects: int, n_rows: int) -> float:
    """Return the bytes that a method needs beside the answers; 0 if that is not known.

    Examples
    --------
    >>> round(estimate_memory("AddS-AL", 20_000, 10_000_000) / 1e9, 1)
    9.9
    """
    per_entry, per_row = BYTES.get(method, (0.0, 0.0))
    return per_entry * n_objects**2 + per_row * n_rows


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
    if method.needs == "comparisons" and method.name != "blocks":
        problem += f": a table of all pairs takes {in_gb(8.0 * n_objects**2)}"
        remedy = "use {method:blocks}, which has no such tables"
    return NotEnoughMemoryError(problem, remedy=remedy)
