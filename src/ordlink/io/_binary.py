"""Binary formats: Parquet and NumPy's NPZ; pickled objects are never loaded."""

from __future__ import annotations

import io
import math
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ordlink._typing import AnyArray
from ordlink.comparisons import ListedComparisons, n_pairs
from ordlink.comparisons._answers import check_counts
from ordlink.comparisons._pairs import id_type
from ordlink.io._answers import read_table
from ordlink.io._cells import ArrowColumn, arrow_parquet, is_text, pa, pc
from ordlink.io._options import Options
from ordlink.io._own import (
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
from ordlink.io._source import InputFile, check_unpacked, reading, refuse
from ordlink.io._table import Table, find_roles
from ordlink.io._words import is_response, plain_name

_METADATA_KEY = b"ordlink"


@contextmanager
def open_parquet(source: InputFile, options: Options, n_rows: int | None) -> Iterator[OpenTables]:
    """Open a Parquet file to read tables of at most n_rows rows, or of all.

    Files written by ordlink are read by row group, so that i, j, k, l are never all in memory.
    """
    content = source.path or pa.BufferReader(source.read_bytes())
    n_bytes = content.stat().st_size if isinstance(content, Path) else content.size()
    with reading(source.name, "Parquet"), _parquet_file(content) as file:
        _check_parquet(file, n_bytes, source.name)
        text = (file.schema_arrow.metadata or {}).get(_METADATA_KEY)
        if text is not None:
            header = header_from_object(parse_json(text.decode(), source.name), source.name)
            names = [name for name in file.schema_arrow.names if name in OWN_COLUMNS]
            tables = _parquet_tables(file, names, names, n_rows, source.name, n_bytes)
            yield OpenTables(header, tables, file.metadata.num_rows)
            return
        # pandas stores the row labels of a data frame as a column that is not meant to be seen.
        names = [name for name in file.schema_arrow.names if not name.startswith("__index_level_")]
        if n_rows is None:
            whole = file.read(columns=names)
            yield OpenTables(None, iter([_parquet_table(whole, names, source.name, n_bytes)]))
        else:
            roles = find_roles(names, len(names), options, source.name)
            known = {*roles.objects, *roles.details.values()}
            said = [at for at, name in enumerate(names) if is_response(plain_name(name))]
            wanted = [names[at] for at in dict.fromkeys([*known, *said])]
            tables = _parquet_tables(file, names, wanted, n_rows, source.name, n_bytes)
            yield OpenTables(None, tables)


def write_parquet(file: BinaryIO, comparisons: ListedComparisons) -> None:
    """Write comparisons as our own Parquet file."""
    metadata = {_METADATA_KEY: FileHeader.of(comparisons).to_json().encode()}
    with ExitStack() as stack:
        for number, block in enumerate(own_blocks(comparisons)):
            arrays = {
                name: pa.array(cells, type=pa.string() if cells.dtype.kind in "OU" else None)
                for name, cells in block.items()
            }
            table = pa.table(arrays).replace_schema_metadata(metadata)
            if not number:
                opening = arrow_parquet.ParquetWriter(file, table.schema, write_page_checksum=True)
                writer = stack.enter_context(opening)
            writer.write_table(table)


def _parquet_tables(
    file: Any, names: list[str], wanted: list[str], n_rows: int | None, source: str, n_bytes: int
) -> Iterator[Table]:
    """Yield tables of at most n_rows rows, or one per row group if None; always at least one."""
    start = 0
    blocks = (
        (file.read_row_group(group, columns=wanted) for group in range(file.num_row_groups))
        if n_rows is None
        else map(pa.Table.from_batches, ([b] for b in file.iter_batches(n_rows, columns=wanted)))
    )
    for block in blocks:
        yield _parquet_table(block, names, source, n_bytes, start)
        start += block.num_rows
    if not start:
        yield _parquet_table(file.schema_arrow.empty_table(), names, source, n_bytes)
    if start != file.metadata.num_rows:
        problem = (
            f"its metadata says {file.metadata.num_rows} rows, but it has {start}; it is damaged"
        )
        refuse(source, problem, "save it again")


def _parquet_file(content: Any) -> Any:
    """Open a file with dictionary-encoded text, so that repeated values take no memory."""
    schema = arrow_parquet.read_schema(content)
    texts = [field.name for field in schema if is_text(field.type)]
    return arrow_parquet.ParquetFile(
        content, page_checksum_verification=True, read_dictionary=texts
    )


def _check_parquet(file: Any, n_bytes: int, source: str) -> None:
    """Refuse a file that announces too much."""
    metadata = file.metadata  # asked for single columns, pyarrow aborts on damaged ones
    unpacked = sum(metadata.row_group(at).total_byte_size for at in range(file.num_row_groups))
    n_rows, n_cells = metadata.num_rows, metadata.num_rows * metadata.num_columns
    check_unpacked(source, n_bytes, unpacked, n_cells=n_cells, n_rows=n_rows)


def _parquet_table(
    block: Any, names: list[str], source: str, n_bytes: int, start: int = 0
) -> Table:
    def column(position: int) -> ArrowColumn:
        if names[position] not in block.column_names:
            refuse(source, f"the column {names[position]!r} is not read in chunks")
        cells = block.column(names[position])
        cells.validate(full=True)  # Parquet does not check that text is valid
        if not pa.types.is_dictionary(cells.type):
            return cells
        lengths = [pc.take(pc.binary_length(c.dictionary), c.indices) for c in cells.chunks]
        unpacked = sum(pc.sum(length).as_py() or 0 for length in lengths)
        check_unpacked(source, n_bytes, unpacked, n_cells=len(cells))
        return pc.cast(cells, cells.type.value_type)

    row_name = partial(_name_row, source, start)
    return Table(source, names, len(names), block.num_rows, column, row_name, source)


def _name_row(source: str, start: int, row: int) -> str:
    return f"{source}, row {start + row}"


def read_npz(source: InputFile, options: Options) -> ListedComparisons:
    """Return the comparisons in an NPZ file, our own or a table of columns."""
    content = source.path or io.BytesIO(source.read_bytes())
    with reading(source.name, "NPZ"):
        with zipfile.ZipFile(content) as archive:
            members = archive.infolist()
            packed = sum(member.compress_size for member in members)
            check_unpacked(source.name, packed, sum(member.file_size for member in members))
            arrays = {
                member.filename.removesuffix(".npy"): _read_array(
                    archive, member, packed, source.name
                )
                for member in members
            }
        if len(arrays) < max(1, len(members)):
            got = f"{len(members)} with {len(arrays)} names"
            refuse(source.name, f"expected arrays of different names, got {got}", WRITE_AGAIN)
        check_unpacked(source.name, packed, n_cells=sum(array.size for array in arrays.values()))
        if "header" in arrays and {"winners", "losers"} <= arrays.keys():
            check_options(options, source.name)
            return _read_own(arrays, options, source.name)
        return read_table(_npz_table(arrays, source.name), options)


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


def _read_array(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, packed: int, source: str
) -> AnyArray:
    """Return one array, after checking the size in its header."""
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        refuse(source, "expected arrays as numpy.savez stores them", WRITE_AGAIN)
    content = io.BytesIO(archive.read(member))
    read_header = np.lib.format.read_array_header_2_0
    if np.lib.format.read_magic(content) == (1, 0):
        read_header = np.lib.format.read_array_header_1_0
    shape, fortran, dtype = read_header(content)
    name = member.filename.removesuffix(".npy")
    if dtype.kind not in "iufU":
        kind = "Python objects (pickles)" if dtype.hasobject else str(dtype)
        expected = "expected numbers or text of fixed width, which are safe to load"
        refuse(source, f"the array {name!r} holds {kind}; {expected}")
    count = math.prod(shape)
    data = content.getbuffer()[content.tell() :]
    if count * dtype.itemsize != len(data) or not dtype.itemsize:
        announced = f"the array {name!r} announces {count} entries of {dtype.itemsize} bytes"
        refuse(source, f"{announced}, but holds {len(data)} bytes; it is damaged", WRITE_AGAIN)
    check_unpacked(source, packed, n_rows=shape[0] if shape else 0)
    array = np.frombuffer(data, dtype=dtype).reshape(shape, order="F" if fortran else "C")
    return array.astype(dtype.newbyteorder("="), copy=False)


def _npz_table(arrays: Mapping[str, AnyArray], source: str) -> Table:
    """Return the one-dimensional arrays as columns, or the columns of a single table."""
    names: list[str] | None = list(arrays)
    columns = list(arrays.values())
    if len(columns) == 1 and columns[0].ndim == 2:
        if columns[0].shape[1] > 100:
            refuse(source, f"expected 3 or 4 columns, got {columns[0].shape[1]}")
        columns, names = list(columns[0].T), None
    if len({column.shape for column in columns}) != 1 or columns[0].ndim != 1:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in list(arrays.items())[:12])
        expected = "expected a one-dimensional array per column, all of equal length, or one table"
        refuse(source, f"{expected}, got {shapes}")

    def arrow(position: int) -> ArrowColumn:
        column = columns[position]
        if column.dtype.kind == "U":
            return pa.chunked_array([pa.array(column, type=pa.string())])
        if column.dtype.kind == "f":
            column = column.astype(np.float64)
        return pa.chunked_array([pa.array(np.ascontiguousarray(column))])

    row_name = partial(_name_row, source, 0)
    return Table(source, names, len(columns), len(columns[0]), arrow, row_name, source)


