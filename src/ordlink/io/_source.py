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

from ordlink._text import either, quoted
from ordlink._validate import check_names
from ordlink.errors import InputError, InputKindError, OrdlinkError

Readable: TypeAlias = str | os.PathLike[str] | BinaryIO
"""A path, or a binary file object such as ``sys.stdin.buffer``."""

FORMATS: dict[str, str] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".npz": "npz",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}
"""Format of each file extension."""
DELIMITERS = {"csv": "\t;,", "tsv": "\t"}
"""What may separate the cells of a text format, the least likely within cells first."""
_UTF8 = "save the file as UTF-8 text"

# pyarrow's own errors derive from ValueError, TypeError, KeyError, IndexError, OSError,
# NotImplementedError and MemoryError, so they need no mention (and no import).
_DAMAGE: tuple[type[Exception], ...] = (
    ValueError,  # with it: UnicodeError, json.JSONDecodeError
    TypeError,
    LookupError,
    OSError,
    EOFError,
    ArithmeticError,  # with it: OverflowError
    MemoryError,  # a damaged header that announces too much
    RecursionError,
    NotImplementedError,
    RuntimeError,  # zipfile: encrypted members
    SyntaxError,
    struct.error,
    tokenize.TokenError,
    zlib.error,
    zipfile.BadZipFile,
    csv.Error,
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
            raise empty_file(self.name)
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
        refuse(
            str(path),
            f"expected a file name with one of {', '.join(FORMATS)}, got {got}",
            "rename the file or pass {format}",
        )
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
    """Return the bytes without a byte order mark; raise InputError unless they are UTF-8 text.

    `first_line` is the number of their first line; only bytes from line 1 on may have a mark.
    """
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)):
        refuse(name, "the text is UTF-16", _UTF8)

    def line(at: int) -> str:
        # An added letter keeps a line break right before `at` from ending the count early.
        return f"{name}, line {len((content[:at] + b'.').splitlines()) + first_line - 1}"

    nul = content.find(b"\0")
    if nul >= 0:
        if _is_utf16(content):
            refuse(name, "the text seems to be UTF-16, expected UTF-8", _UTF8)
        refuse(
            line(nul),
            "found a NUL byte, so this is not a text file",
            "give a file of comma-separated text, or one whose extension tells its format",
        )
    if first_line == 1:
        content = content.removeprefix(codecs.BOM_UTF8)
    if content.isascii():
        return content
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        refuse(
            line(error.start),
            f"the byte 0x{content[error.start]:02x} is not UTF-8; the file is in another encoding "
            "such as Latin-1, or not a text file",
            _UTF8,
        )
    return content


def _is_utf16(content: bytes) -> bool:
    """Return whether every other byte is NUL, as in plain text in UTF-16 without a mark."""
    halves = (content[0:4096:2], content[1:4096:2])
    shares = [half.count(0) / max(1, len(half)) for half in halves]
    return max(shares) > 0.4 and min(shares) < 0.1


@contextmanager
def reading(name: str, kind: str, remedy: str = "write it again") -> Iterator[None]:
    """Turn what a parser raises on damaged bytes into an InputError that names the file.

    Parameters
    ----------
    name : str
        Name of the file in messages.
    kind : str
        What it was read as, e.g. "Parquet".
    remedy : str
        What to do.
    """
    try:
        yield
    except OrdlinkError:
        raise
    except _DAMAGE as error:
        refuse(
            name,
            f"this is not readable as {kind}, it may be cut off or damaged ({_reason(error)})",
            remedy,
        )


@contextmanager
def located(name: str) -> Iterator[None]:
    """Add the name of the file to errors that do not say where they are."""
    try:
        yield
    except OrdlinkError as error:
        if not (error.where or "").startswith(name):
            error.where = f"{name}, {error.where}" if error.where else name
        raise


def empty_file(name: str) -> InputError:
    """Return the error for a file without bytes."""
    return InputError("the file is empty; expected a table of answers", where=name)


def no_answers(name: str) -> InputError:
    """Return the error for a table without rows."""
    return InputError("there are no answers in this file; expected rows of objects", where=name)


def _unreadable(name: str, error: Exception) -> InputError:
    return InputError(f"cannot be read ({_reason(error)})", where=name)


def _reason(error: BaseException) -> str:
    """Return the first line of an error's message, cut to a readable length."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    lines = str(error).splitlines()
    return (lines[0][:160] if lines else "") or type(error).__name__
