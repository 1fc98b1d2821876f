"""Binary formats: Parquet, and NumPy's NPZ, of which pickled objects are never loaded."""

from __future__ import annotations

import io
import math
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, BinaryIO

import numpy as np

from ordlink._typing import AnyArray
from ordlink.comparisons import ListedComparisons, n_pairs
from ordlink.comparisons._answers import check_counts
from ordlink.io._cells import ArrowColumn, arrow_parquet, pa
from ordlink.io._own import (
    KERNEL_ROWS,
    OWN_COLUMNS,
    WRITE_AGAIN,
    FileHeader,
    OpenTables,
    check_options,
    detail_columns,
    header_from_object,
    own_blocks,
    own_comparisons,
    parse_json,
)
from ordlink.io._source import InputFile, reading, refuse
from ordlink.io._table import Options, Table, find_roles, list_table

_METADATA_KEY = b"ordlink"


@contextmanager
def open_parquet(source: InputFile, options: Options, n_rows: int | None) -> Iterator[OpenTables]:
    """Open a Parquet file to read tables of at most n_rows rows.

    Without n_rows, a table of others is read as a whole; our own file comes in its row groups, so
    that i, j, k, l are never held all at once.
    """
    content = pa.BufferReader(source.read_bytes()) if source.path is None else str(source.path)
    with (
        reading(source.name, "Parquet"),
        arrow_parquet.ParquetFile(content, page_checksum_verification=True) as file,
    ):
        text = (file.schema_arrow.metadata or {}).get(_METADATA_KEY)
        if text is not None:
            header = header_from_object(parse_json(text.decode(), source.name), source.name)
            names = [name for name in file.schema_arrow.names if name in OWN_COLUMNS]
            tables = _parquet_tables(file, names, names, n_rows, source.name)
            yield OpenTables(header, tables, file.metadata.num_rows)
            return
        # pandas stores the row labels of a data frame as a column that is not meant to be seen.
        names = [name for name in file.schema_arrow.names if not name.startswith("__index_level_")]
        roles = find_roles(names, len(names), options, source.name)
        wanted = [names[at] for at in (*roles.objects, *roles.details.values())]
        if n_rows is None:
            whole = file.read(columns=wanted)
            yield OpenTables(None, iter([_parquet_table(whole, names, source.name)]))
        else:
            yield OpenTables(None, _parquet_tables(file, names, wanted, n_rows, source.name))


def write_parquet(file: BinaryIO, comparisons: ListedComparisons) -> None:
    """Write comparisons as our own Parquet file."""
    writer = None
    metadata = {_METADATA_KEY: FileHeader.of(comparisons).to_json().encode()}
    try:
        for block in own_blocks(comparisons):
            arrays = {
                name: pa.array(cells, type=pa.string() if cells.dtype.kind in "OU" else None)
                for name, cells in block.items()
            }
            table = pa.table(arrays).replace_schema_metadata(metadata)
            if writer is None:
                writer = arrow_parquet.ParquetWriter(file, table.schema, write_page_checksum=True)
            writer.write_table(table)
    finally:
        if writer is not None:
            writer.close()


def _parquet_tables(
    file: Any, names: list[str], wanted: list[str], n_rows: int | None, source: str
) -> Iterator[Table]:
    """Yield tables of at most n_rows rows, or of the row groups; at least one."""
    start = 0
    blocks = (
        (file.read_row_group(group, columns=wanted) for group in range(file.num_row_groups))
        if n_rows is None
        else map(pa.Table.from_batches, ([b] for b in file.iter_batches(n_rows, columns=wanted)))
    )
    for block in blocks:
        yield _parquet_table(block, names, source, start)
        start += block.num_rows
    if not start:
        yield _parquet_table(file.schema_arrow.empty_table(), names, source)
    if start != file.metadata.num_rows:
        problem = f"the file announces {file.metadata.num_rows} rows and has {start}; it is damaged"
        refuse(source, problem, "write it again")


