"""Recursive spectral splits of Bradley-Terry strengths: start with `_spectral.py`."""

from ordlink.methods.spectral._shrinkage import fit_pair_strengths
from ordlink.methods.spectral._spectral import run, run_kind

__all__ = ["fit_pair_strengths", "run", "run_kind"]
