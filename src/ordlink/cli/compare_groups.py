"""`ordlink compare-groups`: the trees of groups of annotators, and how far they differ."""

from __future__ import annotations

import re
from typing import Any

import click
import numpy as np

from ordlink import validation
from ordlink._text import counted, listed
from ordlink._typing import AnyArray
from ordlink.cli import _options, _output
from ordlink.cli._answers import read_answers, source_name
from ordlink.cli._console import text_tree, warn_in_a_line
from ordlink.comparisons import ListedComparisons
from ordlink.errors import InputError
from ordlink.methods import DEFAULT_METHOD, find_method

MOST_GROUPS = 12
OTHERS = "others"


@_options.command(
    "compare-groups",
    "ordlink compare-groups answers.csv --by annotator --group my-model --out groups",
    "ordlink compare-groups answers.csv --by annotator --method spectral",
)
@_options.answers
@_options.choice("--by", ["annotator"], required=True, help="Column by which answers are grouped.")
@_options.repeated(
    "--group",
    "chosen",
    help="Annotator that forms a group, such as a model; all others form one group. Can be "
    "repeated (default: each annotator is a group).",
)
@click.option("--method", default=DEFAULT_METHOD, help="Method of 'cluster' that builds the trees.")
@_options.folder("--out", help="Folder for the trees: one subfolder per group, as by 'cluster'.")
def command(
    answers: str,
    reading: dict[str, Any],
    by: str,
    chosen: tuple[str, ...],
    method: str,
    out: str | None,
) -> None:
    """Build a tree for each group of ANSWERS, and print how far the trees differ."""
    find_method(method)
    folder = None if out is None else _output.check_folder(out)
    comparisons = read_answers(answers, **reading)
    labels = _labels(comparisons, chosen, source_name(answers), by)
    found = validation.compare_groups(comparisons, labels, method)
    for name, n_answers, tree in zip(found.groups, found.n_answers, found.trees, strict=True):
        click.echo(f"{name}: {counted(n_answers, 'answer')}, {method}")
        click.echo(text_tree(tree) + "\n")
    click.echo("share of triples of objects that two trees resolve differently (0.67 by chance)")
    _print_table(found, found.distances)
    click.echo("\nshare of the comparisons of a group (row) that a tree (column) agrees with")
    _print_table(found, found.accuracies)
    for message in found.warnings:
        warn_in_a_line(message)
    if folder is not None:
        taken: set[str] = set()
        for name, tree in zip(found.groups, found.trees, strict=True):
            _output.write_tree(tree, folder / _folder_name(name, taken))


def _labels(
    comparisons: ListedComparisons, chosen: tuple[str, ...], where: str, by: str
) -> AnyArray:
    details = comparisons.details
    if details is None or details.annotators is None:
        problem = f"there is no column {by!r}"
        raise InputError(problem, where=where, remedy="add a column that says who answered")
    labels = details.annotators.astype(str)
    known = sorted(set(labels.tolist()) - {""})
    for name in chosen:
        if name not in known:
            problem = f"there is no {by} {name!r}; expected one of {listed(known)}"
            raise InputError(problem, parameter="chosen")
    if chosen:
        return np.where(np.isin(labels, chosen), labels, OTHERS)
    if len(known) > MOST_GROUPS:
        problem = f"expected at most {MOST_GROUPS} groups, got {len(known)}"
        raise InputError(problem, where=where, remedy="choose some with {chosen}")
    return labels


def _print_table(found: validation.GroupComparison, table: AnyArray) -> None:
    width = max(map(len, found.groups))
    columns = [max(len(name), 5) for name in found.groups]
    titles = "  ".join(f"{name:>{w}}" for name, w in zip(found.groups, columns, strict=True))
    click.echo(f"{'':{width}}  {titles}")
    for name, row in zip(found.groups, table.tolist(), strict=True):
        cells = "  ".join(f"{value:>{w}.2f}" for value, w in zip(row, columns, strict=True))
        click.echo(f"{name:{width}}  {cells}")


def _folder_name(group: str, taken: set[str]) -> str:
    """Return a name for the folder of a group that no other group has."""
    plain = re.sub(r"[^\w.-]+", "-", group).strip(".-") or "group"
    name, number = plain, 2
    while name.lower() in taken:
        name, number = f"{plain}-{number}", number + 1
    taken.add(name.lower())
    return name
