"""Compiling that takes long is announced, once, on stderr; and no kernel is compiled twice."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ordlink.errors import OrdlinkWarning

PROGRAM = """
import sys
import numpy as np
sys.stderr.isatty = lambda: {terminal}
import ordlink._kernels as jit
jit.SAY_AFTER_SECONDS = {seconds}
import ordlink as ol
matrix = np.add.outer(np.arange(9.0), np.arange(9.0) ** 2)
ol.Comparisons.from_similarities(matrix + matrix.T, 0.5, seed=0)
"""

TWICE = """
import gc
from numba.core.dispatcher import Dispatcher
import ordlink as ol
planted = ol.datasets.planted_hierarchy(depth=2, leaf_size=3, gap=0.5, seed=0)
rows = ol.datasets.simulate_answers(planted.similarities, 300, seed=0)
ol.cluster(ol.Comparisons.from_triplets(rows), "auto")
kernels = [one for one in gc.get_objects() if isinstance(one, Dispatcher)]
own = [one for one in kernels if one.py_func.__module__.startswith("ordlink.")]
assert sum(len(one.signatures) > 0 for one in own) > 20
print(*[one.py_func.__name__ for one in own if len(one.signatures) > 1])
"""


def _stderr(cache: Path, seconds: float, *, terminal: bool = True) -> str:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM.format(seconds=seconds, terminal=terminal)],
        env={**os.environ, "NUMBA_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
        check=True,
    ).stderr


def test_compiling_is_announced_once_and_only_when_it_happens(tmp_path: Path) -> None:
    first, again = (_stderr(tmp_path, 0.0) for _ in range(2))

    assert first.count("compiling for this machine") == 1
    assert again == ""


def test_quick_compiling_is_not_announced(tmp_path: Path) -> None:
    assert _stderr(tmp_path, 1000.0) == ""


def test_nothing_is_announced_into_a_pipe(tmp_path: Path) -> None:
    assert _stderr(tmp_path, 0.0, terminal=False) == ""


def test_the_default_method_compiles_no_kernel_for_two_types_of_arguments() -> None:
    program = [sys.executable, "-W", "ignore", "-c", TWICE]

    assert subprocess.run(program, capture_output=True, text=True, check=True).stdout == "\n"


@pytest.mark.parametrize("collects", [True, False])
def test_garbage_is_not_collected_while_a_kernel_compiles(*, collects: bool) -> None:
    import numba
    from numba.core import event

    import ordlink._kernels  # noqa: F401 - listens to the compiler

    def triple(number: int) -> int:
        return 3 * number

    within = []
    (gc.enable if collects else gc.disable)()
    with event.install_listener("numba:run_pass", event.RecordingListener()) as passes:
        passes.on_start = lambda _: within.append(gc.isenabled())
        numba.njit(triple)(4)
    after = gc.isenabled()
    gc.enable()

    assert within
    assert not any(within)
    assert after == collects


def test_without_a_folder_for_compiled_code_kernels_work_with_one_warning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As user nobody in a container: neither the package nor a home can be written."""
    from numba.core import caching

    from ordlink import _kernels

    def refuse(locator: object) -> None:
        raise OSError("read-only")

    monkeypatch.setattr(caching._CacheLocator, "ensure_cache_path", refuse)
    _kernels._warn_without_cache.cache_clear()

    def double(number: int) -> int:
        return 2 * number

    with pytest.warns(OrdlinkWarning, match="NUMBA_CACHE_DIR") as caught:
        kernels = [_kernels.kernel(double) for _ in range(3)]

    assert [kernel(4) for kernel in kernels] == [8, 8, 8]
    assert len(caught) == 1
