"""Cells as object names, and which item the response of a trial chose."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import PurePath

import numpy as np

from ordlink._typing import BoolArray, Int64Array
from ordlink.errors import InputError
from ordlink.io._cells import ArrowColumn, as_text, object_name, pa, pc, to_numpy
from ordlink.io._table import Table
from ordlink.io._words import (
    KEYS,
    MISSING,
    POSITIONS,
    YES_NO,
    asks_less,
    is_no_answer,
    is_response,
    plain_name,
)

_SEPARATOR = "\\s*[;|/+&]\\s*|,\\s+|\\s(?:[-\u2013\u2014]|vs\\.?)\\s"
"""What may stand between the entries of a list in a cell."""
MOST_ENTRIES = 20
"""Entries of a list of options; more are no options."""
RARE = 0.1
"""Share of the responses that a word needs to be one of the positions."""
FEW_QUESTIONS = 5
MOST_QUESTIONS = 3
"""A column of questions has this many rows, on average, for each text."""
SMALLEST_SHARE = 0.8
"""Share of the cells that must repeat one of the items for a column to be a response."""


class TrialCells:
    """The cells of a table as codes that all columns share: equal codes are equal names."""

    def __init__(
        self, table: Table, merge: Mapping[str, str] | None = None, *, split: bool = False
    ) -> None:
        self.table, self.entries = expand_lists(table, split=split)
        self.plain = [plain_name(name) for name in self.table.names or ()]
        self.vocabulary: list[str] = []
        self._merge = merge or {}
        self._numbers: dict[str, int] = {}
        self._columns: dict[int, Int64Array | None] = {}
        self._folder = False
        self._folder = self._stems_clash()

    def codes(self, at: int) -> Int64Array | None:
        """Return the codes of a column, -1 where cells are missing; None if it holds no names."""
        if at not in self._columns:
            try:
                encoded = _encoded(self.table.checked_column(at))
            except InputError:
                encoded = None
            if encoded is not None:
                codes, cells = encoded
                numbers = np.array([self._number(cell) for cell in cells] or [-1], dtype=np.int64)
                self._columns[at] = numbers[codes]
            else:
                self._columns[at] = None
        return self._columns[at]

    def _stems_clash(self) -> bool:
        """Return whether two folders have files of the same name, which is then ambiguous."""
        files: dict[str, set[str]] = {}
        for at in range(self.table.n_columns if self.table.names is not None else 0):
            try:
                column = self.table.checked_column(at)
            except InputError:
                continue
            first = next((cell.as_py() for cell in column[:50] if cell.as_py()), None)
            if isinstance(first, str) and re.search(r"[/\\]", first):
                for cell in _encoded(column)[1]:
                    name = object_name(cell, folder=True)
                    if "/" in name:
                        files.setdefault(object_name(cell), set()).add(name)
        return any(len(names) > 1 for names in files.values())

    @cached_property
    def title(self) -> str:
        """What the name of the file and columns that are the same in all rows say, in plain form.

        Such as the name of the experiment, or the texts of a few questions.
        """
        file, _, sheet = self.table.source.partition(", sheet ")
        said = [PurePath(file).name.partition(".")[0], sheet, *self.table.titles]
        for at in range(self.table.n_columns):
            codes = self.codes(at)
            found = [] if codes is None else np.unique(codes[codes >= 0])[:FEW_QUESTIONS].tolist()
            said += [self.vocabulary[code] for code in found if len(found) < FEW_QUESTIONS]
        return "_".join(map(plain_name, said))

    @cached_property
    def asks_less(self) -> BoolArray:
        """Whether the question in a row, a text that few rows have alone, asks for less alike."""
        less = np.zeros(self.table.n_rows, dtype=bool)
        for at in range(self.table.n_columns):
            codes = self.codes(at)
            if codes is None:
                continue
            found = np.flatnonzero(np.bincount(codes[codes >= 0])).tolist()
            if MOST_QUESTIONS * len(found) <= len(codes):
                asking = [code for code in found if asks_less(self.vocabulary[code])]
                less |= np.isin(codes, asking) if asking else False
        return less

    def matrix(self, positions: Sequence[int]) -> Int64Array | None:
        """Return the codes of several columns, one column each; None if one holds no names."""
        columns = [codes for at in positions if (codes := self.codes(at)) is not None]
        return np.stack(columns, axis=1) if len(columns) == len(positions) else None

    def without_case(self) -> Int64Array:
        """Return for each code that of the first name that differs in case only."""
        first: dict[str, int] = {}
        folded = [first.setdefault(name.casefold(), k) for k, name in enumerate(self.vocabulary)]
        return np.array(folded, dtype=np.int64)

    def words(self, codes: Int64Array) -> list[str]:
        """Return the different names among some codes."""
        return [self.vocabulary[code] for code in np.unique(codes[codes >= 0]).tolist()]

    def _number(self, cell: str) -> int:
        if cell.strip().casefold() in MISSING:
            return -1
        name = object_name(cell, folder=self._folder)
        name = self._merge.get(name, name)
        if name not in self._numbers:
            self._numbers[name] = len(self.vocabulary)
            self.vocabulary.append(name)
        return self._numbers[name]


def _encoded(column: ArrowColumn) -> tuple[Int64Array, list[str]]:
    text = as_text(column)
    chunk = text.combine_chunks() if isinstance(text, pa.ChunkedArray) else text
    if isinstance(chunk, pa.ChunkedArray):
        chunk = pa.array(chunk.to_pylist(), pa.string())
    encoded = chunk.dictionary_encode()
    return to_numpy(encoded.indices).astype(np.int64), encoded.dictionary.to_pylist()


def expand_lists(table: Table, *, split: bool) -> tuple[Table, dict[int, tuple[int, ...]]]:
    """Return the table with columns added for the entries of lists, and which they are.

    Lists are JSON, with `split` also texts such as "lion, tiger, trout" in every cell of a column.
    """
    names, sources = list(table.names or ()), [(at, -1) for at in range(table.n_columns)]
    parsed: dict[int, list[list[str]]] = {}
    known = _names_in(table) if split else frozenset()
    added: dict[int, tuple[int, ...]] = {}
    for at in range(table.n_columns if table.names is not None else 0):
        try:
            column = table.checked_column(at)
        except InputError:
            continue
        pattern = rf"{_SEPARATOR}|^\[.*,|-" if split else r"^\[.*,|[;|]|^\d+,"
        if (
            not pa.types.is_string(column.type)
            or not pc.any(pc.match_substring_regex(column, pattern)).as_py()
        ):
            continue
        codes, distinct = _encoded(column)
        said = is_response(plain_name(names[at]))
        separator = _SEPARATOR if split else "[;|]" if said else ""
        if split and said and _are_joined(distinct, "-", known):
            separator = "-"
        if separator == "[;|]" and all(re.fullmatch(r"[\d, ]*", cell) for cell in distinct):
            separator = ","
        lists = [_parse_list(cell.strip(), separator) for cell in distinct]
        lengths = Counter(len(entries) for entries in lists if 1 < len(entries) <= MOST_ENTRIES)
        if not lengths:
            continue
        [(length, n_cells)] = lengths.most_common(1)
        if split and n_cells < SMALLEST_SHARE * len(lists):
            continue
        lists = [entries if len(entries) == length else [""] * length for entries in lists]
        parsed[at] = [lists[code] for code in codes.tolist()]
        added[at] = tuple(range(len(names), len(names) + length))
        names += [f"{names[at]}_{number + 1}" for number in range(length)]
        sources += [(at, number) for number in range(length)]

    def column_of(position: int) -> ArrowColumn:
        at, number = sources[position]
        if number < 0:
            return table.column(at)
        return pa.chunked_array([pa.array([entries[number] for entries in parsed[at]])])

    if not parsed:
        return table, added
    return replace(table, names=names, n_columns=len(names), column=column_of), added


def _names_in(table: Table) -> frozenset[str]:
    """Return all cells of columns of text that occur more than once, as names do."""
    found: Counter[str] = Counter()
    for at in range(table.n_columns):
        try:
            codes, cells = _encoded(table.checked_column(at))
        except InputError:
            continue
        for cell, count in zip(cells, np.bincount(codes, minlength=len(cells)), strict=False):
            found[cell.strip()] += int(count)
    return frozenset(cell for cell, count in found.items() if count > 1)


def _are_joined(cells: Sequence[str], separator: str, known: frozenset[str]) -> bool:
    """Return whether cells are two or more known names with a separator between, such as a-b."""
    given = [cell for cell in cells if cell.strip().casefold() not in MISSING]
    parts = [cell.split(separator) for cell in given]
    joined = [p for p in parts if len(p) > 1 and all(name.strip() in known for name in p)]
    return len(joined) > SMALLEST_SHARE * len(given)


def _parse_list(cell: str, separator: str) -> list[str]:
    if cell.startswith("[") and cell.endswith("]"):
        try:
            entries = json.loads(cell)
        except (ValueError, RecursionError):  # ['lion', 'tiger'] as Python writes
            entries = re.findall(r"""'([^']*)'|"([^"]*)\"""", cell[:10_000])
            entries = [single or double for single, double in entries]
        if isinstance(entries, list) and all(isinstance(entry, list) for entry in entries):
            entries = [one for entry in entries for one in entry]  # pairs: [["a", "b"], ["c", "d"]]
        if isinstance(entries, list) and all(isinstance(e, str | int | float) for e in entries):
            texts = [str(entry) for entry in entries]
            return [] if any(re.search("[\ud800-\udfff]", text) for text in texts) else texts
    return [entry.strip() for entry in re.split(separator, cell)] if separator else []


