"""What is known about each answer besides its content: who, when, how fast, which answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from ordlink._typing import AnyArray, BoolArray, FloatArray, Int32Array
from ordlink.comparisons._frozen import FrozenArrays
from ordlink.errors import InputError


@dataclass(frozen=True, eq=False)
class AnswerDetails(FrozenArrays):
    """Columns about the answers, one entry per comparison.

    Attributes
    ----------
    answers : ndarray of int32 or None
        Number of the answer that a comparison came from; one answer "most central" or "odd one
        out" gives two comparisons, which belong together when answers are drawn or split.
    annotators : ndarray of str objects or None
        Who answered; empty where unknown.
    times : ndarray of str objects or None
        When, as written in the source; empty where unknown.
    response_times : ndarray of float64 or None
        How long it took, in the unit of the source; NaN where unknown.
    chose_first : ndarray of float64 or None
        1 if the answer chose what was shown first (or on the left), 0 if not, NaN where unknown.
    """

    answers: Int32Array | None = None
    annotators: AnyArray | None = None
    times: AnyArray | None = None
    response_times: FloatArray | None = None
    chose_first: FloatArray | None = None

    @property
    def columns(self) -> dict[str, AnyArray]:
        """The columns that are present, by name."""
        present = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: column for name, column in present.items() if column is not None}

    def take(self, rows: AnyArray) -> AnswerDetails:
        """Return the details of the given comparisons."""
        return AnswerDetails(**{name: column[rows] for name, column in self.columns.items()})

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AnswerDetails):
            return NotImplemented
        if self.columns.keys() != other.columns.keys():
            return False
        return all(
            np.array_equal(column, other.columns[name], equal_nan=column.dtype.kind == "f")
            for name, column in self.columns.items()
        )

    __hash__ = None  # type: ignore[assignment]


def make_details(
    n_answers: int,
    n_comparisons_each: int,
    kept: BoolArray | None = None,
    *,
    answers: Sequence[int] | Int32Array | None = None,
    annotators: Sequence[object] | AnyArray | None = None,
    times: Sequence[object] | AnyArray | None = None,
    response_times: Sequence[float] | AnyArray | None = None,
    chose_first: Sequence[float] | AnyArray | None = None,
) -> AnswerDetails | None:
    """Return the details of the kept answers, which became `n_comparisons_each` comparisons each.

    `answers` are their numbers, if they have any; 0, 1, 2, ... where it matters by default.
    """
    columns: dict[str, AnyArray] = {}
    if answers is not None:
        columns["answers"] = np.array(answers, dtype=np.int32)
    for name, given in (("annotators", annotators), ("times", times)):
        if given is not None:
            columns[name] = _text_column(given)
    if response_times is not None:
        try:
            columns["response_times"] = np.array(response_times, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InputError(
                f"expected numbers, got {error}", parameter="response_times"
            ) from error
    if chose_first is not None:
        columns["chose_first"] = check_sides(chose_first)
    for name, column in columns.items():
        if column.shape != (n_answers,):
            raise InputError(
                f"expected one entry per answer, {n_answers:,}, got an array of shape "
                f"{column.shape}",
                parameter=name,
            )
        columns[name] = column if kept is None else column[kept]
    if answers is None and n_comparisons_each > 1:
        n_kept = n_answers if kept is None else int(kept.sum())
        columns["answers"] = np.arange(n_kept, dtype=np.int32)
    if not columns:
        return None
    repeated = {name: np.repeat(column, n_comparisons_each) for name, column in columns.items()}
    return AnswerDetails(**repeated)


def check_sides(chose_first: object) -> FloatArray:
    """Return 1, 0 or NaN (not known) for each answer, refuse anything else."""
    try:
        sides = np.array(chose_first, dtype=np.float64)
    except (TypeError, ValueError):
        sides = np.full(1, np.inf)
    if not (np.isnan(sides) | (sides == 0) | (sides == 1)).all():
        raise InputError(
            "expected True, False or NaN for each answer, got something else",
            parameter="chose_first",
            remedy="pass whether the answer chose what was shown first",
        )
    return sides


def concatenate_details(
    parts: Sequence[AnswerDetails | None], lengths: Sequence[int]
) -> AnswerDetails | None:
    """Return the details of the parts one after another; unknown entries are filled in."""
    present = {name for part in parts if part is not None for name in part.columns}
    if not present:
        return None
    columns: dict[str, AnyArray] = {}
    for name in present:
        pieces: list[AnyArray] = []
        next_answer = 0
        for part, length in zip(parts, lengths, strict=True):
            piece = None if part is None else part.columns.get(name)
            if name == "answers":
                piece = np.arange(length, dtype=np.int32) if piece is None else piece
                piece = (piece + np.int32(next_answer)).astype(np.int32)
                next_answer = int(piece.max(initial=next_answer - 1)) + 1
            elif piece is None:
                piece = _unknown(name, length)
            pieces.append(piece)
        columns[name] = np.concatenate(pieces)
    return AnswerDetails(**columns)


def _text_column(given: Sequence[object] | AnyArray) -> AnyArray:
    column = np.empty(len(given), dtype=object)
    column[:] = ["" if _is_unknown(entry) else str(entry) for entry in given]
    return column


def _is_unknown(entry: object) -> bool:
    """Return whether an entry is missing: None, NaN, or what pandas and NumPy have for it."""
    if isinstance(entry, (float, np.floating)):
        return bool(np.isnan(entry))
    return entry is None or (not isinstance(entry, str) and str(entry) in ("<NA>", "NaT"))


def _unknown(name: str, length: int) -> AnyArray:
    if name in ("response_times", "chose_first"):
        return np.full(length, np.nan)
    column = np.empty(length, dtype=object)
    column[:] = ""
    return column
