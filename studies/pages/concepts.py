"""`python -m studies.pages.concepts`: draw the pictures of docs/concepts into docs/images."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from scipy.cluster.hierarchy import dendrogram

import ordlink as ol

IMAGES = Path(__file__).parents[2] / "docs" / "images"
BLUE, GREY, ORANGE, INK = "#1f5f99", "#8a929a", "#b4500f", "#22303c"
STYLE = {
    "svg.hashsalt": "ordlink",
    "font.size": 9,
    "text.color": INK,
    "axes.titlesize": 10,
    "axes.titlecolor": INK,
}


def draw_forms() -> plt.Figure:
    """Draw the four answer forms: pairs that win (solid) and lose (dashed)."""
    triangle = {"i": (0, 0), "j": (1, 0), "k": (0.5, 0.85)}
    square = {"i": (0, 0), "j": (1, 0), "k": (0, 0.85), "l": (1, 0.85)}
    forms = [
        ("quadruplet\ni, j more alike than k, l", square, ["ij"], ["kl"]),
        ("triplet\ni is closer to j than to k", triangle, ["ij"], ["ik"]),
        ("most central\ni is the most central", triangle, ["ij", "ik"], ["jk"]),
        ("odd one out\nk is the odd one", triangle, ["ij"], ["ik", "jk"]),
    ]
    figure, axes = plt.subplots(1, 4, figsize=(8.4, 2.4))
    for ax, (title, places, winning, losing) in zip(axes, forms, strict=True):
        for pairs, style in ((winning, (BLUE, "-", 3.5)), (losing, (GREY, "--", 2))):
            for a, b in pairs:
                _line(ax, places[a], places[b], *style)
        _objects(ax, list(places.values()), list(places))
        ax.set_title(title)
        _bare(ax, (-0.3, 1.3), (-0.3, 1.15))
    figure.text(0.5, 0.0, "solid: more alike    dashed: less alike", ha="center", color=INK)
    return figure


def draw_methods() -> plt.Figure:
    """Draw what each of the paper's methods looks at when it compares two clusters."""
    left = np.array([(0.0, 0.0), (0.35, 0.5), (0.0, 0.95)])
    right = np.array([(1.25, 0.2), (1.7, 0.75), (1.3, 0.95)])
    distances = np.linalg.norm(left[:, None] - right[None], axis=2)
    near = np.unravel_index(distances.argmin(), distances.shape)
    far = np.unravel_index(distances.argmax(), distances.shape)
    everything = [(a, b) for a in range(3) for b in range(3)]
    figure, axes = plt.subplots(1, 5, figsize=(10.5, 2.5), width_ratios=[1, 1, 1, 1.25, 1.25])
    linkages = [
        ("SL\nthe closest pair", [near]),
        ("CL\nthe farthest pair", [far]),
        ("AL\nthe mean of all pairs", everything),
    ]
    for ax, (title, pairs) in zip(axes, linkages, strict=False):
        for a, b in pairs:
            _line(ax, left[a], right[b], BLUE, "-", 3 if len(pairs) == 1 else 1.2)
        _objects(ax, [*left, *right])
        ax.set_title(title)
        _bare(ax, (-0.25, 1.95), (-0.3, 1.25))
    _draw_kernel(axes[3])
    _draw_four_al(axes[4])
    return figure


def _draw_kernel(ax: Axes) -> None:
    rng = np.random.default_rng(3)
    first = rng.choice([-1, 1], size=12)
    second = np.where(rng.random(12) < 0.2, -first, first)
    for row, (name, signs) in enumerate((("i", first), ("j", second))):
        for place, sign in enumerate(signs):
            colour = BLUE if sign > 0 else "#dfe6ec"
            ax.add_patch(plt.Rectangle((place, 1.4 - row), 0.9, 0.8, color=colour))
        ax.text(-0.6, 1.8 - row, name, ha="center", va="center")
    for place in np.flatnonzero(first == second):
        ax.text(place + 0.45, 0.0, "=", ha="center", va="center", color=BLUE)
    ax.set_title("4K-AL: how often i and j win\nagainst the same reference pairs")
    _bare(ax, (-1.2, 12.2), (-0.6, 2.6))


def _draw_four_al(ax: Axes) -> None:
    centres = {"p": (0, 0.9), "q": (1.1, 0.9), "r": (0, 0), "s": (1.1, 0)}
    diamond = 0.13 * np.array([(1, 0), (0, 1), (-1, 0), (0, -1)])
    for name, centre in centres.items():
        points = np.array(centre) + diamond
        _objects(ax, list(points), size=30)
        ax.text(centre[0] + (-0.36 if centre[0] == 0 else 0.36), centre[1], name, va="center")
    for (a, b), (colour, style, width) in {
        ("p", "q"): (BLUE, "-", 3.5),
        ("r", "s"): (GREY, "--", 2),
    }.items():
        _line(ax, centres[a], centres[b], colour, style, width)
    ax.set_title("4-AL: how often pairs across p, q\nbeat pairs across all other r, s")
    _bare(ax, (-0.6, 1.7), (-0.35, 1.25))


