"""The file of answers, and the pictures of its objects."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ordlink._text import counted, listed
from ordlink.cli._console import warn_in_a_line
from ordlink.cli._tables import check_table
from ordlink.comparisons import ListedComparisons, pair_members
from ordlink.errors import InputError
from ordlink.io import read_comparisons, read_names

MENTIONS_PER_OBJECT = 10
"""With so many mentions per object on average, chance hardly ever leaves one out (e^-10)."""
PICTURES = (".jpg", ".jpeg", ".png", ".webp")


def read_answers(
    answers: str, *, names: str | None, n_objects: int | None = None, **reading: Any
) -> ListedComparisons:
    """Return the comparisons in a file, or on stdin for "-"; `names` is a file."""
    if names is not None:
        check_table(names)
    return read_answers_about(
        answers, names=None if names is None else read_names(names), n_objects=n_objects, **reading
    )


def read_answers_about(
    answers: str,
    *,
    names: Sequence[str] | None,
    n_objects: int | None,
    check_first_object: bool | None = None,
    one_based: bool | None,
    columns: str | None,
    skip_repeated: bool | None,
    **reading: Any,
) -> ListedComparisons:
    """Return the comparisons in a file about objects with these names.

    Where the number of objects is known and the user does not say where numbers start, a file that
    counts from 1 could be taken for one that never names object 0. It is refused.
    """
    source: str | BinaryIO = answers
    if answers == "-":
        source = _Stdin(sys.stdin.buffer.read())
    else:
        check_table(answers)

    def read(*, from_one: bool) -> ListedComparisons:
        if not isinstance(source, str):
            source.seek(0)
        return read_comparisons(
            source,
            names=names,
            n_objects=n_objects,
            one_based=from_one,
            columns=None if columns is None else [name.strip() for name in columns.split(",")],
            skip_repeated=bool(skip_repeated),
            **reading,
        )

    comparisons = read(from_one=bool(one_based))
    if check_first_object is None:  # --n-objects says that some may be missing
        check_first_object = names is not None and n_objects is None
    if one_based is None and check_first_object and _first_is_never_named(comparisons):
        _refuse_counting_from_one(source_name(answers), comparisons, read, names)
    return comparisons


class _Stdin(io.BytesIO):
    """What came on stdin, to be read more than once."""

    name = "<stdin>"


def source_name(answers: str) -> str:
    """Return what messages call the file of answers."""
    return "standard input" if answers == "-" else str(Path(answers))


def _first_is_never_named(comparisons: ListedComparisons) -> bool:
    """Return whether object 0 is never named though every object is expected many times."""
    n_objects = comparisons.n_objects
    if 3 * comparisons.n_answers < MENTIONS_PER_OBJECT * n_objects:
        return False
    pairs = np.concatenate([comparisons.winners, comparisons.losers])
    first, second = pair_members(pairs, n_objects)
    return bool(first.all() and second.all())


def _refuse_counting_from_one(
    where: str,
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
        raise InputError(
            "object 0 is never named; are objects numbered from 1 to "
            f"{comparisons.n_objects}? pass --one-based, or --zero-based if the numbers are right",
            where=where,
        )


def picture_files(folder: str) -> dict[str, Path]:
    """Return the pictures in a folder by their names without extension."""
    try:
        files = sorted(Path(folder).iterdir())
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(
            f"expected a folder of pictures ({reason})", where=folder, remedy="check the path"
        ) from error
    return {file.stem: file for file in files if file.suffix.lower() in PICTURES}


def find_pictures(
    folder: str | None, comparisons: ListedComparisons, *, one_based: bool | None
) -> list[Path | None] | None:
    """Return the picture of each object: the file named after it, or after its number.

    Numbers count as in the answers; they are used only if no file is named after an object.
    Objects without a picture raise a warning.
    """
    if folder is None:
        return None
    files, names, n_objects = picture_files(folder), comparisons.names, comparisons.n_objects
    labels = [str(i + bool(one_based)) for i in range(n_objects)]
    if names is not None and not files.keys().isdisjoint(names):
        labels = list(names)
    missing = [label for label in labels if label not in files]
    if len(missing) == n_objects:
        example = f"{(names or labels)[0]}.jpg"
        raise InputError(
            "no picture in this folder is named after an object; name them like "
            f"{example!r} ({', '.join(PICTURES)})",
            where=folder,
        )
    if missing:
        warn_in_a_line(
            f"{counted(len(missing), 'object')} without a picture in {folder}: {listed(missing)}"
        )
    return [files.get(label) for label in labels]
