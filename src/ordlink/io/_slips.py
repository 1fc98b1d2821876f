"""Names that look like typos of others: another case, a lost accent, a letter too many."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence

import numpy as np

from ordlink._text import counted
from ordlink._typing import AnyArray
from ordlink.errors import InputError
from ordlink.io._options import Options
from ordlink.io._words import plain_name

MOST_SLIPS = 0.2
"""Share of the names; a tree of more typos would not be that of the objects."""
RARER = 5
"""A typo occurs at least this many times less often than what was meant."""


def find_slips(counts: Mapping[str, int]) -> dict[str, str]:
    """Return likely typos and the names that were meant, from how often each name occurs.

    Examples
    --------
    >>> find_slips({"Löwe": 20, "Lowe": 1, "Tiger": 20, "tiger": 2, "car 1": 30, "car 2": 1})
    {'Lowe': 'Löwe', 'tiger': 'Tiger'}
    """
    slips: dict[str, str] = {}
    frequent = [name for name, count in counts.items() if count >= RARER]
    by_plain: dict[str, str] = {}
    for name in sorted(frequent, key=counts.__getitem__):
        by_plain[_key(name)] = name
    for name, count in counts.items():
        meant = by_plain.get(_key(name), name)
        if meant == name and count * RARER <= max(counts.values()) and len(name) >= 4:
            close = difflib.get_close_matches(name, frequent, n=1, cutoff=0.85)
            same = close and re.findall(r"\d+", close[0]) == re.findall(r"\d+", name)
            meant = close[0] if same else name
        if meant != name and count * RARER <= counts[meant]:
            slips[name] = meant
    return slips


def _key(name: str) -> str:
    return plain_name(name.casefold()) or name


def _in_words(slips: Mapping[str, str], counts: Mapping[str, int]) -> str:
    """Return the likely typos in words."""
    first = list(slips.items())[:3]
    words = [
        f"{name!r} occurs {'once' if counts[name] == 1 else counted(counts[name], 'time')}; "
        f"did you mean {meant!r}?"
        for name, meant in first
    ]
    more = f" ({len(slips) - 3} more)" if len(slips) > 3 else ""
    return " ".join(words) + more


def merge_slips(
    rows: AnyArray, names: Sequence[str], options: Options
) -> tuple[AnyArray, Sequence[str]]:
    """Report names that look like typos of others, or merge them if the user says so."""
    counts = dict(zip(names, np.bincount(rows.ravel(), minlength=len(names)).tolist(), strict=True))
    merge = options.merge_names
    slips = dict(merge) if isinstance(merge, Mapping) else find_slips(counts)
    slips = {name: meant for name, meant in slips.items() if name in counts and meant in counts}
    if not slips:
        return rows, names
    if not merge:
        if len(slips) > MOST_SLIPS * len(names):
            raise InputError(
                f"{len(slips)} of {len(names)} names look like typos of others: "
                f"{_in_words(slips, counts)}",
                remedy="pass {merge_names} to merge them; an empty table of corrections keeps them",
            )
        options.note(f"{_in_words(slips, counts)} merge_names merges them")
        return rows, names
    kept = [name for name in names if name not in slips]
    numbers = {name: number for number, name in enumerate(kept)}
    options.note(f"names merged: {', '.join(f'{a!r} into {b!r}' for a, b in slips.items())}")
    return np.array([numbers[slips.get(name, name)] for name in names])[rows], kept
