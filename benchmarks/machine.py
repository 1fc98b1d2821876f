"""What the figures were measured on."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path


def machine_facts() -> dict[str, object]:
    """Return the cores, the memory, the processor, the versions and the date."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "cores": cores,
        "processor": _processor(),
        "memory_gb": _memory_gb(),
        "system": platform.system(),
        "python": platform.python_version(),
        **{name: version(name) for name in ("numpy", "numba", "scipy", "pyarrow", "ordlink")},
        "load": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None,
    }


def _memory_gb() -> int | None:
    if not hasattr(os, "sysconf"):  # as on Windows
        return None
    return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30)


def describe(facts: dict[str, object]) -> str:
    """Return the facts as a sentence."""
    return (
        f"Measured on {facts['date']}: {facts['cores']} cores ({facts['processor']}), "
        f"{facts['memory_gb']} GB, {facts['system']}; Python {facts['python']}, "
        f"NumPy {facts['numpy']}, Numba {facts['numba']}, SciPy {facts['scipy']}, "
        f"Arrow {facts['pyarrow']}; load before the run {facts['load']}.{_again(facts)}"
    )


def _again(facts: dict[str, object]) -> str:
    """Return which rows were measured after the others, if any were."""
    names = facts.get("again")
    return f" Measured again later: {', '.join(names)}." if isinstance(names, list) else ""


def _processor() -> str:
    path = Path("/proc/cpuinfo")
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
