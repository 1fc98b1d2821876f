"""What a set of comparisons contains, and where it has gaps."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ordlink._html import summary_html
from ordlink._typing import BoolArray, Int32Array, Int64Array, PairIdArray
from ordlink.comparisons._base import Comparisons
from ordlink.comparisons._listed import ListedComparisons, check_chunks
from ordlink.comparisons._pairs import n_pairs
from ordlink.comparisons._ranked import RankedComparisons

_NAMES_SHOWN = 5
MOST_MARKED = 1 << 28  # pairs with a byte each

MISSING = frozenset({"nan", "na", "n/a", "null", "none"})
"""What programs write for a missing value, in small letters; names of objects may be the same."""


@dataclass(frozen=True, kw_only=True)
class ChunksSummary:
    """Objects, comparisons and gaps of comparisons that come in chunks.

    Repeats and contradictions are left out: they may lie in different chunks.

    Attributes
    ----------
    n_objects, n_comparisons : int
        Number of objects, and of comparisons with repetitions.
    n_pairs_never_compared : int
        Pairs of objects that no comparison names.
    never_named : tuple of str
        Names of the objects that no comparison names.
    parts : tuple of tuple of str
        Objects that comparisons link with each other, largest part first; objects never named are
        left out. Nothing is known about objects of different parts.
    """

    n_objects: int
    n_comparisons: int
    n_pairs_never_compared: int
    never_named: tuple[str, ...]
    parts: tuple[tuple[str, ...], ...]

    def __str__(self) -> str:
        gaps = f"{self.n_pairs_never_compared:,} of {n_pairs(self.n_objects):,}"
        lines = [
            f"objects                 {self.n_objects:,}",
            *self._counts(),
            f"pairs never compared    {gaps}",
            f"objects never named     {_shown(self.never_named)}",
            f"connected parts         {len(self.parts)}",
        ]
        if len(self.parts) > 1:
            numbered = enumerate(self.parts[:_NAMES_SHOWN], start=1)
            lines += [f"  part {number}: {_shown(part)}" for number, part in numbered]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return summary_html(type(self).__name__, str(self), self.warnings())

    def _counts(self) -> list[str]:
        return [f"comparisons             {self.n_comparisons:,}"]

    def warnings(self) -> list[str]:
        """Return what the user should know before trusting a tree, one sentence each."""
        return _warn_of_gaps(self.never_named, self.parts, self.n_objects)


@dataclass(frozen=True, kw_only=True)
class ComparisonsSummary(ChunksSummary):
    """Objects, comparisons, repeats, contradictions and gaps of a set of comparisons.

    Attributes
    ----------
    n_objects, n_comparisons, n_pairs_never_compared, never_named, parts
        As in :class:`ChunksSummary`.
    n_answers : int
        Number of answers; an answer may be several comparisons.
    n_distinct, share_of_possible : int, float
        Number of different pairs of pairs that were compared, and their share of all.
    n_repeated : int
        Comparisons beyond the first about the same pair of pairs.
    n_contradictions : int
        Pairs of pairs that were answered both ways.
    n_annotators : int or None
        Number of annotators, where known.
    """

    n_answers: int
    n_distinct: int
    share_of_possible: float
    n_repeated: int
    n_contradictions: int
    n_annotators: int | None

    def _counts(self) -> list[str]:
        annotators = self.n_annotators
        return [
            f"answers                 {self.n_answers:,}",
            *([] if annotators is None else [f"annotators              {annotators:,}"]),
            f"comparisons             {self.n_comparisons:,}"
            f" ({self.share_of_possible:.3%} of all possible)",
            f"repeated                {self.n_repeated:,}",
            f"contradictions          {self.n_contradictions:,}",
        ]

    def warnings(self) -> list[str]:
        """Return what the user should know before trusting a tree, one sentence each."""
        contradictions = _warn_of_contradictions(self.n_contradictions, self.n_distinct)
        return contradictions + super().warnings()


def summarise_chunks(chunks: Iterable[ListedComparisons]) -> ChunksSummary:
    """Return a summary of comparisons in chunks, in one pass over them.

    Parameters
    ----------
    chunks : iterable of ListedComparisons
        All about the same objects, e.g. from :func:`ordlink.read_in_chunks`.

    Examples
    --------
    >>> from ordlink.comparisons import Comparisons
    >>> chunk = Comparisons.from_triplets([[0, 1, 2]], n_objects=4)
    >>> summary = summarise_chunks([chunk, chunk])
    >>> summary.n_comparisons, summary.never_named
    (2, ('3',))
    """
    from ordlink.comparisons._kernels_parts import link_objects

    first = None
    n_comparisons = 0
    for chunk in check_chunks(chunks):
        if first is None:
            first = chunk[:0]
            compared = PairSet(n_pairs(chunk.n_objects))
            part_of = np.arange(chunk.n_objects, dtype=np.int32)
        n_comparisons += chunk.n_comparisons
        compared.add(chunk.winners, chunk.losers)
        if part_of.any():  # otherwise all objects are linked already
            part_of = link_objects(chunk.winners, chunk.losers, part_of)
    assert first is not None  # narrows the type: there is at least one chunk
    never_named, parts = _find_gaps(part_of, first.names, anything=n_comparisons > 0)
    return ChunksSummary(
        n_objects=first.n_objects,
        n_comparisons=n_comparisons,
        n_pairs_never_compared=n_pairs(first.n_objects) - len(compared),
        never_named=never_named,
        parts=parts,
    )


def summarise(comparisons: Comparisons) -> ComparisonsSummary:
    """Return the summary of listed or ranked comparisons."""
    if isinstance(comparisons, RankedComparisons):
        return _summarise_ranked(comparisons)
    assert isinstance(comparisons, ListedComparisons)  # narrows the type: there are two kinds
    tally = comparisons.tally
    details = comparisons.details
    annotators = None if details is None else details.annotators
    return ComparisonsSummary(
        **vars(summarise_chunks([comparisons])),
        n_answers=comparisons.n_answers,
        n_distinct=tally.n_distinct,
        share_of_possible=_share_of_possible(tally.n_distinct, comparisons.n_objects),
        n_repeated=comparisons.n_comparisons - tally.n_distinct,
        n_contradictions=tally.n_contradictions,
        n_annotators=None if annotators is None else len(set(annotators.tolist()) - {""}),
    )


def warn_of_listed(comparisons: ListedComparisons) -> list[str]:
    """Return the warnings of the summary without the rest of it."""
    tally = comparisons.tally
    gaps = _find_gaps(find_parts(comparisons), comparisons.names, anything=comparisons.n_rows > 0)
    return [
        *_warn_of_contradictions(tally.n_contradictions, tally.n_distinct),
        *_warn_of_gaps(*gaps, comparisons.n_objects),
    ]


def _summarise_ranked(comparisons: RankedComparisons) -> ComparisonsSummary:
    n_objects, n_comparisons = comparisons.n_objects, comparisons.n_comparisons
    everything = _names_of(range(n_objects), comparisons.names)
    return ComparisonsSummary(
        n_objects=n_objects,
        n_answers=n_comparisons,
        n_comparisons=n_comparisons,
        n_distinct=n_comparisons,
        share_of_possible=_share_of_possible(n_comparisons, n_objects),
        n_repeated=0,
        n_contradictions=0,
        n_pairs_never_compared=0 if n_comparisons else n_pairs(n_objects),
        n_annotators=None,
        never_named=() if n_comparisons else everything,
        parts=(everything,) if n_comparisons else (),
    )


def find_named(comparisons: ListedComparisons) -> Int64Array:
    """Return the objects that some comparison names, in increasing order."""
    from ordlink.comparisons._kernels_parts import mark_named

    named = np.zeros(comparisons.n_objects, dtype=bool)
    mark_named(comparisons.winners, comparisons.losers, named)
    return np.flatnonzero(named).astype(np.int64)


def find_parts(comparisons: ListedComparisons) -> Int32Array:
    """Return the part of each object, as a number; comparisons link all objects that they name."""
    from ordlink.comparisons._kernels_parts import link_objects

    single = np.arange(comparisons.n_objects, dtype=np.int32)
    return link_objects(comparisons.winners, comparisons.losers, single)


class PairSet:
    """A growing set of pair ids: a Boolean mask, or a sorted array if there are many pairs."""

    def __init__(self, n: int) -> None:
        self._marks = np.zeros(n, dtype=bool) if n <= MOST_MARKED else None
        self._listed: Int64Array = np.empty(0, dtype=np.int64)

    def add(self, *ids: PairIdArray) -> None:
        """Add pairs."""
        for some in ids:
            if self._marks is not None:
                self._marks[some] = True
            else:
                self._listed = np.union1d(self._listed, some)

    def __len__(self) -> int:
        return len(self._listed) if self._marks is None else int(self._marks.sum())


def _share_of_possible(n_distinct: int, n_objects: int) -> float:
    possible = n_pairs(n_objects) * (n_pairs(n_objects) - 1) // 2
    return n_distinct / possible if possible else 0.0


def _find_gaps(
    part_of: Int32Array, names: tuple[str, ...] | None, *, anything: bool
) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Return the objects never named and the groups that comparisons link, largest first.

    `part_of` is the smallest object of each object's part, `anything` whether there are rows.
    """
    n_objects = len(part_of)
    if anything and not part_of.any():  # one part, and the rest was not even read
        return (), (_names_of(range(n_objects), names),)
    # Every comparison links at least three objects: who is a part by itself was never named.
    alone: BoolArray = np.bincount(part_of, minlength=n_objects)[part_of] == 1
    parts: dict[int, list[int]] = {}
    for item in np.flatnonzero(~alone).tolist():
        parts.setdefault(int(part_of[item]), []).append(item)
    by_size = sorted(parts.values(), key=lambda part: (-len(part), part[0]))
    return _names_of(np.flatnonzero(alone).tolist(), names), tuple(
        _names_of(part, names) for part in by_size
    )


