"""What a user waits for before any work is done."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import partial

from benchmarks.rows import Row
from benchmarks.run import Benchmark, Run
from benchmarks.timing import seconds, shortest

REPEATS = 5


def _call(arguments: Sequence[str], **environment: str) -> None:
    subprocess.run(
        [sys.executable, *arguments],
        check=True,
        capture_output=True,
        env={**os.environ, **environment},
    )


def _import(run: Run) -> list[Row]:
    """Importing alone loads next to nothing, so the first use of a method is told beside it."""
    alone, used, numpy = (
        shortest(partial(_call, ["-c", program]), repeats=_repeats(run))
        for program in ("import ordlink", "import ordlink; ordlink.cluster", "import numpy")
    )
    return [
        Row(name, f"python -c '{program}'", ours, "import numpy", numpy, ours / numpy, "x NumPy")
        for name, program, ours in (
            ("import", "import ordlink", alone),
            ("import-and-use", "import ordlink; ordlink.cluster", used),
        )
    ]


def _help(run: Run) -> list[Row]:
    ours = shortest(lambda: _call(["-m", "ordlink", "--help"]), repeats=_repeats(run))
    nothing = shortest(lambda: _call(["-c", ""]), repeats=_repeats(run))
    return [Row("help", "ordlink --help", ours, "python -c ''", nothing)]


def _demo(run: Run) -> list[Row]:
    """Run the demo with nothing compiled, and again with what the first run has compiled."""
    if run.quick:
        return []
    with tempfile.TemporaryDirectory() as folder:
        arguments = ["-m", "ordlink", "demo", "--out", f"{folder}/out"]

        def demo() -> None:
            _call(arguments, NUMBA_CACHE_DIR=f"{folder}/compiled")

        first = seconds(demo)
        second = shortest(demo, repeats=2)
    return [
        Row(
            "demo-first",
            "ordlink demo, nothing compiled yet",
            first,
            "second run",
            second,
            first / second,
            "x the second",
            figures={"compiling": first - second},
        ),
        Row("demo", "ordlink demo, kernels compiled", second),
    ]


def _repeats(run: Run) -> int:
    return 1 if run.quick else REPEATS


BENCHMARKS = [Benchmark("import", _import), Benchmark("help", _help), Benchmark("demo", _demo)]
