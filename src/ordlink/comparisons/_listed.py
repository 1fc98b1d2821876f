"""Comparisons listed one by one, and how often each pair of pairs was answered each way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ordlink._text import counted
from ordlink._typing import AnyArray, BoolArray, Int32Array, Int64Array, PairIdArray
from ordlink._validate import Seed, check_objects, random_generator
from ordlink.comparisons._base import AnswerDetails, Comparisons, FrozenArrays, concatenate_details
from ordlink.comparisons._pairs import check_n_objects, n_pairs, pair_ids, pair_members
from ordlink.errors import InputError, InputKindError

ROWS_PER_THREAD = 500_000
MANY_PAIRS = 1 << 20  # tables with a place for each pair are small up to this


@dataclass(frozen=True)
class Majority:
    """The pairs of pairs that the votes decide; `net` None means 1 each."""

    winners: PairIdArray
    losers: PairIdArray
    net: Int32Array | Int64Array | None


@dataclass(frozen=True)
class Tally:
    """The outcome of the votes on comparisons."""

    n_distinct: int
    n_contradictions: int = 0
    majority: Majority | None = None


def tally_votes(
    winners: PairIdArray, losers: PairIdArray, counts: Int32Array | None, n_objects: int
) -> Tally:
    """Return the outcome of the votes, in O(n_rows + E); sorted rows take a single pass.

    If there are many more pairs than rows, only rows that share a hash value are looked at.
    """
    from ordlink.comparisons._kernels_votes import are_in_order

    if are_in_order(winners, losers):
        return Tally(len(winners))
    n = n_pairs(n_objects)
    if n <= max(MANY_PAIRS, len(winners)):
        return _tally_by_pair(winners, losers, counts, n)
    again = _may_repeat(winners, losers)
    if not again.any():
        return Tally(len(winners))
    ids, numbers = np.unique([winners[again], losers[again]], return_inverse=True)
    some_counts = None if counts is None else counts[again]
    ahead, behind = numbers.astype(np.int32)
    found = _tally_by_pair(ahead, behind, some_counts, len(ids))
    n_distinct = found.n_distinct + int((~again).sum())
    if found.majority is None:
        return Tally(n_distinct)
    decided = Majority(
        np.concatenate([winners[~again], ids[found.majority.winners]]),
        np.concatenate([losers[~again], ids[found.majority.losers]]),
        _joined_counts(counts, again, found.majority),
    )
    return Tally(n_distinct, found.n_contradictions, decided)


def _may_repeat(winners: PairIdArray, losers: PairIdArray) -> BoolArray:
    """Mark the rows whose pair of pairs has the same hash value as that of another row."""
    from ordlink.comparisons._kernels_votes import hash_rows

    hashes = hash_rows(winners, losers)
    in_order = np.sort(hashes)
    repeated = np.unique(in_order[1:][in_order[1:] == in_order[:-1]])
    del in_order
    return np.isin(hashes, repeated) if len(repeated) else np.zeros(len(hashes), dtype=bool)


def _joined_counts(
    counts: Int32Array | None, again: BoolArray, majority: Majority
) -> Int32Array | Int64Array | None:
    """Return the counts of the rows that are not repeated, then the net counts of the others."""
    if counts is None and majority.net is None:
        return None
    once = np.ones(int((~again).sum()), dtype=np.int32) if counts is None else counts[~again]
    net = np.ones(len(majority.winners), np.int32) if majority.net is None else majority.net
    return np.concatenate([once, net])


def _tally_by_pair(
    winners: PairIdArray, losers: PairIdArray, counts: Int32Array | None, n: int
) -> Tally:
    """Return the outcome of the votes on n pairs; those decided are sorted by (low, high)."""
    from ordlink._threads import run_parts, split_range
    from ordlink.comparisons._kernels_votes import add_up_votes

    n_rows = len(winners)
    starts, packed = _fill_buckets(winners, losers, counts, n)
    count_bits = 0 if counts is None else 32
    parts = split_range(n_rows, smallest=ROWS_PER_THREAD)  # whole buckets, about as many rows
    edges = [0, *(int(np.searchsorted(starts, part.start)) for part in parts[1:]), n]
    nothing = np.empty(0, dtype=np.int32)
    found = np.zeros((len(parts), 4), dtype=np.int64)

    def add_up(part: int, *decided: AnyArray) -> None:
        first, last = edges[part], edges[part + 1]
        seen, balance = np.zeros(n, dtype=np.int8), np.zeros(n, dtype=np.int64)
        touched = np.empty(n, dtype=np.int32)
        scratch = (seen, balance, touched)
        found[part] = add_up_votes(first, last, starts, packed, count_bits, *scratch, *decided)

    run_parts(lambda part: add_up(part, nothing, nothing, nothing), len(parts))
    n_distinct, n_decided, n_contradictions, _ = (int(total) for total in found.sum(axis=0))
    largest = int(found[:, 3].max())
    if n_distinct == n_rows:
        return Tally(n_rows)
    ahead, behind = (np.empty(n_decided, dtype=np.int32) for _ in range(2))
    net: AnyArray = nothing
    if largest > 1:
        net = np.empty(n_decided, dtype=np.int32 if largest < 2**31 else np.int64)
    ends = np.cumsum(found[:, 1])

    def write(part: int) -> None:
        own = slice(ends[part] - found[part, 1], ends[part])
        if own.start < own.stop:
            add_up(part, ahead[own], behind[own], net[own])

    run_parts(write, len(parts))
    majority = Majority(ahead, behind, net if largest > 1 else None)
    return Tally(n_distinct, n_contradictions, majority)


def _fill_buckets(
    winners: Int32Array, losers: Int32Array, counts: Int32Array | None, n_buckets: int
) -> tuple[Int64Array, AnyArray]:
    """Return where each bucket starts, and the packed rows bucket by bucket."""
    from ordlink._threads import run_parts, split_range
    from ordlink.comparisons._kernels_votes import count_lower, pack_counted_rows, pack_rows

    parts = split_range(len(winners), smallest=ROWS_PER_THREAD)
    sizes = np.zeros((len(parts), n_buckets), dtype=np.int64)
    run_parts(
        lambda number: count_lower(winners[parts[number]], losers[parts[number]], sizes[number]),
        len(parts),
    )
    starts = np.zeros(n_buckets + 1, dtype=np.int64)
    np.cumsum(sizes.sum(axis=0), out=starts[1:])
    place = starts[:-1] + np.cumsum(sizes, axis=0) - sizes  # each part behind those before it
    packed = np.empty(len(winners), dtype=np.uint32 if counts is None else np.uint64)

    def pack(number: int) -> None:
        part = parts[number]
        if counts is None:
            pack_rows(winners[part], losers[part], place[number], packed)
        else:
            pack_counted_rows(winners[part], losers[part], counts[part], place[number], packed)

    run_parts(pack, len(parts))
    return starts, packed


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ListedComparisons(FrozenArrays, Comparisons):
    """Comparisons listed one by one, as ids of the winning and the losing pair.

    Usually made by one of the methods of :class:`Comparisons`. ``comparisons[rows]`` takes a slice,
    a mask or an array of row numbers, so that scikit-learn can split them.

    Attributes
    ----------
    n_objects : int
        Number of objects N.
    winners, losers : ndarray of shape (n_rows,), dtype int32
        Pair ids: the winner is the more similar pair. For more than 65,535 objects, dtype int64.
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
    winners: PairIdArray
    losers: PairIdArray
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
        i, j = pair_members(self.winners, self.n_objects)
        k, l = pair_members(self.losers, self.n_objects)  # noqa: E741 - the paper's letters
        return np.stack([i, j, k, l], axis=1)

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
        """The votes on each pair of pairs; computed once and cached."""
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
            known = "comparisons are taken by a slice, a mask or an array of row numbers"
            remedy = "comparisons.quadruplets lists the rows one by one"
            raise InputKindError(f"{known}, got {type(rows).__name__}", remedy=remedy)
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
        return replace(
            self,
            winners=self.winners[rows],
            losers=self.losers[rows],
            counts=None if self.counts is None else self.counts[rows],
            details=None if self.details is None else self.details.take(rows),
            distinct=self.distinct and rows.dtype == bool,
        )

    def subset(self, objects: Sequence[int] | AnyArray) -> ListedComparisons:
        """Return the comparisons among these objects alone, renumbered in the given order."""
        kept = check_objects(objects, self.n_objects, "objects")
        new_number = np.full(self.n_objects, -1, dtype=np.int32)
        new_number[kept] = np.arange(len(kept), dtype=np.int32)
        renumbered = new_number[self.quadruplets]
        inside = np.all(renumbered >= 0, axis=1)
        i, j, k, l = renumbered[inside].T  # noqa: E741 - the paper's letters
        return replace(
            self.take(inside),
            n_objects=len(kept),
            winners=pair_ids(i, j, len(kept)),
            losers=pair_ids(k, l, len(kept)),
            names=None if self.names is None else tuple(self.names[o] for o in kept),
        )

    def split(
        self, test_share: float = 0.2, *, seed: Seed = 0
    ) -> tuple[ListedComparisons, ListedComparisons]:
        """Return (train, test) with whole answers in one or the other.

        `test_share` is the share of the answers in the test part; `seed` seeds the draw.
        """
        if not 0 < test_share < 1:
            problem = f"expected a share between 0 and 1, got {test_share}"
            raise InputError(problem, parameter="test_share")
        answers, answer_of_row = np.unique(self.answer_ids, return_inverse=True)
        n_test = round(test_share * len(answers))
        chosen = np.zeros(len(answers), dtype=bool)
        chosen[random_generator(seed).permutation(len(answers))[:n_test]] = True
        in_test = chosen[answer_of_row]
        return self.take(~in_test), self.take(in_test)

    def warnings(self) -> list[str]:
        """Return the warnings of the summary, without computing the rest of it."""
        from ordlink.comparisons._summary import warn_of_listed

        return warn_of_listed(self)


