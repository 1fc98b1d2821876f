"""`python -m studies.pages.trust FOLDER`: the measured part of docs/trust.md.

FOLDER is what `python -m studies.calibration --out FOLDER` has written. Its tables and
its figure are copied to docs/trust.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from studies.calibration.cells import calibration_experiments
from studies.calibration.page import sections, verdicts_table
from studies.pages.kept import keep_figures, keep_tables
from studies.pages.measured import rewrite_parts
from studies.running import Record, load_results

PAGE = Path(__file__).parents[2] / "docs/trust.md"
KEPT = PAGE.with_suffix("")
"""Tables and figure that the page shows."""
FIGURE = "![Share of conflicting branches against their support](trust/calibration.svg)"
Rows = dict[str, list[Record]]
"""Name of a part -> its rows."""


def load(folder: Path) -> Rows:
    """Return the rows of all parts."""
    return {name: load_results(one, folder) for name, one in calibration_experiments().items()}


def rewrite(text: str, rows: Rows) -> str:
    """Return the page with the measured parts updated."""
    details = "\n\n".join(sections(rows)).replace("## ", "### ")
    return rewrite_parts(
        text,
        {
            "verdicts": lambda: verdicts_table(rows),
            "figure": lambda: FIGURE,
            "calibration": lambda: details,
        },
    )


def main(arguments: Sequence[str]) -> int:
    """Copy the results and update the page."""
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    folder = Path(arguments[0])
    keep_tables(calibration_experiments().values(), folder, KEPT)
    keep_figures(folder, "calibration.svg", KEPT)
    PAGE.write_text(rewrite(PAGE.read_text(), load(KEPT)))
    print(f"{PAGE} is up to date with {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
