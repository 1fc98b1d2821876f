"""Where bytes come from: a file's name in messages, its format, its encoding, its delimiter."""

from __future__ import annotations

import codecs
import csv
import os
import re
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NoReturn, TypeAlias

import numpy as np

from ordlink._text import either, quoted
from ordlink._typing import Int64Array
from ordlink._validate import check_names
from ordlink.errors import InputError, InputKindError, OrdlinkError

Readable: TypeAlias = str | os.PathLike[str] | BinaryIO
"""A path, or a binary file object such as ``sys.stdin.buffer``."""

FORMATS = {f".{name}": name for name in ("csv", "tsv", "parquet", "npz", "jsonl")}
FORMATS[".ndjson"] = "jsonl"
"""Format of each file extension."""
DELIMITERS = {"csv": "\t;,", "tsv": "\t"}
"""What may separate the cells of a text format, the least likely within cells first."""
EMPTY_FILE = "the file is empty; expected a table of answers"
NO_ANSWERS = "there are no answers in this file; expected rows of objects"
_UTF8 = "save the file as UTF-8 text"

# pyarrow's own errors derive from ValueError, TypeError, KeyError, IndexError, OSError,
# NotImplementedError and MemoryError, so they need no mention (and no import). MemoryError comes
# from a damaged header that announces too much, RuntimeError from encrypted members of a zip file.
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

    @staticmethod
    def of(readable: Readable) -> InputFile:
        """Return the file of a path or a binary file object."""
        if isinstance(readable, str | os.PathLike):
            path = Path(readable)
            return InputFile(str(path), path=path)
        if not hasattr(readable, "read"):
            raise InputKindError(
                f"expected a path or a binary file object, got {type(readable).__name__}"
            )
        name = getattr(readable, "name", None)
        if not isinstance(name, str) or name.startswith("<"):
            name = "standard input" if name == "<stdin>" else "input"
        return InputFile(name, stream=readable)

    def read_bytes(self) -> bytes:
        """Return all bytes; raise InputError if there are none, or they cannot be read."""
        with self.opened() as stream:
            content = read_block(stream, self.name)
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
        """Raise InputError if the path is no file."""
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


def read_block(stream: BinaryIO, name: str, n_bytes: int | None = None) -> bytes:
    """Return the next bytes of a stream, all that are left by default."""
    try:
        block = stream.read() if n_bytes is None else stream.read(n_bytes)
    except (OSError, ValueError) as error:
        raise _unreadable(name, error) from error
    except MemoryError:
        refuse(name, "is too large for the memory")
    if not isinstance(block, bytes):
        raise InputKindError(
            "expected a binary file object, got one of text",
            where=name,
            remedy='open it with mode "rb", or pass sys.stdin.buffer',
        )
    return block


def refuse(where: str, problem: str, remedy: str | None = None) -> NoReturn:
    """Raise InputError."""
    raise InputError(problem, where=where, remedy=remedy)


def check_names_found(names: Sequence[str], where: str) -> None:
    """Refuse names in a file that are empty or have control characters."""
    try:
        check_names(names, None)
    except InputError as error:
        refuse(where, error.problem, error.remedy)


def find_format(path: Path | None, name: str | None) -> str:
    """Return the format: the one asked for, that of the extension, or csv for a stream."""
    if name is not None:
        format_ = FORMATS.get("." + name.lower().removeprefix("."))
        if format_ is None:
            known = either(dict.fromkeys(FORMATS.values()))
            raise InputError(f"expected {known}, got {quoted(name)}", parameter="format")
        return format_
    if path is None:
        return "csv"
    format_ = FORMATS.get(path.suffix.lower())
    if format_ is None:
        got = f"the extension {quoted(path.suffix)}" if path.suffix else "no extension"
        problem = f"expected a file name with one of {', '.join(FORMATS)}, got {got}"
        refuse(str(path), problem, "rename the file or pass {format}")
    return format_


def find_delimiter(lines: list[str], delimiters: str = DELIMITERS["csv"]) -> str:
    r"""Return what separates the cells of some lines of a table.

    It is the first delimiter that every line has equally often, at least twice; otherwise the one
    that is most frequent in the first line. What stands in quotation marks does not count.

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
    """Return UTF-8 bytes without a byte order mark, which only bytes from line 1 on may have."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)):
        refuse(name, "the text is UTF-16", _UTF8)

    def line(at: int) -> str:
        # An added letter keeps a line break right before `at` from ending the count early.
        return f"{name}, line {len((content[:at] + b'.').splitlines()) + first_line - 1}"

    nul = content.find(b"\0")
    if nul >= 0:
        if _is_utf16(content):
            refuse(name, "the text seems to be UTF-16, expected UTF-8", _UTF8)
        remedy = "give a file of comma-separated text, or one whose extension tells its format"
        refuse(line(nul), "found a NUL byte, so this is not a text file", remedy)
    if first_line == 1:
        content = content.removeprefix(codecs.BOM_UTF8)
    if content.isascii():
        return content
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        problem = (
            f"the byte 0x{content[error.start]:02x} is not UTF-8; the file is in another encoding "
            "such as Latin-1, or not a text file"
        )
        refuse(line(error.start), problem, _UTF8)
    return content


