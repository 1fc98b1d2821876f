"""Checks that a list of merges is a tree, and of the other arguments of a tree."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ordlink._typing import AnyArray, BoolArray, Int32Array
from ordlink.errors import InputError, InputKindError


def _used_before(merges: AnyArray) -> BoolArray:
    """Mark each entry whose node already appeared, reading row by row."""
    flat = merges.ravel()
    used = np.ones(flat.size, dtype=np.bool_)
    used[np.unique(flat, return_index=True)[1]] = False
    return used.reshape(merges.shape)


MERGE_RULES: tuple[tuple[Callable[[AnyArray], AnyArray], str, str], ...] = (
    (
        lambda merges: merges < 0,
        "merge {row} joins node {node}, but nodes are numbered from 0",
        "number the objects 0 to {last_object} and merge t as node {n_objects} + t",
    ),
    (
        lambda merges: merges > len(merges) + np.arange(len(merges))[:, None],
        "merge {row} joins node {node}, but only the nodes 0 to {last_node} exist before it "
        "({n_objects} objects, then one node per merge)",
        "put the merges in the order in which they happen",
    ),
    (
        lambda merges: np.repeat(merges[:, :1] == merges[:, 1:], 2, axis=1),
        "merge {row} joins node {node} with itself",
        "a merge needs two different nodes",
    ),
    (
        _used_before,
        "merge {row} joins node {node}, which was already joined in an earlier merge",
        "name the node that merge created instead",
    ),
)
"""Condition (marks the bad entries of merges), problem and remedy; only trees satisfy all."""


def check_merges(merges: object) -> Int32Array:
    """Return `merges` as int32 of shape (N-1, 2), or raise with the first row that is wrong."""
    array = _as_array(merges, "merges")
    if array.size == 0 and array.ndim in (1, 2):
        return np.empty((0, 2), dtype=np.int32)
    if array.dtype.kind not in "iu":
        problem = f"expected whole numbers (nodes), got {array.dtype}"
        raise InputKindError(problem, parameter="merges")
    if array.ndim != 2 or array.shape[1] != 2:
        problem = f"expected the shape (n_objects - 1, 2), got {array.shape}"
        remedy = "each row names the two nodes that are joined"
        raise InputError(problem, parameter="merges", remedy=remedy)
    for condition, problem, remedy in MERGE_RULES:
        bad = np.argwhere(condition(array))
        if len(bad):
            row, n_objects = int(bad[0][0]), len(array) + 1
            facts = {
                "row": row,
                "node": array[tuple(bad[0])],
                "n_objects": n_objects,
                "last_object": n_objects - 1,
                "last_node": n_objects + row - 1,
            }
            problem, remedy = problem.format(**facts), remedy.format(**facts)
            raise InputError(problem, parameter="merges", remedy=remedy)
    return array.astype(np.int32)


def check_per_merge(values: object, n_merges: int, parameter: str) -> AnyArray:
    """Return an array per merge as float64, `tied` as bool; None becomes NaN or False."""
    is_flag = parameter == "tied"
    if values is None:
        return np.zeros(n_merges, dtype=np.bool_) if is_flag else np.full(n_merges, np.nan)
    array = _as_array(values, parameter)
    if array.size and array.dtype.kind not in ("b" if is_flag else "fiu"):
        expected = "True or False for each merge" if is_flag else "numbers, or NaN for none"
        raise InputKindError(f"expected {expected}, got {array.dtype}", parameter=parameter)
    if array.shape != (n_merges,):
        problem = f"expected one entry per merge, shape ({n_merges},), got {array.shape}"
        raise InputError(problem, parameter=parameter)
    if is_flag:
        return array.astype(np.bool_)
    wrong, what = np.flatnonzero(np.isinf(array)), "finite numbers"
    if parameter == "support":
        wrong, what = np.flatnonzero((array < 0) | (array > 1)), "shares from 0 to 1"
    if wrong.size:
        problem = f"expected {what}, or NaN for none, got {array[wrong[0]]} for merge {wrong[0]}"
        raise InputError(problem, parameter=parameter)
    return array.astype(np.float64)


def check_heights(heights: object, merges: Int32Array) -> AnyArray:
    """Return one height per merge, none negative or below one of its children; or NaN for all."""
    checked = check_per_merge(heights, len(merges), "heights")
    if np.isnan(checked).all():
        return checked
    of_nodes = np.concatenate([np.zeros(len(merges) + 1), checked])
    wrong = np.flatnonzero(~(of_nodes[merges].max(axis=1) <= checked))
    if wrong.size:
        problem = (
            f"expected heights that rise from the leaves to the root, got {checked[wrong[0]]} for "
            f"merge {wrong[0]}"
        )
        raise InputError(problem, parameter="heights", remedy="give all merges a height, or none")
    return checked


def check_method(method: object) -> str | None:
    """Return the name of the method."""
    if method is None or isinstance(method, str):
        return method
    problem = f"expected the name of a method or None, got {type(method).__name__}"
    raise InputKindError(problem, parameter="method")


def check_parameters(parameters: object) -> dict[str, Any]:
    """Return a copy of the parameters made of plain JSON values only."""
    if not isinstance(parameters, Mapping | None):
        problem = f"expected a dict of option names and values, got {type(parameters).__name__}"
        raise InputKindError(problem, parameter="parameters")
    return dict(_plain(parameters or {}, "parameters"))


def _as_array(values: object, parameter: str) -> AnyArray:
    try:
        return np.asarray(values)
    except (ValueError, TypeError, OverflowError) as error:
        problem = f"expected rows of equal length, but this cannot be read as an array ({error})"
        raise InputError(problem, parameter=parameter) from error


DEEPEST = 20
"""Levels of lists and mappings that parameters may nest."""


def _plain(value: object, where: str, depth: int = 0) -> Any:
    """Turn NumPy values, tuples and mappings into what JSON knows."""
    if depth > DEEPEST:
        raise InputError(f"values are nested more than {DEEPEST} deep", parameter="parameters")
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InputError(f"{value} cannot be saved as JSON", parameter=where)
        return value
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise InputKindError(f"keys must be text, got {key!r}", parameter=where)
        items = value.items()
        return {str(key): _plain(item, f"{where}[{key!r}]", depth + 1) for key, item in items}
    if isinstance(value, list | tuple):
        return [_plain(item, f"{where}[{i}]", depth + 1) for i, item in enumerate(value)]
    got = f"{type(value).__name__}, which cannot be saved as JSON"
    raise InputKindError(f"expected numbers, text, lists and dicts, got {got}", parameter=where)
