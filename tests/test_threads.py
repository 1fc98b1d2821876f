"""Threads: how many there are, and that forked processes have their own."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
import scipy.linalg  # noqa: F401 - its BLAS is there from the start
from threadpoolctl import threadpool_info

from ordlink._threads import n_threads, one_blas_thread
from ordlink.errors import InputError


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked on this system")
def test_a_forked_child_computes_after_its_parent_did() -> None:
    """Enough comparisons for every step to use two threads, in the parent and in its child."""
    program = (
        "import multiprocessing, warnings, numpy as np, ordlink as ol\n"
        "warnings.simplefilter('ignore')\n"
        "u = np.triu(np.random.default_rng(1).normal(size=(100, 100)), 1)\n"
        "def trees(seed):\n"
        "    c = ol.Comparisons.from_similarities(u + u.T, 0.1, seed=seed)\n"
        "    return [ol.cluster(c, method).merges.tolist() for method in ('4-AL', '4K-AL')]\n"
        "here = trees(0)\n"
        "with multiprocessing.get_context('fork').Pool(1) as pool:\n"
        "    assert pool.apply_async(trees, [0]).get(timeout=60) == here\n"
        "assert trees(0) == here\n"
    )

    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "ORDLINK_THREADS": "2"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )

    assert done.returncode == 0, done.stderr


def test_the_number_of_threads_can_be_set(monkeypatch) -> None:
    monkeypatch.setenv("ORDLINK_THREADS", "3")
    assert n_threads() == 3

    for unset in (lambda: monkeypatch.setenv("ORDLINK_THREADS", ""), monkeypatch.undo):
        unset()
        assert n_threads() >= 1


@pytest.mark.parametrize("given", ["0", "-1", "abc", "²", "1.5", " "])
def test_a_number_of_threads_that_is_none_is_refused(monkeypatch, given: str) -> None:
    monkeypatch.setenv("ORDLINK_THREADS", given)

    with pytest.raises(InputError, match="ORDLINK_THREADS: expected a whole number of at least 1"):
        n_threads()


def _n_blas_threads() -> list[int]:
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


def test_blas_has_one_thread_until_the_last_one_leaves() -> None:
    before = _n_blas_threads()
    first, second = one_blas_thread(), one_blas_thread()

    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)  # out of turn, as threads do
    inside = _n_blas_threads()
    second.__exit__(None, None, None)

    assert set(inside) == {1}
    assert _n_blas_threads() == before


def test_blas_gets_its_threads_back_after_an_error() -> None:
    before = _n_blas_threads()

    with pytest.raises(KeyError), one_blas_thread():
        raise KeyError

    assert _n_blas_threads() == before


def test_libraries_that_are_loaded_within_a_limit_are_limited_too() -> None:
    program = (
        "from threadpoolctl import threadpool_info\n"
        "from ordlink._threads import one_blas_thread\n"
        "with one_blas_thread():\n"
        "    import scipy.linalg\n"
        "    pools = [one for one in threadpool_info() if one['user_api'] == 'blas']\n"
        "    print({one['num_threads'] for one in pools})\n"
    )

    command = [sys.executable, "-c", program]
    run = subprocess.run(command, capture_output=True, text=True, check=True)

    assert run.stdout.strip() == "{1}"
