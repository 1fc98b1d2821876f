"""Four columns as two pairs: which belong together, and what the pairs are called."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ordlink._typing import BoolArray
from ordlink.comparisons._answers import FORMS
from ordlink.io._responses import TrialCells
from ordlink.io._table import slots
from ordlink.io._trials import Reading
from ordlink.io._words import PLACES, SIDES


def named_pairs(plain: Sequence[str]) -> list[tuple[int, ...]]:
    """Return the columns i, j, k and l, of which a response may say which pair is more alike."""
    found = [
        [at for at in slot if plain[at] == column]
        for column, slot in zip(
            FORMS["quadruplet"].columns, slots(FORMS["quadruplet"], plain), strict=True
        )
    ]
    return [tuple(at for slot in found for at in slot)] if all(len(s) == 1 for s in found) else []


def name_pairs(names: Sequence[str]) -> tuple[list[str], bool, bool]:
    """Return what two pairs are called, and whether responses may be places, or keys.

    Where names tell places, those of left_1, left_2, right_1 and right_2 are the sides of a pair
    or of its members. A key such as f or j is a side, so it can only choose a pair on one side.
    """
    labels = _pair_labels(names)
    placed = any(set(name.split("_")) & PLACES for name in names)
    return labels, not placed, not placed or any(set(label.split("_")) & SIDES for label in labels)


def _pair_labels(names: Sequence[str]) -> list[str]:
    """Return labels for two pairs: what their column names share, or their letters."""
    words = [name.split("_") for name in names]
    shared = ["_".join(w for w in words[at] if w in words[at + 1]) for at in (0, 2)]
    if all(shared) and shared[0] != shared[1]:
        return shared
    letters = all(len(name) == 1 for name in names)
    return [names[0] + names[1], names[2] + names[3]] if letters else ["pair_1", "pair_2"]


def without_repeats(readings: list[Reading], cells: TrialCells, rows: BoolArray) -> list[Reading]:
    """Return the readings without those of pairs of an object and itself, if others have none."""

    def repeats(reading: Reading) -> bool:
        items = cells.matrix(reading.items) if reading.form == "quadruplet" else None
        if items is None:
            return False
        same = (items[:, ::2] == items[:, 1::2]) & (items[:, ::2] >= 0)
        return bool(np.any(same[rows]))

    return [reading for reading in readings if not repeats(reading)] or readings
