"""`ordlink plan`: how many answers a study needs, or what more answers would gain."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ordlink._text import counted
from ordlink.cli import _options
from ordlink.cli._answers import read_answers, source_name
from ordlink.cli._console import progress_bar
from ordlink.cli._output import check_file, refuse_overwrite, write_csv
from ordlink.comparisons import FORMS
from ordlink.errors import InputError, TooFewAnswersError

if TYPE_CHECKING:
    from ordlink.planning import Plan
    from ordlink.plotting import Curve
    from ordlink.validation import Estimate, LearningCurve

_READING = ("form", "one_based", "columns", "header", "format", "skip_repeated", "names")
_WITH_ANSWERS = (*_READING, "n_more", "n_repetitions")
"""Options that require --answers; all others but --measure cannot be combined with it."""
LARGEST_SHOWN = 1e9
"""Larger numbers of answers count as infinite."""
_NAMES = {"aari": "AARI", "accuracy": "accuracy"}
_QUESTIONS = {
    "triplet": "triplets",
    "quadruplet": "quadruplets",
    "most-central": "'most central' answers",
    "odd-one-out": "'odd one out' answers",
}


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
    help="Signal-to-noise ratio of the similarities, delta / sigma: 2 (easy), 1 (medium, the "
    "default), 0.5 (hard) or another number.",
)
@click.option("--errors", "error_rate", type=float, help="Lapse rate (default: 0.1).")
@_options.choice("--question", FORMS, help="Form of the questions (default: triplet).")
@click.option("--method", default="spectral", help="Method that builds the tree.")
@click.option("--target", type=float, help="Score to reach (default: 0.9; with --answers: none).")
@_options.choice(
    "--measure",
    ("aari", "accuracy"),
    help="Measure of the target: agreement with the true tree (aari), or share of new answers "
    "predicted (accuracy) (default: aari; with --answers: accuracy).",
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
    help="With --answers: number of further answers to look ahead (default: 1,000).",
)
@_options.count(
    "--repetitions",
    "n_repetitions",
    help="With --answers: number of times to redraw the folds (default: 2).",
)
@_options.file("--names", help="With --answers: names of the objects, one per line.")
@_options.reading
@_options.seed(default=0)
@_options.count(
    "--processes", "n_jobs", help="Number of processes for simulations (default: all cores)."
)
@_options.file("--csv", "csv_file", help="Write the curve as a table.")
@_options.file("--png", "png_file", help="Draw the curve (.png, .svg or .pdf).")
def command(
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
    """Estimate how many answers a study needs, or with --answers, what more would gain.

    Each simulated study plants a tree, simulates answers to random questions, and compares the
    tree of these answers with the planted one. With --answers, the accuracy on held-out answers is
    measured for growing subsets of the answers and extrapolated.
    """
    from ordlink.planning import answers_cost
    from ordlink.plotting import check_drawing

    cost: dict[str, Any] = {"seconds_per_answer": seconds_per_answer, "pay_per_hour": pay_per_hour}
    answers_cost(0, **cost)  # refuses wrong numbers before the work
    if png_file is not None:
        check_drawing(png_file)
    check_file(csv_file, "csv_file")
    check_file(png_file, "png_file")
    refuse_overwrite([answers], [csv_file, png_file])
    chosen = {name: value for name, value in given.items() if value is not None}
    _check_combination(chosen, has_answers=answers is not None)
    if answers is None:
        plan = _simulate(chosen, method=method, target=target, seed=seed)
        _print_plan(plan, cost)
        _write_plan(plan, csv_file, png_file)
        return
    reading = {name: given[name] for name in _READING}
    settings = {"n_repetitions": given["n_repetitions"] or 2, "seed": seed}
    curve = _measure(answers, reading, method, target, settings)
    n_more = given["n_more"] or 1000
    _print_learning_curve(curve, n_more, target, cost)
    _write_learning_curve(curve, n_more, target, csv_file, png_file)


def _check_combination(chosen: dict[str, Any], *, has_answers: bool) -> None:
    """Refuse options of the other way to plan."""
    for option in command.params:
        if option.name not in chosen or option.name == "measure":
            continue
        if has_answers != (option.name in _WITH_ANSWERS):
            why = "cannot be combined with" if has_answers else "requires"
            raise click.UsageError(f"{option.opts[0]} {why} --answers")
    if has_answers and chosen.get("measure") == "aari":
        raise click.UsageError("--measure aari needs the true tree; with --answers, use accuracy")
    if not has_answers and "n_objects" not in chosen:
        raise click.UsageError("give --objects to plan a study, or --answers to extend one")


def _simulate(chosen: dict[str, Any], *, target: float | None, **settings: Any) -> Plan:
    from ordlink.planning import n_cores, plan_answers

    if target is not None:
        chosen["target"] = target
    chosen.setdefault("n_jobs", n_cores())
    with progress_bar("simulated studies") as progress:
        return plan_answers(**chosen, **settings, progress=progress)


def _measure(
    answers: str,
    reading: dict[str, Any],
    method: str,
    target: float | None,
    settings: dict[str, Any],
) -> LearningCurve:
    from ordlink.validation import check_accuracy, learning_curve

    if target is not None:
        check_accuracy(target)
    comparisons = read_answers(answers, **reading)
    try:
        with progress_bar("learning curve") as progress:
            return learning_curve(comparisons, method, progress=progress, **settings)
    except TooFewAnswersError as error:
        raise InputError(
            "expected enough answers for five folds and a learning curve, got "
            f"{comparisons.n_answers}",
            where=source_name(answers),
            remedy="collect more, or plan a study with {n_objects}",
        ) from error


def _print_plan(plan: Plan, cost: dict[str, Any]) -> None:
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


def _write_plan(plan: Plan, csv_file: str | None, png_file: str | None) -> None:
    """Write the curve as a table and as a drawing."""
    header = ("n_answers", "n_runs", "mean", "low", "high", "reached", "chance")
    _write_table(csv_file, header, [[getattr(p, name) for name in header] for p in plan.curve])
    if png_file is not None:
        from ordlink.plotting import Curve

        x, mean, low, high = zip(
            *((p.n_answers, p.mean, p.low, p.high) for p in plan.curve), strict=True
        )
        curve = Curve(x, mean, low, high, f"mean and spread of {plan.n_runs} runs")
        y, target = _NAMES[plan.scenario.measure], plan.scenario.target
        _draw(png_file, [curve], y=y, target=target, needed=plan.n_answers)


def _print_learning_curve(
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


def _write_learning_curve(
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
