"""The file of answers, and the pictures of its objects."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import click
import numpy as np

from ordlink._text import counted, listed
from ordlink.cli._console import progress_bar, warn_in_a_line
from ordlink.cli._tables import check_table, read_rows
from ordlink.comparisons import ListedComparisons, pair_members
from ordlink.errors import InputError
from ordlink.io import read_comparisons, read_names

MENTIONS_PER_OBJECT = 10
"""With so many mentions per object on average, chance hardly ever leaves one out (e^-10)."""
MANY_OBJECTS = 1000  # time and memory grow as N^2: the file should name most of so many objects
SMALLEST_SHARE_NAMED = 0.1
_SECONDS_OF_TEXT = 0.08
"""Seconds to read a megabyte of text, measured on one core."""
_SECONDS_PER_MB = {".xlsx": 1.2, ".ods": 1.2, ".gz": 0.5, ".zip": 0.5, ".parquet": 0.3, ".npz": 0.1}
PICTURES = (".jpg", ".jpeg", ".png", ".webp")


def read_answers(
    answers: Sequence[str], *, names: str | None, n_objects: int | None = None, **reading: Any
) -> ListedComparisons:
    """Return the comparisons in some files, or on stdin for "-"; `names` is a file."""
    known = None
    if names is not None:
        check_table(names)
        known = read_names(names)
    return read_answers_about(answers, names=known, n_objects=n_objects, **reading)


def read_answers_about(
    answers: Sequence[str],
    *,
    names: Sequence[str] | None,
    n_objects: int | None,
    check_first_object: bool | None = None,
    one_based: bool | None,
    skip_repeated: bool | None,
    missing: str | None,
    merge_names: bool | None,
    corrections: str | None,
    **reading: Any,
) -> ListedComparisons:
    """Return the comparisons in some files about objects with these names.

    If the number of objects is known but not whether numbers start at 0 or 1, a file that numbers
    objects from 1 could be read as one that never names object 0. Such a file is refused.
    """
    source: list[str] | BinaryIO = list(answers)
    if "-" in answers:
        if len(answers) > 1:
            raise InputError("standard input (-) cannot be combined with files")
        source = _Stdin(sys.stdin.buffer.read())
    told: set[str] = set()
    merge: bool | dict[str, str] = bool(merge_names)
    if corrections is not None:
        merge = {cells[0]: cells[1] for _, cells in read_rows(corrections) if len(cells) > 1}
    for option in ("columns", "items", "response"):
        if reading.get(option) is not None:
            reading[option] = [name.strip() for name in reading[option].split(",")]

    def tell(sentence: str) -> None:
        if sentence not in told:
            told.add(sentence)
            shown = sentence.replace("merge_names", "--merge-names")
            click.echo(shown if " read as: " in sentence else f"warning: {shown}", err=True)

    def read(*, from_one: bool | None) -> ListedComparisons:
        if not isinstance(source, list):
            source.seek(0)
        return read_comparisons(
            source,
            names=names,
            n_objects=n_objects,
            one_based=from_one,
            skip_repeated=bool(skip_repeated),
            missing=missing or "skip",
            merge_names=merge,
            tell=tell,
            **reading,
        )

    with progress_bar(f"reading {source_name(answers)}", _expected_seconds(answers)):
        comparisons = read(from_one=one_based)
    if check_first_object is None:  # --n-objects says that some may be missing
        check_first_object = names is not None and n_objects is None
    numbers_are_names = names is not None and all(name.isdecimal() for name in names)
    if one_based is None and check_first_object and not numbers_are_names:
        _refuse_counting_from_one(source_name(answers), comparisons, read)
    return comparisons


def refuse_scattered_numbers(answers: Sequence[str], comparisons: ListedComparisons) -> None:
    """Refuse numbers that do not number the objects: a typo, or ids such as 10482."""
    n_objects = comparisons.n_objects
    if n_objects < MANY_OBJECTS:
        return
    pairs = np.unique(np.concatenate([comparisons.winners, comparisons.losers]))
    n_named = len(np.unique(pair_members(pairs, n_objects)))
    if n_named < SMALLEST_SHARE_NAMED * n_objects:
        raise InputError(
            f"only {counted(n_named, 'object')} of {n_objects:,} appear in the answers",
            where=source_name(answers),
            remedy="number the objects 0, 1, 2, ... without gaps, or pass "
            f"{{n_objects:{n_objects}}} if the others belong to the tree",
        )


def _expected_seconds(answers: Sequence[str]) -> float | None:
    """Return about how long files take to read, None if their sizes are not known."""
    seconds = 0.0
    try:
        for path in (path for name in answers for path in _files_in(Path(name))):
            rate = _SECONDS_PER_MB.get(path.suffix.lower(), _SECONDS_OF_TEXT)
            seconds += 1e-6 * path.stat().st_size * rate
    except OSError:
        return None
    return seconds or None


def _files_in(path: Path) -> list[Path]:
    return [one for one in path.rglob("*") if one.is_file()] if path.is_dir() else [path]


class _Stdin(io.BytesIO):  # can be read more than once
    name = "<stdin>"


def source_name(answers: Sequence[str]) -> str:
    """Return what messages call the files of answers."""
    first = "standard input" if answers[0] == "-" else str(Path(answers[0]))
    n_more = len(answers) - 1
    return f"{first} and {counted(n_more, 'more file')}" if n_more else first


def _refuse_counting_from_one(
    where: str, comparisons: ListedComparisons, read: Callable[..., ListedComparisons]
) -> None:
    """Refuse if object 0 is never named though every object is expected many times."""
    n_objects = comparisons.n_objects
    if 3 * comparisons.n_answers < MENTIONS_PER_OBJECT * n_objects:
        return
    pairs = np.concatenate([comparisons.winners, comparisons.losers])
    if not np.all(pair_members(pairs, n_objects)):
        return
    try:
        counted_from_one = read(from_one=True)
    except InputError:
        return
    if counted_from_one != comparisons:  # equal where the file holds names
        raise InputError(
            "object 0 is never named; are objects numbered from 1 to "
            f"{n_objects}? pass --one-based, or --zero-based if the numbers are right",
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
            "no picture in this folder is named after an object; use names like "
            f"{example!r} ({', '.join(PICTURES)})",
            where=folder,
        )
    if missing:
        warn_in_a_line(
            f"{counted(len(missing), 'object')} without a picture in {folder}: {listed(missing)}"
        )
    return [files.get(label) for label in labels]
