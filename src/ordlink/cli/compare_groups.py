"""`ordlink compare-groups`: the trees of groups of annotators, and how far they differ."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import click
import numpy as np

from ordlink import validation
from ordlink._text import counted, did_you_mean, listed
from ordlink._typing import AnyArray
from ordlink.cli import _options, _output
from ordlink.cli._answers import read_answers, source_name
from ordlink.cli._console import text_tree, warn_in_a_line
from ordlink.cli._tables import read_rows
from ordlink.comparisons import ListedComparisons
from ordlink.errors import InputError
from ordlink.methods import DEFAULT_METHOD, find_method

MOST_GROUPS = 12
OTHERS = "others"
LEVEL = 0.05
MOST_BRANCHES = 10  # that are printed


@_options.command(
    "compare-groups",
    "ordlink compare-groups answers.csv --by annotator --group my-model --out groups",
    "ordlink compare-groups trials.csv --by condition",
    "ordlink compare-groups trials.csv --by age_group --people participants.csv",
)
@_options.answers
@click.option(
    "--by",
    metavar="COLUMN",
    required=True,
    help="Column by which people are grouped: 'annotator', or a column of --people or ANSWERS.",
)
@_options.file("--people", help="CSV of the people: one row each, with their names and --by.")
@_options.repeated(
    "--group",
    "chosen",
    help="Annotator that forms a group, such as a model; all others form one group. Can be "
    "repeated (default: each annotator is a group).",
)
@click.option("--method", default=DEFAULT_METHOD, help="Method of 'cluster' that builds the trees.")
@_options.count("--permutations", "n_permutations", default=999, help="Permutations of people.")
@_options.seed(default=0)
@_options.folder("--out", help="Folder for the trees: one subfolder per group, as by 'cluster'.")
def command(
    answers: str,
    reading: dict[str, Any],
    by: str,
    people: str | None,
    chosen: tuple[str, ...],
    method: str,
    n_permutations: int,
    seed: int,
    out: str | None,
) -> None:
    """Build a tree for each group of ANSWERS, and test whether the groups differ."""
    find_method(method)
    folder = None if out is None else _output.check_folder(out)
    comparisons = read_answers(answers, **reading)
    labels = _labels(comparisons, chosen, source_name(answers), by, people or answers[0])
    found = validation.compare_groups(
        comparisons, labels, method, n_permutations=n_permutations, seed=seed
    )
    for name, n_answers, tree in zip(found.groups, found.n_answers, found.trees, strict=True):
        click.echo(f"{name}: {counted(n_answers, 'answer')}, {method}")
        click.echo(text_tree(tree) + "\n")
    click.echo("share of triples of objects that two trees resolve differently (0.67 by chance)")
    _print_table(found, found.distances)
    click.echo("\nshare of the comparisons of a group (row) that a tree (column) agrees with")
    _print_table(found, found.accuracies)
    _print_test(found, comparisons)
    for message in found.warnings:
        warn_in_a_line(message)
    if folder is not None:
        taken: set[str] = set()
        for name, tree in zip(found.groups, found.trees, strict=True):
            _output.write_tree(tree, folder / _folder_name(name, taken))


def _labels(
    comparisons: ListedComparisons, chosen: tuple[str, ...], where: str, by: str, people: str
) -> AnyArray:
    """Return the group of each comparison."""
    details = comparisons.details
    if details is None or details.annotators is None:
        problem = "there is no column 'annotator'"
        raise InputError(problem, where=where, remedy="add a column that says who answered")
    labels = details.annotators.astype(str)
    if by != "annotator":
        group_of = _groups(people, by, set(labels.tolist()) - {""})
        labels = np.array([group_of.get(name, "") for name in labels.tolist()], dtype=str)
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


def _groups(path: str, by: str, people: set[str]) -> dict[str, str]:
    """Return the cell of a column for each person; the column of people is the one naming all."""
    (_, header), *rows = read_rows(path) or [(1, [])]
    if by not in header:
        problem = f"there is no column {by!r}{did_you_mean(by, header)}"
        raise InputError(problem, where=path, remedy=f"the columns are {listed(header, 12)}")
    columns = list(zip(*(cells for _, cells in rows if len(cells) == len(header)), strict=True))
    names = next((column for column in columns if people <= set(column)), None)
    if names is None:
        problem = f"no column names all {counted(len(people), 'person', 'people')} of the answers"
        raise InputError(problem, where=path, remedy="name the file of the people with {people}")
    found: dict[str, str] = {}
    for name, group in zip(names, columns[header.index(by)], strict=True):
        if found.setdefault(name, group) != group:
            problem = f"{name!r} has several values of {by!r}: {found[name]!r} and {group!r}"
            raise InputError(problem, where=path, remedy="a person belongs to one group")
    return found


def _print_test(found: validation.GroupComparison, comparisons: ListedComparisons) -> None:
    if not math.isnan(found.p_value):
        click.echo(f"\ngroups alike: p = {found.p_value:.3g} (permutation test over people)")
        click.echo("branches of the tree of everybody by group, as far as they differ (p adjusted)")
        names = comparisons.names or [str(one) for one in range(comparisons.n_objects)]
        differing = sorted(found.branches, key=lambda branch: branch.p_value)[:MOST_BRANCHES]
        for one in [branch for branch in differing if branch.p_value <= LEVEL]:
            shares = ", ".join(
                f"{group} {share:.2f}"
                for group, share in zip(found.groups, one.shares, strict=True)
            )
            click.echo(
                f"  p = {one.p_value:.3g}  {shares}  {listed([names[i] for i in one.objects])}"
            )
        if not any(branch.p_value <= LEVEL for branch in differing):
            click.echo(f"  none with p at most {LEVEL}")
    if len(found.people) >= 2 and len(found.people) > len(found.groups):
        click.echo("\nshare of the comparisons of a person that the tree of a group agrees with")
        _print_table(found, found.follows, found.people)


def _print_table(
    found: validation.GroupComparison, table: AnyArray, rows: Sequence[str] = ()
) -> None:
    rows = rows or found.groups
    width = max(map(len, rows))
    columns = [max(len(name), 5) for name in found.groups]
    titles = "  ".join(f"{name:>{w}}" for name, w in zip(found.groups, columns, strict=True))
    click.echo(f"{'':{width}}  {titles}")
    for name, row in zip(rows, table.tolist(), strict=True):
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
