"""How many questions active methods need: AARI against questions per object, on planted data.

Run it with ``python -m studies.questions --out FOLDER``; it resumes where an interrupted run
ended. ``python -m studies.pages.fewest_questions FOLDER`` then updates docs/fewest-questions.md.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from studies.questions.cells import question_experiments
from studies.running._parts import run_parts


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is missing, and return the exit code."""
    return run_parts(
        "python -m studies.questions",
        "Compare active methods on planted data.",
        question_experiments,
        arguments,
    )


if __name__ == "__main__":
    sys.exit(main())
