"""Methods compared, and the learning curve: sections of a page with a table and a plot."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ordlink._html import escape, table
from ordlink.hierarchy import Hierarchy
from ordlink.report._words import advice_html
from ordlink.validation import LearningCurve, MethodComparison, MethodScores

_WIDTH, _RIGHT = 640, 20  # the plots: their width, and the margin on the right
_LABELS, _ROW = 150, 26  # the dots of methods: room for labels, and the height of a row
_HEIGHT, _LEFT, _BOTTOM, _TOP = 260, 60, 44, 12  # the learning curve: height, and other margins


def comparison_section(comparison: MethodComparison) -> str:
    """Return the recommendation, the table, the plot and the agreement, as HTML without a title."""
    parts = [
        f"<p><strong>{escape(comparison.recommended)}</strong> is recommended: "
        f"{escape(comparison.reason)}</p>",
        _scores_table(comparison),
        dot_plot(comparison),
    ]
    if len(comparison.scores) > 1:
        parts.append(_agreement_table(comparison))
    if comparison.left_out:
        items = "".join(
            f"<dt>{escape(label)}</dt><dd>{escape(why)}</dd>"
            for label, why in comparison.left_out.items()
        )
        parts.append(f"<p>Left out:</p><dl>{items}</dl>")
    return "\n".join(parts)


def with_error(value: float, error: float) -> str:
    """Return a score and its standard error, such as "0.697 ± 0.001"."""
    return f"{round(value, 3) + 0.0:.3f} ± {error:.3f}"  # not -0.000


def _scores_table(comparison: MethodComparison) -> str:
    header = (
        "method",
        "held-out accuracy",
        "behind the best",
        "held-out revenue",
        "own answers",
        "seconds",
    )
    rows = [
        (
            one.label + (" (recommended)" if one.label == comparison.recommended else ""),
            with_error(one.held_out.accuracy, one.held_out.accuracy_error),
            with_error(one.difference, one.difference_error),
            with_error(one.held_out.revenue, one.held_out.revenue_error),
            f"{one.in_sample_accuracy:.3f}",
            f"{one.seconds:.2f}",
        )
        for one in comparison.scores
    ]
    caption = (
        "Accuracy: the share of held-out comparisons that the tree of the other answers predicts; "
        "chance is 0.5. Revenue: from -1 to 1; chance is 0. ± one standard error over folds; the "
        "difference from the best is paired by fold. Own answers: accuracy of the tree "
        "of all answers on these answers. Seconds: time for one tree."
    )
    return table(header, rows, caption=caption)


def dot_plot(comparison: MethodComparison) -> str:
    """Return the held-out accuracies with their standard errors, as SVG in the page's colours."""
    shown = [one for one in comparison.scores if math.isfinite(one.held_out.accuracy)]
    if not shown:
        return ""
    low = min(one.held_out.accuracy - _error(one) for one in shown)
    high = max(one.held_out.accuracy + _error(one) for one in shown)
    step = _tick_step(high - low)
    first, last = math.floor(low / step), max(math.ceil(high / step), math.floor(low / step) + 1)

    def across(value: float) -> float:
        share = (value / step - first) / (last - first)
        return round(_LABELS + share * (_WIDTH - _LABELS - _RIGHT), 1)

    bottom = _ROW * len(shown) + 8
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    marks = []
    for number in range(first, last + 1):
        x, text = across(number * step), f"{number * step:.{digits}f}"
        marks += [_grid_line((x, x), (0, bottom)), _tick(x, bottom + 18, text)]
    for row, one in enumerate(shown):
        accuracy, error, y = one.held_out.accuracy, _error(one), _ROW * row + _ROW // 2
        colour = "--accent" if one.label == comparison.recommended else "--text"
        ends = across(accuracy - error), across(accuracy + error)
        marks.append(
            f'<g style="fill: var({colour}); stroke: var({colour})">'
            f'<text x="{_LABELS - 12}" y="{y + 5}" text-anchor="end" stroke="none">'
            f"{escape(one.label)}</text>"
            + _dot((across(accuracy), y), ends, (y, y), 5)
            + f"<title>{escape(one.label)}: {with_error(accuracy, error)}</title></circle></g>"
        )
    caption = "Held-out accuracy of each method, ± one standard error."
    style = f' style="max-width: {_WIDTH}px; width: 100%; font-size: 13px"'
    return _figure(marks, bottom + 28, caption, style=style)


def _agreement_table(comparison: MethodComparison) -> str:
    labels = [one.label for one in comparison.scores]
    rows = [
        (label, *(f"{share:.2f}" for share in shares))
        for label, shares in zip(labels, comparison.agreement.tolist(), strict=True)
    ]
    caption = (
        "Agreement of the trees of all answers: the share of the triples of objects of which two "
        "trees join the same two first. Trees that have nothing in common agree on a third."
    )
    return table(("tree of", *labels), rows, caption=caption)


def _error(one: MethodScores) -> float:
    error = one.held_out.accuracy_error
    return error if math.isfinite(error) else 0.0


def _tick(x: float, y: float, text: str, anchor: str = "middle") -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" style="fill: var(--muted)">{text}</text>'


