"""A local cluster of Ray, through its backend for joblib: the same results, also after a death."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import joblib
import numpy as np
import pytest

import ordlink as ol
from ordlink._parallel import run_tasks
from tests.cluster_tasks import die_once, fail

ray = pytest.importorskip("ray", reason="ray is not installed: it is in the extra test")


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    from ray.util.joblib import register_ray

    # Ray's sockets need a short path
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory(prefix="ray") as folder:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")  # it would send them
        patch.setenv("RAY_AUTH_MODE", "disabled")  # or it writes a token to the home folder
        ray.init(
            num_cpus=2,
            include_dashboard=False,
            log_to_driver=False,
            object_store_memory=100_000_000,
            _node_ip_address="127.0.0.2",  # Ray replaces 127.0.0.1 by an address of the network
            _temp_dir=folder,
        )
        register_ray()
        yield
        ray.shutdown()


def test_results_on_ray_are_those_of_one_process() -> None:
    planted = ol.datasets.planted_hierarchy(depth=2, leaf_size=4, gap=1.0, seed=0)
    rows = ol.datasets.simulate_answers(planted.similarities, 600, seed=0)
    answers = ol.Comparisons.from_triplets(rows, n_objects=16)
    alone = ol.validation.branch_support(answers, "AddS-AL", n_bootstrap=6, n_jobs=1)

    with joblib.parallel_config(backend="ray", n_jobs=2):
        found = ol.validation.branch_support(answers, "AddS-AL", n_bootstrap=6)

    np.testing.assert_array_equal(found.support, alone.support)


def test_a_killed_worker_changes_nothing(tmp_path: Path) -> None:
    with joblib.parallel_config(backend="ray", n_jobs=2):
        found = run_tasks(
            die_once, [(task,) for task in range(8)], n_jobs=None, shared=(tmp_path, bytes(100_000))
        )

    assert found == [100_000 * task for task in range(8)]
    assert (tmp_path / "died").exists()


def test_an_error_of_a_task_is_raised() -> None:
    with (
        joblib.parallel_config(backend="ray", n_jobs=2),
        pytest.raises(ValueError, match=r"task [01] fails") as raised,
    ):
        run_tasks(fail, [(0,), (1,)], n_jobs=None)

    assert type(raised.value) is ValueError
