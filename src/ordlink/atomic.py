"""Writing a file completely or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from ordlink.errors import InputError


def write_atomically(path: str | Path, write: Callable[[BinaryIO], object]) -> Path:
    """Write a file so that `path` holds either the whole new content or what it held before.

    The content goes to a temporary file in the same folder, which then replaces `path`. An
    interruption leaves no half-written file. Devices and pipes are written to directly.

    Parameters
    ----------
    path : str or Path
        Where the file goes; its folder must exist.
    write : callable
        Called with the open binary file.

    Returns
    -------
    Path
        The path that was written.

    Raises
    ------
    InputError
        If the folder is missing or the file cannot be written.
    """
    path = Path(path)
    try:
        _write(path, write)
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(_explain(path, error)) from error
    return path


def _write(path: Path, write: Callable[[BinaryIO], object]) -> None:
    if path.exists() and not path.is_file() and not path.is_dir():
        with path.open("wb") as stream:
            write(stream)
        return
    target = path.resolve()  # a symbolic link keeps pointing at the file it names
    if target.is_dir():
        raise IsADirectoryError("it is a folder")
    # A short name of our own: a long `path.name` plus a suffix could exceed the system's limit.
    temporary = target.parent / f".ordlink-{secrets.token_hex(6)}.tmp"
    try:
        with temporary.open("xb") as stream:
            write(stream)
        os.replace(temporary, target)  # noqa: PTH105 (the word for it in every manual)
    finally:
        temporary.unlink(missing_ok=True)


def _explain(path: Path, error: Exception) -> str:
    if isinstance(error, FileNotFoundError):
        return f"{path}: the folder {path.parent} does not exist; create it or choose another one."
    if isinstance(error, IsADirectoryError):
        return f"{path}: this is a folder; give the name of a file in it."
    if isinstance(error, PermissionError):
        return f"{path}: no permission to write here; choose a folder you may write to."
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return f"{path}: the file cannot be written ({reason}); choose another place or name."
