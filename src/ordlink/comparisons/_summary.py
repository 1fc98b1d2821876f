"""What a set of comparisons holds, and where it has gaps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ordlink.comparisons._listed import ListedComparisons
from ordlink.comparisons._net import count_votes
from ordlink.comparisons._pairs import n_pairs, pair_members
from ordlink.comparisons._ranked import RankedComparisons
from ordlink.typing import Int32Array

_NAMES_SHOWN = 5


@dataclass(frozen=True)
class ComparisonsSummary:
    """Objects, comparisons, repeats, contradictions and gaps of a set of comparisons.

    Attributes
    ----------
    n_objects : int
        Number of objects.
    n_answers : int
        Number of answers; an answer may be several comparisons.
    n_comparisons : int
        Number of comparisons, with repetitions.
    n_distinct : int
        Number of different pairs of pairs that were compared.
    share_of_possible : float
        n_distinct divided by the number of all pairs of pairs.
    n_repeated : int
        Comparisons beyond the first about the same pair of pairs.
    n_contradictions : int
        Pairs of pairs that were answered both ways.
    n_pairs_never_compared : int
        Pairs of objects that no comparison names.
    n_annotators : int or None
        Number of people, where known.
    never_named : tuple of str
        Names of the objects that no comparison names.
    parts : tuple of tuple of str
        Objects that comparisons link with each other, largest part first; objects never named are
        left out. Nothing is known about objects of different parts.
    """

    n_objects: int
    n_answers: int
    n_comparisons: int
    n_distinct: int
    share_of_possible: float
    n_repeated: int
    n_contradictions: int
    n_pairs_never_compared: int
    n_annotators: int | None
    never_named: tuple[str, ...]
    parts: tuple[tuple[str, ...], ...]

    def __str__(self) -> str:
        lines = [
            f"objects                 {self.n_objects:,}",
            f"answers                 {self.n_answers:,}",
            f"comparisons             {self.n_comparisons:,}"
            f" ({self.share_of_possible:.3%} of all possible)",
            f"repeated                {self.n_repeated:,}",
            f"contradictions          {self.n_contradictions:,}",
            f"pairs never compared    {self.n_pairs_never_compared:,}"
            f" of {n_pairs(self.n_objects):,}",
            f"objects never named     {_shown(self.never_named)}",
            f"connected parts         {len(self.parts)}",
        ]
        if self.n_annotators is not None:
            lines.insert(2, f"annotators              {self.n_annotators:,}")
        lines += [
            f"  part {number}: {_shown(part)}"
            for number, part in enumerate(self.parts[:_NAMES_SHOWN], start=1)
            if len(self.parts) > 1
        ]
        return "\n".join(lines)

    def warnings(self) -> list[str]:
        """Return what the user should know before trusting a tree, one sentence each."""
        found = []
        if self.n_contradictions:
            found.append(
                f"{self.n_contradictions:,} of {self.n_distinct:,} comparisons were answered both "
                "ways; the majority counts, and an exact tie counts as no answer"
            )
        if self.never_named:
            found.append(
                f"{len(self.never_named)} of {self.n_objects} objects are never compared: "
                f"{_shown(self.never_named)}; their place in the tree means nothing"
            )
        if len(self.parts) > 1:
            found.append(
                f"the objects fall into {len(self.parts)} parts that are never compared with each "
                f"other; the smallest is {_shown(self.parts[-1])}; how parts join means nothing"
            )
        return found


def summarise_listed(comparisons: ListedComparisons) -> ComparisonsSummary:
    """Return the summary of listed comparisons."""
    n_objects = comparisons.n_objects
    if comparisons.distinct:
        n_distinct, n_contradictions = comparisons.n_rows, 0
    else:
        votes = count_votes(comparisons)
        n_distinct, n_contradictions = len(votes.low), int(votes.contradicted.sum())
    possible = n_pairs(n_objects) * (n_pairs(n_objects) - 1) // 2
    compared = np.zeros(n_pairs(n_objects), dtype=bool)
    compared[comparisons.winners] = True
    compared[comparisons.losers] = True
    named = np.zeros(n_objects, dtype=bool)
    for members in pair_members(np.flatnonzero(compared), n_objects):
        named[members] = True
    details = comparisons.details
    annotators = None if details is None else details.annotators
    return ComparisonsSummary(
        n_objects=n_objects,
        n_answers=comparisons.n_answers,
        n_comparisons=comparisons.n_comparisons,
        n_distinct=n_distinct,
        share_of_possible=n_distinct / possible if possible else 0.0,
        n_repeated=comparisons.n_comparisons - n_distinct,
        n_contradictions=n_contradictions,
        n_pairs_never_compared=int((~compared).sum()),
        n_annotators=None if annotators is None else len(set(annotators.tolist()) - {""}),
        never_named=_names_of(np.flatnonzero(~named).astype(np.int32), comparisons.names),
        parts=_connected_parts(comparisons, named),
    )


def summarise_ranked(comparisons: RankedComparisons) -> ComparisonsSummary:
    """Return the summary of all comparisons of a similarity matrix."""
    n_objects = comparisons.n_objects
    possible = n_pairs(n_objects) * (n_pairs(n_objects) - 1) // 2
    n_comparisons = comparisons.n_comparisons
    everything = _names_of(np.arange(n_objects, dtype=np.int32), comparisons.names)
    return ComparisonsSummary(
        n_objects=n_objects,
        n_answers=n_comparisons,
        n_comparisons=n_comparisons,
        n_distinct=n_comparisons,
        share_of_possible=n_comparisons / possible if possible else 0.0,
        n_repeated=0,
        n_contradictions=0,
        n_pairs_never_compared=0 if n_comparisons else n_pairs(n_objects),
        n_annotators=None,
        never_named=() if n_comparisons else everything,
        parts=(everything,) if n_comparisons else (),
    )


def _connected_parts(
    comparisons: ListedComparisons, named: np.ndarray
) -> tuple[tuple[str, ...], ...]:
    """Return the groups of objects that comparisons link, largest first."""
    from ordlink.kernels.parts import link_objects

    n_objects = comparisons.n_objects
    low, high = (
        members.astype(np.int32)
        for members in pair_members(np.arange(n_pairs(n_objects)), n_objects)
    )
    part_of = link_objects(
        comparisons.winners, comparisons.losers, low, high, np.arange(n_objects, dtype=np.int32)
    )
    parts: dict[int, list[int]] = {}
    for item in np.flatnonzero(named).tolist():
        parts.setdefault(int(part_of[item]), []).append(item)
    by_size = sorted(parts.values(), key=lambda part: (-len(part), part[0]))
    return tuple(_names_of(np.array(part, dtype=np.int32), comparisons.names) for part in by_size)


def _names_of(objects: Int32Array, names: tuple[str, ...] | None) -> tuple[str, ...]:
    return tuple(str(item) if names is None else names[item] for item in objects.tolist())


def _shown(names: tuple[str, ...]) -> str:
    """Return some of the names, and how many more there are."""
    if not names:
        return "none"
    more = len(names) - _NAMES_SHOWN
    return ", ".join(names[:_NAMES_SHOWN]) + (f" and {more} more" if more > 0 else "")
