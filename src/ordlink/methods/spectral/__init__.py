"""Recursive spectral splits of Bradley-Terry strengths: start with `_spectral.py`."""

from ordlink.methods.spectral._spectral import run

__all__ = ["run"]
