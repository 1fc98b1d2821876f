"""What can go wrong: where, which parameter, what was expected and got, and the remedy.

The command line prints the message of an :class:`OrdlinkError`, with its flags instead of parameter
names, and exits with code 2.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from string import Formatter
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from ordlink.comparisons import Comparisons

ParameterNamer: TypeAlias = Callable[[str, str], str]
"""From a parameter and the text of a value ("" for none) to the words for it."""


def python_argument(parameter: str, value: str) -> str:
    """Return a parameter as it is written in Python: "n_objects=60", or "n_objects" alone."""
    return f"{parameter}={value}" if value else parameter


class OrdlinkError(Exception):
    """Base of all errors that ordlink raises on purpose.

    The message is "where: parameter: problem; remedy", without any parts that are missing.

    Parameters
    ----------
    problem : str
        What was expected and what was found, without a capital or a full stop.
    where : str, optional
        Where the problem is, e.g. "answers.csv, row 17".
    parameter : str, optional
        Name of the argument that is wrong.
    remedy : str, optional
        What to do. Parameters stand in braces, so that each caller can name them as the user knows
        them: ``"pass {n_objects:60} or {one_based:True}"``.

    Examples
    --------
    >>> print(InputError("got -1", parameter="n_objects", remedy="pass {n_objects:60}"))
    n_objects: got -1; pass n_objects=60
    """

    def __init__(
        self,
        problem: str,
        *,
        where: str | None = None,
        parameter: str | None = None,
        remedy: str | None = None,
    ) -> None:
        super().__init__(problem)
        self.where = where
        self.parameter = parameter
        self.remedy = remedy

    @property
    def problem(self) -> str:
        """What was expected and what was found."""
        return str(self.args[0])

    def render(self, name_parameter: ParameterNamer) -> str:
        """Return the message with parameters in the caller's words."""
        parameter = name_parameter(self.parameter, "") if self.parameter else None
        message = ": ".join(part for part in (self.where, parameter, self.problem) if part)
        if not self.remedy:
            return message
        return f"{message}; {_Remedy(name_parameter).format(self.remedy)}"

    def __str__(self) -> str:
        return self.render(python_argument)


class _Remedy(Formatter):
    """Replaces the braces of a remedy by the caller's words for the parameters in them."""

    def __init__(self, name_parameter: ParameterNamer) -> None:
        self._name_parameter = name_parameter

    def get_value(self, key: Any, args: Any, kwargs: Any) -> Any:
        return key

    def format_field(self, value: Any, format_spec: str) -> str:
        return self._name_parameter(value, format_spec)


class InputError(OrdlinkError, ValueError):
    """The content of the input is wrong: a row, a name, a number, a file."""


class TooFewAnswersError(InputError):
    """There are too few answers for this computation."""


class InputKindError(OrdlinkError, TypeError):
    """The input is of the wrong kind: an oracle where answers are needed, and the like."""


class MissingDependencyError(OrdlinkError, ImportError):
    """An optional package is needed for this and is not installed."""


class MissingDataError(OrdlinkError, OSError):
    """A public data set is not in the data folder and could not be downloaded."""


class BudgetExhaustedError(OrdlinkError, RuntimeError):
    """An oracle reached its budget of questions; the answers so far are in `comparisons`.

    Attributes
    ----------
    comparisons : Comparisons
        All answers that were given before the budget ran out.
    n_questions : int
        Number of distinct questions asked.
    """

    def __init__(self, problem: str, *, comparisons: Comparisons, n_questions: int) -> None:
        super().__init__(problem)
        self.comparisons = comparisons
        self.n_questions = n_questions

    def __reduce__(self) -> tuple[Any, ...]:
        known: Any = {"comparisons": self.comparisons, "n_questions": self.n_questions}
        return partial(BudgetExhaustedError, **known), (self.problem,)


class NotEnoughMemoryError(OrdlinkError, MemoryError):
    """A method needs more memory than there is."""


class WorkerError(OrdlinkError, RuntimeError):
    """Worker processes died again and again."""


class OracleError(OrdlinkError, RuntimeError):
    """An oracle could not answer; a :class:`~ordlink.oracles.ConcurrentOracle` tries again.

    Attributes
    ----------
    retry_after : float or None
        Seconds to wait before anything is asked again, if the oracle says so.
    """

    retry_after: float | None = None


class OrdlinkWarning(UserWarning):
    """Something that the user should know although a tree can be built."""


class ConvergenceWarning(OrdlinkWarning):
    """An iteration stopped before it converged."""
