"""The figures of the bench of quality: quality against answers, and answers needed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from studies.panels import finish, make_panels
from studies.quality.methods import DIMENSIONS, EMBEDDINGS, METRICS, OURS, PLAIN
from studies.quality.tables import MEASURES, Cell, answers_needed, cells_of
from studies.reproduction.figures import STYLES
from studies.running._experiment import Record
from studies.statistics import select, values_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLOURS = {"tSTE-AL": "#999933", "SOE-AL": "#D55E00", "FORTE-AL": "#AA4499"}
_LINES = {
    (2, "Euclidean"): "-",
    (5, "Euclidean"): "--",
    (2, "cosine"): ":",
    (5, "cosine"): "-.",
}
LINES: dict[str, tuple[str, str]] = {
    OURS: STYLES[OURS],
    **{name: STYLES[name] for name in PLAIN},
    **{
        f"{name} {dimension}-D, {metric}": (_COLOURS[name], _LINES[dimension, metric])
        for name in EMBEDDINGS
        for dimension in DIMENSIONS
        for metric in METRICS.values()
    },
}
"""Colour and line of each method: one colour per embedding, one line per dimension and metric."""


def quality_figure(rows: Sequence[Record], measure: str) -> Figure:
    """Draw a measure against the number of answers, one panel per setting."""
    by_setting: dict[str, list[Cell]] = {}
    for cell in cells_of(rows, measure):
        by_setting.setdefault(cell.setting, []).append(cell)
    figure, panels = make_panels(len(by_setting))
    for panel, (setting, cells) in zip(panels, by_setting.items(), strict=True):
        for method in LINES:
            _draw_method(panel, method, cells)
        panel.set_title(setting, fontsize=9)
        _mark_numbers(panel, [cell.n_answers for cell in cells if cell.n_answers])
        if measure == "aari":
            panel.set_ylim(-0.05, 1.05)
    finish(figure, panels, x="answers", y=MEASURES[measure][0])
    return figure


def needed_figure(rows: Sequence[Record]) -> Figure:
    """Draw the answers needed for AARI 0.9 against delta, where they were enough."""
    figure, panels = make_panels(1)
    deltas = values_of(rows, "delta")
    needed = {
        delta: found
        for delta in deltas
        for found in answers_needed(select(rows, delta=delta)).values()
    }
    for method, (colour, line) in LINES.items():
        points = [
            (delta, found[method].n)
            for delta, found in needed.items()
            if method in found and found[method].reached
        ]
        if points:
            x, y = zip(*points, strict=True)
            width = _width(method)
            panels[0].plot(
                x, y, line, color=colour, linewidth=width, marker="o", ms=3, label=method
            )
    figure.set_size_inches(12.3, 5)
    panels[0].set_yscale("log")
    finish(figure, panels, x="delta (sigma = 0.1)", y="answers needed for AARI 0.9")
    return figure


def _draw_method(panel: Axes, method: str, cells: Sequence[Cell]) -> None:
    points = sorted(
        (cell.n_answers, cell.methods[method].mean)
        for cell in cells
        if method in cell.methods and cell.n_answers is not None
    )
    if points:
        colour, line = LINES[method]
        x, y = np.array(points).T
        panel.plot(
            x, y, line, color=colour, linewidth=_width(method), marker="o", ms=2, label=method
        )


def _mark_numbers(panel: Axes, numbers: Sequence[int]) -> None:
    """Label the numbers of answers themselves, on a logarithmic axis."""
    panel.set_xscale("log")
    panel.set_xticks(numbers, [_short(number) for number in numbers], fontsize=7)
    panel.set_xticks([], minor=True)


def _short(number: int) -> str:
    if number >= 1_000_000:
        return f"{number / 1_000_000:.3g}M"
    return f"{number / 1000:.3g}k" if number >= 1000 else str(number)


def _width(method: str) -> float:
    return 2.2 if method == OURS else 1.0
