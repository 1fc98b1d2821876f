"""Options that several commands share, and how answers are read with them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeVar

import click

from ordlink.comparisons import FORMS, ListedComparisons
from ordlink.comparisons.files import read_comparisons, read_names

Command = TypeVar("Command", bound=Callable[..., Any])


def answers_argument(function: Command) -> Command:
    """Add ANSWERS and the options that say how to read it."""
    forms = "; ".join(f"{form.name}: {form.meaning}" for form in FORMS.values())
    options = [
        click.argument("answers", metavar="ANSWERS"),
        click.option(
            "--form",
            type=click.Choice(list(FORMS)),
            help=f"What a row of the file means. {forms}. Not needed if the header tells.",
        ),
        click.option(
            "--names", "names_file", metavar="FILE", help="Names of the objects, one a line."
        ),
        click.option("--one-based", is_flag=True, help="Numbers in the file count from 1."),
        click.option(
            "--n-objects",
            type=click.IntRange(min=1),
            help="Number of objects, if some may be missing.",
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
    ]
    for option in reversed(options):
        function = option(function)
    return function


def read_answers(
    answers: str,
    *,
    form: str | None,
    names_file: str | None,
    one_based: bool,
    n_objects: int | None,
    columns: str | None,
    header: bool | None,
    file_format: str | None,
) -> ListedComparisons:
    """Return the comparisons in a file, or on stdin if it is called "-"."""
    return read_comparisons(
        sys.stdin.buffer if answers == "-" else answers,
        form=form,
        names=None if names_file is None else read_names(names_file),
        n_objects=n_objects,
        one_based=one_based,
        columns=None if columns is None else [name.strip() for name in columns.split(",")],
        header=header,
        format=file_format,
    )
