"""Whether the planner keeps its word: its number reaches the target, and is not too large.

Run it with ``python -m studies.planning_check --out FOLDER``; it resumes where an
interrupted run ended.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from ordlink.planning import Plan, Scenario, plan_answers
from ordlink.planning._scenario import simulate_quality
from ordlink.planning._search import n_reached
from studies.running._experiment import Experiment, Parameters, Record, seed_of
from studies.running._runner import run_cells
from studies.running._store import load_results

N_FRESH = 100
"""Fresh runs at the number of the planner, and at each smaller one."""
FRACTIONS = (1.0, 0.8, 0.63, 0.5, 0.4, 0.32, 0.25)
"""Of the planner's number: where the smallest sufficient number is looked for."""
TOO_FEW_IN_A_ROW = 2
"""The search ends after so many numbers that are not sufficient."""

GRID: tuple[dict[str, Any], ...] = (
    # objects, clusters, difficulty, errors, question, target
    {"n_objects": 20, "n_clusters": 4, "difficulty": 2.0, "error_rate": 0.1, "target": 0.9},
    {"n_objects": 20, "n_clusters": 2, "difficulty": 0.7, "error_rate": 0.0, "target": 0.8},
    {"n_objects": 24, "n_clusters": 3, "difficulty": 3.0, "error_rate": 0.2, "target": 0.95},
    {"n_objects": 30, "n_clusters": 4, "difficulty": 1.5, "error_rate": 0.05, "target": 0.8},
    {"n_objects": 40, "n_clusters": 8, "difficulty": 3.0, "error_rate": 0.2, "target": 0.8},
    {"n_objects": 45, "n_clusters": 5, "difficulty": 1.0, "error_rate": 0.0, "target": 0.8},
    {"n_objects": 60, "n_clusters": 8, "difficulty": 2.0, "error_rate": 0.1, "target": 0.9},
    {"n_objects": 60, "n_clusters": 4, "difficulty": 0.5, "error_rate": 0.1, "target": 0.8},
    {"n_objects": 80, "n_clusters": 8, "difficulty": 1.5, "error_rate": 0.15, "target": 0.9},
    {"n_objects": 90, "n_clusters": 16, "difficulty": 2.5, "error_rate": 0.0, "target": 0.95},
    {"n_objects": 120, "n_clusters": 8, "difficulty": 1.0, "error_rate": 0.1, "target": 0.9},
    {"n_objects": 120, "n_clusters": 4, "difficulty": 0.5, "error_rate": 0.2, "target": 0.8},
)
"""Settings that the planner was not tuned on."""
QUESTIONS = ("triplet", "quadruplet", "most-central", "odd-one-out")


def settings(method: str) -> tuple[Parameters, ...]:
    """Return the settings, the questions in turn."""
    return tuple(
        {**row, "question": QUESTIONS[i % 4], "method": method, "measure": "aari"}
        for i, row in enumerate(GRID)
    )


def check_cell(*, n_fresh: int = N_FRESH, **parameters: Any) -> list[Record]:
    """Return the planner's number, its share of successes, and the smallest sufficient number."""
    plan = plan_answers(**parameters, seed=seed_of("plan", **parameters) % 2**32)
    record: Record = {
        "n_answers": plan.n_answers,
        "low": plan.interval[0],
        "high": plan.interval[1],
        "ceiling": plan.ceiling,
        "hopeless": plan.out_of_reach,
        "n_runs": plan.n_runs,
        "reached": None,
        "smallest": None,
        "ratio": None,
    }
    if plan.n_answers is not None:
        rates = fresh_rates(plan, n_fresh, seed_of("fresh runs", **parameters) % 2**32)
        smallest = smallest_sufficient(rates, plan.confidence)
        record["reached"] = next(iter(rates.values()))
        record["smallest"] = smallest
        record["ratio"] = None if smallest is None else plan.n_answers / smallest
    return [record]


