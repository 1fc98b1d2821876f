"""A film without an encoder of films: a picture as WebP holds one frame of VP8."""

from __future__ import annotations

import io
import struct
from collections.abc import Sequence
from pathlib import Path

from PIL import Image

SIZE = (64, 48)
FRAME_MS = 100


def write_film(path: Path, colours: Sequence[str]) -> None:
    """Write a WebM file that shows some colours, one after the other."""
    blocks = b"".join(
        # Number of the track, time since the start of the cluster, flag of a key frame.
        _element("a3", b"\x81" + struct.pack(">hB", FRAME_MS * number, 0x80) + _frame(colour))
        for number, colour in enumerate(colours)
    )
    head = _element("4286", b"\1") + _element("42f7", b"\1") + _element("42f2", b"\4")
    head += _element("42f3", b"\x08") + _element("4282", b"webm")
    head += _element("4287", b"\2") + _element("4285", b"\2")
    info = _element("2ad7b1", struct.pack(">I", 1_000_000))  # times are in milliseconds
    info += _element("4489", struct.pack(">d", FRAME_MS * len(colours)))
    info += _element("4d80", b"test") + _element("5741", b"test")
    width, height = (struct.pack(">H", length) for length in SIZE)
    picture = _element("b0", width) + _element("ba", height)
    track = _element("d7", b"\1") + _element("73c5", b"\1") + _element("83", b"\1")
    track += _element("86", b"V_VP8") + _element("e0", picture)
    body = _element("1549a966", info) + _element("1654ae6b", _element("ae", track))
    body += _element("1f43b675", _element("e7", b"\0") + blocks)
    path.write_bytes(_element("1a45dfa3", head) + _element("18538067", body))


def _element(number: str, content: bytes) -> bytes:
    """Return an element of EBML: its number, its length in eight bytes, its content."""
    return bytes.fromhex(number) + struct.pack(">Q", 1 << 56 | len(content)) + content


def _frame(colour: str) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", SIZE, colour).save(file, "WEBP", quality=50)
    content = file.getvalue()
    start = content.index(b"VP8 ") + 8
    (length,) = struct.unpack_from("<I", content, start - 4)
    return content[start : start + length]
