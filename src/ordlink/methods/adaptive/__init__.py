"""Splits from the root down by chosen questions: start with `_adaptive.py`, then `_sides.py`."""

from ordlink.methods.adaptive._adaptive import run

__all__ = ["run"]
