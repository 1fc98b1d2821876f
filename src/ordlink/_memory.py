"""How much memory there is, and how sizes are written."""

from __future__ import annotations

import math
import os
from pathlib import Path

_GROUPS = (  # limit and use of the control group of this process, versions 2 and 1
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
    (
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
        "/sys/fs/cgroup/memory/memory.usage_in_bytes",
    ),
)


def available_memory() -> float:
    """Return the bytes that this process may still use; infinity where nobody says.

    The smallest of what the machine, the container and ``ulimit -v`` allow.
    """
    return min(_of_machine(), _of_container(), _of_limit())


def _of_machine() -> float:
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return 1024.0 * int(line.split()[1])
    except OSError:
        pass
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, OSError, ValueError):
        return math.inf


def _of_container() -> float:
    for limit, used in _GROUPS:
        try:
            return float(
                int(Path(limit).read_text(encoding="ascii"))
                - int(Path(used).read_text(encoding="ascii"))
            )
        except (OSError, ValueError):  # no such group, or "max"
            continue
    return math.inf


def _of_limit() -> float:
    try:
        import resource
    except ImportError:
        return math.inf
    soft = resource.getrlimit(resource.RLIMIT_AS)[0]
    return math.inf if soft == resource.RLIM_INFINITY else float(soft)


def in_gb(n_bytes: float) -> str:
    """Return a size in gigabytes, with two digits.

    Examples
    --------
    >>> in_gb(14.3e9), in_gb(0.26e9)
    ('14 GB', '0.26 GB')
    """
    number = n_bytes / 1e9
    digits = max(0, 1 - math.floor(math.log10(number))) if number > 0 else 0
    return f"{round(number, digits):,.{digits}f} GB"
