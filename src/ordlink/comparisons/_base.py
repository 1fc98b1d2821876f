"""Comparisons: what all kinds have in common, and how they are made."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from ordlink._typing import AnyArray
from ordlink._validate import Seed

if TYPE_CHECKING:
    from ordlink.comparisons._listed import ListedComparisons
    from ordlink.comparisons._summary import ComparisonsSummary


P = ParamSpec("P")
Result = TypeVar("Result")


def _with_parameters_of(
    template: Callable[P, Result],
) -> Callable[[Callable[..., Result]], Callable[P, Result]]:
    """Return a decorator that gives a function the signature of another, and its sections."""
    sections = (template.__doc__ or "").partition("Parameters\n")[2]

    def decorate(function: Callable[..., Result]) -> Callable[P, Result]:
        function.__signature__ = inspect.signature(template)  # type: ignore[attr-defined]
        text = inspect.getdoc(function) or ""
        function.__doc__ = f"{text}\n\n{inspect.cleandoc(f'Parameters{chr(10)}{sections}')}"
        return function

    return decorate


class Comparisons(ABC):
    """Statements "i and j are more alike than k and l" about N objects.

    Make them with :meth:`from_quadruplets`, :meth:`from_triplets`, :meth:`from_most_central`,
    :meth:`from_odd_one_out` or :meth:`from_similarities`, or read them from a file with
    :func:`ordlink.read_comparisons`. They are either listed one by one
    (:class:`ListedComparisons`) or, where all comparisons of a similarity matrix are meant, held
    as the ranks of the pairs (:class:`RankedComparisons`), so that the N^4 / 8 of them are never
    written down.

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

    @abstractmethod
    def summary(self) -> ComparisonsSummary:
        """Return what there is: objects, comparisons, repeats, contradictions, gaps."""

    @abstractmethod
    def warnings(self) -> list[str]:
        """Return what the user should know before trusting a tree, one sentence each."""

    def __repr__(self) -> str:
        kind = type(self).__name__
        return f"{kind}(n_objects={self.n_objects}, n_comparisons={self.n_comparisons})"

    @staticmethod
    def from_quadruplets(
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
    ) -> ListedComparisons:
        """Return the comparisons of rows (i, j, k, l): i and j are more alike than k and l.

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

        Raises
        ------
        InputError
            If a row is not a comparison of two different pairs of known objects.
        """
        from ordlink.comparisons._build import list_answers

        return list_answers(
            rows,
            "quadruplet",
            names=names,
            n_objects=n_objects,
            one_based=one_based,
            counts=counts,
            annotators=annotators,
            times=times,
            response_times=response_times,
            chose_first=chose_first,
            skip_repeated=skip_repeated,
        )

    @staticmethod
    @_with_parameters_of(from_quadruplets)
    def from_triplets(rows: AnyArray, **given: Any) -> ListedComparisons:
        """Return the comparisons of rows (i, j, k): i is closer to j than to k."""
        from ordlink.comparisons._build import list_answers

        return list_answers(rows, "triplet", **given)

    @staticmethod
    @_with_parameters_of(from_quadruplets)
    def from_most_central(rows: AnyArray, **given: Any) -> ListedComparisons:
        """Return the comparisons of rows (i, j, k): i is the most central of the three.

        Each row becomes two comparisons, (j, i, j, k) and (k, i, k, j).
        """
        from ordlink.comparisons._build import list_answers

        return list_answers(rows, "most-central", **given)

    @staticmethod
    @_with_parameters_of(from_quadruplets)
    def from_odd_one_out(rows: AnyArray, **given: Any) -> ListedComparisons:
        """Return the comparisons of rows (i, j, k): k is the odd one out.

        Each row becomes two comparisons, (i, j, i, k) and (i, j, j, k).
        """
        from ordlink.comparisons._build import list_answers

        return list_answers(rows, "odd-one-out", **given)

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
        `proportion`; ties are observed too, and say nothing.

        Parameters
        ----------
        similarities : ndarray of shape (N, N)
            Symmetric; the diagonal is not used.
        proportion : float
            Probability p in (0, 1]. With 1 nothing is listed.
        seed : int, numpy.random.Generator or None
            Seed of the draw.
        names : sequence of str, optional
            Name of each object.

        Returns
        -------
        Comparisons
            Ranked if the proportion is 1, otherwise listed.
        """
        from ordlink.comparisons._ranked import RankedComparisons

        ranked = RankedComparisons.of_similarities(similarities, names=names)
        return ranked if proportion == 1 else ranked.sample(proportion, seed=seed)
