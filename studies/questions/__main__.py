"""How many questions active methods need: AARI against questions per object, on planted data.

Run it with ``python -m studies.questions --out FOLDER``; it resumes where an interrupted run
ended. ``python -m studies.pages.fewest_questions FOLDER`` then updates docs/fewest-questions.md.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from ordlink.errors import OrdlinkError
from studies.questions.cells import question_experiments
from studies.running import run_cells

PARTS = ("planted", "shapes", "large")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is missing; return 1 if a cell failed, 2 for an unusable folder, else 0."""
    parser = argparse.ArgumentParser(
        prog="python -m studies.questions", description="Compare active methods on planted data."
    )
    parser.add_argument("--out", required=True, help="folder for the results")
    parser.add_argument("--processes", type=int, default=None, help="default: all cores")
    parser.add_argument("--quick", action="store_true", help="a few cells, which decide nothing")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS, help="what to run now")
    given = parser.parse_args(arguments)
    if given.processes is not None and given.processes < 1:
        parser.error(f"--processes {given.processes}: expected at least 1")
    failed = False
    try:
        for part in given.parts:
            experiment = question_experiments(quick=given.quick)[part]
            done = run_cells(experiment, given.out, n_processes=given.processes)
            print(f"{experiment.name}: {done.n_cells} cells ({done.seconds / 60:.1f} minutes)")
            failed = failed or bool(done.failures)
            for failure in done.failures:
                print(failure, file=sys.stderr)
    except OrdlinkError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
