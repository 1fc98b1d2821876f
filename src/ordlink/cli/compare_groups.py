"""`ordlink compare-groups`: the trees of groups of annotators, and how far they differ."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import click

from ordlink import validation
from ordlink._text import counted, listed
from ordlink._typing import AnyArray
from ordlink.cli import _options, _output
from ordlink.cli._answers import read_answers, source_name
from ordlink.cli._console import text_tree, warn_in_a_line
from ordlink.cli._groups import group_labels, grouping
from ordlink.comparisons import ListedComparisons
from ordlink.methods import DEFAULT_METHOD, find_method

LEVEL = 0.05
MOST_BRANCHES = 10  # that are printed

DEVICES = re.compile(r"(aux|com\d|con|lpt\d|nul|prn)(\.|$)", re.IGNORECASE)
"""Names that no folder may have on Windows; a control group may well be called "con"."""


@_options.command(
    "compare-groups",
    "ordlink compare-groups answers.csv --by annotator --group my-model --out groups",
    "ordlink compare-groups trials.csv --by condition",
    "ordlink compare-groups trials.csv --by age_group --people participants.csv",
)
@_options.answers
@grouping(required=True)
@_options.repeated(
    "--group",
    "chosen",
    help="Annotator who is a group of their own, such as a model; all others form one group. "
    "Can be repeated (default: each annotator is a group).",
)
@click.option("--method", default=DEFAULT_METHOD, help="Method of 'cluster' that builds the trees.")
@_options.count(
    "--permutations", "n_permutations", default=999, help="Number of permutations of people."
)
@_options.seed(default=0)
@_options.folder(
    "--out", help="Folder for the trees: one subfolder per group, as written by 'cluster'."
)
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
    where = source_name(answers)
    labels = group_labels(comparisons, by, people or answers[0], chosen=chosen, where=where)
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


def _print_test(found: validation.GroupComparison, comparisons: ListedComparisons) -> None:
    if not math.isnan(found.p_value):
        click.echo(
            f"\ndifference between groups: p = {found.p_value:.3g} (permutation test over people)"
        )
        click.echo("branches of the overall tree on which groups differ (adjusted p)")
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
    if DEVICES.match(plain):
        plain = f"group-{plain}"
    name, number = plain, 2
    while name.lower() in taken:
        name, number = f"{plain}-{number}", number + 1
    taken.add(name.lower())
    return name