def concatenate(parts: Sequence[ListedComparisons]) -> ListedComparisons:
    """Return the comparisons of all parts, which must be about the same objects."""
    parts = list(check_chunks(parts, "part"))
    first = parts[0]
    counts = None
    if any(part.counts is not None for part in parts):
        # With no counts, each row was answered once.
        counts = np.concatenate([np.broadcast_to(p._counts_or_1, p.n_rows) for p in parts])
    return ListedComparisons(
        n_objects=first.n_objects,
        winners=np.concatenate([part.winners for part in parts]),
        losers=np.concatenate([part.losers for part in parts]),
        names=first.names,
        counts=counts,
        details=concatenate_details([(part.details, part.n_rows) for part in parts]),
    )


def check_chunks(
    chunks: Iterable[ListedComparisons], what: str = "chunk"
) -> Iterator[ListedComparisons]:
    """Yield the chunks; refuse anything else, and chunks about different objects."""
    if isinstance(chunks, Comparisons):
        problem = f"expected {what}s of comparisons, got a single one"
        raise InputKindError(problem, remedy="pass [comparisons]")
    objects = None
    for number, chunk in enumerate(chunks):
        if not isinstance(chunk, ListedComparisons):
            raise InputKindError(
                f"expected comparisons listed one by one, got {type(chunk).__name__}",
                where=f"{what} {number}",
            )
        objects = objects or (chunk.n_objects, chunk.names)
        if objects != (chunk.n_objects, chunk.names):
            expected = f"{counted(objects[0], 'object')} with the same names as in {what} 0"
            problem = f"expected {expected}, got {chunk.n_objects:,}"
            remedy = "all must be about the same objects: pass the same {names} and {n_objects}"
            raise InputError(problem, where=f"{what} {number}", remedy=remedy)
        yield chunk
    if objects is None:
        raise InputError(f"expected at least one {what} of comparisons, got none")
