"""The file behind a recorded oracle: one line per answer, safe against crashes."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

import numpy as np

from ordlink._typing import BoolArray, Int8Array, Int32Array, Int64Array
from ordlink.errors import InputError

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

FORMAT = "ordlink-record"
VERSION = 1


class RecordFile:
    """Answers on disk, in the JSON lines that :class:`RecordedOracle` describes.

    A last line without newline, as a crash leaves it, is completed if the answer is all there, and
    removed otherwise.
    """

    def __init__(self, path: str | Path, n_objects: int) -> None:
        self.path = Path(path)
        self._n_objects = n_objects
        header = {"format": FORMAT, "version": VERSION, "n_objects": n_objects}
        self._header = json.dumps(header).encode() + b"\n"
        self._end = 0  # whatever stands beyond was not written completely
        self._unfinished: tuple[bytes, ...] = (b"",)  # and begins like one of these

    def load(self) -> tuple[Int32Array, Int8Array]:
        """Return the questions and answers in the file, after mending or making it."""
        content = self._read()
        if self._header.startswith(content):  # nothing yet, or a crash within the header
            self._end = 0
            self._unfinished = (content,)
            self._write(self._header)
            content = self._header
        first, *lines = content.split(b"\n")
        tail = lines.pop() if lines else b""
        self._check_header(first)
        self._end = len(content) - len(tail)
        self._unfinished = (tail,)
        if tail and _parse(tail) is not None:
            lines.append(tail)
            self._write(tail + b"\n")
        elif tail:
            self._write(b"")
        return self._check_rows(lines)

    def append(self, quadruplets: Int32Array, answers: Int8Array) -> None:
        """Add answers; they are on the disk when this returns."""
        rows = np.column_stack([quadruplets, answers]).tolist()
        self._write("".join(f"{row}\n" for row in rows).encode())

    def _read(self) -> bytes:
        try:
            return self.path.read_bytes()
        except FileNotFoundError:
            return b""
        except OSError as error:
            raise InputError(
                f"cannot be read ({error.strerror})",
                where=str(self.path),
                remedy="choose a file for the record",
            ) from error

    def _write(self, lines: bytes) -> None:
        """Write after the last complete line, over what a write of our own left unfinished."""
        try:
            # Opening for appending makes the file but empties nothing.
            if not self._end:
                self.path.open("ab").close()
            with self.path.open("r+b") as stream, _locked(stream):
                stream.seek(0, os.SEEK_END)
                self._check_untouched(stream)
                self._unfinished = (*self._unfinished, lines)
                stream.truncate(self._end)
                stream.seek(self._end)
                stream.write(lines)
                stream.flush()
                os.fsync(stream.fileno())
        except OSError as error:
            raise InputError(
                f"the record cannot be written ({error.strerror})",
                where=str(self.path),
                remedy="choose a folder that exists, has space, and that you may write to",
            ) from error
        self._end += len(lines)
        self._unfinished = (b"",)

    def _check_untouched(self, stream: BinaryIO) -> None:
        """Raise InputError if the file is not as this record left it."""
        size = stream.tell()
        if size >= self._end:
            stream.seek(self._end)
            tail = stream.read()
            if any(ours.startswith(tail) for ours in self._unfinished):
                return
        raise InputError(
            f"the record has {size} bytes, but this run left {self._end}: another run has changed "
            "it; nothing was overwritten",
            where=str(self.path),
            remedy="let one run at a time use the file, and start this one again to resume from "
            "what the file has, or give it a file of its own",
        )

    def _check_header(self, line: bytes) -> None:
        try:
            header = json.loads(line.decode())
        except ValueError:
            header = None
        if not isinstance(header, dict) or header.get("format") != FORMAT:
            raise self._damage(
                1, f'expected {{"format": "{FORMAT}", ...}}', line, "choose another file"
            )
        if header.get("version") != VERSION:
            raise self._damage(
                1, f"expected version {VERSION}", line, "use the ordlink that wrote it"
            )
        if header.get("n_objects") != self._n_objects:
            raise self._damage(
                1, f"expected n_objects {self._n_objects}", line, "choose the file of these objects"
            )

    def _check_rows(self, lines: Sequence[bytes]) -> tuple[Int32Array, Int8Array]:
        table = np.zeros((len(lines), 5), dtype=np.int64)
        for number, line in enumerate(lines):
            row = _parse(line)
            if row is None:
                raise self._damage(
                    number + 2, "expected [i, j, k, l, answer]", line, "remove the line"
                )
            table[number] = row
        wrong = ~_in_standard_form(table, self._n_objects)
        if wrong.any():
            number = int(wrong.argmax())
            raise self._damage(
                number + 2,
                f"expected objects from 0 to {self._n_objects - 1} with i < j, k < l, (i, j) "
                "before (k, l), and answer -1, 0 or 1",
                lines[number],
                "remove the line",
            )
        return table[:, :4].astype(np.int32), table[:, 4].astype(np.int8)

    def _damage(self, line: int, expected: str, got: bytes, remedy: str) -> InputError:
        shown = repr(got[:80].decode(errors="replace"))
        return InputError(
            f"{expected}, got {shown}", where=f"{self.path}, line {line}", remedy=remedy
        )


@contextmanager
def _locked(stream: BinaryIO) -> Iterator[None]:
    """Keep other processes from writing meanwhile, where the system has locks."""
    if fcntl is not None:
        with suppress(OSError):  # some network folders have none
            fcntl.flock(stream, fcntl.LOCK_EX)
    yield  # closing the file gives the lock back


def _parse(line: bytes) -> list[int] | None:
    """Return the five numbers of a line, or None if there are not five."""
    try:
        row = json.loads(line.decode())
    except (ValueError, RecursionError):
        return None
    fits = isinstance(row, list) and len(row) == 5
    if fits and all(type(entry) is int and abs(entry) < 2**31 for entry in row):
        return row  # type: ignore[no-any-return]  # JSON is untyped
    return None


def _in_standard_form(table: Int64Array, n_objects: int) -> BoolArray:
    fits: BoolArray
    i, j, k, l, answer = table.T  # noqa: E741 - the paper's letters
    ordered = (i >= 0) & (i < j) & (j < n_objects) & (k >= 0) & (k < l) & (l < n_objects)
    fits = ordered & ((i < k) | ((i == k) & (j < l))) & (np.abs(answer) <= 1)
    return fits
