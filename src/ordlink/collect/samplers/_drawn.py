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
    n_people : int or None
        For a question of a plan: how many answers to it are missing. None for all others, which
        are shown to as many people as the study says.
    """

    objects: tuple[int, ...]
    reason: str
    n_people: int | None = None


@dataclass(frozen=True)
class Knew:
    """What a sampler knew besides the numbers in :class:`Drawn`, noted so that it can be found.

    Attributes
    ----------
    revision : int
        Of the study: which answers were undone and which people excluded by then.
    n_answers : int
        Answers that the sampler knew.
    waiting : str
        For a plan, the numbers of the questions that were asked and not yet answered, as written by
        :func:`ordlink.collect.draws.write_numbers`.
    """

    revision: int
    n_answers: int
    waiting: str = ""


@dataclass(frozen=True)
class Drawn:
    """Questions that were drawn together.

    The same sampler, seed, number of questions, answers (up to `last_answer`, as they were) and
    waiting questions give the same questions again; see :func:`ordlink.collect.replay.replay_draw`.

    Attributes
    ----------
    sampler : str
    seed : int
    last_answer : int
        Number of the last answer that the sampler knew; 0 for none.
    last_draw : int
        Number of the last draw of this sampler that it knew; 0 for none.
    questions : tuple of DrawnQuestion
    knew : Knew or None
        None for questions that were drawn at random at once, whatever was known.
    """

    sampler: str
    seed: int
    last_answer: int
    last_draw: int
    questions: tuple[DrawnQuestion, ...]
    knew: Knew | None = None
