"""The base class of comparisons, with its constructors, and details of the answers."""

from __future__ import annotations

import functools
import inspect
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

import numpy as np

from ordlink._html import summary_html
from ordlink._typing import AnyArray, BoolArray, FloatArray, Int32Array
from ordlink._validate import Seed, check_keywords
from ordlink.errors import InputError

if TYPE_CHECKING:
    from ordlink.comparisons._listed import ListedComparisons
    from ordlink.comparisons._summary import ComparisonsSummary

Array = TypeVar("Array", bound=np.ndarray)


def read_only(array: Array) -> Array:
    """Return a read-only view; the array itself stays writable."""
    view = array.view()
    view.flags.writeable = False
    return view


class FrozenArrays:
    """Make the arrays of a frozen dataclass and its copies read-only; copies drop cached values."""

    def __post_init__(self) -> None:
        for field in fields(self):  # type: ignore[arg-type]  # subclasses are dataclasses
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray):
                object.__setattr__(self, field.name, read_only(value))

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        FrozenArrays.__post_init__(self)


@dataclass(frozen=True, eq=False)
class AnswerDetails(FrozenArrays):
    """Columns about the answers, one entry per comparison.

    Attributes
    ----------
    answers : ndarray of int32 or None
        Number of the answer that a comparison came from; a most-central or odd-one-out answer gives
        two comparisons, which belong together when answers are drawn or split.
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
    n_answers: int, each: int, kept: BoolArray | None, given: dict[str, Any]
) -> AnswerDetails | None:
    """Return the details of the kept answers, each of which became `each` comparisons.

    Answers are numbered 0, 1, 2, ... if numbers are needed and `given` has none.
    """
    columns: dict[str, AnyArray] = {}
    for name, values in AnswerDetails(**given).columns.items():
        column = _as_column(name, values)
        check_length(column, n_answers, name)
        columns[name] = column if kept is None else column[kept]
    if "answers" not in columns and each > 1:
        n_kept = n_answers if kept is None else int(kept.sum())
        columns["answers"] = np.arange(n_kept, dtype=np.int32)
    if not columns:
        return None
    return AnswerDetails(**{name: np.repeat(column, each) for name, column in columns.items()})


def check_length(column: AnyArray, n_answers: int, parameter: str) -> None:
    """Raise InputError unless a column has one entry per answer."""
    if column.shape != (n_answers,):
        expected = f"expected one entry per answer, {n_answers:,}"
        raise InputError(f"{expected}, got an array of shape {column.shape}", parameter=parameter)


def check_sides(chose_first: object) -> FloatArray:
    """Return 1, 0 or NaN (unknown) for each answer; refuse anything else."""
    try:
        sides = np.array(chose_first, dtype=np.float64)
    except (TypeError, ValueError):
        sides = np.full(1, np.inf)
    if not (np.isnan(sides) | (sides == 0) | (sides == 1)).all():
        problem = "expected True, False or NaN for each answer, got something else"
        remedy = "pass whether the answer chose what was shown first"
        raise InputError(problem, parameter="chose_first", remedy=remedy)
    return sides


def concatenate_details(parts: Sequence[tuple[AnswerDetails | None, int]]) -> AnswerDetails | None:
    """Return the concatenated details of several parts; fill in unknown entries."""
    present = {name for part, _ in parts if part is not None for name in part.columns}
    if not present:
        return None
    columns: dict[str, AnyArray] = {}
    for name in present:
        pieces: list[AnyArray] = []
        next_answer = 0
        for part, length in parts:
            piece = None if part is None else part.columns.get(name)
            if name == "answers":
                piece = np.arange(length, dtype=np.int32) if piece is None else piece
                piece = (piece + np.int32(next_answer)).astype(np.int32)
                next_answer = int(piece.max(initial=next_answer - 1)) + 1
            elif piece is None:
                is_text = name in ("annotators", "times")
                piece = np.full(length, "" if is_text else np.nan, object if is_text else float)
            pieces.append(piece)
        columns[name] = np.concatenate(pieces)
    return AnswerDetails(**columns)


def _as_column(name: str, given: Any) -> AnyArray:
    if name == "answers":
        return np.array(given, dtype=np.int32)
    if name == "chose_first":
        return check_sides(given)
    if name == "response_times":
        try:
            return np.array(given, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InputError(f"expected numbers, got {error}", parameter=name) from error
    column = np.empty(len(given), dtype=object)
    column[:] = ["" if _is_unknown(entry) else str(entry) for entry in given]
    return column


def _is_unknown(entry: object) -> bool:
    """Return whether an entry is missing: None, NaN, or what pandas and NumPy have for it."""
    if isinstance(entry, (float, np.floating)):
        return bool(np.isnan(entry))
    return entry is None or (not isinstance(entry, str) and str(entry) in ("<NA>", "NaT"))


class _TakesAnswers(Protocol):
    """How comparisons are made of answers.

    Parameters
    ----------
    rows : array of shape (n_answers, number of objects in an answer)
        Objects as numbers, or as names (strings).
    names : sequence of str, optional
        Name of each object. Without it, rows of names define the objects, in natural order.
    n_objects : int, optional
        Number of objects, if some may never be named.
    one_based : bool
        Whether numbers count from 1; without `names`, these numbers become the names.
    counts : array of shape (n_answers,), optional
        How often each row was answered; 1 by default.
    annotators, times, response_times, chose_first : arrays of shape (n_answers,), optional
        Kept with the answers, see :class:`AnswerDetails`.
    skip_repeated : bool
        Whether to leave out rows that name an object twice where different ones are needed,
        such as attention checks, with a warning; they are refused by default.

    Returns
    -------
    ListedComparisons
    """

    def __call__(
        self,
        rows: Sequence[Sequence[object]] | AnyArray,
        *,
        names: Sequence[str] | None = None,
        n_objects: int | None = None,
        one_based: bool = False,
        counts: Sequence[int] | AnyArray | None = None,
        annotators: Sequence[object] | AnyArray | None = None,
        times: Sequence[object] | AnyArray | None = None,
        response_times: Sequence[float] | AnyArray | None = None,
        chose_first: Sequence[float] | AnyArray | None = None,
        skip_repeated: bool = False,
    ) -> ListedComparisons: ...


def _takes_answers(function: Any) -> _TakesAnswers:
    """Give a function the signature above, and its sections."""
    signature = inspect.signature(_TakesAnswers.__call__)
    own = list(signature.parameters.values())[1:]

    @functools.wraps(function)
    def checked(rows: AnyArray, **given: Any) -> Any:
        check_keywords(given, [parameter.name for parameter in own[1:]], function.__name__)
        return function(rows, **given)

    checked.__signature__ = signature.replace(parameters=own)  # type: ignore[attr-defined]
    sections = inspect.cleandoc(_TakesAnswers.__doc__ or "").partition("\n")[2]
    checked.__doc__ = f"{inspect.getdoc(function)}\n{sections}"
    return cast(_TakesAnswers, checked)


def _list_answers(*rows_and_form: Any, **given: Any) -> ListedComparisons:
    from ordlink.comparisons._answers import list_answers  # which builds on this file

    return list_answers(*rows_and_form, **given)


class Comparisons(ABC):
    """Statements "i and j are more alike than k and l" about N objects.

    Make them with :meth:`from_quadruplets`, :meth:`from_triplets`, :meth:`from_most_central`,
    :meth:`from_odd_one_out` or :meth:`from_similarities`, or read them with
    :func:`ordlink.read_comparisons`. They are listed one by one (:class:`ListedComparisons`) or,
    for all N^4 / 8 comparisons of a similarity matrix, stored as ranks of pairs
    (:class:`RankedComparisons`).

    Examples
    --------
    >>> import ordlink as ol
    >>> c = ol.Comparisons.from_triplets([[0, 1, 2], [1, 0, 2]], names=["cat", "dog", "bee"])
    >>> c
    ListedComparisons(n_objects=3, n_comparisons=2)
    >>> c.quadruplets.tolist()
    [[0, 1, 0, 2], [0, 1, 1, 2]]
    """

    n_objects: int
    names: tuple[str, ...] | None

    @property
    @abstractmethod
    def n_comparisons(self) -> int:
        """Number of comparisons, repeated ones counted as often as they were given."""

    @abstractmethod
    def subset(self, objects: Sequence[int] | AnyArray) -> Comparisons:
        """Return the comparisons among these objects alone, renumbered in the given order."""

    def summary(self) -> ComparisonsSummary:
        """Return a summary: objects, comparisons, repeats, contradictions, gaps."""
        from ordlink.comparisons._summary import summarise

        return summarise(self)

    def warnings(self) -> list[str]:
        """Return what the user should know before trusting a tree, one sentence each."""
        return self.summary().warnings()

    def _repr_html_(self) -> str:
        """Return the table that notebooks show."""
        return summary_html(repr(self), str(self.summary()), self.warnings())

    def __repr__(self) -> str:
        kind = type(self).__name__
        return f"{kind}(n_objects={self.n_objects}, n_comparisons={self.n_comparisons})"

    @staticmethod
    @_takes_answers
    def from_quadruplets(rows: AnyArray, **given: Any) -> ListedComparisons:
        """Return the comparisons of rows (i, j, k, l): i and j are more alike than k and l."""
        return _list_answers(rows, "quadruplet", **given)

    @staticmethod
    @_takes_answers
    def from_triplets(rows: AnyArray, **given: Any) -> ListedComparisons:
        """Return the comparisons of rows (i, j, k): i is closer to j than to k."""
        return _list_answers(rows, "triplet", **given)

    @staticmethod
    @_takes_answers
    def from_most_central(rows: AnyArray, **given: Any) -> ListedComparisons:
        """Return the comparisons of rows (i, j, k): i is the most central of the three.

        Each row becomes two comparisons, (j, i, j, k) and (k, i, k, j).
        """
        return _list_answers(rows, "most-central", **given)

    @staticmethod
    @_takes_answers
    def from_odd_one_out(rows: AnyArray, **given: Any) -> ListedComparisons:
        """Return the comparisons of rows (i, j, k): k is the odd one out.

        Each row becomes two comparisons, (i, j, i, k) and (i, j, j, k).
        """
        return _list_answers(rows, "odd-one-out", **given)

    @staticmethod
    def from_similarities(
        similarities: AnyArray,
        proportion: float = 1.0,
        *,
        seed: Seed = 0,
        names: Sequence[str] | None = None,
    ) -> Comparisons:
        """Return passively observed comparisons of a similarity matrix.

        Every unordered pair of pairs is observed once, independently, with probability
        `proportion`; ties are observed too, but carry no information.

        Parameters
        ----------
        similarities : ndarray of shape (N, N)
            Symmetric; the diagonal is not used.
        proportion : float
            Probability p in (0, 1]. With 1 nothing is listed: the result is ranked.
        seed : int, numpy.random.Generator or None
            Seed of the draw.
        names : sequence of str, optional
            Name of each object.
        """
        from ordlink.comparisons._ranked import RankedComparisons

        ranked = RankedComparisons.of_similarities(similarities, names=names)
        return ranked if proportion == 1 else ranked.sample(proportion, seed=seed)
