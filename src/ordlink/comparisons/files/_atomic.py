"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from ordlink.errors import InputError


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a new file that takes the place of `path` once it is complete.

    It is written beside its final place. Whatever ends the block early, an error or Ctrl-C,
    removes it and leaves what was at `path` as it was.

    Raises
    ------
    InputError
        If the folder is missing or cannot be written, or `path` is not a plain file.
    """
    try:
        target = _checked_target(path)
        beside = target.with_name(f".{target.name[:80]}.{secrets.token_hex(6)}.tmp")
        try:
            with beside.open("xb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            if target.exists():
                beside.chmod(target.stat().st_mode & 0o7777)
            beside.replace(target)
        except BaseException:
            with suppress(OSError):
                beside.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise InputError(
            f"{os.fspath(path)}: cannot be written ({error.strerror or error}); "
            "choose another place"
        ) from error


def _checked_target(path: str | os.PathLike[str]) -> Path:
    shown = os.fspath(path)
    try:
        target = Path(os.path.realpath(path))  # a link stays a link: its target is replaced
    except ValueError as error:
        raise InputError(f"{shown}: cannot be written ({error}); choose another name") from error
    if target.is_dir():
        raise InputError(f"{shown}: is a folder; give the path of a file to write")
    if target.exists() and not target.is_file():
        raise InputError(f"{shown}: is not a plain file; give the path of a file to write")
    if not target.parent.is_dir():
        raise InputError(f"{shown}: there is no folder {target.parent}; create it first")
    return target
