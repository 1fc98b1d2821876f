"""Experiments: cells that run on all cores, go on after an interruption, and can run alone."""

from ordlink.experiments._experiment import (
    Experiment,
    Parameters,
    Record,
    cell_key,
    run_cell,
    seed_of,
)
from ordlink.experiments._runner import Failure, RunSummary, run_cells
from ordlink.experiments._store import load_results

__all__ = [
    "Experiment",
    "Failure",
    "Parameters",
    "Record",
    "RunSummary",
    "cell_key",
    "load_results",
    "run_cell",
    "run_cells",
    "seed_of",
]
