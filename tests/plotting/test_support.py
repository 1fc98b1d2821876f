"""Support in dendrograms: dots, numbers, grey, and branches left out."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.colors import same_color

from ordlink.errors import InputError
from ordlink.hierarchy import Hierarchy
from ordlink.plotting import dendrogram_layout, plot_hierarchy
from ordlink.plotting._dendrogram import WEAK_COLOUR

# Merges: 5 = {0,1} firm, 6 = {2,3} likely, 7 = {2,3,4} weak, 8 = root.
TREE = Hierarchy([[0, 1], [2, 3], [4, 6], [5, 7]]).with_support([0.97, 0.649, 0.2, 1])


def numbers(ax) -> list[str]:
    return sorted(text.get_text() for text in ax.texts)


@pytest.mark.parametrize("orientation", ["left", "top"])
def test_firm_branches_get_a_dot_and_likely_ones_their_percent(orientation: str) -> None:
    ax = plot_hierarchy(TREE, orientation=orientation)

    assert numbers(ax) == ["20", "64"]
    (dot,) = [line for line in ax.lines if line.get_marker() == "o"]
    at = dot.get_xydata()[0].tolist()
    layout = dendrogram_layout(TREE)
    expected = [float(layout.positions[5]), 1.0]
    assert at == (expected[::-1] if orientation == "left" else expected)


def test_weak_branches_of_large_trees_have_no_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ordlink.plotting._dendrogram.MOST_NUMBERS", 4)

    assert numbers(plot_hierarchy(TREE)) == ["64"]


def test_weak_branches_are_grey() -> None:
    ax = plot_hierarchy(TREE)

    (links,) = [c for c in ax.collections if isinstance(c, LineCollection)]
    grey = [same_color(colour, WEAK_COLOUR) for colour in links.get_colors()]
    assert grey == [False, False, True, False]


def test_a_tree_without_support_is_drawn_as_before() -> None:
    plain = Hierarchy(TREE.merges)

    ax = plot_hierarchy(plain)

    assert not ax.texts
    assert not ax.lines
    assert "support" not in ax.get_xlabel()
    assert "support" in plot_hierarchy(TREE).get_xlabel()


def test_merges_left_out_are_drawn_at_the_height_of_the_next_one_above() -> None:
    layout = dendrogram_layout(TREE)

    found = dendrogram_layout(TREE, min_support=0.9)

    assert found.heights[5:].tolist() == [1, 4, 4, 4]
    for t, (left, right) in enumerate(TREE.merges.tolist()):
        assert found.links[t, :, 1].tolist() == [
            found.heights[left],
            found.heights[5 + t],
            found.heights[5 + t],
            found.heights[right],
        ]
    assert np.array_equal(found.links[:, :, 0], layout.links[:, :, 0])


def test_stems_of_a_cut_follow_merges_left_out() -> None:
    found = dendrogram_layout(TREE, n_clusters=3, min_support=0.5)

    # {0,1} ends at the root, {2,3} and {4} at merge 7, which moved up to the root.
    assert found.stems[:, 0, 1].tolist() == [1, 2, 0]
    assert found.stems[:, 1, 1].tolist() == [4, 4, 4]


def test_numbers_of_branches_left_out_are_not_drawn() -> None:
    assert numbers(plot_hierarchy(TREE, min_support=0.9)) == []


def test_the_root_is_never_left_out() -> None:
    weak = TREE.with_support([0, 0, 0, 0])

    assert weak.collapsed(1.0).tolist() == [True, True, True, False]


@pytest.mark.parametrize("min_support", [-0.1, 1.5, float("nan")])
def test_support_out_of_range_is_refused(min_support: float) -> None:
    with pytest.raises(InputError, match=r"min_support: expected .* from 0 to 1"):
        plot_hierarchy(TREE, min_support=min_support)
