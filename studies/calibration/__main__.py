"""Whether trust is calibrated: support, `auto` and the hierarchy test against planted truth.

Run it with ``python -m studies.calibration --out FOLDER``; it resumes where an
interrupted run ended, and writes ``calibration.md`` and ``calibration.svg`` into the folder.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from ordlink._atomic import write_text
from studies.calibration.bars import BARS
from studies.calibration.cells import calibration_experiments
from studies.calibration.page import calibration_page, reliability_figure
from studies.html import save_figure
from studies.quality.bars import Results
from studies.running._parts import Experiments, run_parts
from studies.running._store import load_results
from studies.statistics import select


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is missing, write page and figure, print the verdicts; return the exit code."""
    return run_parts(
        "python -m studies.calibration",
        "Check support, auto and the hierarchy test on planted data.",
        calibration_experiments,
        arguments,
        finish=write_results,
    )


def write_results(experiments: Experiments, folder: Path) -> None:
    """Write the page and the figure of all results so far, and print the verdicts."""
    results = {part: load_results(experiment, folder) for part, experiment in experiments.items()}
    write_page(results, folder)
    print(verdicts(results))


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
