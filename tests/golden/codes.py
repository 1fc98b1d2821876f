"""Results as small values that JSON can hold, and what differs between two of them."""

from __future__ import annotations

import dataclasses
import hashlib
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

import ordlink as ol

MOST_SHOWN = 8
"""Of longer arrays so many entries are kept, evenly spaced, beside the hash of all."""
CLOSE, CLOSE_BY_BLAS = 1e-9, 1e-6
"""Largest relative difference of numbers; the second where BLAS takes part."""
TIMES = ("seconds",)
"""Fields that are different each time."""
_FLOAT = re.compile(r"-?0x[01]\.[0-9a-f]+p[+-]\d+|-?inf|nan")
_NUMBER = re.compile(r"(-?\d+\.\d+(?:[eE][+-]?\d+)?|-?\d+[eE][+-]?\d+)")


def code(value: Any) -> Any:
    """Return a result as a value for JSON: floats in hexadecimal, arrays by hash and examples."""
    if isinstance(value, ol.Hierarchy):
        return code_tree(value)
    if isinstance(value, np.ndarray):
        return code_array(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value)]
        return {
            name: code(getattr(value, name))
            for name in names
            if not name.startswith("_") and name not in TIMES
        }
    if isinstance(value, Mapping):
        return {str(key): code(entry) for key, entry in value.items() if key not in TIMES}
    if isinstance(value, list | tuple) and any(isinstance(one, ol.Hierarchy) for one in value):
        return code_array(np.stack([tree.merges for tree in value]))
    if isinstance(value, list | tuple):
        return [code(entry) for entry in value]
    if isinstance(value, float | np.floating):
        return float(value).hex()
    if isinstance(value, np.bool_ | np.integer):
        return value.item()
    if value is None or isinstance(value, bool | int | str):
        return value
    raise TypeError(f"no golden form of {type(value).__name__}")


def code_tree(tree: ol.Hierarchy) -> dict[str, Any]:
    """Return the merges, ties and scores of a tree, with its origin."""
    found = {
        "n_objects": tree.n_objects,
        "method": tree.method,
        "merges": code_array(tree.merges),
        "tied": code_array(tree.tied),
        "scores": code_array(tree.scores),
        "parameters": code(tree.parameters),
    }
    if tree.names is not None:
        found["names"] = hashlib.sha256("\n".join(tree.names).encode()).hexdigest()[:16]
    if not np.isnan(tree.support).all():
        found["support"] = code_array(tree.support)
    return found


def code_array(array: np.ndarray) -> dict[str, Any]:
    """Return the shape, the hash of the bytes and some entries of an array."""
    kind = {"f": "<f8", "b": "|b1", "i": "<i4", "u": "<i4"}[array.dtype.kind]
    plain = np.ascontiguousarray(array, dtype=kind)
    assert np.array_equal(plain, array, equal_nan=kind == "<f8"), "numbers that do not fit"
    rows = plain.reshape(len(plain), -1) if plain.ndim else plain.reshape(1, 1)
    chosen = np.unique(np.linspace(0, max(len(rows) - 1, 0), MOST_SHOWN).astype(int))
    some = rows[chosen[: len(rows)], : MOST_SHOWN // 2]
    found = {
        "shape": list(array.shape),
        "sha256": hashlib.sha256(plain.tobytes()).hexdigest(),
        "some": [[code(entry) for entry in row] for row in some],
    }
    if kind == "<f8":
        known = np.abs(plain[np.isfinite(plain)])
        found["size"] = math.fsum(known.tolist()).hex()  # catches what `some` leaves out
    return found


def differences(old: Any, new: Any, *, close: float | None, where: str = "") -> Iterator[str]:
    """Yield where two coded results differ: in the last bit, or by more than `close`."""
    if isinstance(old, dict) and isinstance(new, dict):
        if close is not None and "size" in old and "size" in new:  # an array of floats
            old, new = ({k: v for k, v in one.items() if k != "sha256"} for one in (old, new))
        for key in sorted({*old, *new}):
            at = f"{where}.{key}" if where else str(key)
            if key not in old or key not in new:
                yield f"{at}: {'new' if key not in old else 'gone'}"
            else:
                yield from differences(old[key], new[key], close=close, where=at)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for number, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from differences(one, other, close=close, where=f"{where}[{number}]")
    elif old != new and not (close is not None and _are_close(old, new, close)):
        yield f"{where}: was {_short(old)}, is {_short(new)}"


def text_differences(old: str, new: str, *, close: float | None) -> list[str]:
    """Return the first lines that differ; with `close`, decimal numbers may differ so little."""
    if old == new:
        return []
    ours, theirs = old.split("\n"), new.split("\n")
    found = [
        f"line {number}: was {_short(one)}, is {_short(other)}"
        for number, (one, other) in enumerate(zip(ours, theirs, strict=False), 1)
        if one != other and not (close is not None and _are_close_texts(one, other, close))
    ]
    if len(ours) != len(theirs):
        found.append(f"had {len(ours)} lines, has {len(theirs)}")
    return found[:5]


def _are_close(old: Any, new: Any, close: float) -> bool:
    if not all(isinstance(one, str) and _FLOAT.fullmatch(one) for one in (old, new)):
        return False
    a, b = float.fromhex(old), float.fromhex(new)
    return (a != a and b != b) or math.isclose(a, b, rel_tol=close, abs_tol=close * 1e-3)


def _are_close_texts(old: str, new: str, close: float) -> bool:
    ours, theirs = _NUMBER.split(old), _NUMBER.split(new)
    return len(ours) == len(theirs) and all(
        one == other
        if number % 2 == 0
        else math.isclose(float(one), float(other), rel_tol=close, abs_tol=close * 1e-3)
        for number, (one, other) in enumerate(zip(ours, theirs, strict=True))
    )


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 120 else text[:117] + "..."
