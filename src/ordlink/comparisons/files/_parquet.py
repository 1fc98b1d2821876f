"""Parquet."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, BinaryIO

from ordlink.comparisons._listed import ListedComparisons
from ordlink.comparisons.files._cells import ArrowColumn
from ordlink.comparisons.files._header import FileHeader, header_from_json
from ordlink.comparisons.files._own import (
    DETAIL_COLUMNS,
    OBJECT_COLUMNS,
    OwnRows,
    check_options,
    own_blocks,
)
from ordlink.comparisons.files._source import Source, reading
from ordlink.comparisons.files._table import Options, Table, list_table
from ordlink.errors import InputError

_METADATA_KEY = b"ordlink"
_KIND = "Parquet"


def read_parquet(source: Source, options: Options) -> ListedComparisons:
    """Return the comparisons in a Parquet file, our own or a table of columns."""
    import pyarrow as pa
    import pyarrow.parquet

    source.check_exists()
    content = pa.BufferReader(source.read_bytes()) if source.path is None else None
    with (
        reading(source.name, _KIND),
        pyarrow.parquet.ParquetFile(
            content or str(source.path), page_checksum_verification=True
        ) as file,
    ):
        header_text = (file.schema_arrow.metadata or {}).get(_METADATA_KEY)
        if header_text is None:
            return list_table(_as_table(file, source.name), options)
        check_options(options, source.name)
        header = header_from_json(header_text.decode(), source.name)
        return _read_own(file, header, options, source.name)


def write_parquet(file: BinaryIO, comparisons: ListedComparisons) -> None:
    """Write comparisons as our own Parquet file."""
    import pyarrow as pa
    import pyarrow.parquet

    writer = None
    metadata = {_METADATA_KEY: FileHeader.of(comparisons).to_json().encode()}
    try:
        for block in own_blocks(comparisons):
            table = pa.table(
                {
                    name: pa.array(cells, type=pa.string() if cells.dtype.kind in "OU" else None)
                    for name, cells in block.items()
                }
            ).replace_schema_metadata(metadata)
            if writer is None:
                writer = pyarrow.parquet.ParquetWriter(file, table.schema, write_page_checksum=True)
            writer.write_table(table)
    finally:
        if writer is not None:
            writer.close()


def _as_table(file: Any, source: str) -> Table:
    # pandas stores the row labels of a data frame as a column that is not meant to be seen.
    names = [name for name in file.schema_arrow.names if not name.startswith("__index_level_")]

    def read_column(name: str) -> ArrowColumn:
        return file.read(columns=[name]).column(name)

    return _table_of(names, file.metadata.num_rows, read_column, source)


def _read_own(file: Any, header: FileHeader, options: Options, source: str) -> ListedComparisons:
    """Read our own file one row group at a time, so that i, j, k, l are never held all at once."""
    rows = OwnRows(header, file.metadata.num_rows)
    wanted = (*OBJECT_COLUMNS, "count", *DETAIL_COLUMNS)
    names = [name for name in file.schema_arrow.names if name in wanted]
    start = 0
    for group in range(file.num_row_groups):
        block = file.read_row_group(group, columns=names)
        rows.add(_table_of(names, block.num_rows, block.column, source, start))
        start += block.num_rows
    if not file.num_row_groups:
        rows.add(_table_of(names, 0, file.read(columns=names).column, source))
    if start != file.metadata.num_rows:
        raise InputError(
            f"{source}: the file announces {file.metadata.num_rows} rows and has {start}; it is "
            "damaged, write it again"
        )
    return rows.to_comparisons(options, source)


def _table_of(
    names: list[str],
    n_rows: int,
    read_column: Callable[[str], ArrowColumn],
    source: str,
    start: int = 0,
) -> Table:
    def column(position: int) -> ArrowColumn:
        cells = read_column(names[position])
        cells.validate(full=True)  # Parquet does not check that text is valid
        return cells

    return Table(
        source=source,
        names=names,
        n_columns=len(names),
        n_rows=n_rows,
        column=column,
        row_name=lambda row: f"{source}, row {start + row}",
        where=source,
    )
