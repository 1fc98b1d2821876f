"""Answers that people gave, with what is known about the objects and where they come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from ordlink._typing import AnyArray, LabelArray
from ordlink.comparisons import ListedComparisons
from ordlink.datasets._sources import Source


@dataclass(frozen=True, eq=False)
class AnswerSet:
    """Answers of people, as the `fetch_...` functions return them.

    Attributes
    ----------
    comparisons : ListedComparisons
        What the answers say; `comparisons.details` has who answered and how long it took, where
        known.
    names : tuple of str
        Name of each object.
    classes : ndarray of shape (n_objects,), dtype intp, or None
        A known class of each object, an index into `class_names`; read-only.
    class_names : tuple of str
        Name of each class; empty where none are known.
    pictures : tuple of Path or None
        A picture of each object.
    answer_columns : mapping of str to ndarray of shape (n_answers,)
        What else the source tells of each answer, in the order of the answers.
    description, citation, terms : str
        What it is, what to cite, and under which terms it may be used.
    """

    comparisons: ListedComparisons
    names: tuple[str, ...]
    classes: LabelArray | None
    class_names: tuple[str, ...]
    pictures: tuple[Path, ...] | None
    description: str
    citation: str
    terms: str
    answer_columns: Mapping[str, AnyArray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        columns = dict(self.answer_columns)
        for array in (self.classes, *columns.values()):
            if array is not None:
                array.flags.writeable = False
        object.__setattr__(self, "answer_columns", MappingProxyType(columns))

    @property
    def n_objects(self) -> int:
        """Number of objects."""
        return len(self.names)


def make_answer_set(
    source: Source,
    comparisons: ListedComparisons,
    names: tuple[str, ...],
    *,
    classes: LabelArray | None = None,
    class_names: tuple[str, ...] = (),
    pictures: tuple[Path, ...] | None = None,
    answer_columns: Mapping[str, AnyArray] | None = None,
) -> AnswerSet:
    """Return a set of answers with the description, citation and terms of its source."""
    return AnswerSet(
        comparisons=comparisons,
        names=names,
        classes=classes,
        class_names=class_names,
        pictures=pictures,
        description=source.description,
        citation=source.citation,
        terms=source.terms,
        answer_columns=answer_columns or {},
    )
