"""Families of columns: those whose names differ in a number, a letter or a place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ordlink.io._words import PAIR, POSITIONS, tokens


@dataclass(frozen=True)
class Family:
    """Columns of items, ordered by the number, letter or place in their names."""

    stem: str
    members: tuple[int, ...]


def families(plain: Sequence[str]) -> list[Family]:
    """Return the columns that differ only in a number, a letter or a place."""
    groups: dict[tuple[str, str], dict[int, int]] = {}
    for at, name in enumerate(plain):
        for kind, stem, label in _labels(name):
            groups.setdefault((kind, stem), {}).setdefault(label, at)
    found, pairs = [], {}
    for (kind, stem), members in groups.items():
        labels = sorted(members)
        if len(labels) == labels[-1] - labels[0] + 1 > 1 and (kind != "count" or labels[0] < 2):
            found.append(Family(stem, tuple(members[label] for label in labels)))
            if len(labels) == 2:
                pairs[stem] = found[-1].members
    called = [
        stem
        for stem, members in pairs.items()
        if tokens(stem) & PAIR and all(plain[at].startswith(f"{stem}_") for at in members)
    ]
    if len(called) == 2:  # pair1_left, pair1_right, pair2_left, pair2_right
        pairs = {stem: pairs[stem] for stem in called}
    for family in families(list(pairs)) if len(pairs) > 1 else []:
        both = [at for pair in family.members for at in list(pairs.values())[pair]]
        if len(set(both)) == 4:  # left_1, left_2, right_1, right_2
            found.append(Family(family.stem, tuple(both)))
    return found


def _labels(name: str) -> Iterator[tuple[str, str, int]]:
    """Yield how a name may belong to a family: the kind, the shared part, and its position."""
    if number := re.fullmatch(r"(.*?)_?(\d{1,2})", name):
        yield "count", number[1], int(number[2])
    if number := re.fullmatch(r"(.*?)_?(\d{1,2})(_[a-z]{2,})", name):
        yield "count", number[1] + number[3], int(number[2])
    if letter := re.fullmatch(r"(?:(.+)_)?([a-j])", name):
        yield "letter", letter[1] or "", ord(letter[2]) - ord("a")
    if letter := re.fullmatch(r"(.*_)?([a-j])(_.+)", name):  # input_a_url
        yield "letter", (letter[1] or "") + letter[3], ord(letter[2]) - ord("a")
    if name in ("x", "y"):
        yield "letter", "", "xy".index(name)
    words = name.split("_")
    for places in POSITIONS:
        for place, word in enumerate(places):
            if word in words:
                rest = "_".join(other for other in words if other != word)
                yield " ".join(places), rest, place
