"""The source of bytes: a file's name in messages, its format, encoding and delimiter."""

from __future__ import annotations

import codecs
import csv
import io
import os
import re
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, TypeAlias

from ordlink._text import either, quoted
from ordlink._validate import check_names
from ordlink.errors import InputError, InputKindError, OrdlinkError

Readable: TypeAlias = str | os.PathLike[str] | BinaryIO
"""A path, or a binary file object such as ``sys.stdin.buffer``."""

FORMATS = {f".{name}": name for name in ("csv", "tsv", "parquet", "npz", "jsonl")}
FORMATS |= {".ndjson": "jsonl", ".json": "json", ".txt": "txt", ".xlsx": "sheet", ".ods": "sheet"}
FORMATS |= dict.fromkeys((".iqdat", ".dat", ".tab"), "txt")
"""Format of each file extension."""
DELIMITERS = {"csv": "\t;,", "tsv": "\t", "txt": "\t;,| "}
"""What may separate the cells of a text format, the least likely within cells first."""
EMPTY_FILE = "the file is empty; expected a table of answers"
NO_ANSWERS = "there are no answers in this file; expected rows of objects"
_UTF8 = "save the file as UTF-8 text"

# pyarrow's errors derive from these. MemoryError comes from headers that announce too much,
# RuntimeError from encrypted members of a zip file.
_DAMAGE: tuple[type[Exception], ...] = (
    *(ValueError, TypeError, LookupError, OSError, EOFError, ArithmeticError, MemoryError),
    *(RuntimeError, SyntaxError, struct.error, tokenize.TokenError, zlib.error),
    *(zipfile.BadZipFile, csv.Error),
)
"""What the parsers of the standard library, NumPy and pyarrow raise on damaged bytes."""


@dataclass(frozen=True)
class InputFile:
    """A file to read: its name in messages, and its path or an open stream."""

    name: str
    path: Path | None = None
    stream: BinaryIO | None = None
    inner: str = ""
    """Name of a file that was unpacked, which tells its format."""

    @staticmethod
    def of(readable: Readable) -> InputFile:
        """Return the file of a path or a binary file object."""
        if isinstance(readable, str | os.PathLike):
            return InputFile(str(Path(readable)), path=Path(readable))
        if not hasattr(readable, "read"):
            got = type(readable).__name__
            raise InputKindError(f"expected a path or a binary file object, got {got}")
        name = getattr(readable, "name", None)
        if not isinstance(name, str) or name.startswith("<"):
            name = "standard input" if name == "<stdin>" else "input"
        return InputFile(name, stream=readable)

    def read_bytes(self) -> bytes:
        """Return all bytes; raise InputError if there are none, or they cannot be read."""
        with self.opened() as stream:
            content = read_from(stream, self.name)[0]
        if not content:
            refuse(self.name, EMPTY_FILE)
        return content

    @contextmanager
    def opened(self) -> Iterator[BinaryIO]:
        """Open the file to read bytes; a stream stays open afterwards."""
        self.check_exists()
        if self.path is None:
            assert self.stream is not None  # narrows the type: there is a path or a stream
            yield self.stream
            return
        try:
            file = self.path.open("rb")
        except OSError as error:
            raise _unreadable(self.name, error) from error
        with file:
            yield file

    def check_exists(self) -> None:
        """Raise InputError unless the path is that of a file."""
        try:
            if self.path is None or self.path.is_file():
                return
            is_folder, exists = self.path.is_dir(), self.path.exists()
        except (OSError, ValueError) as error:
            raise _unreadable(self.name, error) from error
        if is_folder:
            refuse(self.name, "is a folder", "give the path of a file in it")
        if not exists:
            refuse(self.name, "no such file", "check the path")


def read_from(stream: BinaryIO, name: str, n_bytes: int | None = None) -> list[bytes]:
    """Return the next lines, at least this many bytes, or all that is left."""
    lines: list[Any]
    if n_bytes is not None and not hasattr(stream, "readlines"):
        problem, remedy = "expected a file object with readlines", "pass io.BytesIO(file.read())"
        raise InputKindError(problem, where=name, remedy=remedy)
    try:
        lines = [stream.read()] if n_bytes is None else stream.readlines(n_bytes)
    except (OSError, ValueError) as error:
        raise _unreadable(name, error) from error
    except MemoryError:
        refuse(name, "is too large to fit in memory")
    if lines and not isinstance(lines[0], bytes):
        problem, remedy = "expected a binary file object, got a text one", 'open it with mode "rb"'
        raise InputKindError(problem, where=name, remedy=f"{remedy}, or pass sys.stdin.buffer")
    return lines


Bound: TypeAlias = tuple[int, float]
"""A number that is always allowed, and how many more for each byte on disk."""
MOST_TEXT: Bound = (32 << 20, 10)  # exports of real studies pack to a seventh
MOST_BINARY: Bound = (64 << 20, 10)
MOST_CELLS: Bound = (24_000_000, 4)
MOST_ROWS: Bound = (8_000_000, 0.5)
LONG_CELL = 256
"""Bytes of a cell, on average, from which a file may unpack to twice its size only, or 64 MB."""


