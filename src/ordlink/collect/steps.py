"""What a person can do, and what they see next."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Answer:
    """An answer to the question with this number of the person's own count."""

    number: int
    choice: tuple[int, ...]
    seconds: float = 0.0
    n_blurs: int = 0
    device: str = ""


@dataclass(frozen=True)
class Undo:
    """The wish to answer the question with this number, the last one, once more."""

    number: int


@dataclass(frozen=True)
class Continue:
    """The wish to go on from a page of text; from another phase than this it does nothing."""

    phase: str


@dataclass(frozen=True)
class Step:
    """What one person does; nothing but look, if there is no action."""

    token_hash: str
    action: Answer | Undo | Continue | None = None


@dataclass(frozen=True)
class View:
    """What a person sees.

    Attributes
    ----------
    phase : str
        instructions, practice, ready, questions, break or done.
    outcome : str or None
        How the visit ended, once it is done.
    number : int
        The person's own count of the questions shown; 0 where there is none.
    shown : tuple of int
        The objects in the order in which they stand on the screen.
    n_done, n_total : int
        Progress.
    undoable : int
        Number of the question whose answer can be undone; 0 for none.
    stored : bool
        Whether the answer that came with the step is in the database.
    """

    phase: str
    outcome: str | None = None
    number: int = 0
    shown: tuple[int, ...] = ()
    n_done: int = 0
    n_total: int = 0
    undoable: int = 0
    stored: bool = False
