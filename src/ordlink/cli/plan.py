"""`ordlink plan`: how many answers a study needs, or what more answers would gain."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import click

import ordlink as ol
from ordlink._text import counted
from ordlink.cli import _options
from ordlink.cli._answers import read_answers, source_name
from ordlink.cli._console import progress_bar, progress_flag
from ordlink.cli._output import check_file, refuse_overwrite, write_csv
from ordlink.comparisons import FORMS
from ordlink.errors import InputError, TooFewAnswersError
from ordlink.methods import DEFAULT_METHOD

_BOTH_WAYS = ("measure", "n_jobs", "scheduler")
_ONLY_WITH_ANSWERS = ("names", "n_more", "n_repetitions")
LARGEST_SHOWN = 1e9  # larger numbers of answers count as infinite
_NAMES = {"aari": "AARI", "accuracy": "accuracy"}


@_options.command(
    "plan",
    "ordlink plan --objects 60 --clusters 8",
    "ordlink plan --objects 40 --difficulty easy --errors 0.2 --seconds 5 --pay 12",
    "ordlink plan --answers pilot.csv --next 1000 --target 0.7 --png curve.png",
)
@_options.count("--objects", "n_objects", lowest=3, help="Number of objects.")
@_options.count(
    "--clusters",
    "n_clusters",
    lowest=2,
    help="Number of clusters at the bottom of the tree (default: about 8 objects in each).",
)
@_options.count("--depth", help="Levels of a binary tree, instead of --clusters.")
@click.option(
    "--difficulty",
    metavar="easy|medium|hard|NUMBER",
    help="How clearly the groups differ (default: medium). "
    + "; ".join(f"{name}: {study}" for name, study in ol.planning.STUDIES.items())
    + ". Or a number: similarity gap per level / noise SD (easy is 2, medium 1, hard 0.5).",
)
@click.option(
    "--errors",
    "error_rate",
    type=float,
    help="Share of careless answers, the lapse rate (default: 0.1).",
)
@_options.choice("--question", FORMS, help="Form of the questions (default: triplet).")
@click.option("--method", default=DEFAULT_METHOD, help="Method that builds the tree.")
@click.option("--target", type=float, help="Score to reach (default: 0.9; with --answers: none).")
@_options.choice(
    "--measure",
    ("aari", "accuracy"),
    help="Score that --target refers to: agreement with the true tree (aari), or share of new "
    "answers predicted (accuracy) (default: aari; with --answers: accuracy).",
)
@click.option("--confidence", type=float, help="Probability of reaching the target (default: 0.8).")
@_options.count(
    "--most", "max_answers", help="Largest number of answers to consider (default: 200,000)."
)
@click.option("--seconds", "seconds_per_answer", type=float, default=4.0, help="Time per answer.")
@click.option("--pay", "pay_per_hour", type=float, help="Pay per hour, in any currency.")
@_options.file(
    "--answers",
    help="Answers collected so far: extrapolate their learning curve instead of simulating.",
)
@_options.count(
    "--next",
    "n_more",
    help="With --answers: number of further answers to predict for (default: 1,000).",
)
@_options.count(
    "--repetitions",
    "n_repetitions",
    help="With --answers: number of times to redraw the folds (default: 2).",
)
@_options.file("--names", help="With --answers: names of the objects, one per line.")
@_options.reading
@_options.seed(default=0)
@_options.parallel
@_options.file("--csv", "csv_file", help="Write the curve as a table.")
@_options.file("--png", "png_file", help="Draw the curve (.png, .svg or .pdf).")
@progress_flag
def command(
    reading: dict[str, Any],
    method: str,
    target: float | None,
    seconds_per_answer: float,
    pay_per_hour: float | None,
    answers: str | None,
    seed: int,
    csv_file: str | None,
    png_file: str | None,
    **given: Any,
) -> None:
    """Estimate how many answers a study needs or, with --answers, what more answers would gain.

    Each simulated study plants a tree, simulates answers to random questions, and compares the
    tree of these answers with the planted one. With --answers, the accuracy on held-out answers is
    measured for growing subsets of the answers and extrapolated.
    """
    cost: Any = {"seconds_per_answer": seconds_per_answer, "pay_per_hour": pay_per_hour}
    ol.planning.answers_cost(0, **cost)  # refuses wrong numbers before the work
    if png_file is not None:
        ol.plotting.check_drawing(png_file)
    check_file(csv_file, "csv_file")
    check_file(png_file, "png_file")
    refuse_overwrite([answers], [csv_file, png_file])
    chosen = {name: value for name, value in given.items() if value is not None}
    _check_combination(chosen, reading, has_answers=answers is not None)
    if answers is None:
        chosen |= {} if target is None else {"target": target}
        settings = {"n_jobs": ol.planning.n_cores(), "method": method, "seed": seed, **chosen}
        with progress_bar("simulated studies") as progress:
            plan = ol.planning.plan_answers(**settings, progress=progress)
        _print_plan(plan, cost)
        _write_plan(plan, csv_file, png_file)
        return
    if target is not None:
        ol.validation.check_accuracy(target)
    comparisons = read_answers([answers], names=given["names"], **reading)
    try:
        with progress_bar("learning curve") as progress:
            curve = ol.validation.learning_curve(
                comparisons,
                method,
                n_repetitions=given["n_repetitions"] or 2,
                seed=seed,
                n_jobs=given["n_jobs"],
                progress=progress,
            )
    except TooFewAnswersError as error:
        raise InputError(
            "expected enough answers for five folds and a learning curve, got "
            f"{comparisons.n_answers}",
            where=source_name([answers]),
            remedy="collect more, or plan a study with {n_objects}",
        ) from error
    n_more = given["n_more"] or 1000
    _print_learning_curve(curve, n_more, target, cost)
    _write_learning_curve(curve, n_more, target, csv_file, png_file)


def _check_combination(
    chosen: dict[str, Any], reading: dict[str, Any], *, has_answers: bool
) -> None:
    """Refuse options of the other way to plan; those of `_BOTH_WAYS` belong to both."""
    given = {*chosen, *(name for name, value in reading.items() if value is not None)}
    for option in command.params:
        if option.name not in given or option.name in _BOTH_WAYS:
            continue
        if has_answers != (option.name in (*reading, *_ONLY_WITH_ANSWERS)):
            why = "cannot be combined with" if has_answers else "requires"
            raise click.UsageError(f"{option.opts[0]} {why} --answers")
    if has_answers and chosen.get("measure") == "aari":
        raise click.UsageError("--measure aari needs the true tree; with --answers, use accuracy")
    if not has_answers and "n_objects" not in chosen:
        raise click.UsageError("give --objects to plan a study, or --answers to extend one")


def _print_plan(plan: ol.planning.Plan, cost: dict[str, Any]) -> None:
    setting, share = plan.scenario, f"{plan.confidence:.0%}"
    measure = _NAMES[setting.measure]
    aim = f"{measure} {setting.target:g} in {share} of studies like this"
    if plan.n_answers is not None:
        between = _between(*plan.interval)
        click.echo(f"About {plan.n_answers:,} {setting.question} answers ({between}) for {aim}.")
        click.echo(_cost_line(plan.n_answers, cost))
    elif plan.out_of_reach:
        click.echo(
            f"No number of answers is enough for {aim}: with every comparison known, {share} of "
            f"studies reach {plan.ceiling:.2f} (mean {plan.limit_mean:.2f})."
        )
    else:
        click.echo(
            f"More than {plan.max_answers:,} answers for {aim}, if it can be reached at all; with "
            f"every comparison known, {share} of studies reach {plan.ceiling:.2f}."
        )
    click.echo(
        f"{counted(setting.n_objects, 'object')}, {setting.n_clusters} clusters, difficulty: "
        f"{setting.difficulty_words}, lapse rate {setting.error_rate:.0%}, {setting.method}; "
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


def _write_plan(plan: ol.planning.Plan, csv_file: str | None, png_file: str | None) -> None:
    header = ("n_answers", "n_runs", "mean", "low", "high", "reached", "chance")
    rows = [[getattr(point, name) for name in header] for point in plan.curve]
    x, _, *bands = list(zip(*rows, strict=True))[:5]
    curve = (x, *bands, f"mean and spread of {plan.n_runs} runs")
    settings = {"target": plan.scenario.target, "needed": plan.n_answers}
    _write(csv_file, header, rows, png_file, [curve], y=_NAMES[plan.scenario.measure], **settings)


def _print_learning_curve(
    curve: ol.validation.LearningCurve, n_more: int, target: float | None, cost: dict[str, Any]
) -> None:
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


def _write_learning_curve(
    curve: ol.validation.LearningCurve,
    n_more: int,
    target: float | None,
    csv_file: str | None,
    png_file: str | None,
) -> None:
    ahead = [int(curve.sizes[-1]), curve.n_answers, curve.n_answers + n_more]
    expected = [curve.predict(number) for number in ahead]
    rows: list[list[object]] = [
        [size, accuracy, error, "" if math.isnan(stable) else stable, 0]
        for size, accuracy, error, stable in _measured(curve)
    ]
    rows += [[number, e.value, "", "", 1] for number, e in zip(ahead, expected, strict=True)][1:]
    mean, error = curve.accuracy, curve.accuracy_error
    middle, low, high = ((mean + sign * error).tolist() for sign in (0, -1, 1))
    values, lows, highs = zip(*((e.value, e.low, e.high) for e in expected), strict=True)
    curves = [
        (curve.sizes.tolist(), middle, low, high, "measured"),
        (ahead, values, lows, highs, "expected", True),
    ]
    header = ("n_answers", "accuracy", "standard_error", "stability", "expected")
    _write(csv_file, header, rows, png_file, curves, y="held-out accuracy", target=target)


def _measured(curve: ol.validation.LearningCurve) -> Any:
    columns = curve.sizes, curve.accuracy, curve.accuracy_error, curve.stability
    return zip(*(column.tolist() for column in columns), strict=True)


def _write(
    csv_file: str | None,
    header: tuple[str, ...],
    rows: list[list[object]],
    png_file: str | None,
    curves: list[tuple[Any, ...]],
    **settings: Any,
) -> None:
    if csv_file is not None:
        write_csv(Path(csv_file), header, rows)
        click.echo(f"wrote {csv_file}")
    if png_file is not None:
        drawn = [ol.plotting.Curve(*curve) for curve in curves]
        ol.plotting.save_curves(png_file, drawn, **settings)
        click.echo(f"wrote {png_file}")


def _expected(estimate: ol.validation.Estimate) -> str:
    return f"{estimate.value:>18.3f} ({estimate.low:.3f}-{estimate.high:.3f}) expected"


def _target_line(target: float, number: float, low: float, high: float) -> str:
    if number > LARGEST_SHOWN:
        luck = "" if low > LARGEST_SHOWN else f"; at best (1 case in 10) {_about(low)} are enough"
        return f"Accuracy {target:g} is not expected with any number of answers{luck}."
    return (
        f"Accuracy {target:g} is expected with about {_about(number)} answers in total "
        f"({_between(low, high)})."
    )


def _cost_line(n_answers: float, cost: dict[str, Any]) -> str:
    found = ol.planning.answers_cost(n_answers, **cost)
    line = f"{found.hours:,.1f} hours at {cost['seconds_per_answer']:g} seconds per answer"
    if found.money is not None:
        line += f", {found.money:,.2f} at {cost['pay_per_hour']:g} per hour"
    return line


def _between(low: float, high: float) -> str:
    if low > LARGEST_SHOWN:
        return "or out of reach"
    if high > LARGEST_SHOWN:
        return f"at least {_about(low)}, no upper bound"
    return f"{_about(low)} to {_about(high)}"


def _about(number: float) -> str:
    """Return a number rounded to two digits."""
    unit = 10 ** max(0, math.floor(math.log10(max(number, 1.0))) - 1)
    return f"{round(number / unit) * unit:,}"
