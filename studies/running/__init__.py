"""Experiments: cells that run on all cores, resume after an interruption, and can run alone."""

from studies.running._experiment import Experiment, Parameters, Record, cell_key, run_cell, seed_of
from studies.running._runner import Failure, RunSummary, run_cells
from studies.running._store import load_results

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
