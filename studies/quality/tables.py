"""What the bench of quality found: means cell by cell, margins, and answers needed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from studies.quality.methods import OURS
from studies.quality.planted import PASSIVE
from studies.running._experiment import Record
from studies.statistics import Statistic, crossing, curve, select

TARGET = 0.9
"""AARI from which a tree counts as good."""
MEASURES: dict[str, tuple[str, int]] = {
    "aari": ("AARI", +1),
    "held_out": ("held-out accuracy", +1),
    "revenue": ("held-out revenue", +1),
    "class_ari": ("agreement with the classes (ARI)", +1),
    "dasgupta": ("Dasgupta's cost (lower is better)", -1),
}
"""Measure -> its name in words, and +1 or -1 as high or low values are good."""


@dataclass(frozen=True)
class Cell:
    """All methods at one number of answers.

    Attributes
    ----------
    setting : str
        What was asked about and how, in words.
    n_answers : int or None
        Number of answers; None for answers of people.
    methods : mapping of str to Statistic
        Mean, deviation and number of the values of each method.
    """

    setting: str
    n_answers: int | None
    methods: Mapping[str, Statistic]

    @property
    def name(self) -> str:
        """Setting and number of answers in words."""
        return self.setting if self.n_answers is None else f"{self.setting}, {self.n_answers:,}"


@dataclass(frozen=True)
class Margin:
    """How far our method is above the best of the others in one cell (below: negative)."""

    cell: Cell
    rival: str
    difference: float

    @property
    def ours(self) -> Statistic:
        """Our value."""
        return self.cell.methods[OURS]

    @property
    def best(self) -> Statistic:
        """The best value of the others."""
        return self.cell.methods[self.rival]


def describe_setting(row: Record) -> str:
    """Return in words what was asked about and how, but for the number of answers.

    Examples
    --------
    >>> describe_setting({"shape": "star", "delta": 0.1, "form": "triplet", "error_rate": 0.2})
    'star, delta 0.1, triplet, 20 % wrong'
    """
    words = [str(row.get("shape") or row.get("dataset"))]
    if row.get("delta") is not None:
        words.append(f"delta {row['delta']:g}")
    if row.get("form") not in (None, PASSIVE):
        words.append(str(row["form"]))
    if row.get("error_rate"):
        words.append(f"{row['error_rate']:.0%} wrong".replace("%", " %"))
    if row.get("popularity_sd"):
        words.append("uneven")
    return ", ".join(words)


def cells_of(rows: Iterable[Record], measure: str) -> list[Cell]:
    """Return the cells in the order of the rows, each with its methods in order of name."""
    found: dict[tuple[str, int | None], list[Record]] = {}
    for row in select(rows, measure=measure):
        found.setdefault((describe_setting(row), row.get("n_answers")), []).append(row)
    return [
        Cell(setting, n_answers, curve(here, "method"))
        for (setting, n_answers), here in found.items()
    ]


def margins(rows: Iterable[Record], measure: str) -> list[Margin]:
    """Return the margin in every cell that has our method and others, the worst first."""
    sign = MEASURES[measure][1]
    found = []
    for cell in cells_of(rows, measure):
        others = {m: sign * s.mean for m, s in cell.methods.items() if m != OURS}
        if others and OURS in cell.methods:
            rival = max(others, key=others.__getitem__)
            difference = sign * cell.methods[OURS].mean - others[rival]
            found.append(Margin(cell, rival, difference))
    return sorted(found, key=lambda margin: margin.difference)


@dataclass(frozen=True)
class Needed:
    """Answers at which the mean AARI reaches the target; `reached` says whether it does.

    Where it is not reached, `n` is the largest number tried; where the smallest one was enough,
    `n` is that.
    """

    n: float
    reached: bool
    at_once: bool = False

    def __str__(self) -> str:
        if not self.reached:
            return f"more than {self.n:,.0f}"
        return f"at most {self.n:,.0f}" if self.at_once else f"{self.n:,.0f}"


def answers_needed(rows: Iterable[Record]) -> dict[str, dict[str, Needed]]:
    """Return, by setting and method, how many answers are needed for a mean AARI of 0.9.

    Between two numbers of answers, AARI is interpolated against the logarithm of the number.
    """
    by_setting: dict[str, list[Cell]] = {}
    for cell in cells_of(rows, "aari"):
        by_setting.setdefault(cell.setting, []).append(cell)
    needed: dict[str, dict[str, Needed]] = {}
    for setting, cells in by_setting.items():
        cells.sort(key=lambda cell: cell.n_answers or 0)
        methods = sorted({method for cell in cells for method in cell.methods})
        needed[setting] = {
            method: _needed(
                [
                    (float(cell.n_answers or 0), cell.methods[method].mean)
                    for cell in cells
                    if method in cell.methods
                ]
            )
            for method in methods
        }
    return needed


def median_seconds(rows: Iterable[Record]) -> dict[str, dict[int, float]]:
    """Return, by method and number of answers, the median of the processor's seconds."""
    found: dict[str, dict[int, list[float]]] = {}
    for row in rows:
        by_number = found.setdefault(row["method"], {})
        by_number.setdefault(row["n_answers"], []).append(row["seconds"])
    return {
        method: {n: float(np.median(by_number[n])) for n in sorted(by_number)}
        for method, by_number in found.items()
    }


def standard_error(rows: Sequence[Record]) -> float:
    """Return the standard error of a mean over folds, averaged over repetitions.

    More repetitions redraw the folds of the same answers: they are no more data.

    Examples
    --------
    >>> standard_error([{"repetition": 0, "value": value} for value in (0.6, 0.8)])
    0.1
    """
    by_repetition: dict[int, list[float]] = {}
    for row in rows:
        by_repetition.setdefault(row["repetition"], []).append(row["value"])
    errors = [
        float(np.std(values, ddof=1)) / math.sqrt(len(values)) for values in by_repetition.values()
    ]
    return round(float(np.mean(errors)), 12)


def _needed(points: Sequence[tuple[float, float]]) -> Needed:
    numbers, quality = zip(*points, strict=True)
    n = crossing(numbers, quality, TARGET)
    if not math.isfinite(n):
        return Needed(numbers[-1], reached=False)
    return Needed(n, reached=True, at_once=n == numbers[0])
