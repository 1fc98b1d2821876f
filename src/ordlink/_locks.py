"""Files that one process at a time may hold."""

from __future__ import annotations

import os
import sys
from typing import BinaryIO


def try_lock(file: BinaryIO) -> bool:
    """Return whether this process holds the file from now on, until it is closed.

    The system frees the files of a process that ends, however it ends.
    """
    if sys.platform == "win32":
        import msvcrt

        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    os.set_inheritable(file.fileno(), False)  # noqa: FBT003 - the system's signature
    return True
