"""Running the commands of studies in process."""

from __future__ import annotations

import importlib
from collections.abc import Callable

import pytest

from studies.running._command import run
from tests.cli.conftest import Result


@pytest.fixture
def study(capsys: pytest.CaptureFixture[str]) -> Callable[..., Result]:
    """Return a function that runs the command of a study with the given words."""

    def call(name: str, *words: object) -> Result:
        command = importlib.import_module(f"studies.{name}.__main__").command
        capsys.readouterr()
        code = run(command, f"python -m studies.{name}", [str(word) for word in words])
        captured = capsys.readouterr()
        return Result(code, captured.out, captured.err)

    return call
