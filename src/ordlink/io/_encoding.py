"""From the bytes of a text file to UTF-8 without a mark, or an error that says what they are."""

from __future__ import annotations

import codecs

from ordlink.errors import InputError

_REMEDY = "save the file as UTF-8 text"


def utf8_bytes(content: bytes, source: str, first_line: int = 1) -> bytes:
    """Return the bytes without a byte order mark, known to be UTF-8 text.

    `first_line` is the number of their first line; only bytes from line 1 on may have a mark.

    Raises
    ------
    InputError
        If the bytes are UTF-16, UTF-32, another encoding, or no text at all.
    """
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)):
        raise InputError(f"{source}: the text is UTF-16, expected UTF-8; {_REMEDY}")
    at = content.find(b"\0")
    if at >= 0:
        _refuse_nul(content, at, source, first_line)
    if first_line == 1:
        content = content.removeprefix(codecs.BOM_UTF8)
    if content.isascii():
        return content
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = line_number(content, error.start) + first_line - 1
        raise InputError(
            f"{source}, line {line}: the byte 0x{content[error.start]:02x} is not UTF-8; the file "
            f"is in another encoding such as Latin-1, or not a text file; {_REMEDY}"
        ) from error
    return content


def line_number(content: bytes, at: int) -> int:
    """Return the number, from 1, of the line that holds a byte."""
    # An added letter keeps a line break right before `at` from ending the count early.
    return len((content[:at] + b".").splitlines())


def _refuse_nul(content: bytes, at: int, source: str, first_line: int) -> None:
    """Tell UTF-16 without a mark, where every other byte of plain text is NUL, from garbage."""
    start = content[:4096]
    halves = (start[0::2], start[1::2])
    shares = [half.count(0) / max(1, len(half)) for half in halves]
    if max(shares) > 0.4 and min(shares) < 0.1:
        raise InputError(f"{source}: the text seems to be UTF-16, expected UTF-8; {_REMEDY}")
    line = line_number(content, at) + first_line - 1
    raise InputError(
        f"{source}, line {line}: found a NUL byte; this is not a text file; "
        "give a file of comma-separated text, or one whose extension tells its format"
    )
