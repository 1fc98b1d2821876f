"""The bars that our method has to clear, judged by stated rules from the measured numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from studies.quality.methods import OURS
from studies.quality.tables import (
    MEASURES,
    TARGET,
    answers_needed,
    cells_of,
    margins,
    standard_error,
)
from studies.running._experiment import Record
from studies.statistics import mean, select

Results: TypeAlias = Mapping[str, Sequence[Record]]
"""Name of a group -> its rows."""

MET, NOT_MET, UNDECIDED, NOT_RUN = "met", "not met", "undecided", "not run"
SLACK = 0.02
"""How far below the best other method ours may be."""
ERROR_SLACK = 0.05
"""How far wrong answers may bring AARI down where there are three times as many answers."""
PLANTED_GROUPS = ("planted", "shapes", "forms", "errors", "uneven")
N_WORST = 5
"""Cells that a finding names."""

Finding: TypeAlias = tuple[str, str]
"""A verdict, and what was measured."""


@dataclass(frozen=True)
class Bar:
    """What is demanded, the rule that decides, and the function that applies it."""

    text: str
    rule: str
    judge: Callable[[Results], Finding]


def reaches(results: Results, *, delta: float, n_answers: int, least: float) -> Finding:
    """Judge whether our mean AARI in one cell of the planted grid is high enough."""
    rows = select(
        results.get("planted", ()), measure="aari", method=OURS, delta=delta, n_answers=n_answers
    )
    return _at_least(least, rows, lambda: f"{mean(rows):.3f} (repetitions: {len(rows)})")


def never_far_below(results: Results, *, measure: str) -> Finding:
    """Judge whether ours is at most 0.02 below the best other method in every planted cell."""
    found = [
        (group, margin)
        for group in PLANTED_GROUPS
        for margin in margins(results.get(group, ()), measure)
    ]
    if not found:
        return NOT_RUN, ""
    below = sorted(
        (
            (margin.difference, group, margin)
            for group, margin in found
            if margin.difference < -SLACK
        ),
        key=lambda entry: entry[0],
    )
    text = f"in {len(found) - len(below)} of {len(found)} cells"
    if below:
        worst = "; ".join(
            f"{group}: {margin.cell.name} ({difference:+.3f}, {margin.rival})"
            for difference, group, margin in below[:N_WORST]
        )
        text += f"; furthest below: {worst}"
    return _verdict(not below), text


def needs_a_fraction(results: Results, *, rival: str, divisor: int, delta: float) -> Finding:
    """Judge whether we need at most a fraction of the answers that another method needs.

    Where the other never reaches the target it needs more than the largest number tried, which
    is enough for "met" but never for "not met".
    """
    rows = select(results.get("planted", ()), delta=delta)
    for needed in answers_needed(rows).values():
        ours, other = needed.get(OURS), needed.get(rival)
        if ours is None or other is None:
            continue
        text = f"{OURS} {ours}, {rival} {other}"
        if not ours.reached:
            return NOT_MET, text
        text += f": a factor of {'' if other.reached else 'more than '}{other.n / ours.n:,.0f}"
        if ours.n * divisor <= other.n:
            return (UNDECIDED if other.at_once else MET), text
        return (NOT_MET if other.reached and not ours.at_once else UNDECIDED), text
    return NOT_RUN, ""


def errors_cost_little(results: Results, *, error_rate: float, times: int) -> Finding:
    """Judge whether more answers make up for wrong ones, wherever both were run."""
    rows = select(results.get("errors", ()), measure="aari", method=OURS)
    clean = {(row["delta"], row["n_answers"]) for row in select(rows, error_rate=0.0)}
    found = []
    for delta, n_answers in sorted(clean):
        without = mean(select(rows, delta=delta, n_answers=n_answers, error_rate=0.0))
        noisy = select(rows, delta=delta, n_answers=times * n_answers, error_rate=error_rate)
        if noisy:
            text = f"delta {delta:g}, {n_answers:,}: {without:.3f}, {mean(noisy):.3f} with errors"
            found.append((mean(noisy) >= without - ERROR_SLACK, text))
    if not found:
        return NOT_RUN, ""
    return _verdict(all(good for good, _ in found)), "; ".join(text for _, text in found)


def predicts(results: Results, *, dataset: str, least: float) -> Finding:
    """Judge whether our mean held-out accuracy on answers of people is high enough."""
    rows = select(results.get("people", ()), measure="held_out", method=OURS, dataset=dataset)
    return _at_least(
        least, rows, lambda: f"{mean(rows):.4f} (standard error {standard_error(rows):.4f})"
    )


def _at_least(least: float, rows: Sequence[Record], describe: Callable[[], str]) -> Finding:
    """Judge whether the mean of the rows is high enough."""
    return (_verdict(mean(rows) >= least), describe()) if rows else (NOT_RUN, "")


def within_one_error(results: Results, *, but: str) -> Finding:
    """Judge whether ours is at most one standard error below the best other, wherever asked."""
    rows = [
        row
        for row in select(results.get("people", ()), measure="held_out")
        if row["dataset"] != but
    ]
    texts, below = [], 0
    for margin in margins(rows, "held_out"):
        dataset = margin.cell.setting
        error = standard_error(select(rows, dataset=dataset, method=margin.rival))
        if margin.difference < -error:
            below += 1
            texts.append(f"{dataset} ({margin.difference:+.4f}, {margin.rival}, error {error:.4f})")
    n = sum(OURS in cell.methods for cell in cells_of(rows, "held_out"))
    if not n:
        return NOT_RUN, ""
    text = f"on {n - below} of {n} data sets"
    return _verdict(not below), f"{text}; further below: {'; '.join(texts)}" if texts else text


REACH = (
    (0.04, 205_000, 0.91),
    (0.08, 205_000, 0.98),
    (0.12, 41_000, 0.97),
    (0.2, 20_700, 0.95),
    (0.2, 8_300, 0.83),
)
"""Delta, number of answers and the least mean AARI."""

BARS: tuple[Bar, ...] = (
    *(
        Bar(
            f"Planted, N = 240: AARI at least {least:g} at delta {delta:g} with {n:,} comparisons",
            "mean over the repetitions",
            partial(reaches, delta=delta, n_answers=n, least=least),
        )
        for delta, n, least in REACH
    ),
    *(
        Bar(
            f"In every planted cell: not more than {SLACK:g} below the best other method "
            f"({MEASURES[measure][0]})",
            "mean minus the highest mean of the others, in every cell of "
            f"{', '.join(PLANTED_GROUPS)}",
            partial(never_far_below, measure=measure),
        )
        for measure in ("aari", "held_out")
    ),
    *(
        Bar(
            f"Answers needed for AARI {TARGET:g} at delta = sigma: at most 1/{divisor} of what "
            f"{rival} needs",
            "where the mean first reaches it, interpolated in the logarithm of the number",
            partial(needs_a_fraction, rival=rival, divisor=divisor, delta=0.1),
        )
        for rival, divisor in (("4K-AL", 40), ("4-AL", 100))
    ),
    Bar(
        f"20 % wrong answers and three times as many: AARI not more than {ERROR_SLACK:g} lower",
        "means, for every delta and number of answers that was run without and with errors",
        partial(errors_cost_little, error_rate=0.2, times=3),
    ),
    Bar(
        "Car: held-out triplet accuracy at least 0.685",
        "mean over folds and repetitions",
        partial(predicts, dataset="Car", least=0.685),
    ),
    Bar(
        "Faces and perceptual kernels: not more than one standard error below the best other "
        "method",
        "mean held-out accuracy; the standard error is that of the best other method, over folds",
        partial(within_one_error, but="Car"),
    ),
)
"""The bars, in the order of the page."""


def _verdict(met: bool) -> str:  # noqa: FBT001 - said in one word
    return MET if met else NOT_MET
