"""The text tree: one line per object, nothing garbled, and the tree can be read off it."""

from __future__ import annotations

import numpy as np
import pytest
import wcwidth
from hypothesis import given, settings
from hypothesis import strategies as st

from ordlink.errors import InputError, InputKindError
from ordlink.hierarchy import Hierarchy
from tests.strategies import hierarchies

# The arms of each character, by hand: l(eft), r(ight), u(p), d(own).
ARMS = {
    " ": "",
    "─": "lr",
    "│": "ud",
    "┐": "ld",
    "┘": "lu",
    "┌": "rd",
    "└": "ru",
    "┬": "lrd",
    "┴": "lru",
    "┤": "lud",
    "├": "rud",
    "┼": "lrud",
}


def cells(line: str) -> list[str]:
    """Split a line into terminal columns; the second column of a wide character is empty."""
    columns: list[str] = []
    for character in wcwidth.iter_graphemes(line):
        columns += [character, *[""] * (wcwidth.width(character) - 1)]
    return columns


def arms_of(text: str) -> dict[tuple[int, int], str]:
    grid = [cells(line) for line in text.splitlines()]
    return {
        (row, column): ARMS[character]
        for row, line in enumerate(grid)
        for column, character in enumerate(line)
    }


def simple(tree: Hierarchy) -> Hierarchy:
    return Hierarchy(tree.merges)


def every_arm_meets_an_arm(text: str) -> bool:
    arms = arms_of(text)
    opposite = {"r": (0, 1, "l"), "d": (1, 0, "u"), "u": (-1, 0, "d"), "l": (0, -1, "r")}
    return all(
        other in arms.get((row + down, column + right), "")
        for (row, column), here in arms.items()
        for arm, (down, right, other) in opposite.items()
        if arm in here and (arm, column) != ("l", 0)  # on the left is the name
    )


@given(hierarchies(min_objects=2, max_objects=25), st.integers(30, 120))
def test_every_arm_meets_an_arm(tree, width):
    assert every_arm_meets_an_arm(tree.to_text(labels=False, width=width))


@given(hierarchies(min_objects=2, max_objects=25), st.integers(30, 120))
def test_tree_read_off_the_drawing_is_the_tree_where_no_bars_share_a_column(tree, width):
    text = tree.to_text(labels=False, width=width)
    arms = arms_of(text)
    last = max(column for _, column in arms)
    order = tree.leaf_order.tolist()

    # Follow the lines from left to right: what a bar joins belongs together from there on.
    cluster = {row: frozenset([row]) for row in range(tree.n_objects)}  # by row of the line
    seen = set()
    for column in range(last + 1):
        row, joined, bar = 0, {}, []
        while row < tree.n_objects:
            here = arms.get((row, column), "")
            bar.append(row)
            if "d" not in here:
                if len(bar) > 1:
                    inside = frozenset().union(*(cluster[r] for r in bar if "l" in arms[r, column]))
                    seen.add(frozenset(order[r] for r in inside))
                    exits = [r for r in bar if "r" in arms[r, column]]
                    assert len(exits) <= 1
                    joined |= dict.fromkeys(exits, inside)
                elif "l" in here and "r" in here:
                    joined[row] = cluster[row]
                bar = []
            row += 1
        cluster = joined
    expected = {frozenset(members.tolist()) for _, members in tree.clusters()}
    assert seen <= expected
    assert frozenset(range(tree.n_objects)) in seen
    if width >= tree.n_objects:
        assert seen == expected


@given(hierarchies(min_objects=2), st.integers(30, 100), st.booleans(), st.booleans())
def test_one_line_per_object_with_the_tree_in_the_same_columns(tree, width, ascii, clusters):
    options = {"width": width, "ascii": ascii, "n_clusters": 2 if clusters else None}
    lines = tree.to_text(**options).split("\n")
    plain = simple(tree).to_text(**options).split("\n")

    assert len(lines) == tree.n_objects
    widths = [len(cells(line)) for line in lines]
    assert max(widths) <= width
    # Lines that the root's bar crosses end in the same column, whatever their names are.
    assert [w == max(widths) for w in widths] == [len(p) == max(map(len, plain)) for p in plain]