def fresh_rates(plan: Plan, n_fresh: int, seed: int) -> dict[int, float]:
    """Return the share of fresh runs that reach the target, from the planner's number down."""
    assert plan.n_answers is not None
    rates: dict[int, float] = {}
    too_few = 0
    for fraction in FRACTIONS:
        n_answers = max(1, round(fraction * plan.n_answers))
        rates[n_answers] = _share_reached(plan.scenario, n_answers, n_fresh, seed)
        too_few = 0 if rates[n_answers] >= plan.confidence else too_few + 1
        if too_few == TOO_FEW_IN_A_ROW:
            break
    return rates


def _share_reached(scenario: Scenario, n_answers: int, n_fresh: int, seed: int) -> float:
    # The same runs for every number: differences between numbers are then less noisy.
    found = [simulate_quality(scenario, n_answers, seed, run) for run in range(n_fresh)]
    return n_reached(scenario, found) / n_fresh


def smallest_sufficient(rates: dict[int, float], confidence: float) -> int | None:
    """Return the smallest number from which on, upwards, the monotone rates are sufficient.

    Examples
    --------
    >>> smallest_sufficient({100: 0.9, 80: 0.78, 63: 0.84, 50: 0.6, 40: 0.5}, 0.8)
    63
    >>> smallest_sufficient({100: 0.7, 80: 0.6}, 0.8) is None
    True
    """
    from sklearn.isotonic import isotonic_regression

    numbers = sorted(rates)
    rising = isotonic_regression([rates[n] for n in numbers])
    enough = np.flatnonzero(rising >= confidence - 1e-9)
    return numbers[enough[0]] if enough.size else None


def planning_check(method: str = "spectral", n_fresh: int = N_FRESH) -> Experiment:
    """Return the experiment."""
    cells = tuple({**setting, "n_fresh": n_fresh} for setting in settings(method))
    return Experiment("planning-check", 1, check_cell, cells, _cost)


def _cost(parameters: Parameters) -> float:
    return float(parameters["n_objects"])


def summary(rows: Sequence[Record]) -> str:
    """Return a table of the cells and the two figures that count."""
    lines = [
        "objects clusters delta/sigma errors question     target  answers  reached  smallest  ratio"
    ]
    for row in rows:
        shown = [row[name] for name in ("n_answers", "reached", "smallest", "ratio")]
        texts = ["-" if value is None else f"{value:,.6g}" for value in shown]
        lines.append(
            f"{row['n_objects']:7} {row['n_clusters']:8} {row['difficulty']:11g} "
            f"{row['error_rate']:6g} {row['question']:12} {row['target']:6g} "
            f"{texts[0]:>8} {texts[1]:>8} {texts[2]:>9} {texts[3][:5]:>6}"
        )
    planned = [row for row in rows if row["n_answers"] is not None]
    ratios = [row["ratio"] for row in planned if row["ratio"] is not None]
    if planned:
        mean = float(np.mean([row["reached"] for row in planned]))
        largest = f"{max(ratios):.2f}" if ratios else "-"
        lines.append(
            f"{len(planned)} of {len(rows)} settings have a number; reached in {mean:.1%} of "
            f"fresh runs; at most {largest} times the smallest sufficient number"
        )
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the check and print its table."""
    parser = argparse.ArgumentParser(
        prog="python -m studies.planning_check",
        description="Check the planner on settings of its own.",
    )
    parser.add_argument("--out", required=True, help="folder for results")
    parser.add_argument("--method", default="spectral")
    parser.add_argument("--fresh", type=int, default=N_FRESH, help="fresh runs per number")
    parser.add_argument("--processes", type=int, default=None)
    given = parser.parse_args(arguments)
    experiment = planning_check(given.method, given.fresh)
    done = run_cells(experiment, given.out, n_processes=given.processes)
    for failure in done.failures:
        print(failure, file=sys.stderr)
    print(summary(load_results(experiment, given.out)))


if __name__ == "__main__":
    main()
