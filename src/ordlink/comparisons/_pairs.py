"""Pairs of objects as numbers: {i, j} with i < j becomes one int32 id, row by row.

The order is that of SciPy's condensed distance matrices: (0,1), (0,2), ..., (1,2), ...
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ordlink._typing import AnyArray, Int32Array
from ordlink._validate import check_whole_number
from ordlink.errors import InputError

Number = TypeVar("Number", bound=np.generic)

MAX_OBJECTS = 65_535
"""Largest number of objects whose pair ids fit into int32."""


def n_pairs(n_objects: int) -> int:
    """Return the number of unordered pairs of objects, E = N (N - 1) / 2.

    Examples
    --------
    >>> n_pairs(4)
    6
    """
    return n_objects * (n_objects - 1) // 2


def check_n_objects(n_objects: object) -> int:
    """Return the number of objects as an int; NumPy's small integers would overflow later.

    Examples
    --------
    >>> check_n_objects(np.uint8(60))
    60
    """
    return check_whole_number(n_objects, "n_objects", lowest=1)


def check_pair_ids_fit(n_objects: int) -> None:
    """Raise InputError if there are too many objects for int32 pair ids."""
    if n_objects > MAX_OBJECTS:
        raise InputError(
            f"lists of comparisons hold at most {MAX_OBJECTS:,} objects, got {n_objects:,}",
            remedy="use an active method (4K-AL-act) on an oracle for more",
        )


def pair_ids(i: AnyArray, j: AnyArray, n_objects: int) -> Int32Array:
    """Return the ids of the pairs {i, j}; the order within a pair does not matter.

    Parameters
    ----------
    i, j : array of int, same shape
        Objects, i different from j in each place.
    n_objects : int
        Number of objects N.

    Returns
    -------
    ndarray of int32, same shape
        low * (2 N - low - 1) / 2 + (high - low - 1).

    Examples
    --------
    >>> pair_ids(np.array([0, 3]), np.array([1, 2]), 4)
    array([0, 5], dtype=int32)
    """
    whole = np.int32 if 2 * n_objects * n_objects < 2**31 else np.int64  # what products fit into
    low: AnyArray = np.minimum(i, j).astype(whole, copy=False)
    high: AnyArray = np.maximum(i, j).astype(whole, copy=False)
    ids = low * (2 * n_objects - 1 - low) // 2 + (high - low - 1)
    return np.asarray(ids, dtype=np.int32)


def pair_members(ids: AnyArray, n_objects: int) -> tuple[Int32Array, Int32Array]:
    """Return the objects (i, j), i < j, of each pair id.

    Examples
    --------
    >>> pair_members(np.array([0, 5]), 4)
    (array([0, 2], dtype=int32), array([1, 3], dtype=int32))
    """
    ids = np.asarray(ids, dtype=np.int64)
    b = 2 * n_objects - 1
    # Root of the quadratic in i; exact in float64 up to one unit, which the next two lines correct.
    i = ((b - np.sqrt(b * b - 8.0 * ids)) / 2).astype(np.int64)
    i -= i * (b - i) // 2 > ids
    i += (i + 1) * (b - i - 1) // 2 <= ids
    j = ids - i * (b - i) // 2 + i + 1
    return i.astype(np.int32), j.astype(np.int32)


def square(by_pair: NDArray[Number], n_objects: int) -> NDArray[Number]:
    """Return the symmetric matrix with these entries by pair id, and 0 on the diagonal."""
    matrix = np.zeros((n_objects, n_objects), dtype=by_pair.dtype)
    upper = np.triu_indices(n_objects, 1)
    matrix[upper] = by_pair
    matrix[upper[1], upper[0]] = by_pair
    return matrix
