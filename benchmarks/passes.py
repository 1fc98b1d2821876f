"""The paper's size: trees of 240 objects, timed in passes over the comparisons."""

from __future__ import annotations

import cProfile
import dataclasses
import hashlib
import importlib
import pstats
from functools import partial
from typing import Any

import ordlink as ol
from benchmarks.rows import Row
from benchmarks.run import Benchmark, Measured, Run
from benchmarks.timing import against_passes, drawn, planted, ready

N_OBJECTS, N_QUICK = 240, 32
LARGEST_MB = 2500
BARS = {("4-AL", 0.1): 5, ("4-AL", 0.01): 10, ("4K-AL", 0.1): 8, ("4K-AL", 0.01): 8}
"""At most so many passes."""

PHASES = {
    "4-AL": {
        "warnings about the answers": ["methods._cluster:_warn_about_input"],
        "one entry per pair of pairs": ["comparisons._net:net_comparisons"],
        "counting sort into columns": ["comparisons._net:compress"],
        "sums from columns": ["methods.four_al._scores:ColumnScores.__init__"],
        "merges by columns": ["methods.four_al._scores:ColumnScores.merge"],
        "contraction to a matrix": [
            "methods.four_al._scores:Contraction.of_labels",
            "methods.four_al._scores:ColumnScores.contract",
        ],
        "matrix phase": [
            "methods.four_al._scores:MatrixScores.merge",
            "methods.four_al._scores:MatrixScores.contract",
        ],
    },
    "4K-AL": {
        "warnings about the answers": ["methods._cluster:_warn_about_input"],
        "one entry per pair of pairs": ["comparisons._net:net_comparisons"],
        "counting sort into columns": ["comparisons._net:compress"],
        "bits or groups?": ["methods.kernel_al._passive:_bits_pay"],
        "products of rows of bits": ["methods.kernel_al._passive:_kernel_by_bits"],
        "products of groups": ["methods.kernel_al._passive:_kernel_by_groups"],
        "average linkage": ["linkage._average:link_by_average"],
    },
    "AddS-AL": {
        "warnings about the answers": ["methods._cluster:_warn_about_input"],
        "one entry per pair of pairs": ["comparisons._net:net_comparisons"],
        "wins minus losses": ["comparisons._net:net_wins"],
        "average linkage": ["linkage._average:link_by_average"],
    },
}
"""Where the time of a method can go: functions of the package, none inside another."""


def measure(method: str, proportion: float, n_objects: int) -> Measured:
    """Time one method against one pass over the same comparisons, then take one run apart."""
    ready()
    comparisons = drawn(planted(n_objects), proportion)
    given: list[ol.Comparisons] = []
    trees: list[ol.Hierarchy] = []

    def forget() -> None:
        given[:] = [dataclasses.replace(comparisons)]  # what an earlier run has kept is not used

    measured: Measured = against_passes(
        lambda: trees.append(ol.cluster(given[0], method)), lambda: comparisons, prepare=forget
    )
    forget()
    tree = trees[0]
    return {
        **measured,
        "tree": hashlib.sha256(tree.merges.tobytes() + tree.scores.tobytes()).hexdigest(),
        "phases": _phases(given[0], method),
    }


def _phases(comparisons: ol.Comparisons, method: str) -> dict[str, float]:
    """Return the seconds of each phase of one run; functions that do not exist are left out."""
    profile = cProfile.Profile()
    profile.runcall(ol.cluster, comparisons, method)
    stats: Any = pstats.Stats(profile)
    spent: dict[str, float] = {}
    for phase, functions in PHASES[method].items():
        for function in functions:
            code = getattr(_find(function), "__code__", None)
            if code is None:
                continue
            key = (code.co_filename, code.co_firstlineno, code.co_name)
            if key in stats.stats:
                spent[phase] = spent.get(phase, 0.0) + stats.stats[key][3]
    return {**spent, "the rest": max(0.0, stats.total_tt - sum(spent.values()))}


def _find(function: str) -> object:
    module, _, path = function.partition(":")
    found: object = importlib.import_module(f"ordlink.{module}")
    for name in path.split("."):
        found = getattr(found, name, None)
    return getattr(found, "__func__", found)


def _rows(run: Run, *, name: str, method: str, proportion: float) -> list[Row]:
    n_objects = run.size(N_OBJECTS, N_QUICK)
    measured = run.measure(measure, method=method, proportion=proportion, n_objects=n_objects)
    limit = BARS.get((method, proportion))
    fits = measured["peak_mb"] <= LARGEST_MB
    work = f"{method}, N={n_objects}, p={proportion} ({measured['n_comparisons']:,} comparisons)"
    bar = f"{limit} passes, {LARGEST_MB:,} MB" if limit else ""
    met = measured["passes"] <= limit and fits if limit else None
    row = Row.of_passes(name, work, measured, bar, met=met)
    return [dataclasses.replace(row, figures={"phases": measured["phases"], **row.figures})]


def _thread_rows(run: Run, *, name: str, method: str) -> list[Row]:
    n_objects = run.size(N_OBJECTS, N_QUICK)
    every, one = (
        run.measure(
            measure, environment=environment, method=method, proportion=0.1, n_objects=n_objects
        )
        for environment in (None, {"ORDLINK_THREADS": "1"})
    )
    return [
        Row(
            name,
            f"{method}, N={n_objects}, p=0.1: all cores",
            every["seconds"],
            "one thread",
            one["seconds"],
            one["seconds"] / every["seconds"],
            "x faster",
            every["peak_mb"],
            "the same tree, bit for bit",
            one["tree"] == every["tree"],
        )
    ]


BENCHMARKS = [
    *(
        Benchmark(name, partial(_rows, name=name, method=method, proportion=proportion))
        for method in ("4-AL", "4K-AL", "AddS-AL")
        for proportion in (0.1, 0.01)
        for name in [f"{method}-p{proportion}"]
    ),
    *(
        Benchmark(name, partial(_thread_rows, name=name, method=method))
        for method in ("4-AL", "4K-AL")
        for name in [f"{method}-threads"]
    ),
]