def _grid_line(x: tuple[float, float], y: tuple[float, float]) -> str:
    return f'<line x1="{x[0]}" x2="{x[1]}" y1="{y[0]}" y2="{y[1]}" style="stroke: var(--line)"/>'


def _dot(
    at: tuple[float, float], x: tuple[float, float], y: tuple[float, float], radius: int
) -> str:
    """Return a dot with its error bar; the circle is left open for a title."""
    return (
        f'<line x1="{x[0]}" x2="{x[1]}" y1="{y[0]}" y2="{y[1]}" stroke-width="2"/>'
        f'<circle cx="{at[0]}" cy="{at[1]}" r="{radius}">'
    )


def _figure(
    marks: Sequence[str], height: int, caption: str, *, kind: str = "", style: str = ""
) -> str:
    return (
        f'<figure><svg{kind} viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{caption}"'
        f"{style}>{''.join(marks)}</svg><figcaption>{caption}</figcaption></figure>"
    )


def _tick_step(span: float) -> float:
    """Return 1, 2 or 5 times a power of ten that gives about five ticks."""
    rough = max(span, 0.02) / 5
    power = 10.0 ** math.floor(math.log10(rough))
    factor = next(factor for factor in (1, 2, 5, 10) if factor * power >= rough * (1 - 1e-9))
    return round(factor * power, 10)


def curve_section(curve: LearningCurve | None, tree: Hierarchy) -> str:
    """Return accuracy against the number of answers, and whether to collect more."""
    if curve is None:
        return ""
    rows = [
        (f"{size:,}", f"{accuracy:.3f} ± {error:.3f}", f"{stability:.2f}".replace("nan", "-"))
        for (size, accuracy, error), stability in zip(
            _points(curve), curve.stability.tolist(), strict=True
        )
    ]
    caption = (
        "Trees from subsets of the answers. Accuracy: the share of held-out comparisons that they "
        "predict, ± one standard error. Stability: the share of triples of objects that two trees "
        "from disjoint subsets resolve in the same way (1/3 by chance)."
    )
    header = ("answers", "held-out accuracy", "stability")
    return (
        f"<p>{advice_html(curve, tree)}</p>" + _plot(curve) + table(header, rows, caption=caption)
    )


def _points(curve: LearningCurve) -> list[tuple[int, float, float]]:
    columns = curve.sizes.tolist(), curve.accuracy.tolist(), curve.accuracy_error.tolist()
    return list(zip(*columns, strict=True))


def _plot(curve: LearningCurve) -> str:
    smallest, last = float(curve.sizes[0]), float(curve.n_answers) + 1000
    ahead = [smallest + (last - smallest) * step / 40 for step in range(41)]
    estimates = [curve.predict(size) for size in ahead]
    lows = [one.low for one in estimates] + (curve.accuracy - curve.accuracy_error).tolist()
    highs = [one.high for one in estimates] + (curve.accuracy + curve.accuracy_error).tolist()
    low, high = max(0.0, min([*lows, 0.5]) - 0.01), min(1.0, max(highs) + 0.01)

    def across(size: float) -> float:
        return float(round(_LEFT + size / last * (_WIDTH - _LEFT - _RIGHT), 1))

    def up(value: float) -> float:
        share = (min(max(value, low), high) - low) / (high - low)
        return float(round(_HEIGHT - _BOTTOM - share * (_HEIGHT - _BOTTOM - _TOP), 1))

    def line(values: Sequence[float]) -> list[str]:
        return [f"{across(size)},{up(value)}" for size, value in zip(ahead, values, strict=True)]

    marks = []
    for number in range(int(low * 20) + 1, int(high * 20) + 1):
        y = up(number / 20)
        marks.append(_grid_line((_LEFT, _WIDTH - _RIGHT), (y, y)))
        marks.append(_tick(_LEFT - 8, y + 4, f"{number * 5} %", "end"))
    for size in (0, curve.n_answers // 2, curve.n_answers):
        marks.append(_tick(across(size), _HEIGHT - _BOTTOM + 18, f"{size:,}"))
    upper, lower = line([one.high for one in estimates]), line([one.low for one in estimates])
    middle = line([one.value for one in estimates])
    marks.append(
        f'<polygon points="{" ".join(upper + lower[::-1])}" style="fill: var(--accent); '
        f'opacity: 0.18"/><polyline points="{" ".join(middle)}" style="fill: none; '
        'stroke: var(--accent); stroke-width: 2"/>'
    )
    for size, accuracy, error in _points(curve):
        x, ends = across(size), (up(accuracy - error), up(accuracy + error))
        marks.append(
            '<g style="fill: var(--text); stroke: var(--text)">'
            + _dot((x, up(accuracy)), (x, x), ends, 4)
            + f"<title>{size:,} answers: {accuracy:.3f} ± {error:.3f}</title></circle></g>"
        )
    marks.append(_tick((_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 4, "number of answers"))
    caption = (
        "Held-out accuracy of trees from subsets of the answers (dots, ± one standard error), and "
        "its extrapolation (line, with an 80 % interval). Guessing gives 50 %."
    )
    return _figure(marks, _HEIGHT, caption, kind=' class="curve"')
