"""`ordlink plan`: how many answers are needed, or what more of them would bring."""

from __future__ import annotations

from typing import Any

import click

from ordlink.cli._console import progress_bar, warnings_as_lines
from ordlink.cli._options import read_answers, reading_options, seed_option
from ordlink.cli._output import check_file, keep_answers
from ordlink.cli._plan_output import (
    say_learning_curve,
    say_plan,
    write_learning_curve,
    write_plan,
)
from ordlink.comparisons import FORMS
from ordlink.errors import InputError, TooFewAnswersError

_BEFORE = {
    "n_objects": "--objects",
    "n_clusters": "--clusters",
    "depth": "--depth",
    "difficulty": "--difficulty",
    "error_rate": "--errors",
    "question": "--question",
    "measure": "--measure",
    "confidence": "--confidence",
    "max_answers": "--most",
    "processes": "--processes",
}
"""Options that say what to simulate."""
_WITH = {
    "form": "--form",
    "one_based": "--one-based",
    "columns": "--columns",
    "header": "--header",
    "file_format": "--format",
    "skip_repeated": "--skip-repeats",
    "names_file": "--names",
    "n_more": "--next",
    "repetitions": "--repetitions",
}
"""Options that go with answers at hand."""


@click.command(
    "plan",
    epilog="\b\nExamples:\n"
    "  ordlink plan --objects 60 --clusters 8\n"
    "  ordlink plan --objects 40 --difficulty easy --errors 0.2 --seconds 5 --pay 12\n"
    "  ordlink plan --answers pilot.csv --next 1000 --target 0.7 --png curve.png",
)
@click.option("--objects", "n_objects", type=click.IntRange(min=3), help="Number of objects.")
@click.option(
    "--clusters",
    "n_clusters",
    type=click.IntRange(min=2),
    help="Number of clusters at the bottom of the tree (default: about 8 objects in each).",
)
@click.option("--depth", type=click.IntRange(min=1), help="Instead: levels of a binary tree.")
@click.option(
    "--difficulty",
    metavar="easy|medium|hard|NUMBER",
    help="How much a level of the tree counts against the noise in the similarities: delta / sigma "
    "= 2, 1, 0.5, or another number; larger is easier (default: medium).",
)
@click.option(
    "--errors", "error_rate", type=float, help="Share of answers that are slips (default: 0.1)."
)
@click.option(
    "--question", type=click.Choice(list(FORMS)), help="What people are asked (default: triplet)."
)
@click.option("--method", default="spectral", show_default=True, help="Method that makes the tree.")
@click.option("--target", type=float, help="What is to be reached (default: 0.9; none with files).")
@click.option(
    "--measure",
    type=click.Choice(["aari", "accuracy"]),
    help="What the target is about: agreement with the true tree, or share of fresh answers "
    "predicted (default: aari; accuracy with --answers).",
)
@click.option(
    "--confidence", type=float, help="Share of studies that reach the target (default: 0.8)."
)
@click.option(
    "--most",
    "max_answers",
    type=click.IntRange(min=1),
    help="Largest number to consider (default: 200,000).",
)
@click.option(
    "--seconds",
    type=float,
    default=4.0,
    show_default=True,
    help="Time that an answer takes.",
)
@click.option("--pay", type=float, help="Pay per hour, in any currency.")
@click.option(
    "--answers",
    metavar="FILE",
    help="Answers at hand: continue their learning curve instead of simulating.",
)
@click.option(
    "--next",
    "n_more",
    type=click.IntRange(min=1),
    help="With --answers: how many more to look ahead (default: 1,000).",
)
@click.option(
    "--repetitions",
    type=click.IntRange(min=1),
    help="With --answers: how often to draw the folds anew (default: 2).",
)
@click.option("--names", "names_file", metavar="FILE", help="With --answers: names of the objects.")
@reading_options
@seed_option(default=0, show_default=True, help="Seed of all that is drawn.")
@click.option(
    "--processes",
    type=click.IntRange(min=1),
    help="Number of processes for simulated runs (default: all cores).",
)
@click.option("--csv", "csv_file", metavar="FILE", help="Write the curve as a table.")
@click.option("--png", "png_file", metavar="FILE", help="Draw the curve (.png, .svg or .pdf).")
@warnings_as_lines()
def command(
    method: str,
    target: float | None,
    seconds: float,
    pay: float | None,
    answers: str | None,
    seed: int,
    csv_file: str | None,
    png_file: str | None,
    **given: Any,
) -> None:
    """Say how many answers are needed, from simulated studies; or, with --answers, what more bring.

    Each simulated study plants a tree, lets people answer random questions, and compares the tree
    of the answers with the planted one. With answers at hand, the accuracy of trees of ever larger
    parts of them on held-out answers is continued beyond their number.
    """
    from ordlink.planning import answers_cost

    chosen = {name: value for name, value in given.items() if value is not None}
    if png_file is not None:
        from ordlink.plotting import check_drawing

        check_drawing(png_file)
    answers_cost(0, seconds_per_answer=seconds, pay_per_hour=pay)  # refuses before the work
    check_file(csv_file, "--csv")
    check_file(png_file, "--png")
    if answers is None:
        _refuse(chosen, _WITH, "goes with --answers")
        if "n_objects" not in chosen:
            raise click.UsageError("give --objects to plan a study, or --answers to continue one")
        _plan(chosen, method, target, seed, (seconds, pay), (csv_file, png_file))
    else:
        others = {name: option for name, option in _BEFORE.items() if name != "measure"}
        _refuse(chosen, others, "goes without --answers")
        if chosen.pop("measure", "accuracy") != "accuracy":
            raise click.UsageError("--measure aari needs the true tree; with --answers, accuracy")
        reading = {name: given[name] for name in _WITH if name not in ("n_more", "repetitions")}
        keep_answers(answers, csv_file, png_file)
        _continue(
            answers, reading, chosen, method, target, seed, (seconds, pay), (csv_file, png_file)
        )


