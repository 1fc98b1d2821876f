"""Starting and killing servers, and a PostgreSQL of one's own."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path


def free_port() -> int:
    """Return a port of loopback that nobody uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Fork:
    """`ordlink` in a fork of a process that has imported everything: most of a start is imports.

    It leads a process group, and is killed with its workers, which may still be importing.
    """

    def __init__(self, words: list[str]) -> None:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["soak.runs", "ordlink.collect.server"])
        self._process = context.Process(target=_run_quietly, args=(words,))
        self._process.start()
        self.pid = self._process.pid or 0

    @property
    def returncode(self) -> int | None:
        """How it ended; None as long as it runs."""
        return self._process.exitcode

    def poll(self) -> int | None:
        """Return how it ended; None as long as it runs."""
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal to the process alone."""
        os.kill(self.pid, number)

    def kill(self) -> None:
        """End it and its workers as kill -9 does."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)

    def wait(self, timeout: float | None = None) -> int | None:
        """Wait until it has ended."""
        self._process.join(timeout)
        if self.returncode is None:
            raise subprocess.TimeoutExpired("ordlink", timeout or 0)
        return self.returncode


def _run_quietly(words: list[str]) -> None:
    from ordlink.cli import main

    os.setsid()
    with (
        Path(os.devnull).open("w", encoding="utf-8") as nowhere,
        contextlib.redirect_stdout(nowhere),
    ):
        main(words)


class Server:
    """`ordlink collect` as a process of its own; with `fork` it starts ten times sooner."""

    def __init__(self, study: Path, port: int, *options: str, fork: bool = False) -> None:
        self.port = port
        self._words = ["collect", str(study), "--port", str(port), *options]
        self._fork = fork
        self.process: subprocess.Popen[bytes] | Fork | None = None

    def start(self, *, seconds: float = 60) -> float:
        """Start it and return after how many seconds it answers."""
        begun = time.perf_counter()
        if self._fork:
            self.process = Fork(self._words)
        else:
            words = [sys.executable, "-m", "ordlink", *self._words]
            self.process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
        while time.perf_counter() - begun < seconds:
            if self.process.poll() is not None:
                raise RuntimeError(f"the server ended with code {self.process.returncode}")
            with contextlib.suppress(OSError):
                address = f"http://127.0.0.1:{self.port}/join"
                with urllib.request.urlopen(address, timeout=5):
                    return time.perf_counter() - begun
            time.sleep(0.02)
        self.kill()
        raise RuntimeError(f"the server did not answer within {seconds} s")

    def kill(self) -> None:
        """End it as kill -9 does."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def stop(self) -> None:
        """Ctrl-C."""
        if self.process is not None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()
            self.process = None


def write_study(folder: Path, n_objects: int = 60, **settings: object) -> Path:
    """Write a study file about things that are called thing 0, thing 1, ..."""
    lines = [f"{key}: {value}" for key, value in settings.items()]
    lines += ["stimuli:", *(f"  - thing {number}" for number in range(n_objects))]
    path = folder / "study.yaml"
    path.write_text("\n".join(lines) + "\n")
    return path


def missing_postgres() -> str:
    """Return why PostgreSQL cannot be started here; nothing if it can."""
    if _postgres_folder() is None:
        return "PostgreSQL is not installed (Debian: apt install postgresql)"
    try:
        import psycopg  # noqa: F401
    except ImportError:
        return "the package psycopg is not installed"
    if is_root() and not _has_user("postgres"):
        return "PostgreSQL refuses to run as root, and there is no user postgres"
    return ""


@contextlib.contextmanager
def postgres() -> Iterator[str]:
    """Run a PostgreSQL on loopback in a temporary folder; give its address."""
    programs = _postgres_folder()
    assert programs is not None
    folder = Path(tempfile.mkdtemp(prefix="ordlink-pg-"))
    as_user: list[str] = []
    if is_root():  # it refuses to run as root
        shutil.chown(folder, "postgres")
        as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
    port = free_port()
    data = folder / "data"
    try:
        subprocess.run(
            [*as_user, programs / "initdb", "-D", data, "-A", "trust", "-U", "ordlink"],
            check=True, stdout=subprocess.DEVNULL, cwd=folder,
        )  # fmt: skip
        options = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1"
        control = [*as_user, programs / "pg_ctl", "-D", data, "-w"]
        subprocess.run(
            [*control, "-o", options, "-l", folder / "log", "start"],
            check=True, stdout=subprocess.DEVNULL, cwd=folder,
        )  # fmt: skip
        try:
            yield f"postgresql://ordlink@127.0.0.1:{port}/postgres"
        finally:
            subprocess.run(
                [*control, "-m", "immediate", "stop"],
                check=False, stdout=subprocess.DEVNULL, cwd=folder,
            )  # fmt: skip
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _postgres_folder() -> Path | None:
    """Return where initdb and pg_ctl are: Debian does not put them on the path."""
    found = shutil.which("initdb")
    if found:
        return Path(found).resolve().parent
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return versions[-1].parent if versions else None


def is_root() -> bool:
    """Return whether this process may do anything, which Windows does not say."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


def _has_user(name: str) -> bool:
    import pwd  # not on Windows

    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return shutil.which("setpriv") is not None
