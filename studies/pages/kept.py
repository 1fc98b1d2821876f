"""Tables of results that stand beside the pages made from them."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from studies.running import Experiment


def keep_tables(experiments: Iterable[Experiment], results: Path, kept: Path) -> None:
    """Copy the tables of a run's folder, in place of those of any version kept before."""
    for experiment in experiments:
        folder = kept / experiment.name
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob("results-*.parquet"):
            old.unlink()
        shutil.copy(results / experiment.name / f"results-v{experiment.version}.parquet", folder)


def drop_tables(experiments: Iterable[Experiment], kept: Path) -> None:
    """Remove the tables of experiments that were not run in full as they are now."""
    for experiment in experiments:
        shutil.rmtree(kept / experiment.name, ignore_errors=True)


def keep_figures(folder: Path, pattern: str, kept: Path) -> None:
    """Copy the figures of a run whose names fit a pattern."""
    for figure in folder.glob(pattern):
        shutil.copy(figure, kept)
