"""Comparisons that come in chunks, since they do not fit into memory all at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from ordlink.comparisons._listed import ListedComparisons
from ordlink.comparisons._pairs import n_pairs, pair_members
from ordlink.comparisons._summary import describe_gaps, find_gaps, warn_of_gaps
from ordlink.errors import InputError, InputKindError


@dataclass(frozen=True)
class ChunksSummary:
    """Objects, comparisons and gaps of comparisons that come in chunks.

    Repeats and contradictions are left out: they may lie in different chunks.

    Attributes
    ----------
    n_objects : int
        Number of objects.
    n_comparisons : int
        Number of comparisons, with repetitions.
    n_pairs_never_compared : int
        Pairs of objects that no comparison names.
    never_named : tuple of str
        Names of the objects that no comparison names.
    parts : tuple of tuple of str
        Objects that comparisons link with each other, largest part first; objects never named are
        left out.
    """

    n_objects: int
    n_comparisons: int
    n_pairs_never_compared: int
    never_named: tuple[str, ...]
    parts: tuple[tuple[str, ...], ...]

    def __str__(self) -> str:
        return "\n".join(
            [
                f"objects                 {self.n_objects:,}",
                f"comparisons             {self.n_comparisons:,}",
                *describe_gaps(
                    self.n_objects, self.n_pairs_never_compared, self.never_named, self.parts
                ),
            ]
        )

    def warnings(self) -> list[str]:
        """Return what the user should know before trusting a tree, one sentence each."""
        return warn_of_gaps(self.never_named, self.parts, self.n_objects)


def summarise_chunks(chunks: Iterable[ListedComparisons]) -> ChunksSummary:
    """Return what comparisons in chunks hold, in one go over them.

    Parameters
    ----------
    chunks : iterable of ListedComparisons
        All about the same objects, e.g. from :func:`ordlink.read_in_chunks`.

    Raises
    ------
    InputError
        If there is no chunk, or one is about other objects.

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
            low, high = pair_members(np.arange(n_pairs(chunk.n_objects)), chunk.n_objects)
            compared = np.zeros(len(low), dtype=bool)
            part_of = np.arange(chunk.n_objects, dtype=np.int32)
        n_comparisons += chunk.n_comparisons
        compared[chunk.winners] = True
        compared[chunk.losers] = True
        if part_of.any():  # otherwise all objects are linked already
            part_of = link_objects(chunk.winners, chunk.losers, low, high, part_of)
    assert first is not None  # narrows the type: there is at least one chunk
    never_named, parts = find_gaps(part_of, first.names, anything=n_comparisons > 0)
    return ChunksSummary(
        n_objects=first.n_objects,
        n_comparisons=n_comparisons,
        n_pairs_never_compared=int((~compared).sum()),
        never_named=never_named,
        parts=parts,
    )


def check_chunks(chunks: Iterable[ListedComparisons]) -> Iterator[ListedComparisons]:
    """Yield the chunks; refuse what is none, and chunks about other objects than the first."""
    if isinstance(chunks, ListedComparisons):
        raise InputKindError("expected chunks of comparisons, got a single one; pass [comparisons]")
    objects = None
    for number, chunk in enumerate(chunks):
        if not isinstance(chunk, ListedComparisons):
            raise InputKindError(
                f"chunk {number}: expected comparisons listed one by one, got "
                f"{type(chunk).__name__}"
            )
        objects = objects or (chunk.n_objects, chunk.names)
        if objects != (chunk.n_objects, chunk.names):
            raise InputError(
                f"chunk {number}: expected {objects[0]} objects with the same names as in chunk 0, "
                f"got {chunk.n_objects}; pass the same names and n_objects when you make them"
            )
        yield chunk
    if objects is None:
        raise InputError("expected at least one chunk of comparisons, got none")
