"""Means and standard deviations over repetitions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from studies.running._experiment import Record


@dataclass(frozen=True)
class Statistic:
    """Mean, standard deviation and number of the repetitions."""

    mean: float
    deviation: float
    n: int


def select(rows: Iterable[Record], **where: Any) -> list[Record]:
    """Return the rows that have all of these values.

    Examples
    --------
    >>> select([{"p": 1, "value": 5}, {"p": 2, "value": 6}], p=2)
    [{'p': 2, 'value': 6}]
    """
    return [row for row in rows if all(row.get(name) == value for name, value in where.items())]


def values_of(rows: Iterable[Record], column: str) -> list[Any]:
    """Return the different values of a column that are not None, in increasing order."""
    return sorted({row[column] for row in rows if row.get(column) is not None})


def curve(rows: Iterable[Record], column: str, *, value: str = "value") -> dict[Any, Statistic]:
    """Return the statistic of the rows for each value of a column, in increasing order.

    Examples
    --------
    >>> curve([{"p": 1, "value": 2.0}, {"p": 1, "value": 4.0}], "p")
    {1: Statistic(mean=3.0, deviation=1.0, n=2)}
    """
    found: dict[Any, list[float]] = {}
    for row in rows:
        if row.get(column) is not None and row.get(value) is not None:
            found.setdefault(row[column], []).append(float(row[value]))
    return {
        key: Statistic(float(np.mean(found[key])), float(np.std(found[key])), len(found[key]))
        for key in sorted(found)
    }


def mean(rows: Iterable[Record], *, value: str = "value") -> float:
    """Return the mean of a column; NaN for no rows."""
    numbers = [float(row[value]) for row in rows if row.get(value) is not None]
    return float(np.mean(numbers)) if numbers else float("nan")


def crossing(numbers: Sequence[float], quality: Sequence[float], level: float) -> float:
    """Return the number at which quality first reaches a level; infinite if it does not.

    Between two numbers, quality is interpolated against the logarithm of the number.

    Examples
    --------
    >>> crossing([100, 10000], [0.8, 1.0], 0.9)
    1000.0
    """
    for i, reached in enumerate(quality):
        if reached >= level:
            if i == 0:
                return float(numbers[0])
            share = (level - quality[i - 1]) / (reached - quality[i - 1])
            return float(numbers[i - 1] * (numbers[i] / numbers[i - 1]) ** share)
    return math.inf