def draw_support() -> plt.Figure:
    """Draw a tree of simulated answers, and the trees of bootstrap samples."""
    warnings.simplefilter("ignore", ol.errors.OrdlinkWarning)  # few answers, on purpose
    planted = ol.datasets.planted_hierarchy(depth=2, leaf_size=3, gap=0.15, seed=4)
    rows = ol.datasets.simulate_answers(
        planted.similarities, 250, form="triplet", error_rate=0.1, seed=4
    )
    rng = np.random.default_rng(0)
    samples = [rows] + [rows[rng.integers(len(rows), size=len(rows))] for _ in range(6)]
    trees = [ol.cluster(ol.Comparisons.from_triplets(r, n_objects=12), "AddS-AL") for r in samples]
    branch = _most_doubtful(trees)
    figure, axes = plt.subplots(1, 7, figsize=(10.5, 2.2), width_ratios=[1.5, *[1] * 6])
    for number, (ax, tree) in enumerate(zip(axes, trees, strict=True)):
        has_it = branch in _branches(tree)
        _tree(ax, tree, branch if has_it else frozenset())
        title = "all answers" if number == 0 else f"sample {number}: " + ("yes" if has_it else "no")
        ax.set_title(title)
    return figure


def _branches(tree: ol.Hierarchy) -> list[frozenset[int]]:
    members = [frozenset([leaf]) for leaf in range(tree.n_objects)]
    for a, b in tree.linkage[:, :2].astype(int):
        members.append(members[a] | members[b])
    return members[tree.n_objects :]


def _most_doubtful(trees: Sequence[ol.Hierarchy]) -> frozenset[int]:
    """Return the branch of the first tree of 3 to 6 objects found most nearly half of the time."""
    candidates = [b for b in _branches(trees[0]) if 3 <= len(b) <= 6]
    shares = [np.mean([b in _branches(tree) for tree in trees[1:]]) for b in candidates]
    return candidates[int(np.argmin(np.abs(np.array(shares) - 0.6)))]


def draw_shapes() -> plt.Figure:
    """Draw objects on a line, in crossed groups, a star and a hierarchy, and their trees."""
    rng = np.random.default_rng(0)
    noise = rng.normal(scale=0.06, size=(16, 2))
    corners = np.array([(x, y) for x in range(4) for y in range(4)])
    angles = np.repeat(np.arange(4), 4) * np.pi / 2
    groups = np.repeat([(0, 0), (0, 1), (3, 0), (3, 1)], 4, axis=0)
    shapes = {
        "a line": np.column_stack([np.arange(16), np.zeros(16)]) + noise,
        "two crossed properties": corners + noise,
        "a star": 2 * np.column_stack([np.cos(angles), np.sin(angles)]) + 2.5 * noise,
        "a hierarchy": groups + 2.5 * noise,
    }
    figure, axes = plt.subplots(2, 4, figsize=(9, 3.8), height_ratios=[1, 1.1])
    for (above, below), (title, points) in zip(axes.T, shapes.items(), strict=True):
        _objects(above, list(points), size=22)
        above.set_title(title)
        above.margins(0.15, 0.6 if title == "a line" else 0.15)
        above.set_aspect("equal", adjustable="datalim")
        above.axis("off")
        distances = np.linalg.norm(points[:, None] - points[None], axis=2)
        tree = ol.cluster(distances.max() - distances, "AL")
        heights = [distances[np.ix_(sorted(a), sorted(b))].mean() for a, b in _pairs(tree)]
        _tree(below, tree, frozenset(), heights)
    return figure


def _pairs(tree: ol.Hierarchy) -> list[tuple[frozenset[int], frozenset[int]]]:
    members = [frozenset([leaf]) for leaf in range(tree.n_objects)] + _branches(tree)
    return [(members[a], members[b]) for a, b in tree.linkage[:, :2].astype(int)]


def _tree(
    ax: Axes, tree: ol.Hierarchy, branch: frozenset[int], heights: Sequence[float] = ()
) -> None:
    linkage = tree.linkage.copy()
    if len(heights):
        linkage[:, 2] = heights
    marked = {
        tree.n_objects + k for k, found in enumerate(_branches(tree)) if branch and found <= branch
    }
    dendrogram(
        linkage,
        ax=ax,
        no_labels=True,
        link_color_func=lambda node: ORANGE if node in marked else INK,
    )
    ax.axis("off")


def _line(ax: Axes, a: object, b: object, colour: str, style: str, width: float) -> None:
    (x1, y1), (x2, y2) = a, b
    ax.plot([x1, x2], [y1, y2], color=colour, linestyle=style, linewidth=width, zorder=1)


def _objects(ax: Axes, places: list, names: list[str] | None = None, size: float = 260) -> None:
    x, y = np.array(places).T
    if names is None:
        ax.scatter(x, y, s=min(size, 60), color=INK, zorder=2)
        return
    ax.scatter(x, y, s=size, color="white", edgecolor=INK, linewidth=1.5, zorder=2)
    for place, name in zip(places, names, strict=True):
        ax.text(*place, name, ha="center", va="center", zorder=3)


def _bare(ax: Axes, x: tuple[float, float], y: tuple[float, float]) -> None:
    ax.set_xlim(x)
    ax.set_ylim(y)
    ax.axis("off")


PICTURES = {
    "forms": draw_forms,
    "methods": draw_methods,
    "support": draw_support,
    "shapes": draw_shapes,
}


def main() -> None:
    """Draw all pictures."""
    with plt.rc_context(STYLE):
        for name, draw in PICTURES.items():
            figure = draw()
            figure.tight_layout()
            path = IMAGES / f"concept-{name}.svg"
            figure.savefig(path, metadata={"Date": None}, facecolor="white", bbox_inches="tight")
            plt.close(figure)


if __name__ == "__main__":
    main()
