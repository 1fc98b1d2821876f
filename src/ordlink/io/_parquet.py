"""Parquet."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

from ordlink.comparisons import ListedComparisons
from ordlink.errors import InputError
from ordlink.io._cells import ArrowColumn
from ordlink.io._columns import find_roles
from ordlink.io._header import FileHeader, header_from_object, parse_json
from ordlink.io._own import OWN_COLUMNS, own_blocks
from ordlink.io._source import InputFile, reading
from ordlink.io._table import OpenTables, Options, Table

_METADATA_KEY = b"ordlink"


@contextmanager
def open_parquet(source: InputFile, options: Options, n_rows: int | None) -> Iterator[OpenTables]:
    """Open a Parquet file to read tables of at most n_rows rows.

    Without n_rows, a table of others is read as a whole; our own file comes in its row groups, so
    that i, j, k, l are never held all at once.
    """
    import pyarrow as pa
    import pyarrow.parquet

    source.check_exists()
    content = pa.BufferReader(source.read_bytes()) if source.path is None else str(source.path)
    with (
        reading(source.name, "Parquet"),
        pyarrow.parquet.ParquetFile(content, page_checksum_verification=True) as file,
    ):
        text = (file.schema_arrow.metadata or {}).get(_METADATA_KEY)
        if text is not None:
            header = header_from_object(parse_json(text.decode(), source.name), source.name)
            names = [name for name in file.schema_arrow.names if name in OWN_COLUMNS]
            tables = _tables(file, names, names, n_rows, source.name)
            yield OpenTables(header, tables, file.metadata.num_rows)
            return
        # pandas stores the row labels of a data frame as a column that is not meant to be seen.
        names = [name for name in file.schema_arrow.names if not name.startswith("__index_level_")]
        roles = find_roles(
            names, len(names), form=options.form, columns=options.columns, where=source.name
        )
        wanted = [names[at] for at in (*roles.objects, *roles.details.values())]
        if n_rows is None:
            whole = file.read(columns=wanted)
            yield OpenTables(None, iter([_table_of(whole, names, source.name)]))
        else:
            yield OpenTables(None, _tables(file, names, wanted, n_rows, source.name))


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


def _tables(
    file: Any, names: list[str], wanted: list[str], n_rows: int | None, source: str
) -> Iterator[Table]:
    """Yield tables of at most n_rows rows, or of the row groups; at least one."""
    import pyarrow as pa

    start = 0
    blocks = (
        (file.read_row_group(group, columns=wanted) for group in range(file.num_row_groups))
        if n_rows is None
        else map(pa.Table.from_batches, ([b] for b in file.iter_batches(n_rows, columns=wanted)))
    )
    for block in blocks:
        yield _table_of(block, names, source, start)
        start += block.num_rows
    if not start:
        yield _table_of(file.schema_arrow.empty_table(), names, source)
    if start != file.metadata.num_rows:
        raise InputError(
            f"the file announces {file.metadata.num_rows} rows and has {start}; it is damaged",
            where=source,
            remedy="write it again",
        )


def _table_of(block: Any, names: list[str], source: str, start: int = 0) -> Table:
    def column(position: int) -> ArrowColumn:
        cells = block.column(names[position])
        cells.validate(full=True)  # Parquet does not check that text is valid
        return cells

    return Table(
        source=source,
        names=names,
        n_columns=len(names),
        n_rows=block.num_rows,
        column=column,
        row_name=lambda row: f"{source}, row {start + row}",
        where=source,
    )
