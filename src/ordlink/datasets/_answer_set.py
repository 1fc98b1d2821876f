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
    source : Source
        Where they come from; its description, citation and terms are also attributes of this.
    comparisons : ListedComparisons
        `comparisons.details` has the annotators and response times, where known.
    classes : ndarray of shape (n_objects,), dtype intp, or None
        A known class of each object, an index into `class_names`; read-only.
    class_names : tuple of str
        Empty where no classes are known.
    pictures : tuple of Path or None
        A picture of each object.
    answer_columns : mapping of str to ndarray of shape (n_answers,)
        Other columns of the source, in the order of the answers.
    """

    source: Source
    comparisons: ListedComparisons
    classes: LabelArray | None = None
    class_names: tuple[str, ...] = ()
    pictures: tuple[Path, ...] | None = None
    answer_columns: Mapping[str, AnyArray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        columns = dict(self.answer_columns)
        for array in (self.classes, *columns.values()):
            if array is not None:
                array.flags.writeable = False
        object.__setattr__(self, "answer_columns", MappingProxyType(columns))

    @property
    def names(self) -> tuple[str, ...]:
        """Name of each object."""
        return self.comparisons.names or ()

    @property
    def n_objects(self) -> int:
        """Number of objects."""
        return self.comparisons.n_objects

    @property
    def description(self) -> str:
        """What it is."""
        return self.source.description

    @property
    def citation(self) -> str:
        """What to cite."""
        return self.source.citation

    @property
    def terms(self) -> str:
        """Under which terms it may be used."""
        return self.source.terms
