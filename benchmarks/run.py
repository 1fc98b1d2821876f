"""How rows are measured: each in a process of its own, so that its peak memory is its own."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.rows import Row

ROOT = Path(__file__).parents[1]
Measured = dict[str, Any]
"""What a measurement returns: figures that JSON can hold."""
PROGRESS = "... "
"""Lines on standard error that start so are shown while a process measures."""


class MeasurementFailedError(RuntimeError):
    """A process that measures ended with an error."""


@dataclass
class Run:
    """How the rows of this run are measured.

    Attributes
    ----------
    quick : bool
        Tiny sizes, to see that everything works; the figures mean nothing.
    slow : bool
        Also what takes minutes.
    peer_python : Path
        The Python in whose environment cblearn is installed.
    here : bool
        Measure in this process: faster, but the peak memory is not the row's own.
    """

    quick: bool = False
    slow: bool = False
    peer_python: Path = ROOT / ".venv-peer/bin/python"
    here: bool = False
    _measured: dict[str, Measured] = field(default_factory=dict)

    def size(self, full: Any, quick: Any) -> Any:
        """Return the first, or in a quick run the second."""
        return quick if self.quick else full

    def measure(
        self,
        work: Callable[..., Measured],
        *,
        environment: dict[str, str] | None = None,
        **arguments: Any,
    ) -> Measured:
        """Return work(**arguments), done in a process of its own, or earlier in this run.

        `work` is a function of a module of this package; the arguments are what JSON can hold.
        """
        key = json.dumps([work.__module__, work.__name__, environment, arguments])
        if key not in self._measured:
            if self.here:
                self._measured[key] = work(**arguments)
            else:
                self._measured[key] = _in_child(work, environment or {}, arguments)
        return self._measured[key]


@dataclass(frozen=True)
class Benchmark:
    """A row, or some that belong together: its name, and how to come by it."""

    name: str
    rows: Callable[[Run], list[Row]]


def _in_child(
    work: Callable[..., Measured], environment: dict[str, str], arguments: dict[str, Any]
) -> Measured:
    command = [sys.executable, "-m", "benchmarks.run", work.__module__, work.__name__]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    environment = {**os.environ, **environment}
    lines: list[str] = []
    with subprocess.Popen(
        [*command, json.dumps(arguments)], cwd=ROOT, env=environment, **pipes
    ) as child:
        for line in child.stderr or ():
            if line.startswith(PROGRESS):
                print(line.rstrip(), file=sys.stderr, flush=True)
            elif line.strip():
                lines.append(line.strip())
        output = child.stdout.read() if child.stdout else ""
    if child.returncode:
        raise MeasurementFailedError(lines[-1] if lines else f"exit code {child.returncode}")
    measured: Measured = json.loads(output.splitlines()[-1])
    return measured


def _main(module: str, name: str, arguments: str) -> None:
    work = getattr(importlib.import_module(module), name)
    print(json.dumps(work(**json.loads(arguments))))


if __name__ == "__main__":
    _main(*sys.argv[1:])
