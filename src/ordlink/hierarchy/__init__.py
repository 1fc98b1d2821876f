"""The hierarchy: a binary tree over N objects, its clusters, and its export to other formats."""

from ordlink.hierarchy._hierarchy import Hierarchy
from ordlink.hierarchy._node import Node
from ordlink.hierarchy._partition import Partition

__all__ = ["Hierarchy", "Node", "Partition"]
