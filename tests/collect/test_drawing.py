"""Drawings of the dashboard, against literal forms; parts of files that players ask for."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from ordlink._text import whole_percent
from ordlink.collect.trees import draw_bars, draw_tree, trust_of


def random_tree(n_objects: int, seed: int) -> dict[str, object]:
    rng = np.random.default_rng(seed)
    roots, merges = list(range(n_objects)), []
    for number in range(n_objects - 1):
        merges.append([int(one) for one in sorted(rng.choice(roots, 2, replace=False))])
        roots = [*(one for one in roots if one not in merges[-1]), n_objects + number]
    support = rng.random(n_objects - 1).tolist()
    return {"merges": merges, "support": support, "n_answers": 7, "command": "c", "newick": "n"}


@pytest.mark.parametrize("n_objects", [2, 3, 8, 40])
def test_each_merge_is_drawn_between_its_children_and_left_of_them(n_objects: int) -> None:
    tree = random_tree(n_objects, seed=n_objects)
    names = [f"object {number}" for number in range(n_objects)]

    drawn = draw_tree(tree, names, [""] * n_objects)

    assert drawn is not None
    assert sorted(leaf["name"] for leaf in drawn["leaves"]) == sorted(names)
    place = {  # node -> point
        names.index(leaf["name"]): (drawn["leaf_x"], leaf["y"]) for leaf in drawn["leaves"]
    }
    for number, (left, right) in enumerate(tree["merges"]):  # type: ignore[arg-type, var-annotated]
        branch = SimpleNamespace(**drawn["branches"][number])
        (left_x, left_y), (right_x, right_y) = place[left], place[right]
        corners = [(left_x, left_y), (branch.x, left_y), (branch.x, right_y), (right_x, right_y)]
        found = [tuple(map(float, point.split())) for point in branch.path[1:].split(" L")]
        either_way = (found, found[::-1])
        assert any(np.allclose(points, corners, atol=0.11) for points in either_way)
        assert branch.x < min(left_x, right_x)
        assert branch.y == pytest.approx((left_y + right_y) / 2, abs=0.11)
        place[n_objects + number] = (branch.x, branch.y)
        share = tree["support"][number]  # type: ignore[index]
        is_root = number == n_objects - 2
        assert branch.trust == ("root" if is_root else trust_of(share))
        assert branch.label in ("", whole_percent(share))
    assert min(x for x, _ in place.values()) > 0
    assert max(y for _, y in place.values()) < drawn["height"]


def test_nothing_is_drawn_of_nothing() -> None:
    assert draw_tree(None, [], []) is None
    assert draw_bars({"start": None, "seconds": None, "counts": []}) is None


def test_long_names_are_shortened_and_kept_in_full() -> None:
    drawn = draw_tree(random_tree(3, seed=0), ["x" * 60, "b", "c"], ["", "", ""])

    assert drawn is not None
    (long,) = [leaf["shown_name"] for leaf in drawn["leaves"] if leaf["name"] == "x" * 60]
    assert len(long) < 30 and long.endswith("...")


def test_bars_are_as_high_as_the_counts() -> None:
    counts = [0, 3, 1, 12, 0]

    drawn = draw_bars({"start": 0.0, "seconds": 2.0, "counts": counts})

    assert drawn is not None
    for height, count in zip(drawn["heights"], counts, strict=True):
        assert height == pytest.approx(100 * count / 12, abs=0.01)
    assert (drawn["most"], drawn["each"], drawn["since"]) == (12, "2 s", "10 s")
