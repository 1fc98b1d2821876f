"""`ordlink grow`: new objects, or new answers, for a tree."""

from __future__ import annotations

from typing import Any

import click

from ordlink._text import counted, listed
from ordlink.cli import _options, _output
from ordlink.cli._answers import read_answers, source_name
from ordlink.cli._console import text_tree, warn_in_a_line
from ordlink.errors import InputError
from ordlink.hierarchy import Hierarchy
from ordlink.methods.growing import Insertion

PLACES_FILE = "places.csv"
PLACES_HEADER = ("object", "beside", "probability", "group", "answers")
FEWEST_ANSWERS = 3


@_options.command(
    "grow",
    "ordlink grow results/tree.json new-answers.csv --out grown",
    "ordlink grow results/tree.json answers.csv new-answers.csv --form triplet",
)
@click.argument("tree_file", metavar="TREE")
@_options.answers
@_options.folder(
    "--out", help=f"Folder for the new tree, as written by 'cluster', and {PLACES_FILE}."
)
def command(
    tree_file: str, answers: tuple[str, ...], reading: dict[str, Any], out: str | None
) -> None:
    """Insert new objects into TREE (a tree.json), and report how certain their positions are.

    The part of the tree that was there does not change. If ANSWERS name only objects already in
    TREE, misplaced objects are moved; in that case pass all answer files, old and new.
    """
    folder = None if out is None else _output.check_folder(out)
    outputs = [] if folder is None else [folder / name for name in _output.TREE_FILES]
    _output.refuse_overwrite([tree_file, *answers], outputs)
    tree = Hierarchy.load(tree_file)
    comparisons = read_answers(answers, **reading)
    try:
        if set(comparisons.names or ()) <= set(tree.names or ()) and (
            comparisons.names or comparisons.n_objects == tree.n_objects
        ):
            grown, places = tree.update(comparisons), None
        else:
            places = tree.insert(comparisons)
            grown = places.tree
    except InputError as error:
        raise InputError(error.problem, where=source_name(answers), remedy=error.remedy) from error
    if places is None:
        changed = "did not change" if grown == tree else "changed"
        click.echo(f"no new objects; the tree {changed}")
    else:
        _tell(places)
    click.echo(text_tree(grown))
    if folder is not None:
        _output.write_tree(grown, folder)
        if places is not None:
            _output.write_csv(folder / PLACES_FILE, PLACES_HEADER, _rows(places))
            click.echo(f"wrote {PLACES_FILE} to {folder}")


def _tell(places: Insertion) -> None:
    """Print where each new object went and how certain that is; warn of objects hardly compared."""
    click.echo(f"{counted(len(places.objects), 'new object')}:")
    for name, beside, probability, group, n_answers in _rows(places):
        click.echo(
            f"  {name}: beside {beside} (probability {probability}); "
            f"within {group} (at least 0.95); {counted(int(n_answers), 'answer')}"
        )
    few = [
        places.tree.name_of(int(i))
        for i, n_answers in zip(places.objects, places.n_answers, strict=True)
        if n_answers < FEWEST_ANSWERS
    ]
    if few:
        warn_in_a_line(
            f"fewer than {FEWEST_ANSWERS} answers about {listed(few)}: their position is arbitrary"
        )


def _rows(places: Insertion) -> list[list[str]]:
    tree = places.tree

    def describe(members: tuple[int, ...]) -> str:
        names = [tree.name_of(i) for i in members]
        return names[0] if len(names) == 1 else f"a group of {len(names):,} ({listed(names)})"

    columns = zip(
        places.objects.tolist(),
        places.siblings,
        places.probabilities.tolist(),
        places.groups,
        places.n_answers.tolist(),
        strict=True,
    )
    return [
        [tree.name_of(i), describe(beside), f"{probability:.2f}", describe(group), str(n_answers)]
        for i, beside, probability, group, n_answers in columns
    ]
