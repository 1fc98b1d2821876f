"""Our own files: a versioned header, then the contents of the comparisons as blocks of columns."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from ordlink._text import counted, shorten
from ordlink._typing import AnyArray, PairIdArray
from ordlink._validate import check_names
from ordlink.comparisons import AnswerDetails, ListedComparisons, n_pairs, pair_members
from ordlink.comparisons._answers import check_counts, list_answers
from ordlink.comparisons._pairs import MOST_LISTED, id_type
from ordlink.errors import InputError
from ordlink.io._cells import pa, to_numpy, whole_cells
from ordlink.io._options import Options
from ordlink.io._source import located, reading, refuse
from ordlink.io._table import DETAIL_COLUMNS, Table, detail_cells

MAGIC = "ordlink-comparisons"
"""Marks our own files; its value is the version."""
VERSION = 1
"""Version of the files that are written, and the newest that can be read."""


@dataclass(frozen=True)
class FileHeader:
    """Number of objects, their names, and the number of rows, which reveals missing ones."""

    n_objects: int
    names: tuple[str, ...] | None = None
    n_rows: int | None = None

    @staticmethod
    def of(comparisons: ListedComparisons) -> FileHeader:
        """Return the header of a file of these comparisons."""
        return FileHeader(comparisons.n_objects, comparisons.names, comparisons.n_rows)

    def to_json(self, **more: Any) -> str:
        """Return the header, and what a format adds to it, as one line of JSON."""
        return json.dumps({MAGIC: VERSION, **self._fields(), **more}, ensure_ascii=False)

    def to_comments(self) -> str:
        """Return the header as the lines at the top of a text file."""
        fields = self._fields().items()
        lines = [f"# {key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in fields]
        return f"# {MAGIC} {VERSION}\n" + "".join(lines)

    def _fields(self) -> dict[str, Any]:
        fields: dict[str, Any] = {"n_objects": self.n_objects, "n_rows": self.n_rows}
        if self.names is not None:
            fields = {"objects": list(self.names), "n_rows": self.n_rows}
        return {key: value for key, value in fields.items() if value is not None}

    def check_n_rows(self, n_rows: int, source: str) -> None:
        """Raise InputError if rows are missing or were added."""
        if self.n_rows is not None and n_rows != self.n_rows:
            problem = f"the header says {self.n_rows} rows, but the file has {n_rows}"
            refuse(source, problem, "it may be truncated; if you changed rows, remove n_rows")


def header_from_comments(lines: list[str], source: str) -> FileHeader | None:
    """Return the header in the comments at the top of a text file, or None if there is none."""
    if not lines or not lines[0].startswith(f"# {MAGIC}"):
        return None
    version = re.fullmatch(rf"# {MAGIC} ([0-9]{{1,9}})", lines[0].rstrip())
    if version is None:
        _refuse(source, f"its first line is not '# {MAGIC} {VERSION}'")
    fields: dict[str, Any] = {MAGIC: int(version[1])}
    for line in lines[1:]:
        if field := re.fullmatch(r"# (objects|n_objects|n_rows):(.*)", line, flags=re.DOTALL):
            if field[1] in fields:
                _refuse(source, f"'{field[1]}' occurs twice in it")
            fields[field[1]] = parse_json(field[2], source)
    return header_from_object(fields, source)


def header_from_object(fields: Any, source: str) -> FileHeader:
    """Return the header that was parsed from JSON."""
    if not isinstance(fields, dict) or MAGIC not in fields:
        _refuse(source, f"it is not an object with the key {MAGIC!r}")
    version = fields[MAGIC]
    if not _is_count(version) or version < 1:
        _refuse(source, f"its version is {version!r}")
    if version > VERSION:
        versions = f"file version {version}, this one reads up to {VERSION}"
        refuse(source, f"written by a newer ordlink ({versions})", "update ordlink")
    names, n_objects, n_rows = (fields.get(key) for key in ("objects", "n_objects", "n_rows"))
    for key, count, most in (("n_objects", n_objects, MOST_LISTED), ("n_rows", n_rows, 2**63)):
        if count is not None and not (_is_count(count) and count <= most):
            _refuse(source, f"{key} is {shorten(repr(count))}, not a number from 0 to {most}")
    if names is None:
        if n_objects is None:
            _refuse(source, "it has neither objects nor n_objects")
        return FileHeader(n_objects, None, n_rows)
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        _refuse(source, "objects is not a list of names")
    if len(names) > MOST_LISTED:
        _refuse(source, f"there are more than {MOST_LISTED} objects")
    try:
        return FileHeader(len(names), check_names(names, n_objects), n_rows)
    except InputError as error:
        _refuse(source, error.problem)


def parse_json(text: str, source: str, line: int | None = None) -> Any:
    """Parse strict JSON: no key twice, no NaN."""
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError) as error:
        where = source if line is None else f"{source}, line {line}"
        with reading(where, "JSON", "correct it or save it again"):
            raise error


def _refuse(source: str, problem: str) -> NoReturn:
    refuse(source, f"the header of this ordlink file is damaged: {problem}", "write the file again")


def _is_count(value: object) -> bool:
    return type(value) is int and value >= 0


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        [(twice, _)] = Counter(key for key, _ in pairs).most_common(1)
        raise ValueError(f"the key {twice!r} occurs twice")
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


_DECODER = json.JSONDecoder(object_pairs_hook=_without_repeats, parse_constant=_no_constant)


OBJECT_COLUMNS = ("i", "j", "k", "l")
OWN_COLUMNS = (*OBJECT_COLUMNS, "count", *DETAIL_COLUMNS)
"""All columns of our own files, in order."""
BLOCK_ROWS = 1 << 20
"""Rows that are written at a time."""
CHECKED_ROWS = 1 << 16
"""Rows that are checked at a time, where not by a kernel."""
KERNEL_ROWS = 1 << 17
"""So many rows are worth a kernel; fewer are read sooner than Numba is imported."""
WRITE_AGAIN = "write the file again"


@dataclass(frozen=True)
class OpenTables:
    """A file being read: the header of our own files, its tables, and the row count if known."""

    header: FileHeader | None
    tables: Iterator[Table]
    n_rows: int | None = None


class OwnRows:
    """Rows of our own files, gathered block by block; `n_rows` of them will be added."""

    def __init__(self, header: FileHeader, n_rows: int) -> None:
        self.header = header
        self.winners: PairIdArray = np.empty(n_rows, dtype=id_type(header.n_objects))
        self.losers: PairIdArray = np.empty(n_rows, dtype=id_type(header.n_objects))
        self.n_added = 0
        self.details: dict[str, list[AnyArray]] = {}

    def add(self, table: Table) -> None:
        """Check and add the rows of a table with the columns i, j, k, l."""
        positions = _positions(table)
        with located(table.source):
            self._add_objects(table, [positions[name] for name in OBJECT_COLUMNS])
            for name in OWN_COLUMNS[4:]:
                if name in positions:
                    cells = detail_cells(table, name, positions[name], trim=False)
                    if name == "count":
                        check_counts(cells, table.row_name)
                    self.details.setdefault(name, []).append(cells)

    def _add_objects(self, table: Table, positions: Sequence[int]) -> None:
        added = slice(self.n_added, self.n_added + table.n_rows)
        winners, losers = self.winners[added], self.losers[added]
        cells = [table.checked_column(position) for position in positions]
        columns: list[AnyArray] = [
            to_numpy(column)  # no copy if possible
            if column.type == pa.int32() and not column.null_count
            else whole_cells(column, f"object {name}", table.row_name)
            for name, column in zip(OBJECT_COLUMNS, cells, strict=True)
        ]
        self.n_added += table.n_rows
        if table.n_rows >= KERNEL_ROWS:
            from ordlink.io._kernels import pairs_of_rows

            i, j, k, l = columns  # noqa: E741 - the paper's letters
            if pairs_of_rows(i, j, k, l, self.header.n_objects, winners, losers):
                return
        # Blocks are small so that the steps of a check find their rows in the cache.
        for start in range(0, table.n_rows, CHECKED_ROWS):
            rows = slice(start, start + CHECKED_ROWS)
            listed = list_answers(
                np.stack([column[rows] for column in columns], axis=1),
                "quadruplet",
                n_objects=self.header.n_objects,
                row_name=lambda row, start=start: table.row_name(start + row),  # type: ignore[misc]
            )
            winners[rows], losers[rows] = listed.winners, listed.losers

    def to_comparisons(self, options: Options, source: str) -> ListedComparisons:
        """Return the comparisons of all rows."""
        details = {name: np.concatenate(blocks) for name, blocks in self.details.items()}
        return own_comparisons(self.winners, self.losers, details, self.header, options, source)


def own_comparisons(
    winners: PairIdArray,
    losers: PairIdArray,
    details: dict[str, AnyArray],
    header: FileHeader,
    options: Options,
    source: str,
) -> ListedComparisons:
    """Return comparisons from checked pair ids and the columns of details."""
    for name, column in details.items():
        if len(column) != len(winners):
            problem = f"there are {len(winners)} comparisons, but {len(column)} cells of {name}"
            refuse(source, problem, WRITE_AGAIN)
    counts = details.pop("count", None)
    columns = {DETAIL_COLUMNS[name]: column for name, column in details.items()}
    distinct = False
    if len(winners) >= KERNEL_ROWS:
        from ordlink.comparisons._kernels_votes import are_in_order

        # Many rows in order, as sampled ones are: none comes twice.
        distinct = are_in_order(winners, losers)
    return ListedComparisons(
        n_objects=header.n_objects,
        winners=winners,
        losers=losers,
        names=_agreed_names(header, options, source),
        counts=None if counts is None else counts.astype(np.int32),
        details=AnswerDetails(**columns) if columns else None,
        distinct=distinct,
    )


def check_options(options: Options, source: str) -> None:
    """Refuse options for reading tables: files that ordlink wrote need none."""
    for given, parameter in (
        (options.form not in (None, "quadruplet", "quadruplets"), "{form}"),
        (options.one_based, "{one_based:True}"),
        (options.columns is not None, "{columns}"),
        (options.header is False, "{header:False}"),
    ):
        if given:
            problem = "this file was written by ordlink and needs no options"
            refuse(source, problem, f"leave out {parameter}")


def own_blocks(comparisons: ListedComparisons) -> Iterator[dict[str, AnyArray]]:
    """Yield the columns of a file in blocks of rows; at least one block, which may be empty."""
    n_objects = comparisons.n_objects
    # Looking members up is faster than computing them, if there are fewer pairs than rows.
    members = None
    if comparisons.n_rows > n_pairs(n_objects):
        members = pair_members(np.arange(n_pairs(n_objects)), n_objects)
    for start in range(0, max(1, comparisons.n_rows), BLOCK_ROWS):
        rows = slice(start, start + BLOCK_ROWS)
        columns: dict[str, AnyArray] = {}
        for names, ids in (("ij", comparisons.winners[rows]), ("kl", comparisons.losers[rows])):
            found = pair_members(ids, n_objects) if members is None else [m[ids] for m in members]
            columns |= dict(zip(names, found, strict=True))
        yield columns | {name: column[rows] for name, column in detail_columns(comparisons).items()}


def detail_columns(comparisons: ListedComparisons) -> dict[str, AnyArray]:
    """Return the columns besides the objects, by their name in files."""
    present = {} if comparisons.details is None else comparisons.details.columns
    columns = {"count": comparisons.counts}
    columns |= {name: present.get(attribute) for name, attribute in DETAIL_COLUMNS.items()}
    return {name: column for name, column in columns.items() if column is not None}


def check_writable(comparisons: ListedComparisons) -> None:
    """Refuse text that files cannot hold."""
    texts: dict[str, Iterable[str]] = {"name of an object": comparisons.names or ()}
    for name, column in detail_columns(comparisons).items():
        if column.dtype.kind in "OU":
            texts[name] = set(column.tolist())
    for what, entries in texts.items():
        for entry in entries:
            if re.search("[\0\ud800-\udfff]", entry):
                reason = "it has a NUL character or is not valid Unicode"
                raise InputError(f"the {what} {entry!r} cannot be written: {reason}")


def _positions(table: Table) -> dict[str, int]:
    names = [] if table.names is None else [name.strip() for name in table.names]
    for name in OWN_COLUMNS:
        if names.count(name) > 1 or (name in OBJECT_COLUMNS and name not in names):
            got = f"got {', '.join(names[:12]) or 'none'}"
            refuse(table.where, f"expected the columns i, j, k, l, each once, {got}", WRITE_AGAIN)
    return {name: position for position, name in enumerate(names)}


def _agreed_names(header: FileHeader, options: Options, source: str) -> tuple[str, ...] | None:
    """Return the names of the file, or those that the user gives to a file without names."""
    if options.n_objects is not None and options.n_objects != header.n_objects:
        problem = f"the file has {counted(header.n_objects, 'object')}, got {options.n_objects:,}"
        raise InputError(problem, where=source, parameter="n_objects", remedy="leave it out")
    with located(source):
        given = check_names(options.names, header.n_objects)
    if given is not None and header.names is not None and given != header.names:
        problem = "the file lists other names of its objects"
        raise InputError(problem, where=source, parameter="names", remedy="leave them out")
    return given or header.names
