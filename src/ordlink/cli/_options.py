"""Options that several commands share, and how answers are read with them."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import click
import numpy as np

from ordlink.cli._tables import refuse_what_is_no_table
from ordlink.comparisons import FORMS, ListedComparisons, pair_members
from ordlink.errors import InputError
from ordlink.io import read_comparisons, read_names

Command = TypeVar("Command", bound=Callable[..., Any])

MENTIONS_PER_OBJECT = 10
"""From so many on, on average, an object is hardly left out by chance (e^-10)."""


def reading_options(function: Command) -> Command:
    """Add the options that say how to read a file of answers."""
    forms = "; ".join(f"{form.name}: {form.meaning}" for form in FORMS.values())
    options = [
        click.option(
            "--form",
            type=click.Choice(list(FORMS)),
            help=f"What a row of the file means. {forms}. Not needed if the header tells.",
        ),
        click.option(
            "--one-based/--zero-based",
            default=None,
            help="Whether numbers in the file count from 1 or from 0 (default: from 0, but a file "
            "that never names object 0 where chance does not explain it is refused).",
        ),
        click.option(
            "--columns", metavar="A,B,C[,D]", help="Columns of the objects, by their header names."
        ),
        click.option(
            "--header/--no-header",
            default=None,
            help="Whether the first row is a header (else guessed).",
        ),
        click.option(
            "--format",
            "file_format",
            type=click.Choice(["csv", "tsv", "jsonl", "parquet", "npz"]),
            help="Format of the file, where its name does not tell (stdin: csv).",
        ),
        click.option(
            "--skip-repeats",
            "skip_repeated",
            is_flag=True,
            callback=lambda _context, _option, given: given or None,
            help="Leave out rows that name an object twice, such as attention checks.",
        ),
    ]
    for option in reversed(options):
        function = option(function)
    return function


def answers_argument(function: Command) -> Command:
    """Add ANSWERS and the options that say how to read it."""
    function = click.option(
        "--n-objects",
        type=click.IntRange(min=1),
        help="Number of objects, if some may be missing.",
    )(reading_options(function))
    function = click.option(
        "--names", "names_file", metavar="FILE", help="Names of the objects, one a line."
    )(function)
    return click.argument("answers", metavar="ANSWERS")(function)


def seed_option(**settings: Any) -> Callable[[Command], Command]:
    """Return the option --seed."""
    return click.option("--seed", type=click.IntRange(min=0), **settings)


def read_answers(
    answers: str, *, names_file: str | None, n_objects: int | None, **reading: Any
) -> ListedComparisons:
    """Return the comparisons in a file, or on stdin if it is called "-"."""
    names = None
    if names_file is not None:
        refuse_what_is_no_table(names_file)
        names = read_names(names_file)
    return read_answers_about(answers, names=names, n_objects=n_objects, **reading)


def read_answers_about(
    answers: str,
    *,
    names: Sequence[str] | None,
    n_objects: int | None,
    check_first_object: bool | None = None,
    form: str | None,
    one_based: bool | None,
    columns: str | None,
    header: bool | None,
    file_format: str | None,
    skip_repeated: bool | None,
) -> ListedComparisons:
    """Return the comparisons in a file about objects with these names.

    Where the number of objects is known and the user does not say from where the file counts, a
    file that counts from 1 could be taken for one that never names object 0. It is refused.
    """
    source: str | BinaryIO = answers
    if answers == "-":
        source = _Stdin(sys.stdin.buffer.read())
    else:
        refuse_what_is_no_table(answers)

    def read(*, from_one: bool) -> ListedComparisons:
        if not isinstance(source, str):
            source.seek(0)
        return read_comparisons(
            source,
            form=form,
            names=names,
            n_objects=n_objects,
            one_based=from_one,
            columns=None if columns is None else [name.strip() for name in columns.split(",")],
            header=header,
            format=file_format,
            skip_repeated=bool(skip_repeated),
        )

    comparisons = read(from_one=bool(one_based))
    if check_first_object is None:  # --n-objects says that some may be missing
        check_first_object = names is not None and n_objects is None
    if one_based is None and check_first_object and _first_is_never_named(comparisons):
        _refuse_counting_from_one(answers, comparisons, read, names)
    return comparisons


class _Stdin(io.BytesIO):
    """What came on stdin, to be read more than once."""

    name = "<stdin>"


def _first_is_never_named(comparisons: ListedComparisons) -> bool:
    """Return whether object 0 is never named though every object is expected many times."""
    n_objects = comparisons.n_objects
    if 3 * comparisons.n_answers < MENTIONS_PER_OBJECT * n_objects:
        return False
    pairs = np.concatenate([comparisons.winners, comparisons.losers])
    first, second = pair_members(pairs, n_objects)
    return bool(first.all() and second.all())


def _refuse_counting_from_one(
    answers: str,
    comparisons: ListedComparisons,
    read: Callable[..., ListedComparisons],
    names: Sequence[str] | None,
) -> None:
    if names is not None and all(name.isdecimal() for name in names):
        return  # the numbers are names
    try:
        counted_from_one = read(from_one=True)
    except InputError:
        return
    if counted_from_one != comparisons:  # equal where the file holds names
        shown = "standard input" if answers == "-" else str(Path(answers))
        raise InputError(
            f"{shown}: object 0 is never named; are objects numbered from 1 to "
            f"{comparisons.n_objects}? pass --one-based, or --zero-based if the numbers are right"
        )
