"""A stream of text cut into pieces of whole rows, so that it need not fit into memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

import numpy as np

from ordlink._typing import Int64Array
from ordlink.io._source import empty_file, read_block

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
    n_rows : int or None
        Rows of a piece, at most; None for one piece of everything.
    quoted : bool
        Whether line breaks within quotation marks do not end a row.
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
            raise empty_file(self._source)
        if self._all_read:
            return self._waiting, True
        return self._waiting[: self._waiting.rfind(b"\n") + 1], False

    def skip(self, n_bytes: int, next_line: int) -> None:
        """Leave out the first bytes, with all lines before `next_line`."""
        self._waiting = self._waiting[n_bytes:]
        self.line = next_line

    def cut(self) -> Iterator[tuple[int, bytes]]:
        """Yield the first line and the bytes of each piece; at least one piece.

        Only the last row of all may lack its line break.
        """
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
