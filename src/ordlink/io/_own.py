"""Our own files: all that comparisons hold, as columns in blocks, and back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from ordlink._text import counted
from ordlink._typing import AnyArray, Int32Array
from ordlink._validate import check_names
from ordlink.comparisons import AnswerDetails, ListedComparisons, n_pairs, pair_members
from ordlink.comparisons._build import check_counts, list_answers
from ordlink.errors import InputError
from ordlink.io._cells import int32_cells, whole_cells
from ordlink.io._header import FileHeader
from ordlink.io._source import located
from ordlink.io._table import Options, Table, detail_cells

OBJECT_COLUMNS = ("i", "j", "k", "l")
DETAIL_COLUMNS = {
    "answer": "answers",
    "annotator": "annotators",
    "time": "times",
    "response_time": "response_times",
    "chose_first": "chose_first",
}
"""Columns of a file, and the attribute of AnswerDetails that each holds."""
OWN_COLUMNS = (*OBJECT_COLUMNS, "count", *DETAIL_COLUMNS)
"""All columns of our own files, in order."""
BLOCK_ROWS = 1 << 20
"""Rows that are written at a time."""
CHECKED_ROWS = 1 << 16
"""Rows that are checked at a time, where not by a kernel."""
KERNEL_ROWS = 1 << 17
"""So many rows are worth a kernel; fewer are read sooner than Numba is imported."""
WRITE_AGAIN = "write the file again"


class OwnRows:
    """Rows of our own files, gathered block by block.

    Parameters
    ----------
    header : FileHeader
        Of the file.
    n_rows : int
        Number of rows that will be added.
    """

    def __init__(self, header: FileHeader, n_rows: int) -> None:
        self.header = header
        self.winners = np.empty(n_rows, dtype=np.int32)
        self.losers = np.empty(n_rows, dtype=np.int32)
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
        columns: list[AnyArray] = [column for c in cells if (column := int32_cells(c)) is not None]
        if len(columns) < len(cells):
            columns = [
                whole_cells(column, f"object {name}", table.row_name)
                for name, column in zip(OBJECT_COLUMNS, cells, strict=True)
            ]
        if not _convert_at_once(columns, self.header.n_objects, winners, losers):
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
        self.n_added += table.n_rows

    def to_comparisons(self, options: Options, source: str) -> ListedComparisons:
        """Return the comparisons of all rows."""
        details = {name: np.concatenate(blocks) for name, blocks in self.details.items()}
        return own_comparisons(self.winners, self.losers, details, self.header, options, source)


def own_comparisons(
    winners: Int32Array,
    losers: Int32Array,
    details: dict[str, AnyArray],
    header: FileHeader,
    options: Options,
    source: str,
) -> ListedComparisons:
    """Return comparisons from checked pair ids and the columns of details."""
    header.check_n_rows(len(winners), source)
    for name, column in details.items():
        if len(column) != len(winners):
            problem = f"there are {len(winners)} comparisons, but {len(column)} cells of {name}"
            raise InputError(problem, where=source, remedy=WRITE_AGAIN)
    counts = details.pop("count", None)
    columns = {DETAIL_COLUMNS[name]: column for name, column in details.items()}
    return ListedComparisons(
        n_objects=header.n_objects,
        winners=winners,
        losers=losers,
        names=_agreed_names(header, options, source),
        counts=None if counts is None else counts.astype(np.int32),
        details=AnswerDetails(**columns) if columns else None,
        distinct=_are_known_distinct(winners, losers),
    )


def check_options(options: Options, source: str) -> None:
    """Refuse options that say how to read a table of others: our own files say it themselves."""
    form_is_other = options.form not in (None, "quadruplet", "quadruplets")
    for given, parameter in (
        (form_is_other, "{form}"),
        (options.one_based, "{one_based:True}"),
        (options.columns is not None, "{columns}"),
        (options.header is False, "{header:False}"),
    ):
        if given:
            raise InputError(
                "this file was written by ordlink and says itself how to read it",
                where=source,
                remedy=f"leave out {parameter}",
            )


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
            low, high = (
                pair_members(ids, n_objects)
                if members is None
                else (members[0][ids], members[1][ids])
            )
            columns |= {names[0]: low, names[1]: high}
        details = detail_columns(comparisons).items()
        yield columns | {name: column[rows] for name, column in details}


def detail_columns(comparisons: ListedComparisons) -> dict[str, AnyArray]:
    """Return the columns besides the objects, by their name in files."""
    counts = comparisons.counts
    columns = {} if counts is None else {"count": counts}
    present = {} if comparisons.details is None else comparisons.details.columns
    return columns | {
        name: present[attribute]
        for name, attribute in DETAIL_COLUMNS.items()
        if attribute in present
    }


def check_writable(comparisons: ListedComparisons) -> None:
    """Refuse text that files cannot hold."""
    texts: dict[str, Iterable[str]] = {"name of an object": comparisons.names or ()}
    for name, column in detail_columns(comparisons).items():
        if column.dtype.kind in "OU":
            texts[name] = set(column.tolist())
    for what, entries in texts.items():
        for entry in entries:
            if "\0" in entry or any("\ud800" <= letter <= "\udfff" for letter in entry):
                raise InputError(
                    f"the {what} {entry!r} cannot be written: it has a NUL character or is not "
                    "valid Unicode"
                )


def _convert_at_once(
    columns: Sequence[AnyArray], n_objects: int, winners: Int32Array, losers: Int32Array
) -> bool:
    """Write the pair ids of many good rows; False if the rows are few, or one of them is bad."""
    if len(winners) < KERNEL_ROWS:
        return False
    from ordlink.io._kernels import pairs_of_rows

    i, j, k, l = columns  # noqa: E741 - the paper's letters
    return pairs_of_rows(i, j, k, l, n_objects, winners, losers)


def _are_known_distinct(winners: Int32Array, losers: Int32Array) -> bool:
    """Return whether the rows are in order, as sampled ones are, so that none comes twice.

    Few rows are not looked at: whoever needs to know finds out soon enough.
    """
    if len(winners) < KERNEL_ROWS:
        return False
    from ordlink.comparisons._kernels_votes import are_in_order

    return are_in_order(winners, losers)


def _positions(table: Table) -> dict[str, int]:
    names = [] if table.names is None else [name.strip() for name in table.names]
    for name in OWN_COLUMNS:
        if names.count(name) > 1 or (name in OBJECT_COLUMNS and name not in names):
            got = ", ".join(names[:12]) or "none"
            problem = f"expected the columns i, j, k, l, each once, got {got}"
            raise InputError(problem, where=table.where, remedy=WRITE_AGAIN)
    return {name: position for position, name in enumerate(names)}


def _agreed_names(header: FileHeader, options: Options, source: str) -> tuple[str, ...] | None:
    """Return the names of the file, or those that the user gives to a file without names."""
    if options.n_objects is not None and options.n_objects != header.n_objects:
        raise InputError(
            f"the file has {counted(header.n_objects, 'object')}, got {options.n_objects:,}",
            where=source,
            parameter="n_objects",
            remedy="leave it out",
        )
    with located(source):
        given = check_names(options.names, header.n_objects)
    if given is not None and header.names is not None and given != header.names:
        raise InputError(
            "the file names its objects itself, and differently",
            where=source,
            parameter="names",
            remedy="leave them out",
        )
    return given or header.names
