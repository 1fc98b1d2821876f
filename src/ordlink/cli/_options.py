"""How commands are declared: their examples, and the options that several of them share."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias, TypeVar

import click

from ordlink._parallel import use_scheduler
from ordlink.cli._app import Command
from ordlink.cli._console import warnings_as_lines
from ordlink.comparisons import FORMS

Decorated = TypeVar("Decorated", bound=Callable[..., Any])
Option: TypeAlias = Callable[[Decorated], Decorated]


def command(
    name: str, *examples: str, listing: str = ""
) -> Callable[[Callable[..., Any]], click.Command]:
    """Return a decorator for a command: help ends with examples, warnings are lines on stderr."""
    epilog = f"Example: {examples[0]}"
    if len(examples) > 1:
        epilog = "\n  ".join([f"{listing}\b\nExamples:", *examples])

    def decorate(function: Callable[..., Any]) -> click.Command:
        return click.command(name, cls=Command, epilog=epilog)(warnings_as_lines()(function))

    return decorate


def count(*names: str, lowest: int = 1, **settings: Any) -> Option:
    """Return an option that takes a whole number of at least `lowest`."""
    return click.option(*names, type=click.IntRange(min=lowest), **settings)


AUTO = "auto"


class _ClusterCount(click.ParamType):
    """A whole number of clusters, or the word auto."""

    name = "clusters"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> int | str:
        if str(value).lower() == AUTO:
            return AUTO
        return click.IntRange(min=1).convert(value, param, ctx)


def clusters(what: str) -> Option:
    """Return the option --clusters, which takes a number or auto."""
    return click.option(
        "--clusters",
        "n_clusters",
        type=_ClusterCount(),
        metavar="K|auto",
        help=f"{what} the best-supported cut of the tree into K clusters; auto: as many as "
        "the answers suggest. Outliers are set aside.",
    )


def choice(name: str, choices: Iterable[str], **settings: Any) -> Option:
    """Return an option that takes one of several words."""
    return click.option(name, type=click.Choice(list(choices)), **settings)


def flag(name: str, **settings: Any) -> Option:
    """Return an option without a value."""
    return click.option(name, is_flag=True, **settings)


def file(*names: str, **settings: Any) -> Option:
    """Return an option that takes the name of a file."""
    return click.option(*names, metavar="FILE", **settings)


def folder(name: str, **settings: Any) -> Option:
    """Return an option that takes the name of a folder."""
    return click.option(name, metavar="DIR", **settings)


def repeated(*names: str, metavar: str = "NAME", **settings: Any) -> Option:
    """Return an option that takes a name and can be repeated."""
    return click.option(*names, multiple=True, metavar=metavar, **settings)


_FORMS = "; ".join(f"{form.name}: {form.meaning}" for form in FORMS.values())
_READING = [
    choice(
        "--form",
        FORMS,
        help=f"What a row of the file means. {_FORMS}. Not needed if the header says so.",
    ),
    click.option(
        "--one-based/--zero-based",
        default=None,
        help="Whether the file numbers objects from 1 or from 0 (default: from 0; a file with many "
        "answers that never names object 0 is refused).",
    ),
    click.option(
        "--columns", metavar="A,B,C[,D]", help="Header names of the columns with the objects."
    ),
    click.option(
        "--header/--no-header",
        default=None,
        help="Whether the first row is a header (default: detected).",
    ),
    choice(
        "--format",
        ("csv", "tsv", "txt", "xlsx", "ods", "json", "jsonl", "parquet", "npz"),
        help="File format (default: by the file name extension; csv for stdin).",
    ),
    click.option("--sheet", metavar="NAME", help="Sheet of a spreadsheet."),
    click.option("--items", metavar="A,B[,C]", help="For trials: columns of the options."),
    click.option(
        "--response",
        metavar="NAME",
        help="For trials: column of the chosen option; NAME=f/j also says what it is for each.",
    ),
    click.option(
        "--reference",
        metavar="NAME",
        help="For trials: column of the reference, with which the options were compared.",
    ),
    choice(
        "--missing",
        ("skip", "error"),
        help="Skip trials without an answer, or stop with an error (default: skip).",
    ),
    click.option(
        "--merge-names",
        is_flag=True,
        callback=lambda _context, _option, given: given or None,
        help="Merge names that look like typos of others, such as 'Lowe' and 'Löwe'.",
    ),
    file("--corrections", help="Table of misspelt names and their corrections."),
    click.option(
        "--skip-repeats",
        "skip_repeated",
        is_flag=True,
        callback=lambda _context, _option, given: given or None,
        help="Skip rows that name an object twice, such as attention checks.",
    ),
]


def reading(function: Callable[..., Any], options: Sequence[Option] = _READING) -> Any:
    """Add the options that say how to read a file of answers: one dictionary, `reading`."""

    @functools.wraps(function)
    def with_reading(**given: Any) -> Any:
        return function(reading={name: given.pop(name) for name in names}, **given)

    declared: Any = with_reading
    n_before = len(getattr(function, "__click_params__", ()))
    for option in reversed(options):
        declared = option(declared)
    names = [option.name for option in declared.__click_params__[n_before:]]
    return declared


def answers(function: Callable[..., Any]) -> Any:
    """Add ANSWERS, one file or several, and the options that say how to read it."""
    names = file("--names", help="Names of the objects, one per line.")
    n_objects = count("--n-objects", help="Number of objects, if some may not appear in the file.")
    return click.argument("answers", metavar="ANSWERS...", nargs=-1, required=True)(
        reading(function, [names, n_objects, *_READING])
    )


def seed(**settings: Any) -> Option:
    """Return the option --seed."""
    return count("--seed", lowest=0, **{"help": "Random seed."} | settings)


def pictures(what: str) -> Option:
    """Return the option --pictures."""
    return folder(
        "--pictures",
        help=f"Folder of pictures for the leaves{what}: files named after the objects' names "
        "or numbers (1.jpg; also .png, .webp).",
    )


def parallel(function: Callable[..., Any]) -> Any:
    """Add --n-jobs, passed on as `n_jobs`, and --scheduler, which the command then runs with."""

    @functools.wraps(function)
    def with_scheduler(*, scheduler: str | None, **given: Any) -> Any:
        with use_scheduler(scheduler):
            return function(**given)

    number = count(
        "--n-jobs",
        "--processes",
        "n_jobs",
        help="Number of processes (default: all cores for long work); results do not depend on it.",
    )
    address = click.option(
        "--scheduler",
        metavar="tcp://HOST:PORT",
        help="Run on the Dask cluster of this scheduler, not on this machine.",
    )
    return number(address(with_scheduler))


exclude = repeated("--exclude", help="Exclude all answers of this annotator; can be repeated.")
