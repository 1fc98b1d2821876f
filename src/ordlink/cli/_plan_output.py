"""What `ordlink plan` prints and writes."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ordlink._text import counted
from ordlink.cli._output import write_csv

if TYPE_CHECKING:
    from ordlink.planning import Plan
    from ordlink.plotting import Curve
    from ordlink.validation import Estimate, LearningCurve

LARGEST_SHOWN = 1e9
"""Larger numbers of answers count as infinite."""
_NAMES = {"aari": "AARI", "accuracy": "accuracy"}
_QUESTIONS = {
    "triplet": "triplets",
    "quadruplet": "quadruplets",
    "most-central": "'most central' answers",
    "odd-one-out": "'odd one out' answers",
}


def print_plan(plan: Plan, cost: dict[str, Any]) -> None:
    """Print the number of answers, their cost, and the curve."""
    setting, share = plan.scenario, f"{plan.confidence:.0%}"
    measure = _NAMES[setting.measure]
    aim = f"{measure} {setting.target:g} in {share} of studies like this"
    if plan.n_answers is not None:
        between, questions = _between(*plan.interval), _QUESTIONS[setting.question]
        click.echo(f"About {plan.n_answers:,} {questions} ({between}) for {aim}.")
        click.echo(_cost_line(plan.n_answers, cost))
    elif plan.out_of_reach:
        click.echo(
            f"No number of answers is enough for {aim}: with every comparison known, {share} of "
            f"them reach {plan.ceiling:.2f} (mean {plan.limit_mean:.2f})."
        )
    else:
        click.echo(
            f"More than {plan.max_answers:,} answers for {aim}, if it can be reached at all; with "
            f"every comparison known, {share} of them reach {plan.ceiling:.2f}."
        )
    click.echo(
        f"{counted(setting.n_objects, 'object')}, {setting.n_clusters} clusters, delta / sigma = "
        f"{setting.difficulty:g}, lapse rate {setting.error_rate:.0%}, {setting.method}; "
        f"{counted(plan.n_runs, 'run')}"
    )
    click.echo(f"\n{'answers':>9} {'runs':>5} {measure:>9}    {'(spread)':12} {'chance':>7}")
    for point in plan.curve:
        spread = f"({point.low:.2f}-{point.high:.2f})"
        click.echo(
            f"{point.n_answers:>9,} {point.n_runs:>5} {point.mean:>9.2f}    {spread:12} "
            f"{point.chance:>7.0%}"
        )
    click.echo(f"{'limit':>9} {'':5} {plan.limit_mean:>9.2f}")


def write_plan(plan: Plan, csv_file: str | None, png_file: str | None) -> None:
    """Write the curve as a table and as a drawing."""
    header = ("n_answers", "n_runs", "mean", "low", "high", "reached", "chance")
    _write_table(csv_file, header, [[getattr(p, name) for name in header] for p in plan.curve])
    if png_file is not None:
        from ordlink.plotting import Curve

        x, mean, low, high = zip(
            *((p.n_answers, p.mean, p.low, p.high) for p in plan.curve), strict=True
        )
        curve = Curve(x, mean, low, high, f"mean and spread of {plan.n_runs} runs")
        setting = plan.scenario
        measure = _NAMES[setting.measure]
        _draw(png_file, [curve], y=measure, target=setting.target, needed=plan.n_answers)


def print_learning_curve(
    curve: LearningCurve, n_more: int, target: float | None, cost: dict[str, Any]
) -> None:
    """Print the verdict, the curve, and its extrapolation."""
    verdict = curve.verdict()
    click.echo(f"{verdict.advice.capitalize()}: {verdict.reason}.")
    click.echo(
        f"{counted(curve.n_objects, 'object')}, {counted(curve.n_answers, 'answer')}, "
        f"{curve.method}; next {n_more:,}: {_cost_line(n_more, cost)}"
    )
    click.echo(f"\n{'answers':>9} {'held-out accuracy':>18} {'':9} {'stability':>9}")
    for size, accuracy, error, stability in _measured(curve):
        stable = "" if math.isnan(stability) else f"{stability:.2f}"
        click.echo(f"{size:>9,} {accuracy:>18.3f} +- {error:.3f}  {stable:>9}")
    for number in (curve.n_answers, curve.n_answers + n_more):
        click.echo(f"{number:>9,} {_expected(curve.predict(number))}")
    click.echo(f"{'limit':>9} {_expected(curve.ceiling)}")
    if target is not None:
        needed = curve.answers_for(target)
        click.echo(f"\n{_target_line(target, needed.value, needed.low, needed.high)}")


def write_learning_curve(
    curve: LearningCurve,
    n_more: int,
    target: float | None,
    csv_file: str | None,
    png_file: str | None,
) -> None:
    """Write the curve as a table and as a drawing."""
    ahead = [curve.sizes[-1], curve.n_answers, curve.n_answers + n_more]
    expected = [curve.predict(number) for number in ahead]
    rows: list[list[object]] = [
        [size, float(accuracy), float(error), "" if math.isnan(stable) else float(stable), 0]
        for size, accuracy, error, stable in _measured(curve)
    ]
    rows += [
        [int(number), e.value, "", "", 1] for number, e in zip(ahead[1:], expected[1:], strict=True)
    ]
    header = ("n_answers", "accuracy", "standard_error", "stability", "expected")
    _write_table(csv_file, header, rows)
    if png_file is not None:
        from ordlink.plotting import Curve

        mean, error = curve.accuracy, curve.accuracy_error
        middle, low, high = ((mean + sign * error).tolist() for sign in (0, -1, 1))
        values, lows, highs = zip(*((e.value, e.low, e.high) for e in expected), strict=True)
        curves = [
            Curve(curve.sizes.tolist(), middle, low, high, "measured"),
            Curve(ahead, values, lows, highs, "expected", dashed=True),
        ]
        _draw(png_file, curves, y="held-out accuracy", target=target)


def _measured(curve: LearningCurve) -> Any:
    columns = curve.accuracy, curve.accuracy_error, curve.stability
    return zip(curve.sizes.tolist(), *columns, strict=True)


def _write_table(path: str | None, header: tuple[str, ...], rows: list[list[object]]) -> None:
    if path is not None:
        write_csv(Path(path), header, rows)
        click.echo(f"wrote {path}")


def _draw(path: str, curves: list[Curve], **settings: Any) -> None:
    from ordlink.plotting import save_curves

    save_curves(path, curves, **settings)
    click.echo(f"wrote {path}")


def _expected(estimate: Estimate) -> str:
    return f"{estimate.value:>18.3f} ({estimate.low:.3f}-{estimate.high:.3f}) expected"


def _target_line(target: float, number: float, low: float, high: float) -> str:
    if number > LARGEST_SHOWN:
        luck = "" if low > LARGEST_SHOWN else f"; at best (1 case in 10) {_about(low)} are enough"
        return f"Accuracy {target:g} is not expected with any number of answers{luck}."
    return (
        f"Accuracy {target:g} is expected with about {_about(number)} answers in all "
        f"({_between(low, high)})."
    )


def _cost_line(n_answers: float, cost: dict[str, Any]) -> str:
    from ordlink.planning import answers_cost

    found = answers_cost(n_answers, **cost)
    money = (
        "" if found.money is None else f", {found.money:,.2f} at {cost['pay_per_hour']:g} per hour"
    )
    return f"{found.hours:,.1f} hours at {cost['seconds_per_answer']:g} seconds per answer{money}"


def _between(low: float, high: float) -> str:
    """Return the two ends of an interval.

    Examples
    --------
    >>> _between(1234, 5678), _between(1999, math.inf)
    ('1,200 to 5,700', 'at least 2,000, no upper bound')
    """
    if low > LARGEST_SHOWN:
        return "or out of reach"
    if high > LARGEST_SHOWN:
        return f"at least {_about(low)}, no upper bound"
    return f"{_about(low)} to {_about(high)}"


def _about(number: float) -> str:
    """Return a number rounded to two digits."""
    unit = 10 ** max(0, math.floor(math.log10(max(number, 1.0))) - 1)
    return f"{round(number / unit) * unit:,}"
