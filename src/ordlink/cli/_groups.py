"""Groups of annotators, by a column of the answers or of a file of people."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click
import numpy as np

from ordlink._text import counted, did_you_mean, listed
from ordlink._typing import AnyArray
from ordlink.cli import _options
from ordlink.cli._tables import read_rows
from ordlink.comparisons import ListedComparisons
from ordlink.errors import InputError

Callback = TypeVar("Callback", bound=Callable[..., Any])
MOST_GROUPS = 12
OTHERS = "others"


def grouping(*, required: bool = False) -> Callable[[Callback], Callback]:
    """Return a decorator that adds the options --by and --people."""
    add_by = click.option(
        "--by",
        metavar="COLUMN",
        required=required,
        help="Column by which people are grouped: 'annotator', or a column of --people or ANSWERS.",
    )
    add_people = _options.file(
        "--people", help="CSV with one row per person: their name and the --by column."
    )
    return lambda command: add_by(add_people(command))


def group_labels(
    comparisons: ListedComparisons,
    by: str,
    people: str,
    *,
    where: str,
    chosen: tuple[str, ...] = (),
) -> AnyArray:
    """Return the group of each comparison: a column of the answers, or of a file of people."""
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