def decode(
    response: Int64Array,
    items: Int64Array,
    labels: Sequence[str],
    cells: TrialCells,
    rows: BoolArray,
    *,
    one_based: bool | None,
    places: bool = True,
    keys: bool = True,
    about: int | None = None,
    known: Sequence[str] = (),
) -> list[tuple[str, Int64Array]]:
    """Return the ways in which a column can say which item was chosen.

    Each is a description and the position of the chosen item in each row, -1 where the answer is
    missing, -2 where it is none of the items. A yes or no is about one of two items. If it is known
    what is said for each item, anything else is missing.
    """
    if known:
        place = {word: at for at, word in enumerate(known)}
        chosen = np.array([*(place.get(word, -1) for word in cells.vocabulary), -1])[response]
        return [("by the words given", chosen)] if len(known) == len(labels) else []
    silent = np.array([is_no_answer(word) for word in cells.vocabulary] or [True])
    given = rows & (response >= 0) & ~silent[response]
    if not given.any():
        return []
    ways = []
    for codes in (np.arange(len(cells.vocabulary)), cells.without_case()):
        hits = np.where(items >= 0, codes[np.maximum(items, 0)], -9) == codes[response][:, None]
        if hits[given].any(axis=1).mean() >= SMALLEST_SHARE:
            ways.append(("by name", np.where(hits.any(axis=1), hits.argmax(axis=1), -2)))
            break
    words = [_spoken(word) for word in cells.vocabulary]
    said = {words[code] for code in np.unique(response[given]).tolist()}
    yes_no = [pair for pair in YES_NO if said <= set(pair)]
    if about is not None and yes_no:
        scales = [("by yes or no", dict(zip(yes_no[0], (about, 1 - about), strict=True)))]
    else:
        scales = _scales(said, labels, one_based=one_based, places=places, keys=keys)
    if not (ways or scales):  # what is said now and then may be no answer: it is refused by its row
        counts = Counter(words[code] for code in response[given].tolist())
        often = {word for word, count in counts.items() if count > RARE * given.sum()}
        scales = _scales(often, labels, one_based=one_based, places=places, keys=keys)
    for how, scale in scales:
        table = np.array([scale.get(word, -2) for word in words])
        ways.append((how, table[response]))
    return [
        (how, np.where((response < 0) | (silent[response] & (chosen < 0)), -1, chosen))
        for how, chosen in ways
    ]