def test_each_name_stands_once_in_leaf_order():
    names = ["ant", "bee", "cat", "dog", "eel"]
    text = Hierarchy([[0, 3], [1, 4], [5, 6], [7, 2]], names=names).to_text()

    assert [line.split()[0] for line in text.splitlines()] == ["ant", "dog", "bee", "eel", "cat"]


@settings(max_examples=20)
@given(st.randoms(use_true_random=False))
def test_merges_in_one_column_are_drawn_as_one_bar(random):
    alive, merges = list(range(90)), []
    while len(alive) > 1:
        merges.append([alive.pop(random.randrange(len(alive))) for _ in range(2)])
        alive.append(90 + len(merges) - 1)
    text = Hierarchy(merges).to_text(width=30, labels=False)

    assert every_arm_meets_an_arm(text)
    lines = text.splitlines()
    assert max(map(len, lines)) == 30
    assert sum(line.count("┐") + line.count("┬") for line in lines) < 89  # tops of bars


def test_clusters_are_bracketed_and_numbered_from_1_by_size():
    tree = Hierarchy([[0, 2], [1, 3], [4, 5], [6, 7]], names=list("abcde"))
    text = tree.to_text(n_clusters=3)

    assert tree.partition(3).labels.tolist() == [0, 1, 0, 1, 2]
    starts = [line[:5] for line in text.splitlines()]
    assert starts == ["1 ┌ a", "  └ c", "3 ╶ e", "2 ┌ b", "  └ d"]


def test_long_names_are_shortened_with_an_ellipsis():
    tree = Hierarchy([[0, 1]], names=["x" * 200, "b"])

    assert "x…" in tree.to_text(width=40)
    assert "x..." in tree.to_text(width=40, ascii=True)
    assert all(len(line) <= 40 for line in tree.to_text(width=40).splitlines())
    assert len(Hierarchy([], names=["x" * 200]).to_text(width=40)) == 40


def test_wide_and_combining_characters_keep_the_columns():
    names = ["熊猫", "e\u0301te\u0301", "abcd"]
    lines = Hierarchy([[0, 1], [2, 3]], names=names).to_text().splitlines()

    assert [cells(line).index("─") for line in lines] == [5, 4, 5]
    assert len(cells(lines[0])) == len(cells(lines[2]))


def test_control_characters_do_not_reach_the_terminal():
    text = Hierarchy([[0, 1]], names=["a\x85b\x9b31m", "c\u2028d"]).to_text()

    assert len(text.splitlines()) == 2
    assert "\x9b" not in text


def test_ascii_drawing_is_ascii():
    tree = Hierarchy([[0, 1], [2, 3], [4, 5], [6, 7], [8, 9]])

    assert tree.to_text(ascii=True, n_clusters=3).isascii()


def test_terminal_width_is_used_up_to_100_columns(monkeypatch):
    tree = Hierarchy([[0, 1], *([60 + t, t + 2] for t in range(58))])
    widest = {}
    for columns in (10, 50, 300):
        monkeypatch.setenv("COLUMNS", str(columns))
        widest[columns] = max(map(len, tree.to_text().splitlines()))

    assert widest == {10: 30, 50: 50, 300: 100}


def test_impossible_widths_are_refused():
    tree = Hierarchy([[0, 1]])

    with pytest.raises(InputError, match=r"width: expected .* of at least 30"):
        tree.to_text(width=29)
    with pytest.raises(InputKindError, match="width: expected a whole number"):
        tree.to_text(width="50")


def test_short_branches_make_room_for_their_support() -> None:
    """Merges next to each other would be two columns apart, too few for "12" and a line."""
    merges = [[2 * i, 2 * i + 1] for i in range(15)]
    tree = Hierarchy(merges).with_support([*np.arange(20, 34) / 100, 1.0])

    lines = tree.to_text(width=30).splitlines()

    numbers = [str(number) for number in range(20, 34)]
    places = [next(line.index(n) for line in lines if f"┬{n}" in line) for n in numbers[:8]]
    assert places == sorted(places)
    assert all(number in "".join(lines) for number in numbers)


def test_support_that_does_not_fit_changes_no_drawing() -> None:
    chain = [[0, 1], *([i + 1, 20 + i - 1] for i in range(1, 19))]
    tree = Hierarchy(chain)

    drawing = tree.with_support([0.5] * 19).to_text(width=30)

    assert len(drawing.splitlines()) == 20
    assert drawing.replace("50", "──") == tree.to_text(width=30)
