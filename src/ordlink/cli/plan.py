"""`ordlink plan`: how many answers a study needs, or what more answers would gain."""

from __future__ import annotations

from typing import Any

import click

from ordlink.cli import _options
from ordlink.cli._answers import read_answers, source_name
from ordlink.cli._console import progress_bar
from ordlink.cli._output import check_file, refuse_overwrite
from ordlink.cli._plan_output import (
    print_learning_curve,
    print_plan,
    write_learning_curve,
    write_plan,
)
from ordlink.comparisons import FORMS
from ordlink.errors import InputError, TooFewAnswersError

_READING = ("form", "one_based", "columns", "header", "format", "skip_repeated", "names")
_WITH_ANSWERS = (*_READING, "n_more", "n_repetitions")
"""Options that require --answers; all others but --measure cannot be combined with it."""


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
        plan = _simulate(chosen, method, target, seed)
        print_plan(plan, cost)
        write_plan(plan, csv_file, png_file)
    else:
        reading = {name: given[name] for name in _READING}
        curve = _measure(answers, reading, method, target, seed, given["n_repetitions"] or 2)
        n_more = given["n_more"] or 1000
        print_learning_curve(curve, n_more, target, cost)
        write_learning_curve(curve, n_more, target, csv_file, png_file)


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


def _simulate(chosen: dict[str, Any], method: str, target: float | None, seed: int) -> Any:
    """Return the plan of simulated studies."""
    from ordlink.planning import n_cores, plan_answers

    if target is not None:
        chosen["target"] = target
    chosen.setdefault("n_jobs", n_cores())
    with progress_bar("simulated studies") as progress:
        return plan_answers(**chosen, method=method, seed=seed, progress=progress)


def _measure(
    answers: str,
    reading: dict[str, Any],
    method: str,
    target: float | None,
    seed: int,
    n_repetitions: int,
) -> Any:
    """Return the learning curve of the answers."""
    from ordlink.validation import check_accuracy, learning_curve

    if target is not None:
        check_accuracy(target)
    comparisons = read_answers(answers, **reading)
    try:
        with progress_bar("learning curve") as progress:
            return learning_curve(
                comparisons, method, n_repetitions=n_repetitions, seed=seed, progress=progress
            )
    except TooFewAnswersError as error:
        raise InputError(
            "expected enough answers for five folds and a learning curve, got "
            f"{comparisons.n_answers}",
            where=source_name(answers),
            remedy="collect more, or plan a study with {n_objects}",
        ) from error
