"""Two trees face to face."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordlink.errors import InputError
from ordlink.hierarchy import Hierarchy
from ordlink.plotting import plot_tanglegram
from ordlink.plotting._tanglegram import DIFFERENT, NEUTRAL, _crossings, _untangle
from tests.strategies import hierarchies

NAMES = ["ant", "bee", "cat", "dog"]
ONE = Hierarchy([[0, 1], [2, 3], [4, 5]], names=NAMES, method="4-AL")
OTHER = Hierarchy([[0, 1], [2, 4], [3, 5]], names=NAMES, method="AddS-AL")


def colours(ax, gid):
    from matplotlib.colors import to_hex

    found = next(lines for lines in ax.collections if lines.get_gid() == gid)
    return [to_hex(colour).upper() for colour in found.get_colors()]


def test_branches_of_one_tree_only_are_marked():
    ax = plot_tanglegram(ONE, OTHER)

    assert colours(ax, "left-tree") == [NEUTRAL, DIFFERENT, NEUTRAL]
    assert colours(ax, "right-tree") == [NEUTRAL, DIFFERENT, NEUTRAL]
    texts = {text.get_gid(): text.get_text() for text in ax.texts}
    assert texts["legend"] == "1 of 2 branches is in both trees; orange: in one only"
    assert [t.get_text() for t in ax.texts if t.get_gid() == "title"] == ["4-AL", "AddS-AL"]


@settings(max_examples=20, deadline=None)
@given(hierarchies(min_objects=2), st.randoms())
def test_the_same_tree_in_any_order_has_no_crossing_and_no_mark(tree, random):
    tree = tree.with_names([f"object {i}" for i in range(tree.n_objects)])
    moved = tree.reorder(random.sample(range(tree.n_objects), tree.n_objects))
    ax = plot_tanglegram(tree, moved)

    assert set(colours(ax, "left-tree") + colours(ax, "right-tree")) == {NEUTRAL}
    links = next(lines for lines in ax.collections if lines.get_gid() == "links")
    assert all(start[1] == end[1] for start, end in links.get_segments())


def test_crossings_are_counted_as_one_sees_them():
    rng = np.random.default_rng(0)
    one, other = rng.permutation(9).astype(np.int32), rng.permutation(9).astype(np.int32)
    place = {i: k for k, i in enumerate(other.tolist())}
    order = [place[i] for i in one.tolist()]
    counted = sum(order[a] > order[b] for a in range(9) for b in range(a + 1, 9))

    assert _crossings(one, other) == counted
    assert _crossings(*_untangle(ONE, OTHER)) == 0


def test_trees_of_other_objects_are_refused():
    with pytest.raises(InputError, match="only one has 'cow', 'dog'"):
        plot_tanglegram(ONE, OTHER.rename({"dog": "cow"}))
    with pytest.raises(InputError, match="two objects have the same name"):
        plot_tanglegram(ONE, OTHER.rename({"dog": "cat"}))