def _refuse(chosen: dict[str, Any], options: dict[str, str], why: str) -> None:
    for name in chosen:
        if name in options:
            raise click.UsageError(f"{options[name]} {why}")


def _plan(
    chosen: dict[str, Any],
    method: str,
    target: float | None,
    seed: int,
    cost: tuple[float, float | None],
    files: tuple[str | None, str | None],
) -> None:
    from ordlink.planning import n_cores, plan_answers

    processes = chosen.pop("processes", None) or n_cores()
    if target is not None:
        chosen["target"] = target
    with progress_bar("simulated studies") as progress:
        plan = plan_answers(**chosen, method=method, n_jobs=processes, seed=seed, progress=progress)
    say_plan(plan, *cost)
    write_plan(plan, *files)


def _continue(
    answers: str,
    reading: dict[str, Any],
    chosen: dict[str, Any],
    method: str,
    target: float | None,
    seed: int,
    cost: tuple[float, float | None],
    files: tuple[str | None, str | None],
) -> None:
    from ordlink.validation import check_accuracy, learning_curve

    if target is not None:
        check_accuracy(target)
    comparisons = read_answers(answers, n_objects=None, **reading)
    try:
        with progress_bar("learning curve") as progress:
            curve = learning_curve(
                comparisons,
                method,
                n_repetitions=chosen.get("repetitions", 2),
                seed=seed,
                progress=progress,
            )
    except TooFewAnswersError as error:
        raise InputError(
            f"{answers}: expected enough answers for five folds and a curve over them, got "
            f"{comparisons.n_answers}; collect more, or plan a study with --objects"
        ) from error
    n_more = chosen.get("n_more", 1000)
    say_learning_curve(curve, n_more, target, *cost)
    write_learning_curve(curve, n_more, target, *files)
