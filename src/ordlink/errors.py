"""What can go wrong, in the user's words.

Every message names where the problem is, what was expected and what to do about it. The command
line prints the message of an :class:`OrdlinkError` and exits with code 2.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ordlink.comparisons import Comparisons


class OrdlinkError(Exception):
    """Base of all errors that ordlink raises on purpose."""


class InputError(OrdlinkError, ValueError):
    """The content of the input is wrong: a row, a name, a number, a file."""


class TooFewAnswersError(InputError):
    """There are fewer answers than this takes."""


class InputKindError(OrdlinkError, TypeError):
    """The input is of the wrong kind: an oracle where answers are needed, and the like."""


class MissingDependencyError(OrdlinkError, ImportError):
    """An optional package is needed for this and is not installed."""


class MissingDataError(OrdlinkError, OSError):
    """Data of others is not in the data folder and could not be downloaded."""


class BudgetExhaustedError(OrdlinkError, RuntimeError):
    """An oracle reached its budget of questions; what was learnt is in `comparisons`.

    Attributes
    ----------
    comparisons : Comparisons
        All answers that were given before the budget ran out.
    n_questions : int
        Number of distinct questions asked.
    """

    def __init__(self, message: str, *, comparisons: Comparisons, n_questions: int) -> None:
        super().__init__(message)
        self.comparisons = comparisons
        self.n_questions = n_questions

    def __reduce__(self) -> tuple[Any, ...]:
        make = partial(
            type(self), comparisons=self.comparisons, n_questions=self.n_questions
        )  # pickle passes the message alone
        return make, self.args


class OrdlinkWarning(UserWarning):
    """Something that the user should know, though a tree can be built."""
