"""What Windows lacks is taken away here: modules and functions of POSIX, pipes in UTF-8."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from soak.servers import free_port
from tests.waiting import wait_until

pytestmark = pytest.mark.skipif(os.name == "nt", reason="nothing to take away")

WITHOUT_POSIX = """
import asyncio, concurrent.futures.process, multiprocessing.popen_spawn_posix  # need fcntl here
import multiprocessing.resource_tracker, pathlib, shutil, tempfile
import fcntl, os, signal, sys, types, warnings

def locking(descriptor, mode, n_bytes):
    fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, n_bytes, os.lseek(descriptor, 0, 1))

import ordlink._atomic, ordlink._locks
for module in (ordlink._atomic, ordlink._locks):
    module.sys = types.SimpleNamespace(platform="win32")
sys.modules["msvcrt"] = types.SimpleNamespace(locking=locking, LK_NBLCK=2)
sys.modules.update(dict.fromkeys(("fcntl", "grp", "pty", "pwd", "resource", "termios", "tty")))
for owner, names in {
    os: "fork forkpty geteuid getloadavg getpgid getuid killpg mkfifo nice register_at_fork "
        "sched_getaffinity sched_setscheduler setsid sysconf",
    signal: "SIGALRM SIGCONT SIGHUP SIGKILL SIGQUIT SIGSTOP SIGUSR1 SIGUSR2 alarm",
}.items():
    for name in names.split():
        if hasattr(owner, name):
            delattr(owner, name)
warnings.filterwarnings("error", category=EncodingWarning, module="ordlink")
"""
"""What runs first in another process; text files without an encoding are errors there."""
COMMANDS = """
from ordlink.cli import run
words = ["cluster", "a.csv", "--method", "AddS-AL", "--support", "2", "--out", "out", "--seed", "1"]
assert run(words) == 0
assert run(["plot", "out/tree.json", "--out", "figure.pdf"]) == 0
assert run(["convert", "a.csv", "b.csv"]) == 0
assert run(["describe", "b.csv"]) == 0
import ordlink as ol
oracle = ol.oracles.FunctionOracle(lambda i, j, k, l: i + j < k + l, n_objects=4)
recorded = ol.oracles.RecordedOracle(oracle, "record.jsonl")
recorded.compare([[0, 1, 2, 3], [0, 2, 1, 3], [0, 3, 1, 2]])
assert recorded.comparisons().n_rows == 3
"""


def start(program: str, folder: Path, before: str = "") -> subprocess.Popen[bytes]:
    """Run a program without what Windows lacks, its output in the letters of one region."""
    return subprocess.Popen(
        [sys.executable, "-X", "warn_default_encoding", "-c", before + WITHOUT_POSIX + program],
        cwd=folder,
        env=os.environ | {"PYTHONIOENCODING": "cp1252"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


def test_commands_and_records_need_nothing_of_posix(tmp_path: Path) -> None:
    rows = [
        "lion,tiger,żubr",
        "tiger,lion,Möwe",
        "Möwe,hawk,lion",
        "hawk,Möwe,żubr",
        "żubr,hawk,lion",
    ]
    text = "anchor,closer,farther\n" + "\n".join(rows) + "\n"
    (tmp_path / "a.csv").write_text(text, encoding="utf-8")

    process = start(COMMANDS, tmp_path)
    said = process.communicate()[0].decode("cp1252")

    assert process.returncode == 0, said
    assert "Möwe" in said and "?" in said
    assert "żubr" in (tmp_path / "out" / "tree.nwk").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_survey_needs_nothing_of_posix(tmp_path: Path) -> None:
    (tmp_path / "words.csv").write_text("name\nlion\ntiger\nMöwe\nhawk\n", encoding="utf-8")
    words = ["collect", "words.csv", "--port", str(free_port())]
    program = f"from ordlink.cli import main; main({words})"
    said = bytearray()

    process = start(program, tmp_path)
    try:
        wait_until(lambda: said.extend(process.stdout.read1()) or b"dashboard" in said)
        address = re.search(r"for participants\s+(\S+)", said.decode("cp1252"))
        with urllib.request.urlopen(address[1]) as reply:
            assert reply.status == 200
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


@pytest.mark.slow
def test_all_tests_can_be_collected_without_posix() -> None:
    words = ["--collect-only", "-q", "-n0", "-p", "no:cacheprovider", str(Path(__file__).parent)]
    others = "import distributed, platformdirs.unix, playwright.sync_api, psycopg, uvicorn\n"
    program = f"import pytest\nsys.exit(pytest.main({words}))"

    process = start(program, Path(__file__).parents[1], before=others)  # which need POSIX here
    said = process.communicate()[0].decode("cp1252")

    assert process.returncode == 0, said[-3000:]
