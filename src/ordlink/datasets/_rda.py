"""Reads a data frame saved by R: the part of XDR format version 2 that MLDS's files use."""

from __future__ import annotations

import gzip
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ordlink._typing import AnyArray
from ordlink.errors import InputError

SYMBOL, PAIRS, TEXT, LOGICALS, WHOLE_NUMBERS, NUMBERS, TEXTS, LIST = 1, 2, 9, 10, 13, 14, 16, 19
NOTHING, SEEN_BEFORE = 254, 255
HAS_ATTRIBUTES, HAS_TAG = 0x200, 0x400


def read_data_frame(path: Path) -> tuple[dict[str, AnyArray], dict[str, Any]]:
    """Return the columns (factors as words) and the attributes of the data frame in a file."""
    file = BytesIO(gzip.decompress(path.read_bytes()))
    if file.read(7) != b"RDX2\nX\n":
        raise InputError(f"{path}: not a file that R saved in XDR format, version 2")
    file.read(12)  # versions of the format and of R
    ((_, (columns, attributes)),) = _Reader(file).read()
    named = zip(attributes["names"][0], columns, strict=True)
    return (
        {name: _column(*column) for name, column in named},
        {name: values for name, (values, _) in attributes.items()},
    )


def _column(values: Any, attributes: dict[str, Any]) -> AnyArray:
    if "levels" in attributes:
        return np.asarray(np.array(attributes["levels"][0])[values - 1])
    return np.asarray(values)


class _Reader:
    """Reads one R object after another; vectors come as (values, attributes)."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.symbols: list[str] = []

    def number(self) -> int:
        return int.from_bytes(self.file.read(4), "big", signed=True)

    def read(self) -> Any:
        flags = self.number()
        kind = flags & 0xFF
        if kind == NOTHING:
            return []
        if kind == SEEN_BEFORE:
            return self.symbols[(flags >> 8) - 1]
        if kind == SYMBOL:
            self.symbols.append(self.read())
            return self.symbols[-1]
        if kind == TEXT:
            return self.file.read(max(self.number(), 0)).decode("latin-1")
        if kind == PAIRS:
            if flags & HAS_ATTRIBUTES:
                self.read()
            tag = self.read() if flags & HAS_TAG else ""
            return [(tag, self.read()), *self.read()]
        values = self.vector(kind)
        attributes = dict(self.read()) if flags & HAS_ATTRIBUTES else {}
        return values, attributes

    def vector(self, kind: int) -> Any:
        length = self.number()
        if kind in (LOGICALS, WHOLE_NUMBERS):
            return np.frombuffer(self.file.read(4 * length), ">i4").astype(np.int32)
        if kind == NUMBERS:
            return np.frombuffer(self.file.read(8 * length), ">f8").astype(np.float64)
        if kind in (TEXTS, LIST):
            return [self.read() for _ in range(length)]
        raise InputError(f"R objects of type {kind} are not supported")
