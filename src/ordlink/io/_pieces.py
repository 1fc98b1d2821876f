"""A stream of text cut into pieces of whole rows, so that it need not fit into memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

import numpy as np

from ordlink._typing import Int64Array
from ordlink.errors import InputError, InputKindError

BLOCK_BYTES = 1 << 22
"""Bytes that are read at a time, at least."""


class Pieces:
    """The bytes of a stream, looked at from the top and then cut after every so many rows.

    Parameters
    ----------
    stream : binary file object
        Where the bytes come from.
    source : str
        Name of the file in messages.
    quoted : bool
        Whether line breaks within quotation marks do not end a row.
    """

    def __init__(self, stream: BinaryIO, source: str, *, quoted: bool) -> None:
        self.line = 1
        """Number of the line that comes next."""
        self._stream = stream
        self._source = source
        self._quoted = quoted
        self._waiting = b""
        self._all_read = False
        self._only_returns: bool | None = None

    def top(self, n_bytes: int) -> tuple[bytes, bool]:
        """Return whole lines of at least so many bytes, which stay, and whether these are all."""
        while len(self._waiting) < n_bytes and not self._all_read:
            self._read()
        if not self._waiting:
            raise InputError(f"{self._source}: the file is empty; expected a table of answers")
        if self._all_read:
            return self._waiting, True
        return self._waiting[: self._waiting.rfind(b"\n") + 1], False

    def skip(self, n_bytes: int, next_line: int) -> None:
        """Leave out the first bytes, with all lines before `next_line`."""
        self._waiting = self._waiting[n_bytes:]
        self.line = next_line

    def cut(self, n_rows: int) -> Iterator[tuple[int, bytes]]:
        """Yield the first line and the bytes of pieces of at most n_rows rows; at least one piece.

        Only the last row of all may lack its line break.
        """
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
            self.line += _count_lines(piece)
            at, used = end, used + n_rows

    def _row_ends(self) -> Int64Array:
        letters = np.frombuffer(self._waiting, dtype=np.uint8)
        is_end = letters == ord("\n")
        if self._quoted and b'"' in self._waiting:
            is_end &= ~np.logical_xor.accumulate(letters == ord('"'))
        return np.flatnonzero(is_end)

    def _read(self) -> None:
        # Twice as much each time, so that a piece of many blocks is not looked through too often.
        try:
            block = self._stream.read(max(BLOCK_BYTES, len(self._waiting)))
        except (OSError, ValueError) as error:
            raise InputError(f"{self._source}: cannot be read ({error})") from error
        if not isinstance(block, bytes):
            raise InputKindError(
                f"{self._source}: expected a binary file object, got one of text; "
                'open it with mode "rb", or pass sys.stdin.buffer'
            )
        self._all_read = not block
        if self._only_returns is None and block:
            self._only_returns = b"\n" not in block
        if self._only_returns:
            block = block.replace(b"\r", b"\n")
        self._waiting += block


def _count_lines(piece: bytes) -> int:
    r"""Return the number of line breaks: \n, \r\n, or \r alone."""
    n_lines = piece.count(b"\n")
    if b"\r" in piece:
        n_lines += piece.count(b"\r") - piece.count(b"\r\n")
    return n_lines
