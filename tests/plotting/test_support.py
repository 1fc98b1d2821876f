"""Support in dendrograms: dots, numbers, grey, and branches left out."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.colors import same_color

from ordlink.errors import InputError
from ordlink.hierarchy import Hierarchy
from ordlink.plotting import dendrogram_layout, plot_hierarchy
from ordlink.plotting._marks import WEAK_COLOUR

# Merges: 5 = {0,1} firm, 6 = {2,3} likely, 7 = {2,3,4} weak, 8 = root.
TREE = Hierarchy([[0, 1], [2, 3], [4, 6], [5, 7]]).with_support([0.97, 0.649, 0.2, 1])


def numbers(ax) -> list[str]:
    return sorted(t.get_text() for t in ax.texts if str(t.get_gid()).startswith("support-"))


def signs(ax) -> dict[str, int]:
    found = [line for line in ax.lines if str(line.get_gid()).startswith("support-")]
    return {line.get_gid(): len(line.get_xdata()) for line in found}


def legend(ax) -> str:
    return " ".join(t.get_text() for t in ax.texts if t.get_gid() is None)


@pytest.mark.parametrize("orientation", ["left", "top", "radial"])
def test_firm_and_likely_branches_have_signs_that_the_legend_explains(orientation: str) -> None:
    ax = plot_hierarchy(TREE, orientation=orientation)

    assert signs(ax) == {"support-firm": 1, "support-middle": 1}
    assert numbers(ax) == []
    assert "support at least 95 % 50 to 95 % below 50 %" in legend(ax)


def test_the_sign_is_at_the_merge_of_its_branch() -> None:
    ax = plot_hierarchy(TREE)

    (dot,) = [line for line in ax.lines if line.get_gid() == "support-firm"]
    links = next(c for c in ax.collections if isinstance(c, LineCollection)).get_segments()
    x, y = dot.get_xydata()[0]
    assert x == links[0][1][0] == links[0][2][0]
    assert y == pytest.approx((links[0][1][1] + links[0][2][1]) / 2)


def test_support_can_be_shown_as_numbers_or_not_at_all() -> None:
    ax, plain = (plot_hierarchy(TREE, support=style) for style in ("numbers", "none"))

    assert numbers(ax) == ["20", "64"]
    assert signs(ax) == {"support-firm": 1}
    assert "numbers: support in percent" in legend(ax)
    assert (numbers(plain), signs(plain)) == ([], {})
    assert "support" not in legend(plain)


def test_weak_branches_of_large_trees_have_no_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ordlink.plotting._marks.MOST_NUMBERS", 4)

    assert numbers(plot_hierarchy(TREE, support="numbers")) == ["64"]


def test_weak_branches_are_grey() -> None:
    ax = plot_hierarchy(TREE)

    (links,) = [c for c in ax.collections if isinstance(c, LineCollection)]
    grey = [same_color(colour, WEAK_COLOUR) for colour in links.get_colors()]
    assert grey == [False, False, True, False]


def test_a_tree_without_support_has_no_signs() -> None:
    ax = plot_hierarchy(Hierarchy(TREE.merges))

    assert (numbers(ax), signs(ax)) == ([], {})
    assert legend(ax) == "lengths of branches have no meaning"


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
    found = dendrogram_layout(TREE, labels=TREE.cut(3), min_support=0.5)

    # {0,1} ends at the root, {2,3} and {4} at merge 7, which moved up to the root.
    assert found.stems[:, 0, 1].tolist() == [1, 2, 0]
    assert found.stems[:, 1, 1].tolist() == [4, 4, 4]


def test_numbers_of_branches_left_out_are_not_drawn() -> None:
    ax = plot_hierarchy(TREE, min_support=0.9, support="numbers")

    assert numbers(ax) == []
    assert "branches below 90 % are collapsed" in legend(ax)


def test_the_root_is_never_left_out() -> None:
    weak = TREE.with_support([0, 0, 0, 0])

    assert weak.collapsed(1.0).tolist() == [True, True, True, False]


@pytest.mark.parametrize("min_support", [-0.1, 1.5, float("nan")])
def test_support_out_of_range_is_refused(min_support: float) -> None:
    with pytest.raises(InputError, match=r"min_support: expected .* from 0 to 1"):
        plot_hierarchy(TREE, min_support=min_support)
