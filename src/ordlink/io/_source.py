"""Where bytes come from, what they are called in messages, and what damaged bytes raise."""

from __future__ import annotations

import csv
import os
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TypeAlias

from ordlink.errors import InputError, InputKindError, OrdlinkError

Readable: TypeAlias = str | os.PathLike[str] | BinaryIO
"""A path, or a binary file object such as ``sys.stdin.buffer``."""

# pyarrow's own errors derive from ValueError, TypeError, KeyError, IndexError, OSError,
# NotImplementedError and MemoryError, so they need no mention (and no import).
DAMAGE: tuple[type[Exception], ...] = (
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
class Source:
    """A file to be read: its name in messages, and its path or the bytes of a stream."""

    name: str
    path: Path | None = None
    stream: BinaryIO | None = None

    @staticmethod
    def of(readable: Readable) -> Source:
        """Return the source that a path or a binary file object stands for."""
        if isinstance(readable, str | os.PathLike):
            path = Path(readable)
            return Source(str(path), path=path)
        if not hasattr(readable, "read"):
            raise InputKindError(
                f"expected a path or a binary file object, got {type(readable).__name__}"
            )
        name = getattr(readable, "name", None)
        known = isinstance(name, str) and not name.startswith("<")
        return Source(
            str(name) if known else "standard input" if name == "<stdin>" else "input",
            stream=readable,
        )

    def read_bytes(self) -> bytes:
        """Return all bytes.

        Raises
        ------
        InputError
            If there is no such file, it is a folder, or it cannot be read.
        """
        self.check_exists()
        try:
            content = self.path.read_bytes() if self.path else self._read_stream()
        except (OSError, ValueError) as error:
            raise InputError(f"{self.name}: cannot be read ({_reason(error)})") from error
        except MemoryError as error:
            raise InputError(f"{self.name}: is too large for the memory") from error
        if not content:
            raise InputError(f"{self.name}: the file is empty; expected a table of answers")
        return content

    @contextmanager
    def opened(self) -> Iterator[BinaryIO]:
        """Open the file to read its bytes piece by piece; a stream stays open afterwards."""
        self.check_exists()
        if self.path is None:
            assert self.stream is not None  # narrows the type: a source has a path or a stream
            yield self.stream
            return
        try:
            file = self.path.open("rb")
        except OSError as error:
            raise InputError(f"{self.name}: cannot be read ({_reason(error)})") from error
        with file:
            yield file

    def check_exists(self) -> None:
        """Raise InputError if the path is no file."""
        try:
            if self.path is None or self.path.is_file():
                return
            is_folder, exists = self.path.is_dir(), self.path.exists()
        except (OSError, ValueError) as error:
            raise InputError(f"{self.name}: cannot be read ({_reason(error)})") from error
        if is_folder:
            raise InputError(f"{self.name}: is a folder; give the path of a file in it")
        if not exists:
            raise InputError(f"{self.name}: no such file; check the path")

    def _read_stream(self) -> bytes:
        assert self.stream is not None  # narrows the type: a source has a path or a stream
        content = self.stream.read()
        if not isinstance(content, bytes):
            raise InputKindError(
                f"{self.name}: expected a binary file object, got one of text; "
                'open it with mode "rb", or pass sys.stdin.buffer'
            )
        return content


@contextmanager
def reading(name: str, kind: str, remedy: str = "write it again") -> Iterator[None]:
    """Turn whatever a parser raises on damaged bytes into an InputError that names the file."""
    try:
        yield
    except OrdlinkError:
        raise
    except DAMAGE as error:
        raise InputError(
            f"{name}: this is not readable as {kind}, it may be cut off or damaged "
            f"({_reason(error)}); {remedy}"
        ) from error


@contextmanager
def prefixed(name: str) -> Iterator[None]:
    """Put the name of the file in front of messages about its content that lack it."""
    try:
        yield
    except OrdlinkError as error:
        if str(error).startswith(name):
            raise
        raise type(error)(f"{name}: {error}") from error


def _reason(error: BaseException) -> str:
    """Return the first line of an error's message, cut to a readable length."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    lines = str(error).splitlines()
    return (lines[0][:160] if lines else "") or type(error).__name__
