"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from ordlink.errors import InputError


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a new file that replaces `path` once it is complete.

    It is written next to `path`. If an error or Ctrl-C ends the block early, it is removed, and
    `path` is left unchanged. Devices and pipes are written to directly.
    """
    shown = os.fspath(path)
    try:
        target = Path(os.path.realpath(path))  # a link stays a link: its target is replaced
        if target.is_dir():
            raise InputError(f"{shown}: is a folder; give the path of a file to write")
        if target.exists() and not target.is_file():
            with target.open("wb") as file:
                yield file
            return
        if not target.parent.is_dir():
            raise InputError(f"{shown}: there is no folder {target.parent}; create it first")
        # A short name of our own: a long one plus a suffix could exceed the system's limit.
        beside = target.with_name(f".ordlink-{secrets.token_hex(6)}.tmp")
        try:
            with beside.open("xb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            if target.exists():
                beside.chmod(target.stat().st_mode & 0o7777)
            beside.replace(target)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        problem = f"{shown}: cannot be written ({error.strerror or error})"
        remedy = "choose another place"
        if isinstance(error, PermissionError) and sys.platform == "win32":
            remedy = f"close it in other programs, or {remedy}"  # as Excel locks what it shows
        raise InputError(f"{problem}; {remedy}") from error
    except ValueError as error:
        if isinstance(error, InputError) or "null" not in str(error):
            raise
        raise InputError(f"{shown}: cannot be written ({error}); choose another name") from error


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file in UTF-8, whole or not at all."""
    with replacing(path) as file:
        file.write(text.encode("utf-8"))
