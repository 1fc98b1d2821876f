"""Files that only one process at a time can lock."""

from __future__ import annotations

import os
import sys
import time
from typing import BinaryIO

FAR = 1 << 40
"""The byte that is locked on Windows: beyond the end, so that others can still read the file."""


def try_lock(file: BinaryIO) -> bool:
    """Lock the file until it is closed or the process ends; return whether that worked."""
    try:
        if sys.platform == "win32":
            _lock_on_windows(file)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.set_inheritable(file.fileno(), False)  # noqa: FBT003 - the system's signature
    except OSError:
        return False
    return True


def wait_for_lock(file: BinaryIO) -> None:
    """Lock the file until it is closed, as soon as no other process has locked it."""
    if sys.platform == "win32":
        while True:
            try:
                _lock_on_windows(file)
            except PermissionError:  # somebody has it
                time.sleep(0.05)
            else:
                return
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX)


def _lock_on_windows(file: BinaryIO) -> None:
    import msvcrt

    place = os.lseek(file.fileno(), 0, os.SEEK_CUR)
    os.lseek(file.fileno(), FAR, os.SEEK_SET)
    try:
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
    finally:
        os.lseek(file.fileno(), place, os.SEEK_SET)
