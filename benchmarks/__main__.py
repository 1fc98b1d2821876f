"""`python -m benchmarks`: measure, print a table, write results.json; see docs/performance.md."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from benchmarks import (
    active,
    embeddings,
    growth,
    loading,
    many_objects,
    passes,
    peer,
    questions,
    ranks,
    start_up,
    things,
)
from benchmarks.machine import machine_facts
from benchmarks.page import PAGE, rewrite
from benchmarks.rows import Row, doubt_slow_passes, summary, text_table
from benchmarks.run import Benchmark, MeasurementFailedError, Run

RESULTS = Path(__file__).with_name("results.json")
TOPICS = (
    passes,
    loading,
    ranks,
    things,
    many_objects,
    active,
    questions,
    peer,
    embeddings,
    growth,
    start_up,
)
BENCHMARKS: list[Benchmark] = [one for topic in TOPICS for one in topic.BENCHMARKS]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    options = _parser().parse_args(arguments)
    if options.page:
        if not options.results.exists():
            print(
                f"there is no {options.results} yet; python -m benchmarks writes it",
                file=sys.stderr,
            )
            return 2
        PAGE.write_text(rewrite(PAGE.read_text(), json.loads(options.results.read_text())))
        print(f"{PAGE} is up to date with {options.results}")
        return 0
    chosen = choose(options.only)
    if not chosen:
        names = ", ".join(one.name for one in BENCHMARKS)
        print(f"nothing is called {', '.join(options.only)}; there are: {names}", file=sys.stderr)
        return 2
    run = Run(quick=options.quick, slow=options.slow)
    if options.peer_python:
        run.peer_python = options.peer_python
    facts = machine_facts()
    rows = doubt_slow_passes([row for one in chosen for row in measured_rows(one, run)])
    print(f"\n{text_table(rows)}\n\n{summary(rows)}")
    if options.quick:
        print("a quick run: the sizes are tiny, so neither times nor bars mean anything")
    else:
        results = _merged(facts, rows, options.results) if options.only else _results(facts, rows)
        options.results.write_text(json.dumps(results, indent=1) + "\n")
        print(f"written to {options.results}; python -m benchmarks --page puts it into {PAGE.name}")
    return 0


def choose(only: Sequence[str]) -> list[Benchmark]:
    """Return what to run: everything, or whatever has one of these names."""
    if not only:
        return BENCHMARKS
    return [one for one in BENCHMARKS if any(fnmatch(one.name, name) for name in only)]


def measured_rows(benchmark: Benchmark, run: Run) -> list[Row]:
    """Return the rows of one benchmark, or one that says why there are none."""
    start = time.perf_counter()
    try:
        rows = benchmark.rows(run)
    except MeasurementFailedError as failure:
        rows = [Row(benchmark.name, benchmark.name, bar="to run", met=False, note=str(failure))]
    print(f"{benchmark.name}: {time.perf_counter() - start:.1f} s", file=sys.stderr, flush=True)
    return rows


def _results(facts: dict[str, object], rows: Sequence[Row]) -> dict[str, Any]:
    return {"machine": facts, "summary": summary(rows), "rows": [row.to_dict() for row in rows]}


def _merged(facts: dict[str, object], rows: Sequence[Row], path: Path) -> dict[str, Any]:
    """Return the earlier results with these rows in place of those of the same name."""
    if not path.exists():
        return _results(facts, rows)
    earlier = json.loads(path.read_text(encoding="utf-8"))
    by_name = {fields["name"]: Row.from_dict(fields) for fields in earlier["rows"]}
    by_name |= {row.name: row for row in rows}
    again = [*earlier["machine"].get("again", []), *(row.name for row in rows)]
    return _results({**earlier["machine"], "again": sorted(set(again))}, list(by_name.values()))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="tiny sizes, nothing is written")
    parser.add_argument(
        "--slow", action="store_true", help="also the peer at N = 60, and a million objects"
    )
    parser.add_argument(
        "--only",
        nargs="+",
        default=[],
        metavar="NAME",
        help="only these rows, e.g. 4-AL-p0.1 or '*-things'; the other results are kept",
    )
    parser.add_argument("--page", action="store_true", help=f"bring {PAGE.name} up to date")
    parser.add_argument("--results", type=Path, default=RESULTS, metavar="FILE")
    parser.add_argument("--peer-python", type=Path, metavar="PATH", help="a Python with cblearn")
    return parser


if __name__ == "__main__":
    sys.exit(main())