def _parquet_table(block: Any, names: list[str], source: str, start: int = 0) -> Table:
    def column(position: int) -> ArrowColumn:
        cells = block.column(names[position])
        cells.validate(full=True)  # Parquet does not check that text is valid
        return cells

    def row_name(row: int) -> str:
        return f"{source}, row {start + row}"

    return Table(source, names, len(names), block.num_rows, column, row_name, source)


def read_npz(source: InputFile, options: Options) -> ListedComparisons:
    """Return the comparisons in an NPZ file, our own or a table of columns."""
    content = source.path or io.BytesIO(source.read_bytes())
    with reading(source.name, "NPZ"):
        with zipfile.ZipFile(content) as archive:
            members = archive.infolist()
            arrays = {
                member.filename.removesuffix(".npy"): _read_array(archive, member, source.name)
                for member in members
            }
        if len(arrays) < max(1, len(members)):
            got = f"{len(members)} with {len(arrays)} names"
            refuse(source.name, f"expected arrays of different names, got {got}", WRITE_AGAIN)
        if "header" in arrays and {"winners", "losers"} <= arrays.keys():
            check_options(options, source.name)
            return _read_own(arrays, options, source.name)
        return list_table(_npz_table(arrays, source.name), options)


def write_npz(file: BinaryIO, comparisons: ListedComparisons) -> None:
    """Write comparisons as our own NPZ file."""
    arrays: dict[str, Any] = {
        "header": np.array(FileHeader.of(comparisons).to_json()),
        "winners": comparisons.winners,
        "losers": comparisons.losers,
    }
    for name, column in detail_columns(comparisons).items():
        if column.dtype.kind in "OU":
            # Arrays of text take the room of the longest for each entry: store each text once.
            texts, codes = np.unique(column.astype(str), return_inverse=True)
            arrays[f"{name}_texts"], arrays[name] = texts, codes.astype(np.int32)
        else:
            arrays[name] = column
    np.savez(file, **arrays)  # none of them holds objects, so none is pickled


def _read_array(archive: zipfile.ZipFile, member: zipfile.ZipInfo, source: str) -> AnyArray:
    """Return one array; the size that its header announces is checked before it is believed."""
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        refuse(source, "expected arrays as numpy.savez stores them", WRITE_AGAIN)
    content = io.BytesIO(archive.read(member))
    read_header = np.lib.format.read_array_header_2_0
    if np.lib.format.read_magic(content) == (1, 0):
        read_header = np.lib.format.read_array_header_1_0
    shape, fortran_order, dtype = read_header(content)
    name = member.filename.removesuffix(".npy")
    if dtype.kind not in "iufU":
        kind = "Python objects (pickles)" if dtype.hasobject else str(dtype)
        refuse(
            source,
            f"the array {name!r} holds {kind}; expected numbers or text of fixed width, which are "
            "safe to load",
        )
    count = math.prod(shape)
    data = content.getbuffer()[content.tell() :]
    if count * dtype.itemsize != len(data) or not dtype.itemsize:
        problem = (
            f"the array {name!r} announces {count} entries of {dtype.itemsize} bytes, but holds "
            f"{len(data)} bytes; the file is damaged"
        )
        refuse(source, problem, WRITE_AGAIN)
    array = np.frombuffer(data, dtype=dtype, count=count)
    array = array.reshape(shape, order="F" if fortran_order else "C")
    return array.astype(dtype.newbyteorder("="), copy=False)


def _npz_table(arrays: Mapping[str, AnyArray], source: str) -> Table:
    """Return columns of one array each, or of the one two-dimensional array that there is."""
    names: list[str] | None = list(arrays)
    columns = list(arrays.values())
    if len(columns) == 1 and columns[0].ndim == 2:
        if columns[0].shape[1] > 100:
            refuse(source, f"expected 3 or 4 columns, got {columns[0].shape[1]}")
        columns, names = list(columns[0].T), None
    if len({column.shape for column in columns}) != 1 or columns[0].ndim != 1:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in list(arrays.items())[:12])
        refuse(
            source,
            "expected one-dimensional arrays of equal length, one for each column, or one "
            f"two-dimensional array, got {shapes}",
        )

    def arrow(position: int) -> ArrowColumn:
        column = columns[position]
        if column.dtype.kind == "U":
            return pa.chunked_array([pa.array(column.tolist(), type=pa.string())])
        if column.dtype.kind == "f":
            column = column.astype(np.float64)
        return pa.chunked_array([pa.array(np.ascontiguousarray(column))])

    def row_name(row: int) -> str:
        return f"{source}, row {row}"

    return Table(source, names, len(columns), len(columns[0]), arrow, row_name, source)


