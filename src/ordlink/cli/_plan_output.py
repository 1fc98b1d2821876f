"""What `ordlink plan` prints and writes."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ordlink.cli._messages import counted
from ordlink.cli._output import write_csv

if TYPE_CHECKING:
    from ordlink.planning import Plan
    from ordlink.validation import Estimate, LearningCurve

MOST_SAID = 1e9
"""Larger numbers of answers are as good as infinite."""
_NAMES = {"aari": "AARI", "accuracy": "accuracy"}
_QUESTIONS = {
    "triplet": "triplets",
    "quadruplet": "quadruplets",
    "most-central": "answers 'most central'",
    "odd-one-out": "answers 'odd one out'",
}


def say_plan(plan: Plan, seconds: float, pay: float | None) -> None:
    """Print the answer, what it costs, and the curve."""
    setting, share = plan.scenario, f"{plan.confidence:.0%}"
    measure = _NAMES[setting.measure]
    aim = f"{measure} {setting.target:g} in {share} of studies like this"
    if plan.n_answers is not None:
        between, questions = _between(*plan.interval), _QUESTIONS[setting.question]
        click.echo(f"About {plan.n_answers:,} {questions} ({between}) for {aim}.")
        click.echo(_cost_line(plan.n_answers, seconds, pay))
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
        f"{setting.difficulty:g}, {setting.error_rate:.0%} slips, {setting.method}; "
        f"{plan.n_runs} runs"
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
    if csv_file is not None:
        header = ("n_answers", "n_runs", "mean", "low", "high", "reached", "chance")
        write_csv(
            Path(csv_file), header, [[getattr(p, name) for name in header] for p in plan.curve]
        )
        click.echo(f"wrote {csv_file}")
    if png_file is not None:
        from ordlink.plotting import Curve, save_curves

        numbers, means, lows, highs = zip(
            *((p.n_answers, p.mean, p.low, p.high) for p in plan.curve), strict=True
        )
        measure = _NAMES[plan.scenario.measure]
        curve = Curve(numbers, means, lows, highs, f"mean and spread of {plan.n_runs} runs")
        save_curves(
            png_file, [curve], y=measure, target=plan.scenario.target, needed=plan.n_answers
        )
        click.echo(f"wrote {png_file}")


def say_learning_curve(
    curve: LearningCurve, n_more: int, target: float | None, seconds: float, pay: float | None
) -> None:
    """Print the verdict, the curve, and its continuation."""
    needed = None if target is None else curve.answers_for(target)
    verdict = curve.verdict()
    click.echo(f"{verdict.advice.capitalize()}: {verdict.reason}.")
    click.echo(
        f"{counted(curve.n_objects, 'object')}, {counted(curve.n_answers, 'answer')}, "
        f"{curve.method}; next {n_more:,}: {_cost_line(n_more, seconds, pay)}"
    )
    click.echo(f"\n{'answers':>9} {'held-out accuracy':>18} {'':9} {'stability':>9}")
    rows = zip(
        curve.sizes.tolist(), curve.accuracy, curve.accuracy_error, curve.stability, strict=True
    )
    for size, accuracy, error, stability in rows:
        stable = "" if math.isnan(stability) else f"{stability:.2f}"
        click.echo(f"{size:>9,} {accuracy:>18.3f} +- {error:.3f}  {stable:>9}")
    for number in (curve.n_answers, curve.n_answers + n_more):
        click.echo(f"{number:>9,} {_expected(curve.predict(number))}")
    click.echo(f"{'limit':>9} {_expected(curve.ceiling)}")
    if needed is not None and target is not None:
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
    if csv_file is not None:
        measured = zip(
            curve.sizes.tolist(), curve.accuracy, curve.accuracy_error, curve.stability, strict=True
        )
        rows: list[list[object]] = [
            [size, float(accuracy), float(error), "" if math.isnan(stable) else float(stable), 0]
            for size, accuracy, error, stable in measured
        ]
        rows += [
            [int(number), e.value, "", "", 1]
            for number, e in zip(ahead[1:], expected[1:], strict=True)
        ]
        header = ("n_answers", "accuracy", "standard_error", "stability", "expected")
        write_csv(Path(csv_file), header, rows)
        click.echo(f"wrote {csv_file}")
    if png_file is not None:
        from ordlink.plotting import Curve, save_curves

        middle, error = curve.accuracy, curve.accuracy_error
        values, lows, highs = zip(*((e.value, e.low, e.high) for e in expected), strict=True)
        curves = [
            Curve(
                curve.sizes.tolist(),
                middle.tolist(),
                (middle - error).tolist(),
                (middle + error).tolist(),
                "measured",
            ),
            Curve(ahead, values, lows, highs, "expected", dashed=True),
        ]
        save_curves(png_file, curves, y="held-out accuracy", target=target)
        click.echo(f"wrote {png_file}")


def _expected(estimate: Estimate) -> str:
    return f"{estimate.value:>18.3f} ({estimate.low:.3f}-{estimate.high:.3f}) expected"


def _target_line(target: float, number: float, low: float, high: float) -> str:
    if number > MOST_SAID:
        luck = "" if low > MOST_SAID else f"; with luck (1 case in 10) {_about(low)} are enough"
        return f"Accuracy {target:g} is not expected with any number of answers{luck}."
    return (
        f"Accuracy {target:g} is expected with about {_about(number)} answers in all "
        f"({_between(low, high)})."
    )


def _cost_line(n_answers: float, seconds: float, pay: float | None) -> str:
    from ordlink.planning import answers_cost

    cost = answers_cost(n_answers, seconds_per_answer=seconds, pay_per_hour=pay)
    money = "" if cost.money is None else f", {cost.money:,.2f} at {pay:g} per hour"
    return f"{cost.hours:,.1f} hours at {seconds:g} seconds per answer{money}"


def _between(low: float, high: float) -> str:
    """Return both ends of an interval in words.

    Examples
    --------
    >>> _between(1234, 5678), _between(1999, math.inf)
    ('1,200 to 5,700', 'at least 2,000, no upper end known')
    """
    if low > MOST_SAID:
        return "or out of reach"
    if high > MOST_SAID:
        return f"at least {_about(low)}, no upper end known"
    return f"{_about(low)} to {_about(high)}"


def _about(number: float) -> str:
    """Return a number in two digits."""
    unit = 10 ** max(0, math.floor(math.log10(max(number, 1.0))) - 1)
    return f"{round(number / unit) * unit:,}"