def most_of(bound: Bound, n_bytes: int) -> int:
    """Return how much a file of this size may unpack to."""
    return int(max(bound[0], bound[1] * n_bytes))


def check_unpacked(
    source: str,
    n_bytes: int,
    unpacked: int = 0,
    *,
    bound: Bound = MOST_BINARY,
    n_cells: int = 0,
    n_rows: int = 0,
) -> None:
    """Refuse a compressed file that unpacks to far more than its size."""
    most = most_of(bound, n_bytes)
    if n_cells:  # names are short: what packs a long text well is that it is repeated
        most = min(most, max(bound[0], 2 * n_bytes, LONG_CELL * n_cells))
    for found, limit, unit in (
        (unpacked / 1e6, most / 1e6, "MB or more"),
        (n_cells, most_of(MOST_CELLS, n_bytes), "cells"),
        (n_rows, most_of(MOST_ROWS, n_bytes), "rows"),
    ):
        if found > limit:
            beyond = f"{found:,.0f} {unit}, beyond the limit of {limit:,.0f}"
            problem = f"its {n_bytes / 1e6:,.1f} MB unpack to {beyond}"
            refuse(source, problem, "unpack it first, or save the table as CSV")


def refuse(where: str, problem: str, remedy: str | None = None) -> NoReturn:
    """Raise InputError."""
    raise InputError(problem, where=where, remedy=remedy)


def check_names_found(names: Sequence[str], where: str) -> None:
    """Refuse names in a file that are empty or have control characters."""
    try:
        check_names(names, None)
    except InputError as error:
        refuse(where, error.problem, error.remedy)


def find_format(path: Path | None, name: str | None, formats: Mapping[str, str] = FORMATS) -> str:
    """Return the format: the one asked for, that of the extension, or csv for a stream."""
    if name is None and path is None:
        return "csv"
    suffix = path.suffix if name is None and path is not None else f".{name}".replace("..", ".")
    if suffix.lower() in formats:
        return formats[suffix.lower()]
    if name is not None:
        known = either(dict.fromkeys(formats.values()))
        raise InputError(f"expected {known}, got {quoted(name)}", parameter="format")
    got = f"the extension {quoted(suffix)}" if suffix else "no extension"
    problem = f"expected a file name with one of {', '.join(formats)}, got {got}"
    refuse(str(path), problem, "rename the file or pass {format}")


def find_delimiter(lines: list[str], delimiters: str = DELIMITERS["csv"]) -> str:
    r"""Return what separates the cells of some lines of a table.

    It is the first delimiter that occurs equally often in every line, at least twice; otherwise the
    most frequent one in the first line. Text in quotation marks does not count.

    Examples
    --------
    >>> find_delimiter(["a;b;1,5", "c;d;2"]), find_delimiter(["name"])
    (';', ',')
    """
    bare = [re.sub('"[^"]*"', "", line) for line in lines if line.strip()]
    for delimiter in delimiters:
        counts = {line.count(delimiter) for line in bare}
        if len(counts) == 1 and min(counts) >= 2:
            return delimiter
    return max(reversed(delimiters), key=(bare or [""])[0].count)


