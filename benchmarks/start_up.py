"""What a user waits for before any work is done."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from typing import Any

import ordlink as ol
from benchmarks.rows import Row
from benchmarks.run import Benchmark, Run
from benchmarks.timing import shortest

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


def _first_trees(run: Run) -> list[Row]:
    """Measure the first tree of each method with nothing compiled, and the second one."""
    if run.quick:
        return []
    try:
        answers = ol.datasets.fetch_car().comparisons
    except ol.errors.MissingDataError as error:
        return [Row("first-tree", "the first tree of Car", note=str(error))]
    with tempfile.TemporaryDirectory() as folder:
        ol.write_comparisons(answers, f"{folder}/car.csv")
        return [
            _first(
                f"first-{method}",
                f"Car (60 objects) by {method}",
                ["-m", "ordlink", "cluster", f"{folder}/car.csv", "--method", method],
                bar,
            )
            for method, bar in (("4K-AL", 4.0), ("4-AL", 6.0), ("auto", 10.0))
        ]


def _demo(run: Run) -> list[Row]:
    if run.quick:
        return []
    with tempfile.TemporaryDirectory() as folder:
        words = ["-m", "ordlink", "demo", "--out", f"{folder}/out"]
        return [_first("demo-first", "ordlink demo", words, 7.0)]


def _first(name: str, work: str, words: Sequence[str], bar: float) -> Row:
    """Return the row of a command that runs with nothing compiled, and then once more."""
    with tempfile.TemporaryDirectory() as compiled:
        first, second = (_cpu_seconds(words, NUMBA_CACHE_DIR=compiled) for _ in range(2))
    work += ", nothing compiled (CPU seconds)"
    more: dict[str, Any] = {"bar": f"{bar:.0f} s", "met": first <= bar}
    return Row(name, work, first, "second run", second, first / second, "x the second", **more)


def _cpu_seconds(words: Sequence[str], **environment: str) -> float:
    """Return the time that the cores spent on a call, on all of its threads."""
    import resource  # not on Windows

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    _call(words, **environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _repeats(run: Run) -> int:
    return 1 if run.quick else REPEATS


BENCHMARKS = [
    Benchmark("import", _import),
    Benchmark("help", _help),
    Benchmark("first", _first_trees),
    Benchmark("demo", _demo),
]
