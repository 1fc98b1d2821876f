"""The command line: `ordlink`, one file per command.

Exit codes: 0 if all went well, 2 if the input or the call is wrong (one message says where and
what to do), 130 if interrupted.

This module imports nothing heavy, so that Ctrl-C while the rest is loaded is caught too.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

COMMANDS = {
    "demo": "Cluster the animals of the Zoo data from simulated answers.",
    "cluster": "Turn a file of answers into a tree.",
    "describe": "Say what a file of answers holds.",
    "evaluate": "Score a tree against classes, a true tree, similarities or answers.",
    "compare": "Compare methods on a file of answers, and say which to take.",
    "report": "Write a page that says how far the tree of a file of answers can be trusted.",
    "plan": "Say how many answers are needed, or what more of them would bring.",
    "simulate": "Make answers and their truth, to try things out.",
    "collect": "Ask people comparisons in their browsers, and watch the tree grow.",
    "datasets": "List public data, or fetch it: answers that people gave.",
}
"""Commands and their one-line help; each is loaded only when it runs, so help is instant."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave with its exit code."""
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    try:
        from ordlink.cli._app import run_app

        return run_app(arguments)
    except KeyboardInterrupt:
        print("interrupted; no half-written file was left", file=sys.stderr)
        return 130
