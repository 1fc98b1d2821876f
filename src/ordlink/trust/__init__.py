"""How far a tree can be trusted, from the answers alone: held-out scores, support, a test."""

from ordlink.trust._consensus import consensus_tree
from ordlink.trust._cross_validation import CrossValidation, cross_validate
from ordlink.trust._folds import assign_folds
from ordlink.trust._hierarchy_test import HierarchyTest, hierarchy_test
from ordlink.trust._support import BranchSupport, branch_support

__all__ = [
    "BranchSupport",
    "CrossValidation",
    "HierarchyTest",
    "assign_folds",
    "branch_support",
    "consensus_tree",
    "cross_validate",
    "hierarchy_test",
]
