"""What the studies on planted data share: a command that runs all parts of a study, or some."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ordlink.errors import OrdlinkError
from studies.running._command import say_what_ran
from studies.running._experiment import Experiment
from studies.running._runner import run_cells

Experiments = Mapping[str, Experiment]


def run_parts(
    program: str,
    description: str,
    make: Callable[..., Experiments],
    arguments: Sequence[str] | None,
    *,
    finish: Callable[[Experiments, Path], None] | None = None,
) -> int:
    """Run the missing cells of the parts that the arguments name, and return the exit code.

    Parameters
    ----------
    program, description : str
        For the help.
    make : callable
        Returns the experiment of each part; takes `quick`.
    arguments : sequence of str or None
        Those of the command line by default.
    finish : callable, optional
        Called at the end with the experiments and the folder.

    Returns
    -------
    int
        1 if a cell failed, 2 for a folder that cannot be used, else 0.
    """
    parts = tuple(make(quick=True))
    parser = argparse.ArgumentParser(prog=program, description=description)
    parser.add_argument("--out", required=True, help="folder for the results")
    parser.add_argument("--processes", type=int, default=None, help="default: all cores")
    parser.add_argument("--quick", action="store_true", help="a few cells, which decide nothing")
    parser.add_argument("--parts", nargs="+", choices=parts, default=parts, help="what to run now")
    given = parser.parse_args(arguments)
    if given.processes is not None and given.processes < 1:
        parser.error(f"--processes {given.processes}: expected at least 1")
    experiments = make(quick=given.quick)
    failed = False
    try:
        for part in given.parts:
            done = run_cells(experiments[part], given.out, n_processes=given.processes)
            failed = bool(say_what_ran(experiments[part].name, done)) or failed
        if finish is not None:
            finish(experiments, Path(given.out))
    except OrdlinkError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return int(failed)