def _read_own(arrays: Mapping[str, AnyArray], options: Options, source: str) -> ListedComparisons:
    header = header_from_object(parse_json(str(arrays["header"][()]), source), source)
    winners, losers = arrays["winners"], arrays["losers"]
    for name, ids in (("winners", winners), ("losers", losers)):
        if ids.ndim != 1 or ids.dtype.kind not in "iu":
            got = f"got shape {ids.shape} and dtype {ids.dtype}"
            problem = f"expected {name} to be a one-dimensional array of pair numbers, {got}"
            refuse(source, problem, WRITE_AGAIN)
    if len(winners) != len(losers):
        refuse(source, f"there are {len(winners)} winners and {len(losers)} losers", WRITE_AGAIN)
    _check_pairs(winners, losers, header.n_objects, source)
    present = [name for name in OWN_COLUMNS[4:] if name in arrays]
    details = {name: _detail(arrays, name, len(winners), source) for name in present}
    if "count" in details:
        check_counts(details["count"], partial(_name_row, source, 0))
    # A copy only if need be: the arrays belong to nobody else.
    winners, losers = (
        ids.astype(id_type(header.n_objects), copy=False) for ids in (winners, losers)
    )
    header.check_n_rows(len(winners), source)
    return own_comparisons(winners, losers, details, header, options, source)


def _check_pairs(winners: AnyArray, losers: AnyArray, n_objects: int, source: str) -> None:
    """Refuse rows that do not compare two different pairs, and name the first one."""
    n = n_pairs(n_objects)
    for name, ids in (("winners", winners), ("losers", losers)):
        if len(ids) and not 0 <= int(ids.min()) <= int(ids.max()) < n:
            row = int(((ids < 0) | (ids >= n)).argmax())
            problem = f"the pair {ids[row]} of {name} is out of range"
            refuse(f"{source}, row {row}", f"{problem}: {n_objects} objects have {n} pairs")
    for row in np.flatnonzero(winners == losers)[:1]:
        problem = "compares a pair with itself"
        refuse(f"{source}, row {row}", problem, "remove the row")


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
    return np.array([*checked, ""], dtype=object)[column]
