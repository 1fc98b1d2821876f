"""A block model of the objects, refined split by split: for many objects."""

from ordlink.methods.blocks._blocks import run

__all__ = ["run"]
