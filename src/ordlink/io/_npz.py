"""NumPy's NPZ: a zip archive of arrays. Pickled objects are never loaded."""

from __future__ import annotations

import io
import math
import zipfile
from collections.abc import Mapping
from typing import Any, BinaryIO

import numpy as np

from ordlink._typing import AnyArray
from ordlink.comparisons import ListedComparisons, n_pairs
from ordlink.comparisons._build import check_counts
from ordlink.errors import InputError
from ordlink.io._cells import ArrowColumn
from ordlink.io._header import FileHeader, header_from_object, parse_json
from ordlink.io._own import (
    KERNEL_ROWS,
    OWN_COLUMNS,
    WRITE_AGAIN,
    check_options,
    detail_columns,
    own_comparisons,
)
from ordlink.io._source import InputFile, reading
from ordlink.io._table import Options, Table, list_table


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
            raise InputError(
                f"expected arrays of different names, got {len(members)} with {len(arrays)} names",
                where=source.name,
                remedy=WRITE_AGAIN,
            )
        if "header" in arrays and {"winners", "losers"} <= arrays.keys():
            check_options(options, source.name)
            return _read_own(arrays, options, source.name)
        return list_table(_as_table(arrays, source.name), options)


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
        raise InputError(
            "expected arrays as numpy.savez stores them", where=source, remedy=WRITE_AGAIN
        )
    content = io.BytesIO(archive.read(member))
    version = np.lib.format.read_magic(content)
    read_header = (
        np.lib.format.read_array_header_1_0
        if version == (1, 0)
        else np.lib.format.read_array_header_2_0
    )
    shape, fortran_order, dtype = read_header(content)
    name = member.filename.removesuffix(".npy")
    if dtype.kind not in "iufU":
        kind = "Python objects (pickles)" if dtype.hasobject else str(dtype)
        raise InputError(
            f"the array {name!r} holds {kind}; expected numbers or text of fixed width, which are "
            "safe to load",
            where=source,
        )
    count = math.prod(shape)
    data = content.getbuffer()[content.tell() :]
    if count * dtype.itemsize != len(data) or not dtype.itemsize:
        raise InputError(
            f"the array {name!r} announces {count} entries of {dtype.itemsize} bytes, but holds "
            f"{len(data)} bytes; the file is damaged",
            where=source,
            remedy=WRITE_AGAIN,
        )
    array = np.frombuffer(data, dtype=dtype, count=count)
    array = array.reshape(shape, order="F" if fortran_order else "C")
    return array.astype(dtype.newbyteorder("="), copy=False)


def _as_table(arrays: Mapping[str, AnyArray], source: str) -> Table:
    """Return columns of one array each, or of the one two-dimensional array that there is."""
    names: list[str] | None = list(arrays)
    columns = list(arrays.values())
    if len(columns) == 1 and columns[0].ndim == 2:
        if columns[0].shape[1] > 100:
            raise InputError(f"expected 3 or 4 columns, got {columns[0].shape[1]}", where=source)
        columns, names = list(columns[0].T), None
    if len({column.shape for column in columns}) != 1 or columns[0].ndim != 1:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in list(arrays.items())[:12])
        raise InputError(
            "expected one-dimensional arrays of equal length, one for each column, or one "
            f"two-dimensional array, got {shapes}",
            where=source,
        )
    return Table(
        source=source,
        names=names,
        n_columns=len(columns),
        n_rows=len(columns[0]),
        column=lambda position: _arrow(columns[position]),
        row_name=lambda row: f"{source}, row {row}",
        where=source,
    )


def _arrow(column: AnyArray) -> ArrowColumn:
    import pyarrow as pa

    if column.dtype.kind == "U":
        return pa.chunked_array([pa.array(column.tolist(), type=pa.string())])
    if column.dtype.kind == "f":
        column = column.astype(np.float64)
    return pa.chunked_array([pa.array(np.ascontiguousarray(column))])


def _read_own(arrays: Mapping[str, AnyArray], options: Options, source: str) -> ListedComparisons:
    header = header_from_object(parse_json(str(arrays["header"][()]), source), source)
    winners, losers = arrays["winners"], arrays["losers"]
    for name, ids in (("winners", winners), ("losers", losers)):
        if ids.ndim != 1 or ids.dtype.kind not in "iu":
            raise InputError(
                f"expected {name} to be a one-dimensional array of pair numbers, got shape "
                f"{ids.shape} and dtype {ids.dtype}",
                where=source,
                remedy=WRITE_AGAIN,
            )
    if len(winners) != len(losers):
        raise InputError(
            f"there are {len(winners)} winners and {len(losers)} losers",
            where=source,
            remedy=WRITE_AGAIN,
        )
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
            raise InputError(
                f"the pair {ids[row]} of {name} is out of range: {n_objects} objects have {n} "
                "pairs",
                where=f"{source}, row {row}",
            )
    same = winners == losers
    if same.any():
        raise InputError(
            "compares a pair with itself, which says nothing",
            where=f"{source}, row {int(same.argmax())}",
            remedy="remove the row",
        )


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
        raise InputError(
            f"the array {name!r} does not fit {n_rows} comparisons",
            where=source,
            remedy=WRITE_AGAIN,
        )
    if texts is None:
        return column.astype(np.float64 if kind == "f" else np.int32)
    checked = [text.encode().decode() for text in texts.tolist()]
    result = np.empty(n_rows, dtype=object)
    result[:] = np.array([*checked, ""], dtype=object)[column]
    return result
