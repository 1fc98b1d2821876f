"""`ordlink datasets`: public data sets of human answers."""

from __future__ import annotations

import textwrap
from pathlib import Path

import click

from ordlink._text import either
from ordlink.cli import _options, _output
from ordlink.cli._app import Command, Group
from ordlink.cli._console import progress_bar, warnings_as_lines
from ordlink.datasets import (
    CATALOGUE,
    AnswerSet,
    FeatureTable,
    Source,
    data_folder,
    write_vessels,
)
from ordlink.io import write_comparisons

WIDTH = 100
_home_option = _options.folder(
    "--data-home",
    help="Folder for downloaded data (default: ORDLINK_DATA, or the user's cache folder).",
)


@click.group(
    "datasets",
    cls=Group,
    invoke_without_command=True,
    epilog="\b\nExamples:\n  ordlink datasets\n  ordlink datasets fetch car --out car",
)
@_home_option
@click.pass_context
def command(context: click.Context, data_home: str | None) -> None:
    """List public data sets: what they are, and whether they are in the data folder."""
    context.obj = data_home
    if context.invoked_subcommand is None:
        _list(data_folder(data_home))


@command.command(
    "fetch",
    cls=Command,
    epilog="\b\nExamples:\n"
    "  ordlink datasets fetch car --out car\n"
    "  ordlink datasets fetch mlds --part kk1 --data-home data --out kk1",
)
@click.argument("name", metavar="NAME", type=click.Choice(list(CATALOGUE)))
@click.option("--part", help="Part of the data set; 'ordlink datasets' lists them.")
@_home_option
@_options.folder("--out", required=True, help="Output folder.")
@click.pass_obj
@warnings_as_lines()
def fetch(
    home_of_group: str | None, name: str, part: str | None, data_home: str | None, out: str
) -> None:
    """Write data set NAME as answers.csv (20news: table.csv) and, if known, classes.csv.

    Data that is not in the data folder is downloaded.
    """
    fetched = CATALOGUE[name]
    folder = _output.check_folder(out)
    if part is None:
        part = next(iter(fetched.parts))
    if part not in fetched.parts:
        raise click.UsageError(f"--part: expected {either(fetched.parts)}, got {part!r}")
    with progress_bar(f"downloading {name}") as progress:
        data = fetched.parts[part](data_home=data_home or home_of_group, progress=progress)
    with _output.writing_into(folder):
        if isinstance(data, FeatureTable):
            _write_features(data, folder)
        else:
            _write_answers(data, folder)
    click.echo(f"cite: {fetched.source.citation}")
    click.echo(f"terms: {fetched.source.terms}")


@command.command(
    "vessels", cls=Command, epilog="\b\nExamples:\n  ordlink datasets vessels --out study"
)
@_options.folder("--out", required=True, help="Output folder, without pictures or answers.")
def vessels(out: str) -> None:
    """Draw 60 vessels and simulate answers about them: an example for a study of pictures."""
    with _output.writing_into(_output.check_folder(out)) as folder:
        write_vessels(folder)
    click.echo(f"wrote 60 pictures and answers.csv, simulated answers of 100 people, to {folder}")


def _list(folder: Path) -> None:
    click.echo(f"data folder: {folder} (set another one with --data-home or ORDLINK_DATA)\n")
    width = max(map(len, CATALOGUE))
    for name, fetched in CATALOGUE.items():
        source = fetched.source
        parts = "" if len(fetched.parts) == 1 else f" Parts: {', '.join(fetched.parts)}."
        text = f"{name:{width}}  {_status(source, folder)}: {source.description}{parts}"
        indent = " " * (width + 2)
        click.echo(textwrap.fill(text, WIDTH, subsequent_indent=indent, break_on_hyphens=False))
        click.echo(f"{indent}{source.page}")


def _status(source: Source, folder: Path) -> str:
    n_there, n_files = source.n_there(folder), len(source.files)
    if n_there in (0, n_files):
        return "downloaded" if n_there else "not downloaded"
    return f"{n_there} of {n_files} files downloaded"


def _write_answers(data: AnswerSet, folder: Path) -> None:
    write_comparisons(data.comparisons, folder / "answers.csv")
    written = "answers.csv"
    if data.classes is not None:
        _output.write_csv(folder / "classes.csv", _output.CLASS_HEADER, _output.class_rows(data))
        written += ", classes.csv"
    else:
        _output.remove_stale(folder / "classes.csv", ",".join(_output.CLASS_HEADER) + "\n")
    click.echo(str(data.comparisons.summary()))
    click.echo(f"wrote {written} to {folder}")
    if data.pictures is not None:
        click.echo(f"pictures: {data.pictures[0].parent}")


def _write_features(data: FeatureTable, folder: Path) -> None:
    classes, features = _output.class_rows(data), data.features.tolist()
    rows = [[*row, *map(repr, cells)] for row, cells in zip(classes, features, strict=True)]
    _output.write_csv(folder / "table.csv", [*_output.CLASS_HEADER, *data.feature_names], rows)
    click.echo(f"wrote table.csv to {folder}: {data.n_objects} objects, {data.n_features} features")
