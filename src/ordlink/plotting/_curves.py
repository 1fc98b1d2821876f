"""Curves of quality against the number of answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter

from ordlink.plotting._dendrogram import PALETTE
from ordlink.plotting._figure import check_drawing, save
from ordlink.plotting._marks import NEUTRAL


@dataclass(frozen=True)
class Curve:
    """A line with a band: quality (`middle`, `low` to `high`) at increasing numbers of answers.

    A dashed line was not measured but extrapolated.
    """

    numbers: Sequence[float]
    middle: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]
    label: str
    dashed: bool = False


def save_curves(
    path: str | Path,
    curves: Sequence[Curve],
    *,
    y: str,
    target: float | None = None,
    needed: float | None = None,
    title: str | None = None,
    dpi: float = 150,
) -> Path:
    """Draw curves to a PNG, SVG or PDF file, completely or not at all, and return its path.

    `y` says what the quality is; `target` is drawn as a horizontal line, `needed`, a number of
    answers, as a vertical one.
    """
    check_drawing(path)
    figure = Figure(figsize=(6.4, 4.0), layout="constrained")
    FigureCanvasAgg(figure)
    ax = figure.add_subplot()
    for number, curve in enumerate(curves):
        colour = PALETTE[number % len(PALETTE)]
        ax.fill_between(curve.numbers, curve.low, curve.high, color=colour, alpha=0.15, linewidth=0)
        style = {"linestyle": "--"} if curve.dashed else {"marker": "o", "markersize": 3}
        ax.plot(curve.numbers, curve.middle, color=colour, label=curve.label, **style)
    if target is not None:
        ax.axhline(target, color=NEUTRAL, linewidth=0.8, linestyle=":", label="target")
    if needed is not None:
        ax.axvline(needed, color=NEUTRAL, linewidth=0.8, label=f"{needed:,.0f} answers")
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.set_xlabel("answers")
    ax.set_ylabel(y)
    ax.grid(visible=True, linewidth=0.3)
    ax.legend(fontsize=8, frameon=False)
    if title is not None:
        ax.set_title(title, loc="left", fontsize=10, parse_math=False)
    return save(figure, Path(path), dpi)
