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

from ordlink._parallel import check_n_jobs, map_tasks, run_tasks
from ordlink._threads import n_threads
from ordlink.errors import InputError, InputKindError, WorkerError
from tests.waiting import wait_until

SCRIPT = """
import os, time
from ordlink._parallel import run_tasks

def work(shared, task):
    os.write(1, f"{os.getpid()}\\n".encode())
    time.sleep(300)

try:
    run_tasks(work, [(0,), (1,)], n_jobs=2)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def about(shared: list[int], task: int) -> tuple[int, int, int, int]:
    return shared[task], task, n_threads(), os.getpid()


def fail(shared: Path, task: int) -> None:
    if task:
        time.sleep(300)
        shared.touch()
    raise ValueError("the first task fails")


def whose(item: int) -> tuple[int, int]:
    return 2 * item, os.getpid()


def die_once(shared: Path, task: int) -> int:
    """Kill the own process in task 3, the first time."""
    flag = shared / "died"
    if task == 3 and not flag.exists():
        flag.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return task * task


def die_always(shared: None, task: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


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
    assert {threads for _, _, threads, _ in found} == {1}
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


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_worker_that_dies_is_replaced_and_no_result_counts_twice(tmp_path: Path) -> None:
    steps: list[int] = []

    found = run_tasks(
        die_once,
        [(task,) for task in range(8)],
        n_jobs=2,
        shared=tmp_path,
        progress=lambda done, _total: steps.append(done),
    )

    assert found == [task * task for task in range(8)]
    assert steps == list(range(9))
    assert (tmp_path / "died").exists()


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_workers_that_die_again_and_again_are_an_error() -> None:
    with pytest.raises(WorkerError, match="worker processes died 3 times"):
        run_tasks(die_always, [(0,), (1,)], n_jobs=2)


def test_map_tasks_uses_processes_if_joblib_is_so_configured() -> None:
    steps: list[tuple[int, int]] = []

    here = map_tasks(whose, [1, 2, 3])
    with joblib.parallel_config(n_jobs=2):
        elsewhere = map_tasks(whose, [1, 2, 3], lambda done, total: steps.append((done, total)))

    assert [one[0] for one in here] == [one[0] for one in elsewhere] == [2, 4, 6]
    assert {one[1] for one in here} == {os.getpid()}
    assert os.getpid() not in {one[1] for one in elsewhere}
    assert steps == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.skipif(os.name != "posix", reason="signals and process groups")
@pytest.mark.parametrize("name", ["SIGINT", "SIGKILL"])
def test_workers_end_with_whoever_started_them(name: str, tmp_path: Path) -> None:
    """Ctrl-C reaches all processes of a terminal, and no worker prints a traceback.

    The script has no main guard: workers do not import it.
    """
    sent = getattr(signal, name)
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
