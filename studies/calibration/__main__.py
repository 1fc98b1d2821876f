"""Whether trust is calibrated: support, `auto` and the hierarchy test against planted truth.

Run it with ``python -m studies.calibration --out FOLDER``; it resumes where an
interrupted run ended, and writes ``calibration.md`` and ``calibration.svg`` into the folder.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from ordlink._atomic import write_text
from ordlink.errors import OrdlinkError
from studies.calibration.bars import BARS
from studies.calibration.cells import calibration_experiments
from studies.calibration.page import calibration_page, reliability_figure
from studies.html import save_figure
from studies.quality.bars import Results
from studies.running._runner import run_cells
from studies.running._store import load_results
from studies.statistics import select

PARTS = ("support", "auto", "chance", "spectral")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is missing, write the page and the figure, and print the verdicts.

    Returns
    -------
    int
        The exit code: 1 if a cell failed, 2 for a folder that cannot be used, else 0.
    """
    parser = argparse.ArgumentParser(
        prog="python -m studies.calibration",
        description="Check support, auto and the hierarchy test on planted data.",
    )
    parser.add_argument("--out", required=True, help="folder for results, page and figure")
    parser.add_argument("--processes", type=int, default=None, help="default: all cores")
    parser.add_argument("--quick", action="store_true", help="a few cells, which decide nothing")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS, help="what to run now")
    given = parser.parse_args(arguments)
    if given.processes is not None and given.processes < 1:
        parser.error(f"--processes {given.processes}: expected at least 1")
    experiments = calibration_experiments(quick=given.quick)
    failed = False
    try:
        for part in given.parts:
            done = run_cells(experiments[part], given.out, n_processes=given.processes)
            failed = failed or bool(done.failures)
            for failure in done.failures:
                print(failure, file=sys.stderr)
        results = {part: load_results(experiments[part], given.out) for part in PARTS}
        write_page(results, Path(given.out))
    except OrdlinkError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(verdicts(results))
    return int(failed)


def verdicts(results: Results) -> str:
    """Return the verdicts as lines of text."""
    lines = []
    for bar in BARS:
        verdict, measured = bar.judge(results)
        lines.append(f"{verdict:10} {bar.text}" + (f"\n{'':11}{measured}" if measured else ""))
    return "\n".join(lines)


def write_page(results: Results, folder: Path) -> None:
    """Write ``calibration.md`` and, where there are branches, the figure."""
    branches = select(results.get("support", ()), measure="support")
    figure = ""
    if branches:
        save_figure(reliability_figure(branches), folder / "calibration")
        figure = "calibration.svg"
    write_text(folder / "calibration.md", calibration_page(results, figure))


if __name__ == "__main__":
    sys.exit(main())
