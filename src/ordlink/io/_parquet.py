"""Parquet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

from ordlink.comparisons._listed import ListedComparisons
from ordlink.errors import InputError
from ordlink.io._cells import ArrowColumn
from ordlink.io._columns import find_roles
from ordlink.io._header import FileHeader, header_from_json
from ordlink.io._own import DETAIL_COLUMNS, OBJECT_COLUMNS, OwnRows, check_options, own_blocks
from ordlink.io._source import Source, reading
from ordlink.io._table import Options, Table, list_table

_METADATA_KEY = b"ordlink"
_KIND = "Parquet"


def read_parquet(source: Source, options: Options) -> ListedComparisons:
    """Return the comparisons in a Parquet file, our own or a table of columns."""
    with _opened(source) as (file, header):
        if header is None:
            return list_table(_as_table(file, source.name), options)
        check_options(options, source.name)
        return _read_own(file, header, options, source.name)


@contextmanager
def open_parquet(
    source: Source, options: Options, n_rows: int
) -> Iterator[tuple[FileHeader | None, Iterator[Table]]]:
    """Open a Parquet file to read tables of at most n_rows rows."""
    with _opened(source) as (file, header):
        names = _own_columns(file) if header is not None else _visible_columns(file)
        wanted = names
        if header is None:
            roles = find_roles(
                names,
                len(names),
                form=options.form,
                columns=options.columns,
                where=source.name,
            )
            wanted = [names[at] for at in (*roles.objects, *roles.details.values())]
        yield header, _cut(file, names, wanted, n_rows, source.name)


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


@contextmanager
def _opened(source: Source) -> Iterator[tuple[Any, FileHeader | None]]:
    """Open a file and read its header, if it is one of our own."""
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
        text = (file.schema_arrow.metadata or {}).get(_METADATA_KEY)
        yield file, None if text is None else header_from_json(text.decode(), source.name)


def _visible_columns(file: Any) -> list[str]:
    # pandas stores the row labels of a data frame as a column that is not meant to be seen.
    return [name for name in file.schema_arrow.names if not name.startswith("__index_level_")]


def _own_columns(file: Any) -> list[str]:
    wanted = (*OBJECT_COLUMNS, "count", *DETAIL_COLUMNS)
    return [name for name in file.schema_arrow.names if name in wanted]


def _cut(
    file: Any, names: list[str], wanted: list[str], n_rows: int, source: str
) -> Iterator[Table]:
    """Yield tables of at most n_rows rows; at least one."""
    import pyarrow as pa

    start = 0
    for batch in file.iter_batches(batch_size=n_rows, columns=wanted):
        block = pa.Table.from_batches([batch])
        yield _table_of(names, block.num_rows, block.column, source, start)
        start += block.num_rows
    if not start:
        yield _table_of(names, 0, file.schema_arrow.empty_table().column, source)
    _check_all_read(start, file, source)


def _as_table(file: Any, source: str) -> Table:
    def read_column(name: str) -> ArrowColumn:
        return file.read(columns=[name]).column(name)

    return _table_of(_visible_columns(file), file.metadata.num_rows, read_column, source)


def _read_own(file: Any, header: FileHeader, options: Options, source: str) -> ListedComparisons:
    """Read our own file one row group at a time, so that i, j, k, l are never held all at once."""
    rows = OwnRows(header, file.metadata.num_rows)
    names = _own_columns(file)
    start = 0
    for group in range(file.num_row_groups):
        block = file.read_row_group(group, columns=names)
        rows.add(_table_of(names, block.num_rows, block.column, source, start))
        start += block.num_rows
    if not file.num_row_groups:
        rows.add(_table_of(names, 0, file.read(columns=names).column, source))
    _check_all_read(start, file, source)
    return rows.to_comparisons(options, source)


def _check_all_read(n_rows: int, file: Any, source: str) -> None:
    if n_rows != file.metadata.num_rows:
        raise InputError(
            f"{source}: the file announces {file.metadata.num_rows} rows and has {n_rows}; it is "
            "damaged, write it again"
        )


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
