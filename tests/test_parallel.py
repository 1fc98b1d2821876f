"""Tasks on several processes: order, shared values, backends, and workers that end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import joblib
import pytest

from ordlink._parallel import check_n_jobs, run_tasks
from ordlink.errors import InputError, InputKindError
from tests.waiting import wait_until

SCRIPT = """
import os, time
from ordlink._parallel import run_tasks

def work(shared, task):
    os.write(1, f"{os.getpid()}\\n".encode())
    time.sleep(300)

if __name__ == "__main__":
    try:
        run_tasks(work, [(0,), (1,)], n_jobs=2)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
"""


def about(shared: list[int], task: int) -> tuple[int, int, str | None, int]:
    return shared[task], task, os.environ.get("ORDLINK_THREADS"), os.getpid()


def fail(shared: Path, task: int) -> None:
    if task:
        time.sleep(300)
        shared.touch()
    raise ValueError("the first task fails")


@pytest.mark.parametrize("n_jobs", [2, -1])
def test_results_come_in_the_order_of_tasks_from_single_threaded_workers(n_jobs: int) -> None:
    steps = []
    values = list(range(200_000))

    found = run_tasks(
        about,
        [(task,) for task in range(6)],
        n_jobs=n_jobs,
        shared=values,
        progress=lambda done, total: steps.append((done, total)),
    )

    assert [(value, task) for value, task, *_ in found] == [(k, k) for k in range(6)]
    assert {threads for _, _, threads, _ in found} == {"1"}
    assert os.getpid() not in {process for *_, process in found}
    assert steps == [(done, 6) for done in range(7)]


@pytest.mark.parametrize("n_jobs", [1, None])
def test_one_job_runs_in_this_process(n_jobs: int | None) -> None:
    found = run_tasks(about, [(0,), (1,)], n_jobs=n_jobs, shared=[5, 6])

    assert [one[0] for one in found] == [5, 6]
    assert {process for *_, process in found} == {os.getpid()}


@pytest.mark.parametrize(("backend", "is_here"), [("threading", True), ("multiprocessing", False)])
def test_the_backend_is_the_users_choice(backend: str, is_here: bool) -> None:
    with joblib.parallel_config(backend, n_jobs=2):
        found = run_tasks(about, [(0,), (1,), (2,)], n_jobs=None, shared=[5, 6, 7])

    assert [one[0] for one in found] == [5, 6, 7]
    assert all((process == os.getpid()) == is_here for *_, process in found)


def test_an_error_of_a_task_is_raised_and_ends_the_others(tmp_path: Path) -> None:
    finished = tmp_path / "finished"

    with pytest.raises(ValueError, match="the first task fails"):
        run_tasks(fail, [(0,), (1,), (2,)], n_jobs=2, shared=finished)

    assert not finished.exists()


@pytest.mark.skipif(os.name != "posix", reason="signals and process groups")
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL])
def test_workers_end_with_whoever_started_them(sent: signal.Signals, tmp_path: Path) -> None:
    """Ctrl-C reaches all processes of a terminal, and no worker prints a traceback."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    process = subprocess.Popen(
        [sys.executable, str(script)],
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # jobs in the background
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    workers = [int(process.stdout.readline()) for _ in range(2)]

    if sent == signal.SIGINT:
        os.killpg(process.pid, sent)
    else:
        process.send_signal(sent)

    assert process.stdout.read() == ("interrupted\n" if sent == signal.SIGINT else "")
    assert "Traceback" not in process.stderr.read()
    process.wait()
    wait_until(lambda: not any(is_running(worker) for worker in workers))


def is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{process}/stat")
    return not state.exists() or state.read_text().rsplit(")", 1)[1].split()[0] != "Z"


def test_no_jobs_are_refused() -> None:
    assert check_n_jobs(None) is None
    with pytest.raises(InputError, match="n_jobs: expected at least 1, or -1 for all cores, got 0"):
        check_n_jobs(0)
    with pytest.raises(InputKindError, match="n_jobs: expected a whole number"):
        check_n_jobs("two")
