"""A comparison of methods as a section of an HTML page: table, plot, agreement of the trees."""

from __future__ import annotations

import math

from ordlink._html import escape, table
from ordlink.validation import MethodComparison, MethodScores

_WIDTH, _LEFT, _RIGHT, _ROW = 640, 150, 20, 26
"""The plot: its width, the room for labels, the margin, and the height of a row."""


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
    """Return a score and its standard error.

    Examples
    --------
    >>> with_error(0.69712, 0.0013)
    '0.697 ± 0.001'
    """
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
        "difference to the best is taken in pairs, fold by fold. Own answers: accuracy of the tree "
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
        return round(_LEFT + share * (_WIDTH - _LEFT - _RIGHT), 1)

    bottom = _ROW * len(shown) + 8
    marks = [
        _tick(across(number * step), bottom, f"{number * step:.{max(0, _digits(step))}f}")
        for number in range(first, last + 1)
    ]
    for row, one in enumerate(shown):
        accuracy, error, y = one.held_out.accuracy, _error(one), _ROW * row + _ROW // 2
        colour = "--accent" if one.label == comparison.recommended else "--text"
        marks.append(
            f'<g style="fill: var({colour}); stroke: var({colour})">'
            f'<text x="{_LEFT - 12}" y="{y + 5}" text-anchor="end" stroke="none">'
            f"{escape(one.label)}</text>"
            f'<line x1="{across(accuracy - error)}" x2="{across(accuracy + error)}" y1="{y}" '
            f'y2="{y}" stroke-width="2"/><circle cx="{across(accuracy)}" cy="{y}" r="5">'
            f"<title>{escape(one.label)}: {with_error(accuracy, error)}</title></circle></g>"
        )
    caption = "Held-out accuracy of each method, and one standard error to both sides."
    return (
        f'<figure><svg viewBox="0 0 {_WIDTH} {bottom + 28}" role="img" aria-label="{caption}" '
        f'style="max-width: {_WIDTH}px; width: 100%; font-size: 13px">{"".join(marks)}</svg>'
        f"<figcaption>{caption}</figcaption></figure>"
    )


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


def _tick(x: float, bottom: int, text: str) -> str:
    return (
        f'<line x1="{x}" x2="{x}" y1="0" y2="{bottom}" style="stroke: var(--line)"/>'
        f'<text x="{x}" y="{bottom + 18}" text-anchor="middle" style="fill: var(--muted)">'
        f"{text}</text>"
    )


def _tick_step(span: float) -> float:
    """Return 1, 2 or 5 times a power of ten that gives about five ticks.

    Examples
    --------
    >>> _tick_step(0.08), _tick_step(0.0)
    (0.02, 0.005)
    """
    rough = max(span, 0.02) / 5
    power = 10.0 ** math.floor(math.log10(rough))
    factor = next(factor for factor in (1, 2, 5, 10) if factor * power >= rough * (1 - 1e-9))
    return round(factor * power, 10)


def _digits(step: float) -> int:
    return -math.floor(math.log10(step) + 1e-9)
