"""Worker processes that do not outlive the process that started them."""

from __future__ import annotations

import os
import threading
import time
from multiprocessing import parent_process


def die_with_parent() -> None:
    """End this process as soon as its parent has ended, even if the parent was killed."""
    threading.Thread(target=_wait_and_end, name="wait for the parent", daemon=True).start()


def _wait_and_end() -> None:
    parent = parent_process()
    if os.name == "posix":  # an orphan gets another parent; joblib's workers have none to join
        parent_id = os.getppid() if parent is None else parent.pid
        while os.getppid() == parent_id:
            time.sleep(0.5)
    elif parent is not None:
        parent.join()
    else:
        return
    os._exit(1)
