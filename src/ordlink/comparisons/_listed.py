"""Comparisons listed one by one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ordlink._text import counted
from ordlink._typing import AnyArray, Int32Array
from ordlink._validate import Seed, check_objects, random_generator
from ordlink.comparisons._base import Comparisons
from ordlink.comparisons._details import AnswerDetails, concatenate_details
from ordlink.comparisons._frozen import FrozenArrays
from ordlink.comparisons._pairs import check_n_objects, pair_ids, pair_members
from ordlink.comparisons._votes import Tally, tally_votes
from ordlink.errors import InputError, InputKindError

if TYPE_CHECKING:
    from ordlink.comparisons._summary import ComparisonsSummary


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ListedComparisons(FrozenArrays, Comparisons):
    """Comparisons listed one by one, as ids of the winning and the losing pair.

    Usually made by one of the methods of :class:`Comparisons`. ``comparisons[rows]`` takes a slice,
    a mask or an array of row numbers, so that scikit-learn can split them; ``len(comparisons)`` is
    the number of rows.

    Attributes
    ----------
    n_objects : int
        Number of objects N.
    winners, losers : ndarray of shape (n_rows,), dtype int32
        Pair ids: the winner is the more similar pair.
    names : tuple of str or None
        Names of the objects; they may repeat.
    counts : ndarray of shape (n_rows,), dtype int32, or None
        How often each row was answered; None means once each.
    details : AnswerDetails or None
        Who answered, when and how fast, and which rows came from one answer.
    distinct : bool
        Whether it is known that no two rows compare the same two pairs.
    """

    n_objects: int
    winners: Int32Array
    losers: Int32Array
    names: tuple[str, ...] | None = None
    counts: Int32Array | None = None
    details: AnswerDetails | None = None
    distinct: bool = False

    def __post_init__(self) -> None:
        if self.n_objects != 0:  # an empty file may have zero objects
            object.__setattr__(self, "n_objects", check_n_objects(self.n_objects))
        super().__post_init__()

    @property
    def n_rows(self) -> int:
        """Number of rows, each counted once."""
        return len(self.winners)

    @property
    def n_comparisons(self) -> int:
        """Number of comparisons, repeated ones counted as often as they were given."""
        return self.n_rows if self.counts is None else int(self.counts.sum(dtype=np.int64))

    @property
    def quadruplets(self) -> Int32Array:
        """Rows (i, j, k, l) that state w_ij > w_kl, with i < j and k < l, shape (n_rows, 4)."""
        return np.stack(
            [
                *pair_members(self.winners, self.n_objects),
                *pair_members(self.losers, self.n_objects),
            ],
            axis=1,
        )

    @property
    def answer_ids(self) -> Int32Array:
        """Number of the answer that each row came from."""
        if self.details is not None and self.details.answers is not None:
            return self.details.answers
        return np.arange(self.n_rows, dtype=np.int32)

    @property
    def n_answers(self) -> int:
        """Number of answers, repeated ones counted as often as they were given."""
        if self.details is None or self.details.answers is None:
            return self.n_comparisons
        rows = np.unique(self.details.answers, return_index=True)[1]  # one row of each answer
        return len(rows) if self.counts is None else int(self.counts[rows].sum(dtype=np.int64))

    @property
    def shape(self) -> tuple[int]:
        """(n_rows,): what scikit-learn splits."""
        return (self.n_rows,)

    @cached_property
    def tally(self) -> Tally:
        """Which rows are about the same pairs of pairs; counted once, then kept."""
        if self.distinct:
            return Tally(self.n_rows)
        return tally_votes(self.winners, self.losers, self.counts, self.n_objects)

    def __len__(self) -> int:
        return self.n_rows

    def __getitem__(self, rows: Any) -> ListedComparisons:
        if isinstance(rows, tuple) and len(rows) == 2 and rows[1] is Ellipsis:
            rows = rows[0]  # scikit-learn asks for comparisons[rows, ...]
        if isinstance(rows, slice):
            return self.take(np.arange(self.n_rows)[rows])
        chosen = np.asarray(rows)
        if not chosen.size and chosen.ndim == 1:
            chosen = chosen.astype(np.int64)
        if chosen.ndim != 1 or chosen.dtype.kind not in "biu":
            raise InputKindError(
                "comparisons are taken by a slice, a mask or an array of row numbers, got "
                f"{type(rows).__name__}",
                remedy="comparisons.quadruplets lists the rows one by one",
            )
        return self.take(chosen)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ListedComparisons):
            return NotImplemented
        return (
            self.n_objects == other.n_objects
            and self.names == other.names
            and np.array_equal(self.winners, other.winners)
            and np.array_equal(self.losers, other.losers)
            and bool(np.all(self._counts_or_1 == other._counts_or_1))
            and self.details == other.details
        )

    @property
    def _counts_or_1(self) -> AnyArray:
        return np.array(1, dtype=np.int32) if self.counts is None else self.counts

    __hash__ = None  # type: ignore[assignment]

    def take(self, rows: AnyArray) -> ListedComparisons:
        """Return the comparisons in these rows: an array of row numbers or a mask."""
        rows = np.asarray(rows)
        is_mask = rows.dtype == bool
        return ListedComparisons(
            n_objects=self.n_objects,
            winners=self.winners[rows],
            losers=self.losers[rows],
            names=self.names,
            counts=None if self.counts is None else self.counts[rows],
            details=None if self.details is None else self.details.take(rows),
            distinct=self.distinct and is_mask,
        )

    def subset(self, objects: Sequence[int] | AnyArray) -> ListedComparisons:
        """Return the comparisons among these objects alone, renumbered in the given order."""
        kept = check_objects(objects, self.n_objects, "objects")
        new_number = np.full(self.n_objects, -1, dtype=np.int32)
        new_number[kept] = np.arange(len(kept), dtype=np.int32)
        renumbered = new_number[self.quadruplets]
        inside = np.all(renumbered >= 0, axis=1)
        i, j, k, l = renumbered[inside].T  # noqa: E741 - the paper's letters
        within = self.take(inside)
        return ListedComparisons(
            n_objects=len(kept),
            winners=pair_ids(i, j, len(kept)),
            losers=pair_ids(k, l, len(kept)),
            names=None if self.names is None else tuple(self.names[o] for o in kept),
            counts=within.counts,
            details=within.details,
            distinct=within.distinct,
        )

    def split(
        self, test_share: float = 0.2, *, seed: Seed = 0
    ) -> tuple[ListedComparisons, ListedComparisons]:
        """Return (train, test) with whole answers in one or the other.

        Parameters
        ----------
        test_share : float
            Share of the answers that go into the test part, between 0 and 1.
        seed : int, numpy.random.Generator or None
            Seed of the draw.
        """
        if not 0 < test_share < 1:
            raise InputError(
                f"expected a share between 0 and 1, got {test_share}", parameter="test_share"
            )
        answers, answer_of_row = np.unique(self.answer_ids, return_inverse=True)
        n_test = round(test_share * len(answers))
        chosen = np.zeros(len(answers), dtype=bool)
        chosen[random_generator(seed).permutation(len(answers))[:n_test]] = True
        in_test = chosen[answer_of_row]
        return self.take(~in_test), self.take(in_test)

    def summary(self) -> ComparisonsSummary:
        """Return what there is: objects, comparisons, repeats, contradictions, gaps."""
        from ordlink.comparisons._summary import summarise_listed

        return summarise_listed(self)

    def warnings(self) -> list[str]:
        """Return what to know before trusting a tree, as the summary's warnings, but cheaper."""
        from ordlink.comparisons._summary import warn_of_listed

        return warn_of_listed(self)


