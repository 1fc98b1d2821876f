"""A cluster of Dask: the same results as in this process, also if a worker is killed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest

import ordlink as ol
from ordlink._parallel import run_tasks, use_scheduler
from ordlink.cli import run
from ordlink.errors import InputError
from tests.cluster_tasks import die_once, fail

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    how = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with distributed.LocalCluster(**how) as started:
        yield started


@pytest.fixture(scope="module")
def answers() -> ol.ListedComparisons:
    planted = ol.datasets.planted_hierarchy(depth=2, leaf_size=4, gap=1.0, seed=0)
    rows = ol.datasets.simulate_answers(planted.similarities, 600, seed=0)
    return ol.Comparisons.from_triplets(rows, n_objects=16)


def test_results_of_a_cluster_are_those_of_one_process(
    cluster: Any, answers: ol.ListedComparisons
) -> None:
    alone = ol.validation.branch_support(answers, "AddS-AL", n_bootstrap=6, n_jobs=1)
    steps = []

    with use_scheduler(cluster.scheduler_address):
        found = ol.validation.branch_support(
            answers, "AddS-AL", n_bootstrap=6, progress=lambda done, total: steps.append(done)
        )

        scores = ol.validation.cross_validate(answers, "AddS-AL")

    alone_scores = ol.validation.cross_validate(answers, "AddS-AL")
    np.testing.assert_array_equal(scores.accuracies, alone_scores.accuracies)
    np.testing.assert_array_equal(found.support, alone.support)
    assert [tree.merges.tolist() for tree in found.bootstrap_trees] == [
        tree.merges.tolist() for tree in alone.bootstrap_trees
    ]
    assert steps == list(range(7))


def test_a_killed_worker_changes_nothing(cluster: Any, tmp_path: Path) -> None:
    shared = tmp_path, bytes(100_000)

    with distributed.Client(cluster), joblib.parallel_config(backend="dask"):
        found = run_tasks(die_once, [(task,) for task in range(8)], n_jobs=None, shared=shared)

    assert found == [100_000 * task for task in range(8)]
    assert (tmp_path / "died").exists()


def test_an_error_of_a_task_is_raised(cluster: Any) -> None:
    with use_scheduler(cluster.scheduler_address), pytest.raises(ValueError, match="task 0 fails"):
        run_tasks(fail, [(0,), (1,)], n_jobs=None)


def test_a_scheduler_that_does_not_answer_is_an_error() -> None:
    message = "scheduler: no Dask scheduler answers at http:/nowhere; start one"
    with pytest.raises(InputError, match=message), use_scheduler("http:/nowhere"):
        pass


def test_the_command_line_names_its_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["plan", "--objects", "8", "--scheduler", "http:/nowhere"]) == 2
    assert "error: --scheduler: no Dask scheduler answers" in capsys.readouterr().err
