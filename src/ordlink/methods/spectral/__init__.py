"""Recursive spectral splits of Bradley-Terry strengths: start with `_spectral.py`."""

from ordlink.methods.spectral._shrinkage import fit_pair_strengths
from ordlink.methods.spectral._spectral import run, run_by_new_answers, run_kind
from ordlink.methods.spectral._trees import FirmClusters, find_clusters

__all__ = [
    "FirmClusters",
    "find_clusters",
    "fit_pair_strengths",
    "run",
    "run_by_new_answers",
    "run_kind",
]
