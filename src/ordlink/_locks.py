"""Files that only one process at a time can lock."""

from __future__ import annotations

import os
import sys
from typing import BinaryIO


def try_lock(file: BinaryIO) -> bool:
    """Lock the file until it is closed or the process ends; return whether that worked."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.set_inheritable(file.fileno(), False)  # noqa: FBT003 - the system's signature
    except OSError:
        return False
    return True
