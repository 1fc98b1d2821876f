"""What a sampler gives: questions, each with its reason, and what is needed to draw them again."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class DrawnQuestion:
    """Objects to ask about, and why.

    Attributes
    ----------
    objects : tuple of int
        In the order of the question type; sides are drawn when it is shown.
    reason : str
        Why this question, in a few words.
    """

    objects: tuple[int, ...]
    reason: str


@dataclass(frozen=True)
class Drawn:
    """Questions that were drawn together.

    The same sampler, seed, number of questions, answers (up to `last_answer`) and earlier draws (up
    to `last_draw`) give the same questions again.

    Attributes
    ----------
    sampler : str
    seed : int
    last_answer : int
        Number of the last answer that the sampler knew; 0 for none.
    last_draw : int
        Number of the last draw that the sampler knew; 0 for none.
    questions : tuple of DrawnQuestion
    """

    sampler: str
    seed: int
    last_answer: int
    last_draw: int
    questions: tuple[DrawnQuestion, ...]
