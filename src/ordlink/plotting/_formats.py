"""The kinds of files that drawings are saved to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ordlink.errors import InputError

FORMATS: dict[str, dict[str, Any]] = {
    ".png": {},
    # Without the date, the same drawing gives the same file.
    ".svg": {"metadata": {"Date": None}},
    ".pdf": {"metadata": {"CreationDate": None}},
}
"""Extension -> options of Matplotlib's savefig."""


def check_drawing(path: str | Path) -> str:
    """Return the extension of a file to draw to, or say which ones there are."""
    suffix = Path(path).suffix.lower()
    if suffix not in FORMATS:
        raise InputError(
            f"{path}: cannot tell the format of the drawing from {suffix or 'no extension'!r}; "
            f"use one of {', '.join(FORMATS)}."
        )
    return suffix
