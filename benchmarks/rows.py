"""What the suite reports: one row per piece of work, and the table of all rows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Attributes
    ----------
    name : str
        What `--only` calls it.
    work : str
        What was done.
    seconds : float or None
        The shortest of a few runs; None if it could not be measured.
    baseline, baseline_seconds : str and float, optional
        What it is compared with, measured in the same run.
    ratio, unit : float and str, optional
        What the bar is about: passes, times faster, questions per pair, an exponent.
    peak_mb : float, optional
        Peak memory of the process that did this work and nothing else.
    bar : str
        What it should reach; empty if it is only for information.
    met : bool or None
        Whether the bar was reached; None if there is none, or nothing was measured.
    note : str
        Why nothing was measured.
    steady : bool
        False if the times varied so much that something else must have used the machine.
    figures : dict
        Further figures, for the page.
    """

    name: str
    work: str
    seconds: float | None = None
    baseline: str = ""
    baseline_seconds: float | None = None
    ratio: float | None = None
    unit: str = ""
    peak_mb: float | None = None
    bar: str = ""
    met: bool | None = None
    note: str = ""
    steady: bool = True
    figures: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return what goes into results.json, without digits that mean nothing."""
        return {key: _rounded(value) for key, value in asdict(self).items()}

    @classmethod
    def of_passes(
        cls, name: str, work: str, measured: dict[str, Any], bar: str, *, met: bool | None
    ) -> Row:
        """Return the row of work that is measured in passes over the comparisons."""
        return cls(
            name,
            work,
            measured["seconds"],
            "one pass",
            measured["pass"],
            measured["passes"],
            "passes",
            measured["peak_mb"],
            bar,
            met,
            steady=measured["steady"],
            figures={"n_comparisons": measured["n_comparisons"]},
        )

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> Row:
        """Return the row of an entry of results.json."""
        return cls(**fields)


SLOW_PASS = 1.4
"""A pass that took this many times as long as another of the same size was disturbed."""
HEADINGS = ("work", "seconds", "baseline", "seconds", "ratio", "peak MB", "bar", "met")


def cells(row: Row) -> tuple[str, ...]:
    """Return the row as text, one cell per heading."""
    return (
        row.work,
        seconds_text(row.seconds),
        row.baseline,
        seconds_text(row.baseline_seconds),
        f"{_number(row.ratio)} {row.unit}" if row.ratio is not None else "",
        f"{row.peak_mb:,.0f}" if row.peak_mb is not None else "",
        row.bar,
        row.note
        or {True: "yes", False: "NO", None: ""}[row.met] + " (unsteady)" * (not row.steady),
    )


def text_table(rows: Iterable[Row]) -> str:
    """Return the rows below their headings, in aligned columns; figures to the right."""
    lines = [HEADINGS, *(cells(row) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEADINGS))]
    to_the_right = (1, 3, 4, 5)
    return "\n".join(
        "  ".join(
            cell.rjust(width) if column in to_the_right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def summary(rows: Sequence[Row]) -> str:
    """Return how many bars were met, and which were not."""
    judged = [row for row in rows if row.met is not None]
    missed = [row.name for row in judged if not row.met]
    unmeasured = [row.name for row in rows if row.note and row.met is None]
    unsteady = [row.name for row in rows if not row.steady]
    text = f"{len(judged) - len(missed)} of {len(judged)} bars met"
    if missed:
        text += f"; not met: {', '.join(missed)}"
    if unmeasured:
        text += f"; not measured: {', '.join(unmeasured)}"
    if unsteady:
        text += f"; unsteady, measure again: {', '.join(unsteady)}"
    return text


def doubt_slow_passes(rows: Sequence[Row]) -> list[Row]:
    """Return the rows, those marked whose pass took longer than others over as many comparisons.

    One pass over so many comparisons takes as long in every row; where it took longer, something
    else used the machine, and the ratio is better than it should be.
    """
    shortest: dict[int, float] = {}
    for row in rows:
        size, one_pass = row.figures.get("n_comparisons"), row.baseline_seconds
        if size is not None and one_pass is not None:
            shortest[size] = min(one_pass, shortest.get(size, one_pass))
    return [
        replace(row, steady=False)
        if row.baseline_seconds is not None
        and row.baseline_seconds
        > SLOW_PASS * shortest.get(row.figures.get("n_comparisons", -1), math.inf)
        else row
        for row in rows
    ]


def seconds_text(seconds: float | None) -> str:
    """Return seconds with three digits that count."""
    if seconds is None:
        return ""
    return (
        f"{seconds:.4f}"
        if seconds < 0.1
        else f"{seconds:.3g}"
        if seconds < 100
        else f"{seconds:.0f}"
    )


def _number(ratio: float) -> str:
    return f"{ratio:,.0f}" if abs(ratio) >= 100 else f"{ratio:.2f}"


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.5g}")
    if isinstance(value, dict):
        return {key: _rounded(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_rounded(one) for one in value]
    return value