def _warn_of_contradictions(n_contradictions: int, n_distinct: int) -> list[str]:
    if not n_contradictions:
        return []
    return [
        f"{n_contradictions:,} of {n_distinct:,} comparisons were answered both ways; the majority "
        "counts, and an exact tie counts as no answer"
    ]


def _warn_of_gaps(
    never_named: tuple[str, ...], parts: tuple[tuple[str, ...], ...], n_objects: int
) -> list[str]:
    found = []
    if never_named:
        found.append(
            f"{len(never_named)} of {n_objects} objects are never compared: "
            f"{_shown(never_named)}; their position in the tree is arbitrary"
        )
    if len(parts) > 1:
        found.append(
            f"the objects fall into {len(parts)} parts that are never compared with each other; "
            f"the smallest is {_shown(parts[-1])}; how these parts join is arbitrary"
        )
    missing = [name for part in parts for name in part if name.casefold() in MISSING]
    if missing:
        found.append(
            f"an object is called {missing[0]!r}; if that stands for a missing value, remove the "
            "answers that name it"
        )
    return found


def _names_of(objects: Iterable[int], names: tuple[str, ...] | None) -> tuple[str, ...]:
    return tuple(str(item) if names is None else names[item] for item in objects)


def _shown(names: tuple[str, ...]) -> str:
    """Return some of the names, and how many more there are."""
    more = len(names) - _NAMES_SHOWN
    shown = ", ".join(names[:_NAMES_SHOWN]) or "none"
    return shown + (f" and {more} more" if more > 0 else "")