def utf8_bytes(content: bytes, name: str, first_line: int = 1) -> bytes:
    """Return checked UTF-8 without a byte order mark (which only the first line can have)."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)):
        refuse(name, "the text is UTF-16", _UTF8)

    def line(at: int) -> str:  # the added letter counts the line that begins at `at`
        return f"{name}, line {len((content[:at] + b'.').splitlines()) + first_line - 1}"

    nul = content.find(b"\0")
    if nul >= 0:
        refuse(line(nul), "found a NUL byte, so this is not text", f"{_UTF8}, or pass {{format}}")
    if first_line == 1:
        content = content.removeprefix(codecs.BOM_UTF8)
    if content.isascii():
        return content
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        problem = f"the byte 0x{content[error.start]:02x} is not UTF-8"
        reason = "the file is in another encoding, or not a text file"
        refuse(line(error.start), f"{problem}; {reason}", _UTF8)
    return content


def to_utf8(content: bytes) -> bytes:
    """Return UTF-16 or Windows-1252 text as UTF-8, and anything else unchanged.

    Text is Windows-1252 only if no part of it is UTF-8: a bad byte in a UTF-8 file is damage.
    """
    encoding = _utf16(content)
    if encoding is None:
        bare = content.decode("utf-8", "ignore")
        if len(bare) == len(content) or not bare.isascii() or re.search("[\0-\x08\x0e-\x1f]", bare):
            return content
        encoding = "cp1252"
    try:
        return content.decode(encoding).removeprefix("\ufeff").encode()
    except UnicodeError:
        return content


def _utf16(content: bytes) -> str | None:
    """Return the encoding of UTF-16 text, known by its mark or by a NUL in every other byte."""
    if content.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "utf-32"
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    shares = [half.count(0) / max(1, len(half)) for half in (content[0:4096:2], content[1:4096:2])]
    if max(shares) > 0.4 and min(shares) < 0.1:
        return "utf-16-be" if shares[0] > shares[1] else "utf-16-le"
    return None


def read_names(path: Readable) -> list[str]:
    r"""Return the names of the objects, in order; they may repeat.

    Parameters
    ----------
    path : path or binary file object
        Text with one name per line and no empty lines in between, or a table (.csv, .tsv) whose
        first column has the names; a first row "name" is skipped.

    Examples
    --------
    >>> import io
    >>> read_names(io.BytesIO(b"cat\ndog\n"))
    ['cat', 'dog']
    """
    source = InputFile.of(path)
    text = utf8_bytes(to_utf8(source.read_bytes()), source.name).decode()
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    names = [line.strip() for line in lines]
    extension = "" if source.path is None else source.path.suffix.lower().removeprefix(".")
    if extension in ("csv", "tsv"):
        delimiter = find_delimiter(lines[:1], DELIMITERS[extension])
        with reading(source.name, "text"):
            records = csv.reader(lines, delimiter=delimiter)
            names = [record[0].strip() if record else "" for record in records]
        if names[0].lower() == "name":
            names = names[1:]
    while names and not names[-1]:
        names.pop()
    if not names:
        refuse(source.name, "there are no names in this file")
    if "" in names:
        problem = f"name {names.index('') + 1} is empty"
        refuse(source.name, problem, "give one name per line, without empty lines in between")
    check_names_found(names, source.name)
    return names


@contextmanager
def reading(name: str, kind: str, remedy: str = "save it again") -> Iterator[None]:
    """Turn a parser's errors on damaged files (of this `kind`) into an InputError."""
    try:
        yield
    except OrdlinkError:
        raise
    except _DAMAGE as error:
        problem = (
            f"this is not readable as {kind}, it may be truncated or damaged ({_reason(error)})"
        )
        refuse(name, problem, remedy)


@contextmanager
def located(name: str) -> Iterator[None]:
    """Add the name of the file to errors that do not have a location."""
    try:
        yield
    except OrdlinkError as error:
        if not (error.where or "").startswith(name):
            error.where = f"{name}, {error.where}" if error.where else name
        raise


def _unreadable(name: str, error: Exception) -> InputError:
    return InputError(f"cannot be read ({_reason(error)})", where=name)


def _reason(error: BaseException) -> str:
    """Return the first line of an error's message, cut to a readable length."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error).partition("\n")[0][:160] or type(error).__name__


BLOCK_BYTES = 1 << 22
"""Fewest bytes to read at a time."""


class Pieces:
    """The lines of a stream in pieces of `n_rows` lines, or in a single piece without n_rows.

    With `quoted`, no piece ends within quotation marks.
    """

    def __init__(
        self, stream: BinaryIO, source: str, n_rows: int | None, *, quoted: bool = False
    ) -> None:
        self.line = 1
        """Number of the line that comes next."""
        self._stream, self._source = stream, source
        self._n_rows, self._quoted = n_rows, quoted
        self._waiting = b""
        self._all_read = False

    def top(self, n_bytes: int) -> tuple[bytes, bool]:
        """Return the first lines, at least this many bytes, and whether there are no others."""
        while len(self._waiting) < n_bytes and not self._all_read:
            block = b"".join(self._next_lines())
            self._all_read = not block or self._n_rows is None
            if self._n_rows is None:
                block = to_utf8(block)
            if not self._waiting and b"\n" not in block:  # line breaks of old Macs
                block = block.replace(b"\r", b"\n")
            self._waiting += block
        if not self._waiting:
            refuse(self._source, EMPTY_FILE)
        return self._waiting, self._all_read

    def skip(self, n_bytes: int, next_line: int) -> None:
        """Drop the first bytes, which are all lines before `next_line`."""
        self._waiting = self._waiting[n_bytes:]
        self.line = next_line

    def cut(self) -> Iterator[tuple[int, bytes]]:
        """Yield the number of the first line and the bytes of each piece (at least one)."""
        if self._n_rows is None:
            yield self.line, self._waiting
            return
        later = chain.from_iterable(iter(self._next_lines, []))
        lines = chain(io.BytesIO(self._waiting), later)
        first = True
        while (piece := b"".join(islice(lines, self._n_rows))) or first:
            more: list[bytes] = []
            within = self._quoted and piece.count(b'"') % 2
            while within and (line := next(lines, b"")):
                more.append(line)
                within ^= line.count(b'"') % 2
            piece, first = piece + b"".join(more), False
            yield self.line, piece
            # Line breaks are \n, \r\n, or \r alone.
            self.line += piece.count(b"\n") + piece.count(b"\r") - piece.count(b"\r\n")

    def _next_lines(self) -> list[bytes]:
        n_bytes = None if self._n_rows is None else BLOCK_BYTES
        return read_from(self._stream, self._source, n_bytes)
