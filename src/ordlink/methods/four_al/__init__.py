"""Quadruplets-based average linkage (4-AL): start with `_four_al.py`."""

from ordlink.methods.four_al._four_al import run

__all__ = ["run"]
