"""Words of messages: the library speaks of arguments, the command line of options."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence

LONGEST_CELL = 60
"""Letters of a cell that messages show."""

_ARGUMENTS = "form|columns|one_based|n_objects|names|header|repeats|skip_repeated|data_home"
_REPLACEMENTS = (
    # "one_based=True (--one-based)" -> "--one-based"
    (rf"(?<!their )\b(?:{_ARGUMENTS})(?:=\S*)? \((--[^)]*)\)", r"\1"),
    (r"\bpass format=", "pass --format"),
    (r"\bheader=True\b", "--header"),
    (r"leave out header\b", "leave out --no-header"),
    (r"\bn_objects=(\d+)", r"--n-objects \1"),
    (r"^(depth|mean|gap|noise|seed): ", r"--\1: "),
    (r"^names: (there is no annotator|nobody is left)", r"--exclude: \1"),
    (r"^error_rate: ", "--errors: "),
    (r"^seconds_per_answer: ", "--seconds: "),
    (r"^pay_per_hour: ", "--pay: "),
    (r"^(target|confidence|difficulty|methods): ", r"--\1: "),
    (r"^n_clusters: ", "--clusters: "),
    (r"^depth, n_clusters: ", "--depth, --clusters: "),
    (r"\bn_folds\b", "--folds"),
    (r"^comparisons: ", "answers: "),
    ("; pass annotators when you make the comparisons", "; add a column 'annotator' to the file"),
    (r"\bleaf_size\b", "--leaf-size"),
    (r"\bthere are 1 (\w+)s\b", r"there is 1 \1"),
    (r"\b(expected|got|of) 1 (object|name|column|row|line)s\b", r"\1 1 \2"),
)
"""Patterns in messages of the library, and what the command line says instead."""
_QUOTED = r"""(?<!\w)(['"])(.*?)\1(?!\w)"""


def in_words_of_the_command_line(message: str) -> str:
    """Return a message of the library in one line that names options instead of arguments.

    Examples
    --------
    >>> in_words_of_the_command_line("pass one_based=True (--one-based)")
    'pass --one-based'
    """
    message = " ".join(message.split())
    for pattern, replacement in _REPLACEMENTS:
        message = re.sub(pattern, replacement, message)
    return re.sub(_QUOTED, lambda found: found[1] + _shorten(found[2]) + found[1], message)


def shown(cell: str) -> str:
    """Return a cell in quotation marks, shortened where it is long."""
    return repr(_shorten(cell))


def _shorten(cell: str) -> str:
    return cell if len(cell) <= LONGEST_CELL else cell[: LONGEST_CELL - 3] + "..."


def counted(number: int, noun: str) -> str:
    """Return a number with its noun.

    Examples
    --------
    >>> counted(1, "object"), counted(2, "object")
    ('1 object', '2 objects')
    """
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def listed(names: Sequence[str], most: int = 5) -> str:
    """Return the first names, and how many more there are."""
    more = len(names) - most
    return ", ".join(map(shown, names[:most])) + (f" and {more} more" if more > 0 else "")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return "; did you mean ...?" with the known word that is closest, or nothing."""
    close = difflib.get_close_matches(word[:LONGEST_CELL], list(known), n=1)
    return f"; did you mean {shown(close[0])}?" if close else ""