def _spoken(word: str) -> str:
    """Return the plain form of a word for a position; the key num_1 is 1."""
    key = re.fullmatch(r"(?:num|numpad|digit|key)[_ ]?(\d)", word.casefold())
    if key or re.fullmatch(r"-?\d+", word):
        return key[1] if key else word
    return plain_name(word.casefold()) or word


def _scales(
    said: set[str], labels: Sequence[str], *, one_based: bool | None, places: bool, keys: bool
) -> list[tuple[str, dict[str, int]]]:
    """Return the possible scales, from words such as 1, left, b or item2 to positions."""
    n = len(labels)
    keys = keys and len(said) > 1  # one key alone, such as d, does not say which others there were
    known_keys = [place for place in KEYS if keys and len(place) == n]
    if all(re.fullmatch(r"-?\d+", word) for word in said):
        starts = (0, 1) if one_based is None else (int(one_based),)
        counts = [(f"by position from {start}", range(start, start + n)) for start in starts]
        candidates = [(how, [str(number) for number in numbers]) for how, numbers in counts]
        candidates += [("by key", list(place)) for place in known_keys]
        candidates += [("by pair", ["23", "13", "12"])] if n == 3 else []
    else:
        known_places = [*(place for place in POSITIONS if places and len(place) == n), *known_keys]
        candidates = [
            ("by column", list(labels)),
            ("by letter", list("abcdefghij"[:n])),
            *([("by pair", ["bc", "ac", "ab"])] if n == 3 else ()),
            *(("by place", list(place)) for place in known_places),
        ]
    scales: dict[tuple[int, ...], tuple[str, dict[str, int]]] = {}
    for how, ordered in candidates:
        known = {word: place for word in said if (place := _place(word, ordered)) is not None}
        if len(known) == len(said):  # the first of those that say the same
            scales.setdefault(tuple(known[word] for word in sorted(said)), (how, known))
    if not scales and len({re.sub(r"_?\d+$", "", word) for word in said}) == 1:  # image_2
        numbers = {word: re.sub(r"\D+", "", word) for word in said}
        if set(numbers.values()) != said and all(numbers.values()):
            found = _scales(
                set(numbers.values()), labels, one_based=one_based, places=places, keys=keys
            )
            return [(how, {w: known[numbers[w]] for w in said}) for how, known in found]
    return list(scales.values())


def _place(word: str, ordered: Sequence[str]) -> int | None:
    """Return which of some names a response is, or shares a word with: "the left one"."""
    for same in (
        lambda name: name.replace("_", "") == word.replace("_", ""),
        lambda name: len(name) > 1 and name in word.split("_"),
        lambda name: len(word) > 1 and word in name.split("_"),
        lambda name: "_" in word and set(word.split("_")) <= set(name.split("_")),
    ):
        found = [at for at, name in enumerate(ordered) if same(name)]
        if len(found) == 1:
            return found[0]
    return None
