"""Hypothesis strategies that several test files share."""

from __future__ import annotations

from hypothesis import strategies as st

from ordlink.hierarchy import Hierarchy

_ODD_NAMES = st.sampled_from(
    [
        "a b",
        "it's",
        "x,y",
        "(z)",
        "[1]",
        "a:1;",
        "_",
        "熊猫",
        "e\u0301",
        "two\u2028lines",
        "$x$",
    ]
)
_CONTROL = "".join(map(chr, [*range(32), 127]))
_CHARACTERS = st.characters(exclude_categories=["Cs"], exclude_characters=_CONTROL)
NAMES = _ODD_NAMES | st.text(_CHARACTERS, max_size=8).filter(str.strip)


@st.composite
def hierarchies(draw: st.DrawFn, min_objects: int = 1, max_objects: int = 12) -> Hierarchy:
    """Draw a tree of any shape, with and without names, scores (some NaN) and tie marks."""
    n = draw(st.integers(min_objects, max_objects))
    alive, merges = list(range(n)), []
    while len(alive) > 1:
        first = alive.pop(draw(st.integers(0, len(alive) - 1)))
        second = alive.pop(draw(st.integers(0, len(alive) - 1)))
        merges.append([first, second])
        alive.append(n + len(merges) - 1)
    one_each = {"min_size": n - 1, "max_size": n - 1}
    scores = st.lists(st.floats(allow_infinity=False), **one_each)
    return Hierarchy(
        merges,
        scores=draw(st.none() | scores),
        tied=draw(st.none() | st.lists(st.booleans(), **one_each)),
        names=draw(st.none() | st.lists(NAMES, min_size=n, max_size=n)),
        method=draw(st.sampled_from([None, "4-AL"])),
        parameters=draw(st.sampled_from([None, {"seed": 0, "list": [1.5, None, "é"]}])),
    )