def concatenate(parts: Sequence[ListedComparisons]) -> ListedComparisons:
    """Return the comparisons of all parts, which must be about the same objects.

    Examples
    --------
    >>> a = Comparisons.from_triplets([[0, 1, 2]])
    >>> concatenate([a, a]).n_comparisons
    2
    """
    parts = list(check_chunks(parts, "part"))
    first = parts[0]
    counts = None
    if any(part.counts is not None for part in parts):
        counts = np.concatenate(
            [
                np.ones(part.n_rows, dtype=np.int32) if part.counts is None else part.counts
                for part in parts
            ]
        )
    return ListedComparisons(
        n_objects=first.n_objects,
        winners=np.concatenate([part.winners for part in parts]),
        losers=np.concatenate([part.losers for part in parts]),
        names=first.names,
        counts=counts,
        details=concatenate_details(
            [part.details for part in parts], [part.n_rows for part in parts]
        ),
    )


def check_chunks(
    chunks: Iterable[ListedComparisons], what: str = "chunk"
) -> Iterator[ListedComparisons]:
    """Yield the chunks; refuse what is none, and chunks about other objects than the first."""
    if isinstance(chunks, Comparisons):
        raise InputKindError(
            f"expected {what}s of comparisons, got a single one", remedy="pass [comparisons]"
        )
    objects = None
    for number, chunk in enumerate(chunks):
        if not isinstance(chunk, ListedComparisons):
            raise InputKindError(
                f"expected comparisons listed one by one, got {type(chunk).__name__}",
                where=f"{what} {number}",
            )
        objects = objects or (chunk.n_objects, chunk.names)
        if objects != (chunk.n_objects, chunk.names):
            raise InputError(
                f"expected {counted(objects[0], 'object')} with the same names as in {what} 0, got "
                f"{chunk.n_objects:,}",
                where=f"{what} {number}",
                remedy="all must be about the same objects: pass the same {names} and {n_objects} "
                "when you make them",
            )
        yield chunk
    if objects is None:
        raise InputError(f"expected at least one {what} of comparisons, got none")
