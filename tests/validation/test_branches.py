"""Branches found again in other trees, and the consensus of these, against literal sets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordlink import Hierarchy
from ordlink.errors import InputError
from ordlink.validation import consensus_tree
from ordlink.validation._support import match_branches
from tests.reference.measures import clusters_of
from tests.reference.support import support
from tests.strategies import hierarchies


def several_trees(low, high, most):
    return st.integers(low, high).flatmap(
        lambda n: st.lists(hierarchies(n, n), min_size=1, max_size=most)
    )


@st.composite
def similar_trees(draw):
    """Draw trees of many objects that differ by a few exchanged ones."""
    tree = draw(hierarchies(8, 14))
    n = tree.n_objects
    trees = [tree]
    for _ in range(draw(st.integers(1, 5))):
        order = np.arange(n)
        for _ in range(draw(st.integers(0, 2))):
            i, j = draw(st.integers(0, n - 1)), draw(st.integers(0, n - 1))
            order[[i, j]] = order[[j, i]]
        trees.append(Hierarchy(tree.restrict(order).merges))
    return trees


@given(several_trees(2, 8, 6) | similar_trees())
def test_shares_transfers_and_the_weakest_object_equal_those_of_literal_sets(trees):
    tree, n = trees[0], trees[0].n_objects
    others = [clusters_of(other.merges.tolist()) for other in trees[1:] or trees]

    matches = match_branches(tree, trees[1:] or trees)

    expected = [support(branch, others, n) for branch in clusters_of(tree.merges.tolist())]
    shares, transfers, weakest = np.array(expected, dtype=float).T
    np.testing.assert_allclose(matches.shares, shares, atol=1e-12)
    np.testing.assert_allclose(matches.transfers, transfers, atol=1e-12)
    np.testing.assert_allclose(matches.weakest, weakest, atol=1e-12)


@given(several_trees(1, 8, 6) | similar_trees())
def test_the_consensus_has_the_clusters_of_more_than_half_of_the_trees(trees):
    counts = {}
    for tree in trees:
        for cluster in clusters_of(tree.merges.tolist()):
            counts[cluster] = counts.get(cluster, 0) + 1

    consensus = consensus_tree(trees)

    found = dict(
        zip(clusters_of(consensus.merges.tolist()), consensus.support.tolist(), strict=True)
    )
    majority = {c: k / len(trees) for c, k in counts.items() if k > len(trees) / 2}
    assert {cluster: share for cluster, share in found.items() if share > 0} == majority


@given(hierarchies(2, 10))
def test_the_consensus_of_one_tree_has_its_clusters(tree):
    consensus = consensus_tree([tree, tree], min_share=0.9)

    assert set(clusters_of(consensus.merges.tolist())) == set(clusters_of(tree.merges.tolist()))
    assert consensus.names == tree.names
    assert np.all(consensus.support == 1)


def test_bad_consensus_is_refused():
    tree = Hierarchy([[0, 1], [2, 3]])

    with pytest.raises(InputError, match="at least one tree"):
        consensus_tree([])
    with pytest.raises(InputError, match="2 in tree 1"):
        consensus_tree([tree, Hierarchy([[0, 1]])])
    with pytest.raises(InputError, match=r"at least 0\.5 and below 1"):
        consensus_tree([tree], min_share=0.3)
