"""Checks of a similarity matrix."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from ordlink._text import counted
from ordlink._typing import AnyArray, BoolArray, FloatArray
from ordlink.comparisons._frozen import read_only
from ordlink.errors import InputError, InputKindError

RELATIVE_TOLERANCE = 1e-9
"""w_ij and w_ji may differ by this share of the larger one: rounding, not a mistake."""
ABSOLUTE_TOLERANCE = 1e-12
"""The same relative to the largest entry of the matrix, for entries close to 0."""
BLOCK_ENTRIES = 1 << 22
"""Rows are checked in blocks of about this many entries, so that temporaries stay small."""


def check_similarities(
    similarities: ArrayLike, *, n_objects: int | None = None, name: str = "similarities"
) -> FloatArray:
    """Return the matrix as float64 after checking that it holds one number per pair of objects.

    The diagonal is not looked at, since an object is no pair with itself: it may hold anything,
    NaN and infinity included, and is returned as it came.

    Parameters
    ----------
    similarities : array_like of shape (n_objects, n_objects)
        Symmetric up to rounding, finite off the diagonal. Entry (i, j) is w_ij; where w_ij and
        w_ji differ by rounding, users of the matrix take the upper triangle.
    n_objects : int, optional
        Number of objects that the matrix must have.
    name : str
        What error messages call the matrix.

    Returns
    -------
    ndarray of shape (n_objects, n_objects), dtype float64
        A read-only view of the input where its dtype allows, else a read-only copy.

    Raises
    ------
    InputKindError
        If the input is not a dense matrix of real numbers.
    InputError
        If it is not square, has another number of objects, is not finite or not symmetric. The
        message names the first such entry, row by row.

    Examples
    --------
    >>> check_similarities([[0, 2], [2, 0]])
    array([[0., 2.],
           [2., 0.]])
    >>> check_similarities([[0, 2], [3, 0]])
    Traceback (most recent call last):
    ordlink.errors.InputError: similarities, row 0, column 1: expected a symmetric matrix, got \
2.0 there and 3.0 at row 1, column 0; if this is meant, pass the mean of the matrix and its \
transpose
    """
    matrix = _to_float_matrix(similarities, name)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InputError(
            "expected a square matrix, one row and one column per object, got shape "
            f"{matrix.shape}",
            where=name,
        )
    if not matrix.shape[0]:
        raise InputError("expected at least one object, got an empty matrix", where=name)
    if n_objects is not None and matrix.shape[0] != n_objects:
        raise InputError(
            f"expected {counted(n_objects, 'object')}, got a matrix of {matrix.shape[0]:,}",
            where=name,
            remedy="pass the rows and columns of the same objects in the same order",
        )
    scale = _check_finite(matrix, name)
    _check_symmetric(matrix, scale, name)
    return read_only(matrix)


def _to_float_matrix(similarities: ArrayLike, name: str) -> FloatArray:
    if hasattr(similarities, "toarray"):
        raise InputKindError(
            f"expected a dense matrix, got {type(similarities).__name__}",
            where=name,
            remedy="convert it with .toarray()",
        )
    if isinstance(similarities, np.ma.MaskedArray):  # a masked entry is a missing one
        similarities = np.ma.filled(similarities.astype(np.float64), np.nan)
    try:
        raw: AnyArray = np.asarray(similarities)
        if raw.dtype.kind not in "biufO":
            raise TypeError(f"entries of type {raw.dtype}")
        return raw.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputKindError(
            f"expected a square matrix of real numbers, got {error}",
            where=name,
            remedy="pass an array with one row and one column per object",
        ) from error


def _row_blocks(n_objects: int) -> Iterator[slice]:
    step = max(1, BLOCK_ENTRIES // n_objects)
    for start in range(0, n_objects, step):
        yield slice(start, min(start + step, n_objects))


def _off_diagonal(condition: BoolArray, rows: slice) -> BoolArray:
    """Set the entries of a block of rows that lie on the diagonal to False, in place."""
    condition[np.arange(rows.stop - rows.start), np.arange(rows.start, rows.stop)] = False
    return condition


def _first(condition: BoolArray, rows: slice) -> tuple[int, int]:
    row, column = np.unravel_index(int(condition.argmax()), condition.shape)
    return rows.start + int(row), int(column)


def _check_finite(matrix: FloatArray, name: str) -> float:
    """Return the largest magnitude off the diagonal."""
    scale = 0.0
    for rows in _row_blocks(len(matrix)):
        finite = np.isfinite(matrix[rows])
        missing = _off_diagonal(~finite, rows)
        if missing.any():
            i, j = _first(missing, rows)
            raise InputError(
                f"expected a finite number, got {matrix[i, j]}",
                where=f"{name}, row {i}, column {j}",
                remedy="leave out objects whose similarities are unknown",
            )
        counted = _off_diagonal(finite, rows)
        scale = max(scale, float(np.abs(matrix[rows]).max(where=counted, initial=0.0)))
    return scale


def _check_symmetric(matrix: FloatArray, scale: float, name: str) -> None:
    for rows in _row_blocks(len(matrix)):
        here, mirrored = matrix[rows], matrix[:, rows].T
        with np.errstate(invalid="ignore", over="ignore"):  # the diagonal; differences to infinity
            larger = np.maximum(np.abs(here), np.abs(mirrored))
            tolerance = RELATIVE_TOLERANCE * larger + ABSOLUTE_TOLERANCE * scale
            differs = _off_diagonal(np.abs(here - mirrored) > tolerance, rows)
        if differs.any():
            i, j = _first(differs, rows)
            raise InputError(
                f"expected a symmetric matrix, got {matrix[i, j]} there and {matrix[j, i]} at row "
                f"{j}, column {i}",
                where=f"{name}, row {i}, column {j}",
                remedy="if this is meant, pass the mean of the matrix and its transpose",
            )
