"""Comparing trees with the literal references."""

from __future__ import annotations

import numpy as np

from ordlink import Hierarchy


def assert_same_tree(tree: Hierarchy, reference: tuple[list, list, list]) -> None:
    """Assert the merges, scores (to 1e-9) and tie marks of a reference."""
    merges, scores, tied = reference
    assert tree.merges.tolist() == [list(merge) for merge in merges]
    np.testing.assert_allclose(tree.scores, scores, rtol=1e-9, atol=1e-12)
    assert tree.tied.tolist() == list(tied)


def relabelled(tree: Hierarchy, new_number: np.ndarray) -> set[frozenset[int]]:
    """Return the clusters of a tree with object i called new_number[i]."""
    return {frozenset(new_number[members].tolist()) for _, members in tree.clusters()}
