"""What the metadata of Parquet files says before they are read: rows, and largest objects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ordlink.io._cells import arrow_parquet, pa
from ordlink.io._options import Options
from ordlink.io._source import InputFile, reading
from ordlink.io._table import find_roles
from ordlink.io._unpack import find_files

PARQUET = ".parquet"


def parquet_rows(paths: Sequence[str]) -> int:
    """Return the number of rows of Parquet files and folders of them; 0 if others are among them.

    Examples
    --------
    >>> parquet_rows(["answers.csv"])
    0
    """
    files: list[InputFile] = []
    for path in map(Path, paths):
        if not path.is_dir() and path.suffix.lower() != PARQUET:
            return 0
        if path.exists():
            files += find_files(InputFile(str(path), path=path), Options())
    if not all(_is_parquet(file) for file in files):
        return 0
    total = 0
    for file in files:
        with reading(file.name, "Parquet"):
            total += arrow_parquet.read_metadata(file.path).num_rows
    return total


def with_known_objects(sources: Sequence[InputFile], options: Options) -> Options:
    """Return the options with the number of objects, if the statistics of Parquet files say it."""
    if options.names is not None or options.n_objects is not None:
        return options
    largest = -1
    for source in sources:
        own = _largest_object(source, options) if _is_parquet(source) else None
        if own is None:
            return options
        largest = max(largest, own)
    return replace(options, n_objects=largest + (0 if options.one_based else 1))


def _is_parquet(source: InputFile) -> bool:
    return source.path is not None and source.path.suffix.lower() == PARQUET


def _largest_object(source: InputFile, options: Options) -> int | None:
    """Return the largest number in the columns of objects; None if it is not known."""
    with reading(source.name, "Parquet"), arrow_parquet.ParquetFile(source.path) as file:
        schema, metadata = file.schema_arrow, file.metadata
        if b"ordlink" in (schema.metadata or {}):
            return None  # it lists its objects
        roles = find_roles(schema.names, len(schema.names), options, source.name)
        if not all(pa.types.is_integer(schema.field(at).type) for at in roles.objects):
            return None
        largest = -1
        for group in range(metadata.num_row_groups):
            for at in roles.objects:
                statistics = metadata.row_group(group).column(at).statistics
                if statistics is None or not statistics.has_min_max:
                    return None
                largest = max(largest, int(statistics.max))
    return largest