def read_names(path: Readable) -> list[str]:
    r"""Return the names of the objects, in order; they may repeat.

    Parameters
    ----------
    path : path or binary file object
        Text with one name per line, no empty line in between; of a table (.csv, .tsv) the first
        column, where a first row "name" is skipped.

    Examples
    --------
    >>> import io
    >>> read_names(io.BytesIO(b"cat\ndog\n"))
    ['cat', 'dog']
    """
    source = InputFile.of(path)
    text = utf8_bytes(source.read_bytes(), source.name).decode()
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    names = [line.strip() for line in lines]
    extension = "" if source.path is None else source.path.suffix.lower().removeprefix(".")
    if extension in DELIMITERS:
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


def _is_utf16(content: bytes) -> bool:
    """Return whether every other byte is NUL, as in plain text in UTF-16 without a mark."""
    halves = (content[0:4096:2], content[1:4096:2])
    shares = [half.count(0) / max(1, len(half)) for half in halves]
    return max(shares) > 0.4 and min(shares) < 0.1


@contextmanager
def reading(name: str, kind: str, remedy: str = "write it again") -> Iterator[None]:
    """Turn what a parser raises on damaged bytes into an InputError that names the file.

    `kind` is what the file called `name` was read as, e.g. "Parquet".
    """
    try:
        yield
    except OrdlinkError:
        raise
    except _DAMAGE as error:
        problem = f"this is not readable as {kind}, it may be cut off or damaged ({_reason(error)})"
        refuse(name, problem, remedy)


@contextmanager
def located(name: str) -> Iterator[None]:
    """Add the name of the file to errors that do not say where they are."""
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
    lines = str(error).splitlines()
    return (lines[0][:160] if lines else "") or type(error).__name__


BLOCK_BYTES = 1 << 22
"""Bytes that are read at a time, at least."""


class Pieces:
    """The bytes of a stream, looked at from the top and then cut after every `n_rows` rows.

    Without n_rows all is one piece; line breaks in quotation marks end no row if `quoted`.
    """

    def __init__(
        self, stream: BinaryIO, source: str, n_rows: int | None, *, quoted: bool = False
    ) -> None:
        self.line = 1
        """Number of the line that comes next."""
        self._stream = stream
        self._source = source
        self._n_rows = n_rows
        self._quoted = quoted
        self._waiting = b""
        self._all_read = False
        self._only_returns: bool | None = None

    def top(self, n_bytes: int) -> tuple[bytes, bool]:
        """Return whole lines of at least so many bytes, which stay, and whether these are all."""
        while len(self._waiting) < n_bytes and not self._all_read:
            self._read()
        if not self._waiting:
            refuse(self._source, EMPTY_FILE)
        if self._all_read:
            return self._waiting, True
        return self._waiting[: self._waiting.rfind(b"\n") + 1], False

    def skip(self, n_bytes: int, next_line: int) -> None:
        """Leave out the first bytes, with all lines before `next_line`."""
        self._waiting = self._waiting[n_bytes:]
        self.line = next_line

    def cut(self) -> Iterator[tuple[int, bytes]]:
        """Yield the first line and the bytes of each piece; the last may lack its line break."""
        if self._n_rows is None:
            yield self.line, self._waiting
            return
        n_rows = self._n_rows
        at, used, ends = 0, 0, self._row_ends()
        anything = False
        while True:
            while len(ends) - used < n_rows and not self._all_read:
                self._waiting = self._waiting[at:]
                self._read()
                at, used, ends = 0, 0, self._row_ends()
            enough = len(ends) - used >= n_rows
            end = int(ends[used + n_rows - 1]) + 1 if enough else len(self._waiting)
            piece = self._waiting[at:end]
            if anything and not piece:
                return
            anything = True
            yield self.line, piece
            # Line breaks are \n, \r\n, or \r alone.
            self.line += piece.count(b"\n") + piece.count(b"\r") - piece.count(b"\r\n")
            at, used = end, used + n_rows

    def _row_ends(self) -> Int64Array:
        letters = np.frombuffer(self._waiting, dtype=np.uint8)
        is_end = letters == ord("\n")
        if self._quoted and b'"' in self._waiting:
            is_end &= ~np.logical_xor.accumulate(letters == ord('"'))
        return np.flatnonzero(is_end)

    def _read(self) -> None:
        # Twice as much each time, so that a piece of many blocks is not looked through too often.
        n_bytes = None if self._n_rows is None else max(BLOCK_BYTES, len(self._waiting))
        block = read_block(self._stream, self._source, n_bytes)
        self._all_read = not block or n_bytes is None
        if self._only_returns is None and block:
            self._only_returns = b"\n" not in block
        if self._only_returns:
            block = block.replace(b"\r", b"\n")
        self._waiting = self._waiting + block if self._waiting else block
