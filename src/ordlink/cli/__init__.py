"""The command line: `ordlink`, one file per command.

Exit codes: 0 for success, 2 if the input or the arguments are wrong (one message says where and
what to do), 130 if interrupted.

This module imports nothing heavy, so that Ctrl-C during loading is caught too.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

COMMANDS = {
    "demo": "Cluster the animals of the Zoo data from simulated answers.",
    "cluster": "Turn a file of answers into a tree.",
    "grow": "Put new objects into a tree, or update it with new answers.",
    "plot": "Draw a tree as a figure for a paper.",
    "describe": "Summarise a file of answers.",
    "convert": "Turn trials, spreadsheets and exports of other tools into a plain file.",
    "evaluate": "Score a tree against classes, a true tree, similarities or answers.",
    "compare": "Compare methods on a file of answers, and recommend one.",
    "compare-groups": "Compare the trees of groups of annotators, such as people and a model.",
    "report": "Write a report on how far the tree of a file of answers can be trusted.",
    "plan": "Estimate how many answers a study needs, or what more answers would gain.",
    "ask": "Ask a language or vision model, and write its answers.",
    "simulate": "Simulate answers with a known truth.",
    "collect": "Collect answers in a web browser, and watch the tree grow.",
    "datasets": "List public data sets of human answers, or fetch one.",
}
"""Commands and their one-line help; each is loaded only when it runs, so that help is instant."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its code."""
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        # A pipe on Windows knows only some letters; the others become question marks.
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None and stream.errors == "strict":
            reconfigure(errors="replace")
    try:
        from ordlink.cli._app import app, run_command

        return run_command(app, "ordlink", arguments)
    except KeyboardInterrupt:
        print("interrupted; no half-written file was left", file=sys.stderr)
        return 130
