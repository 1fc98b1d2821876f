"""What a sampler may know, and what it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ordlink.collect.questions import QuestionType
from ordlink.collect.samplers._drawn import DrawnQuestion
from ordlink.comparisons import ListedComparisons


@dataclass(frozen=True)
class Known:
    """The state of a study, as a sampler sees it.

    Attributes
    ----------
    kind : QuestionType
    n_objects : int
    comparisons : ListedComparisons
        What the answers say so far.
    answers : tuple of (shown, choice)
        The answers themselves, "can't tell" included.
    n_people : int
        How many people each question is shown to.
    waiting : set of tuple of int
        Objects of the questions that were drawn before and still wait for answers.
    method : str
        How the study's tree is built.
    """

    kind: QuestionType
    n_objects: int
    comparisons: ListedComparisons
    answers: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = ()
    n_people: int = 1
    waiting: set[tuple[int, ...]] = field(default_factory=set)
    method: str = "tSTE-AL"


Sampler = Callable[[Known, int, np.random.Generator], list[DrawnQuestion]]
"""From what is known and a number of questions to at most that many questions."""
