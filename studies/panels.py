"""Panels of curves, as all figures of the experiments have them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def make_panels(n: int) -> tuple[Figure, list[Axes]]:
    """Return a figure of n panels, up to three in a row."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    n_columns = min(n, 3) if n != 4 else 2
    n_rows = -(-n // n_columns)
    figure = Figure(figsize=(4.1 * n_columns, 3.2 * n_rows), layout="constrained")
    FigureCanvasAgg(figure)
    panels = [figure.add_subplot(n_rows, n_columns, i + 1) for i in range(n)]
    return figure, panels


def draw_band(panel: Axes, x: Any, found: list[Any], colour: str, line: str, label: str) -> None:
    """Draw means as a line and one standard deviation to both sides as a band."""
    middle = np.array([statistic.mean for statistic in found])
    spread = np.array([statistic.deviation for statistic in found])
    panel.fill_between(x, middle - spread, middle + spread, color=colour, alpha=0.15, linewidth=0)
    panel.plot(x, middle, line, color=colour, linewidth=1.4, marker="o", ms=2.5, label=label)


def finish(figure: Figure, panels: Sequence[Axes], *, x: str, y: str, share_y: bool = True) -> None:
    """Label the axes and put one legend below all panels."""
    entries: dict[str, Any] = {}
    for number, panel in enumerate(panels):
        panel.set_xlabel(x)
        if number == 0 or not share_y:
            panel.set_ylabel(y)
        panel.grid(visible=True, linewidth=0.3)
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, handle)
    if entries:
        figure.legend(
            entries.values(),
            entries.keys(),
            loc="outside lower center",
            ncols=min(len(entries), int(figure.get_figwidth() // 2)),
            fontsize=8,
            frameon=False,
        )
