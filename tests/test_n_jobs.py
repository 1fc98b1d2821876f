"""A number of processes reaches the work, from every function and command that takes one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest

import ordlink as ol
from ordlink import _parallel
from ordlink.cli import _options, run

CALLS: dict[str, Callable[..., Any]] = {
    "branch_support": lambda answers, **how: ol.validation.branch_support(
        answers, "AddS-AL", n_bootstrap=3, **how
    ),
    "cross_validate": lambda answers, **how: ol.validation.cross_validate(
        answers, "AddS-AL", **how
    ),
    "compare_methods": lambda answers, **how: ol.validation.compare_methods(
        answers, ["AddS-AL", "4-AL"], n_folds=2, **how
    ),
    "hierarchy_test": lambda answers, **how: ol.validation.hierarchy_test(
        answers, "AddS-AL", n_relabellings=19, **how
    ),
    "learning_curve": lambda answers, **how: ol.validation.learning_curve(
        answers, "AddS-AL", n_repetitions=1, **how
    ),
    "auto": lambda answers, **how: ol.cluster(answers, "auto", **how),
    "plan_answers": lambda _, **how: ol.planning.plan_answers(
        8, difficulty="easy", method="AddS-AL", n_runs=24, max_answers=100, **how
    ),
}
COMMANDS = {
    "cluster": ["cluster", "a.csv", "--method", "AddS-AL", "--support", "3"],
    "compare": ["compare", "a.csv", "--methods", "AddS-AL,4-AL"],
    "plan": ["plan", "--objects", "8", "--difficulty", "easy", "--method", "AddS-AL"],
    "report": ["report", "a.csv", "--method", "spectral", "--out", "report.html"],
}


@pytest.fixture
def answers() -> ol.ListedComparisons:
    planted = ol.datasets.planted_hierarchy(depth=2, leaf_size=2, gap=1.0, seed=0)
    rows = ol.datasets.simulate_answers(planted.similarities, 120, seed=0)
    return ol.Comparisons.from_triplets(rows, n_objects=8)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Numbers of processes that work was sent to; it is done in this one."""
    found: list[int] = []

    def start(calls: list[tuple[Any, ...]], _: object, n_jobs: int | None) -> Iterator[Any]:
        found.append(joblib.effective_n_jobs(n_jobs))
        with joblib.parallel_config("sequential", n_jobs=1):
            results = [_parallel._run(*call) for call in calls]
        return iter(results)

    monkeypatch.setattr(_parallel, "_start", start)
    return found


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CALLS)
def test_functions_pass_it_on(name: str, answers: ol.ListedComparisons, asked: list[int]) -> None:
    CALLS[name](answers, n_jobs=3)

    assert set(asked) == {3}


@pytest.mark.filterwarnings("ignore")
def test_two_processes_build_the_tree_of_auto_and_score_the_same_folds(
    answers: ol.ListedComparisons,
) -> None:
    trees = [CALLS["auto"](answers, n_jobs=n_jobs) for n_jobs in (1, 2)]
    scores = [CALLS["cross_validate"](answers, n_jobs=n_jobs) for n_jobs in (1, 2)]

    assert trees[0].to_json() == trees[1].to_json()
    np.testing.assert_array_equal(scores[0].accuracies, scores[1].accuracies)


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_pass_it_on(
    name: str,
    answers: ol.ListedComparisons,
    asked: list[int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    schedulers: list[str | None] = []

    @contextmanager
    def use(address: str | None) -> Iterator[None]:
        schedulers.append(address)
        yield

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(_options, "use_scheduler", use)
    ol.write_comparisons(answers, "a.csv")

    assert run([*COMMANDS[name], "--n-jobs", "3", "--scheduler", "tcp://host:8786"]) == 0
    assert set(asked) == {3}
    assert schedulers == ["tcp://host:8786"]
