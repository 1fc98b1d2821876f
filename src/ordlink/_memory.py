"""How much memory there is, and how sizes are written."""

from __future__ import annotations

import math
import os
from pathlib import Path

_GROUPS = (  # the control group of this process, versions 2 and 1; names of limit, use, page cache
    ("/sys/fs/cgroup", "memory.max", "memory.current", ("inactive_file", "active_file")),
    (
        "/sys/fs/cgroup/memory",
        "memory.limit_in_bytes",
        "memory.usage_in_bytes",
        ("total_inactive_file", "total_active_file"),
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
    for folder, limit, used, cached in _GROUPS:
        group = Path(folder)
        try:
            there = int((group / limit).read_text(encoding="ascii"))
            in_use = int((group / used).read_text(encoding="ascii"))
        except (OSError, ValueError):  # no such group, or "max"
            continue
        return float(there - max(in_use - _page_cache(group, cached), 0))
    return math.inf


def _page_cache(group: Path, names: tuple[str, ...]) -> int:
    """Return the bytes of files kept in memory: they count as used, but are freed when needed."""
    try:
        lines = (group / "memory.stat").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    fields = (line.partition(" ") for line in lines)
    return sum(int(number) for name, _, number in fields if name in names)


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
