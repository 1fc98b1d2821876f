"""The package as a whole: examples in docstrings, light imports, versions."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import subprocess
import sys
from importlib.metadata import version

import pytest

import ordlink

MODULES = [
    module.name
    for module in pkgutil.walk_packages(ordlink.__path__, "ordlink.")
    if not module.name.endswith("__main__")
]


@pytest.mark.parametrize("name", MODULES)
@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
def test_examples_in_docstrings_run(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


@pytest.mark.parametrize("statement", ["import ordlink", "import ordlink.cli"])
def test_importing_loads_nothing_heavy(statement: str) -> None:
    heavy = ["numba", "scipy", "sklearn", "matplotlib", "pyarrow", "networkx", "pandas", "tqdm"]
    program = f"{statement}\nimport sys\nprint([m for m in {heavy} if m in sys.modules])"

    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == "[]"


def test_every_public_name_is_there() -> None:
    for name in ordlink.__all__:
        assert getattr(ordlink, name) is not None


def test_the_version_is_that_of_the_distribution() -> None:
    assert ordlink.__version__ == version("ordlink")
