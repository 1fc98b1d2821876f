"""The figures, as Matplotlib figures; nothing here touches pyplot or the disk."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from studies.embeddings import EUCLIDEAN
from studies.entrants import ALL_LANDMARKS, NO_SELF
from studies.panels import draw_band, finish, make_panels
from studies.reproduction.claims import RECOVERED, questions_needed
from studies.reproduction.theory import N_LEAVES, necessary_ratio, sufficient_ratio
from studies.running._experiment import Record
from studies.statistics import curve, mean, select, values_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STYLES: dict[str, tuple[str, str]] = {
    "SL": ("#D55E00", "-"),
    "CL": ("#E69F00", "-"),
    "4K-AL": ("#CC6677", "-"),
    NO_SELF: ("#CC6677", ":"),
    "4K-AL-act": ("#882255", "--"),
    ALL_LANDMARKS: ("#882255", ":"),
    "4-AL": ("#332288", "-"),
    "4-AL-I3": ("#88CCEE", "--"),
    "4-AL-I5": ("#44AA99", "-"),
    "AddS-AL": ("#117733", "-."),
    "AL": ("#666666", ":"),
    "spectral": ("#000000", "-"),
    "tSTE-AL": ("#999933", "-"),
    "tSTE-AL" + EUCLIDEAN: ("#999933", ":"),
    "FORTE-AL": ("#AA4499", "-"),
    "FORTE-AL" + EUCLIDEAN: ("#AA4499", ":"),
}
"""Colour and line of each method: from Paul Tol's and Okabe and Ito's sets."""
ON_TRUE = {"AL": "AL (true similarities)"}


def planted_figure(rows: Sequence[Record], proportions: Sequence[float]) -> Figure:
    """Draw AARI against delta, one panel per proportion of comparisons."""
    rows = select(rows, measure="aari")
    figure, panels = make_panels(len(proportions))
    for panel, proportion in zip(panels, proportions, strict=True):
        for method in STYLES:
            own = select(rows, method=method)
            found = [row for row in own if row["proportion"] in (None, proportion)]
            _draw_curve(panel, curve(found, "delta"), method)
        panel.set(title=f"p = {proportion:g}", ylim=(-0.05, 1.05))
    finish(figure, panels, x="delta (sigma = 0.1)", y="AARI")
    return figure


def standard_figure(rows: Sequence[Record], runs: Sequence[tuple[str, int]]) -> Figure:
    """Draw Dasgupta's cost against p, one panel per data set and embedding dimension."""
    rows = select(rows, measure="dasgupta")
    figure, panels = make_panels(len(runs))
    for panel, (dataset, dimension) in zip(panels, runs, strict=True):
        here = [r for r in select(rows, dataset=dataset) if r["dimension"] in (None, dimension)]
        for method in STYLES:
            found = select(here, method=method)
            _draw_curve(panel, curve(found, "proportion"), method)
            if method == "AL" and found:
                panel.axhline(
                    mean(found), color=STYLES["AL"][0], linestyle=":", label=ON_TRUE["AL"]
                )
        panel.set_title(f"{dataset}, dimension {dimension}")
    finish(figure, panels, x="proportion p", y="Dasgupta's cost", share_y=False)
    return figure


def linkage_figure(rows: Sequence[Record]) -> Figure:
    """Draw how often SL and CL recover the hierarchy, with the two conditions of Theorem 1."""
    rows = select(rows, measure="recovered")
    sizes = values_of(rows, "leaf_size")
    figure, panels = make_panels(len(sizes))
    for panel, leaf_size in zip(panels, sizes, strict=True):
        for method in ("SL", "CL"):
            found = curve(select(rows, leaf_size=leaf_size, method=method), "ratio")
            colour, line = STYLES[method]
            shares = [s.mean for s in found.values()]
            panel.plot(list(found), shares, line, color=colour, marker="o", ms=3, label=method)
        for ratio, word in (
            (necessary_ratio(leaf_size), "SL must fail"),
            (sufficient_ratio(leaf_size), "both must succeed"),
        ):
            panel.axvline(ratio, color="#666666", linewidth=0.8, linestyle="--")
            panel.text(ratio, 0.5, f" {word} ", rotation=90, va="center", ha="right", fontsize=7)
        panel.set(title=f"N0 = {leaf_size}, N = {leaf_size * N_LEAVES}", ylim=(-0.05, 1.05))
    finish(figure, panels, x="delta / sigma", y="share recovered exactly")
    return figure


