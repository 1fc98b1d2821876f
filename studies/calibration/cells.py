"""What is measured to calibrate trust: support, the choice of `auto`, the hierarchy test."""

from __future__ import annotations

import warnings
from typing import Any

from ordlink.comparisons import Comparisons, ListedComparisons
from ordlink.errors import OrdlinkWarning
from ordlink.hierarchy import Hierarchy
from ordlink.methods import cluster
from ordlink.metrics import aari
from ordlink.validation import CANDIDATES, branch_support, compare_methods, hierarchy_test
from studies.calibration.branches import kinds_of_branches
from studies.calibration.grid import (
    CHANCE_SIZES,
    N_BATCHES,
    N_RUNS,
    QUICK_SETTINGS,
    SETTINGS,
    Data,
    Setting,
    chance_cells,
    draw_data,
    draw_structureless,
    planted_cells,
    setting_of,
)
from studies.running._experiment import Experiment, Parameters, Record, seed_of

SUPPORTED = ("4-AL", "AddS-AL")
"""Methods whose branches are given support: the fast ones."""
N_REPLICATES = 100
AUTO = "auto"
"""The default method: its trees take a second, so its support gets a smaller check."""
SLOW_RUNS, SLOW_REPLICATES = 5, 40


def calibration_experiments(*, quick: bool = False) -> dict[str, Experiment]:
    """Return the parts of the experiment "trust"; each can be run again without the others.

    Planted data of the same setting and run are the same in "support", "default" and "auto".
    """
    settings, n_runs, n_replicates = SETTINGS, N_RUNS, N_REPLICATES
    chance = tuple(chance_cells(CHANCE_SIZES, N_BATCHES))
    if quick:
        settings, n_runs, n_replicates = QUICK_SETTINGS, 2, 20
        chance = tuple(chance_cells(CHANCE_SIZES[:1], 1))
    planted = tuple(planted_cells(settings, n_runs))
    support = tuple({**cell, "n_replicates": n_replicates} for cell in planted)
    slow = tuple(
        {**cell, "n_replicates": min(n_replicates, SLOW_REPLICATES)}
        for cell in planted_cells(settings, min(n_runs, SLOW_RUNS))
    )
    return {
        "support": Experiment("trust-support", 1, support_cell, support, _support_cost),
        "default": Experiment("trust-support-default", 1, default_cell, slow, _default_cost),
        "auto": Experiment("trust-auto", 1, auto_cell, planted, _auto_cost),
        "chance": Experiment("trust-chance", 1, chance_cell, chance, _chance_cost),
    }


def support_cell(*, run: int, n_replicates: int, **given: Any) -> list[Record]:
    """Return every branch with its support and kind, and the p-value of the hierarchy test.

    A branch's row has `method`, `size` and `kind`; its `value` is the support, beside it are the
    `share` of bootstrap samples that have it exactly and its `transfer` support.
    """
    data = draw_data(Setting(**given), run)
    rows: list[Record] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OrdlinkWarning)
        for method in SUPPORTED:
            seed = seed_of("replicates", method=method, run=run, **given)
            rows += _branches(data, method, n_replicates, seed)
        test = hierarchy_test(data.comparisons, "4-AL", seed=seed_of("test", run=run, **given))
    rows.append({"measure": "p_value", "method": "4-AL", "value": test.p_value})
    return rows


def default_cell(*, run: int, n_replicates: int, **given: Any) -> list[Record]:
    """Return every branch of the default method's tree, as `support_cell` does."""
    data = draw_data(Setting(**given), run)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OrdlinkWarning)
        seed = seed_of("replicates", method=AUTO, run=run, **given)
        return _branches(data, AUTO, n_replicates, seed)


def _branches(data: Data, method: str, n_replicates: int, seed: int) -> list[Record]:
    found = branch_support(data.comparisons, method, n_bootstrap=n_replicates, seed=seed)
    return [
        {
            "measure": "support",
            "method": method,
            "size": int(found.tree.sizes[found.tree.n_objects + t]),
            "kind": kind,
            "value": float(found.support[t]),
            "share": float(found.shares[t]),
            "transfer": float(found.transfers[t]),
        }
        for t, kind in enumerate(kinds_of_branches(found.tree, data.clusters))
    ]


def auto_cell(*, run: int, **given: Any) -> list[Record]:
    """Return the AARI of `auto`, with the method it has chosen, and of every other candidate."""
    data = draw_data(Setting(**given), run)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OrdlinkWarning)
        taken = cluster(data.comparisons, AUTO)
        trees, held_out = _candidates(data.comparisons)
    return [
        {
            "measure": "aari",
            "method": label,
            "value": aari(data.levels, tree),
            "held_out": held_out.get(label),
            "chosen": taken.parameters["chosen"]["method"] if label == AUTO else None,
        }
        for label, tree in {AUTO: taken, **trees}.items()
    ]


def chance_cell(*, batch: int, n_sets: int, **given: Any) -> list[Record]:
    """Return the p-values of the hierarchy test on data sets without structure."""
    rows: list[Record] = []
    for number in range(batch * n_sets, (batch + 1) * n_sets):
        comparisons = draw_structureless(**given, seed=seed_of("chance", number=number, **given))
        test = hierarchy_test(comparisons, "4-AL", seed=seed_of("test", number=number, **given))
        rows.append({"measure": "p_value", "method": "4-AL", "value": test.p_value})
    return rows


def _candidates(comparisons: Comparisons) -> tuple[dict[str, Hierarchy], dict[str, float]]:
    """Return trees and held-out accuracies of the candidates but `auto`."""
    others = {label: one for label, one in CANDIDATES.items() if label != AUTO}
    if isinstance(comparisons, ListedComparisons):
        scores = compare_methods(comparisons, list(others)).scores
        accuracies = {one.label: one.held_out.accuracy for one in scores}
        return {one.label: one.tree for one in scores}, accuracies
    trees = {
        label: cluster(comparisons, one.method, **one.options) for label, one in others.items()
    }
    return trees, {}


def _support_cost(_: Parameters) -> float:
    return 1.0


def _default_cost(parameters: Parameters) -> float:
    return 5.0 if setting_of(parameters).per_object is None else 50.0


def _auto_cost(parameters: Parameters) -> float:
    setting = setting_of(parameters)
    if setting.per_object is None:
        return 1.0
    return 2.0 + 3.4e-3 * setting.per_object * setting.n_objects


def _chance_cost(parameters: Parameters) -> float:
    return 0.1 * float(parameters["n_sets"])
