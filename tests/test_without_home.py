"""A user without a home, such as nobody in a container, who cannot write to the package either."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import ordlink as ol

ROWS = ["lion,tiger,salmon", "tiger,lion,eagle", "eagle,hawk,lion", "hawk,eagle,salmon"]


@pytest.fixture(scope="module")
def bound() -> list[str]:
    """The beginning of a command that permissions hold for, also where the tests run as root."""
    if os.name != "posix":
        pytest.skip("permissions of folders")
    if os.geteuid():
        return []
    found = shutil.which("setpriv")
    if found is None:
        pytest.skip("root may write everywhere, and there is no setpriv to change it")
    return [found, "--bounding-set", "-dac_override", "--inh-caps", "-dac_override"]


@pytest.mark.parametrize("command", [["cluster", "a.csv", "--method", "AddS-AL"], ["demo"]])
def test_all_works_with_one_warning_about_folders(
    command: list[str], bound: list[str], tmp_path: Path
) -> None:
    package, here, out = tmp_path / "packages" / "ordlink", tmp_path / "here", tmp_path / "out"
    shutil.copytree(ol.__path__[0], package, ignore=shutil.ignore_patterns("__pycache__"))
    here.mkdir()
    (here / "a.csv").write_text("anchor,closer,farther\n" + "\n".join(ROWS) + "\n")
    for folder in (here, *(path for path in package.rglob("*") if path.is_dir()), package):
        folder.chmod(0o555)
    keep = {key: value for key, value in os.environ.items() if key in ("PATH", "SYSTEMROOT")}

    done = subprocess.run(
        [*bound, sys.executable, "-m", "ordlink", *command, "--out", str(out)],
        cwd=here,
        env=keep | {"PYTHONPATH": str(package.parent), "HOME": str(here / "nowhere")},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert (out / "tree.pdf").exists()
    assert done.stderr.count("NUMBA_CACHE_DIR") == 1
    lines = done.stderr.splitlines()
    assert [line for line in lines if str(here) in line or "atplotlib" in line] == []
    assert not list(package.rglob("*.nbi"))