def questions_figure(rows: Sequence[Record]) -> Figure:
    """Draw AARI against questions / (N ln N), and the questions needed against N."""
    figure, (left, right) = make_panels(2)
    shown = select(rows, measure="aari")
    colours = ("#88CCEE", "#44AA99", "#117733", "#332288", "#882255", "#CC6677")
    for colour, leaf_size in zip(colours, values_of(shown, "leaf_size"), strict=False):
        n = leaf_size * N_LEAVES
        here = select(shown, leaf_size=leaf_size)
        found = curve(here, "multiplier")
        asked = [s.mean for s in curve(here, "multiplier", value="n_comparisons").values()]
        x = np.array(asked) / (n * math.log(n))
        draw_band(left, x, list(found.values()), colour, "-", f"N = {n}")
    left.axhline(RECOVERED, color="#666666", linewidth=0.8, linestyle="--")
    left.set(xscale="log", xlabel="questions / (N ln N)", ylabel="AARI of 4K-AL-act")
    left.legend(fontsize=8, frameon=False)
    needed = {n: q for n, q in questions_needed(rows).items() if math.isfinite(q)}
    if needed:
        sizes = np.array(list(needed), dtype=float)
        asked_for = np.array(list(needed.values()))
        right.plot(sizes, asked_for, "o-", color="#882255", label="needed for AARI 0.9")
        for power, words in ((sizes * np.log(sizes), "N ln N"), (sizes**2, "N^2")):
            scale = asked_for[0] / power[0]
            right.plot(sizes, power * scale, ":", color="#666666")
            right.text(sizes[-1], power[-1] * scale, f"{words} ", fontsize=8, ha="right")
        right.legend(fontsize=8, frameon=False)
    right.set(xscale="log", yscale="log", xlabel="N", ylabel="questions")
    right.set_xticks(list(needed), [str(n) for n in needed])
    right.tick_params(axis="x", which="minor", labelbottom=False)
    left.tick_params(axis="x", which="minor", labelbottom=False)
    return figure


def model_figure() -> Figure:
    """Draw S.1: the planted tree with the mean of each level, the mean similarities, and a draw."""
    from ordlink.datasets import planted_hierarchy

    planted = planted_hierarchy(depth=3, leaf_size=30, gap=0.1, seed=0)
    figure, (tree, expected, drawn) = make_panels(3)
    _draw_model_tree(tree)
    for panel, matrix, title in (
        (expected, planted.expected_similarities, "expected similarities"),
        (drawn, planted.similarities, "one draw, delta = sigma = 0.1"),
    ):
        image = panel.imshow(matrix, vmin=0.2, vmax=1.0, cmap="viridis")
        panel.set(title=title, xticks=[], yticks=[])
        figure.colorbar(image, ax=panel, shrink=0.8)
    return figure


def _draw_model_tree(panel: Axes, depth: int = 3) -> None:
    panel.set(xlim=(-0.8, 2**depth + 0.6), ylim=(-0.6, depth + 0.5), title="L = 3 levels")
    panel.axis("off")
    for level in range(depth):
        width = 2 ** (depth - level)
        for start in range(0, 2**depth, width):
            top = start + (width - 1) / 2
            for child in (start + (width / 2 - 1) / 2, start + width / 2 + (width / 2 - 1) / 2):
                panel.plot([top, child], [depth - level, depth - level - 1], color="#332288")
        shift = f"{depth - level}" if depth - level > 1 else ""
        words = f"mu - {shift}delta"
        panel.text(2**depth - 0.6, depth - level - 0.1, words, fontsize=8, va="center")
    for leaf in range(2**depth):
        panel.text(leaf, -0.25, f"G{leaf + 1}", ha="center", fontsize=8)
    panel.text(2**depth - 0.6, 0.1, "mu inside", fontsize=8, va="center")


def _draw_curve(panel: Axes, found: dict[Any, Any], method: str) -> None:
    if found:
        colour, line = STYLES[method]
        x = np.array(list(found), dtype=float)
        draw_band(panel, x, list(found.values()), colour, line, ON_TRUE.get(method, method))
