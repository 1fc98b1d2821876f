"""Coordinates of a dendrogram."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordlink.errors import InputError
from ordlink.hierarchy import Hierarchy
from ordlink.plotting import HEIGHTS, dendrogram_layout
from tests.strategies import hierarchies


@given(hierarchies(), st.sampled_from(sorted(HEIGHTS)))
def test_links_start_at_their_children_and_rise(tree, heights):
    layout = dendrogram_layout(tree, heights=heights)
    n = tree.n_objects

    assert layout.positions[:n].tolist() == np.argsort(tree.leaf_order).tolist()
    assert (layout.heights[:n] == 0).all()
    assert layout.links.shape == (n - 1, 4, 2)
    for t, (left, right) in enumerate(tree.merges.tolist()):
        start, up, across, end = layout.links[t].tolist()
        assert start == [layout.positions[left], layout.heights[left]]
        assert end == [layout.positions[right], layout.heights[right]]
        assert up[1] == across[1] == layout.heights[n + t] > max(start[1], end[1])
        assert (up[0], across[0]) == (start[0], end[0])
        assert layout.positions[n + t] == (start[0] + end[0]) / 2


@given(hierarchies())
def test_lines_at_the_same_height_never_overlap(tree):
    layout = dendrogram_layout(tree)
    n = tree.n_objects

    for t, members in tree.clusters():
        inside = layout.positions[members]
        assert inside.min() <= layout.positions[t] <= inside.max()
        assert inside.max() - inside.min() == len(members) - 1
    assert sorted(layout.positions[:n]) == list(range(n))


@given(hierarchies(), st.data())
def test_groups_are_the_clusters_of_the_cut_numbered_along_the_leaves(tree, data):
    k = data.draw(st.integers(1, tree.n_objects))
    layout = dendrogram_layout(tree, labels=tree.cut(k))

    assert len(set(zip(layout.leaf_groups, tree.cut(k), strict=True))) == k
    along = layout.leaf_groups[tree.leaf_order]
    assert set(np.diff(along)) <= {0, 1}
    assert along[0] == 0
    for t, (_, members) in enumerate(tree.clusters()):
        groups = set(layout.leaf_groups[members].tolist())
        assert {int(layout.link_groups[t])} == (groups if len(groups) == 1 else {-1})
    if k > 1:
        assert len(layout.stems) == k
        below, above = layout.stems[:, 0, 1], layout.stems[:, 1, 1]
        assert (below < above).all()
        for group, position in enumerate(layout.stems[:, 0, 0]):
            inside = np.flatnonzero(along == group)
            assert inside.min() <= position <= inside.max()


def test_objects_set_aside_belong_to_no_group():
    tree = Hierarchy([[0, 1], [2, 3], [4, 5]])

    layout = dendrogram_layout(tree, labels=[1, 1, 0, -1])

    assert layout.leaf_groups.tolist() == [0, 0, 1, -1]
    assert layout.link_groups.tolist() == [0, -1, -1]
    assert layout.stems[:, 0].tolist() == [[0.5, 1.0], [2.0, 0.0]]


def test_depth_and_size_heights():
    tree = Hierarchy([[0, 1], [2, 3], [4, 5]])

    assert dendrogram_layout(tree, heights="depth").heights[4:].tolist() == [1, 1, 2]
    assert dendrogram_layout(tree, heights="size").heights[4:].tolist() == [1, 1, 2]


def test_unknown_heights_are_refused():
    with pytest.raises(
        InputError, match="heights: expected 'rank', 'depth', 'size' or 'dissimilarity'"
    ):
        dendrogram_layout(Hierarchy([[0, 1]]), heights="score")
