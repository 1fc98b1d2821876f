"""The hierarchy: a binary tree over N objects, its cuts, and its export to other formats."""

from ordlink.hierarchy._hierarchy import Hierarchy

__all__ = ["Hierarchy"]
