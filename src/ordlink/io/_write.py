"""Comparisons into a file of any format."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from ordlink._atomic import replacing
from ordlink.comparisons import Comparisons, ListedComparisons
from ordlink.errors import InputKindError
from ordlink.io._jsonl import write_jsonl
from ordlink.io._npz import write_npz
from ordlink.io._own import check_writable
from ordlink.io._parquet import write_parquet
from ordlink.io._source import find_format
from ordlink.io._text import write_text

_WRITERS: dict[str, Callable[[BinaryIO, ListedComparisons], None]] = {
    "csv": lambda file, comparisons: write_text(file, comparisons, delimiter=","),
    "tsv": lambda file, comparisons: write_text(file, comparisons, delimiter="\t"),
    "parquet": write_parquet,
    "npz": write_npz,
    "jsonl": write_jsonl,
}


def write_comparisons(
    comparisons: Comparisons, path: str | os.PathLike[str], *, format: str | None = None
) -> None:
    """Write comparisons so that :func:`read_comparisons` gives them back as they are.

    The file appears whole or not at all: an error or Ctrl-C leaves what was there before.

    Parameters
    ----------
    comparisons : ListedComparisons
        To be written.
    path : path
        .csv, .tsv, .parquet, .npz, .jsonl or .ndjson.
    format : str, optional
        csv, tsv, parquet, npz or jsonl; that of the extension by default.

    Raises
    ------
    InputError
        If the file cannot be written.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from ordlink.comparisons import Comparisons
    >>> c = Comparisons.from_triplets([[0, 1, 2]], names=["cat", "dog", "bee"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "answers.csv"
    ...     write_comparisons(c, path)
    ...     print(path.read_text(), end="")
    # ordlink-comparisons 1
    # objects: ["cat", "dog", "bee"]
    # n_rows: 1
    i,j,k,l
    0,1,0,2
    """
    if not isinstance(comparisons, ListedComparisons):
        raise InputKindError(
            f"expected comparisons listed one by one, got {type(comparisons).__name__}",
            parameter="comparisons",
            remedy="write a sample of them, see Comparisons.from_similarities",
        )
    writer = _WRITERS[find_format(Path(path), format)]
    check_writable(comparisons)
    with replacing(path) as file:
        writer(file, comparisons)
