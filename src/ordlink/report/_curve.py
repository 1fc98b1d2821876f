"""The learning curve as a picture and a table."""

from __future__ import annotations

from ordlink._html import table
from ordlink.report._words import advice_html
from ordlink.validation import LearningCurve

_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP, _RIGHT = 640, 260, 60, 44, 12, 20


def curve_section(curve: LearningCurve | None) -> str:
    """Return accuracy against the number of answers, and whether to collect more."""
    if curve is None:
        return ""
    rows = [
        (
            f"{size:,}",
            f"{accuracy:.3f} ± {error:.3f}",
            "-" if stability != stability else f"{stability:.2f}",
        )
        for size, accuracy, error, stability in zip(
            curve.sizes.tolist(),
            curve.accuracy.tolist(),
            curve.accuracy_error.tolist(),
            curve.stability.tolist(),
            strict=True,
        )
    ]
    return (
        f"<p>{advice_html(curve)}</p>"
        + _plot(curve)
        + table(
            ("answers", "held-out accuracy", "stability"),
            rows,
            caption="Trees from subsets of the answers. Accuracy: the share of held-out "
            "comparisons that they predict, ± one standard error. Stability: the share of triples "
            "of objects that two trees from disjoint subsets resolve in the same way (1/3 by "
            "chance).",
        )
    )


def _plot(curve: LearningCurve) -> str:
    sizes = [0.0, *map(float, curve.sizes.tolist())]
    last = float(curve.n_answers) + 1000
    ahead = [sizes[1] + (last - sizes[1]) * step / 40 for step in range(41)]
    estimates = [curve.predict(size) for size in ahead]
    lows = [one.low for one in estimates] + (curve.accuracy - curve.accuracy_error).tolist()
    highs = [one.high for one in estimates] + (curve.accuracy + curve.accuracy_error).tolist()
    low, high = min([*lows, 0.5]), max(highs)
    low, high = max(0.0, low - 0.01), min(1.0, high + 0.01)

    def across(size: float) -> float:
        return float(round(_LEFT + size / last * (_WIDTH - _LEFT - _RIGHT), 1))

    def up(value: float) -> float:
        share = (min(max(value, low), high) - low) / (high - low)
        return float(round(_HEIGHT - _BOTTOM - share * (_HEIGHT - _BOTTOM - _TOP), 1))

    marks = []
    for number in range(int(low * 20) + 1, int(high * 20) + 1):
        y = up(number / 20)
        marks.append(
            f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y}" y2="{y}" '
            'style="stroke: var(--line)"/>'
            f'<text x="{_LEFT - 8}" y="{y + 4}" text-anchor="end" style="fill: var(--muted)">'
            f"{number * 5} %</text>"
        )
    for size in (0, curve.n_answers // 2, curve.n_answers):
        marks.append(
            f'<text x="{across(size)}" y="{_HEIGHT - _BOTTOM + 18}" text-anchor="middle" '
            f'style="fill: var(--muted)">{size:,}</text>'
        )
    band = [f"{across(s)},{up(one.high)}" for s, one in zip(ahead, estimates, strict=True)]
    band += [
        f"{across(s)},{up(one.low)}"
        for s, one in reversed(list(zip(ahead, estimates, strict=True)))
    ]
    line = [f"{across(s)},{up(one.value)}" for s, one in zip(ahead, estimates, strict=True)]
    marks.append(
        f'<polygon points="{" ".join(band)}" style="fill: var(--accent); opacity: 0.18"/>'
        f'<polyline points="{" ".join(line)}" style="fill: none; stroke: var(--accent); '
        'stroke-width: 2"/>'
    )
    for size, accuracy, error in zip(
        curve.sizes.tolist(),
        curve.accuracy.tolist(),
        curve.accuracy_error.tolist(),
        strict=True,
    ):
        marks.append(
            f'<g style="fill: var(--text); stroke: var(--text)"><line x1="{across(size)}" '
            f'x2="{across(size)}" y1="{up(accuracy - error)}" y2="{up(accuracy + error)}" '
            f'stroke-width="2"/><circle cx="{across(size)}" cy="{up(accuracy)}" r="4">'
            f"<title>{size:,} answers: {accuracy:.3f} ± {error:.3f}</title></circle></g>"
        )
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    marks.append(
        f'<text x="{middle}" y="{_HEIGHT - 4}" text-anchor="middle" style="fill: var(--muted)">'
        "number of answers</text>"
    )
    caption = (
        "Held-out accuracy of trees from subsets of the answers (dots, ± one standard error), and "
        "its extrapolation (line, with an 80 % interval). Guessing gives 50 %."
    )
    return (
        f'<figure><svg class="curve" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'aria-label="{caption}">{"".join(marks)}</svg><figcaption>{caption}</figcaption></figure>'
    )