def _read_own(arrays: Mapping[str, AnyArray], options: Options, source: str) -> ListedComparisons:
    header = header_from_object(parse_json(str(arrays["header"][()]), source), source)
    winners, losers = arrays["winners"], arrays["losers"]
    for name, ids in (("winners", winners), ("losers", losers)):
        if ids.ndim != 1 or ids.dtype.kind not in "iu":
            problem = (
                f"expected {name} to be a one-dimensional array of pair numbers, got shape "
                f"{ids.shape} and dtype {ids.dtype}"
            )
            refuse(source, problem, WRITE_AGAIN)
    if len(winners) != len(losers):
        refuse(source, f"there are {len(winners)} winners and {len(losers)} losers", WRITE_AGAIN)
    _check_pairs(winners, losers, header.n_objects, source)
    details = {
        name: _detail(arrays, name, len(winners), source)
        for name in OWN_COLUMNS[4:]
        if name in arrays
    }
    if "count" in details:
        check_counts(details["count"], lambda row: f"{source}, row {row}")
    # A copy only if need be: the arrays belong to nobody else.
    winners, losers = (ids.astype(np.int32, copy=False) for ids in (winners, losers))
    return own_comparisons(winners, losers, details, header, options, source)


def _check_pairs(winners: AnyArray, losers: AnyArray, n_objects: int, source: str) -> None:
    """Refuse rows that do not compare two different pairs, and name the first one."""
    n = n_pairs(n_objects)
    if len(winners) >= KERNEL_ROWS:
        from ordlink.io._kernels import are_pairs

        if are_pairs(winners, losers, n):
            return
    for name, ids in (("winners", winners), ("losers", losers)):
        bad = (ids < 0) | (ids >= n)
        if bad.any():
            row = int(bad.argmax())
            known = f"{n_objects} objects have {n} pairs"
            problem = f"the pair {ids[row]} of {name} is out of range: {known}"
            refuse(f"{source}, row {row}", problem)
    same = winners == losers
    if same.any():
        problem = "compares a pair with itself, which says nothing"
        refuse(f"{source}, row {int(same.argmax())}", problem, "remove the row")


def _detail(arrays: Mapping[str, AnyArray], name: str, n_rows: int, source: str) -> AnyArray:
    """Return a column of details; text is stored as positions in an array of texts."""
    column, texts = arrays[name], None
    kind = "f" if name in ("response_time", "chose_first") else "iu"
    fits = column.shape == (n_rows,) and column.dtype.kind in kind
    lowest, highest = np.iinfo(np.int32).min, np.iinfo(np.int32).max
    if name in ("annotator", "time"):
        texts = arrays.get(f"{name}_texts")
        fits = fits and texts is not None and texts.ndim == 1 and texts.dtype.kind == "U"
        lowest, highest = 0, -1 if texts is None or not fits else len(texts) - 1
    if fits and kind == "iu" and n_rows:
        fits = lowest <= int(column.min()) and int(column.max()) <= highest
    if fits and name == "chose_first":
        fits = bool((np.isnan(column) | (column == 0) | (column == 1)).all())
    if not fits:
        refuse(source, f"the array {name!r} does not fit {n_rows} comparisons", WRITE_AGAIN)
    if texts is None:
        return column.astype(np.float64 if kind == "f" else np.int32)
    checked = [text.encode().decode() for text in texts.tolist()]
    result = np.empty(n_rows, dtype=object)
    result[:] = np.array([*checked, ""], dtype=object)[column]
    return result
