"""Text for messages: counts, lists, and shortened cells."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Sequence

LONGEST_CELL = 60
"""Letters of a cell that messages show."""


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun: "1 object", "2,000 objects"."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def shorten(text: str, length: int = LONGEST_CELL) -> str:
    """Return a text of limited length, with "..." where it was cut."""
    return text if len(text) <= length else text[: length - 3] + "..."


def quoted(cell: object) -> str:
    """Return a cell in quotation marks, shortened if it is long."""
    return repr(shorten(str(cell)))


def listed(names: Sequence[str], most: int = 5) -> str:
    """Return the first names in quotation marks, and how many more there are."""
    more = len(names) - most
    return ", ".join(map(quoted, names[:most])) + (f" and {more:,} more" if more > 0 else "")


def either(names: Iterable[str]) -> str:
    """Return "a", "a or b", or "a, b or c"."""
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return "; did you mean ...?" with the known word that is closest, or nothing."""
    close = difflib.get_close_matches(word[:LONGEST_CELL], list(known), n=1)
    return f"; did you mean {quoted(close[0])}?" if close else ""


def percent(share: float) -> str:
    """Return a share in percent, or a dash where it is not known."""
    return f"{100 * share:.0f} %" if math.isfinite(share) else "-"


def whole_percent(share: float) -> str:
    """Return a share in percent, rounded down, without the sign: 0.9499 is not yet 95."""
    return str(math.floor(100 * share + 1e-9))  # 100 * 0.58 is a little less than 58
