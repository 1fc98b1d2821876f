"""What makes a list of merges a tree: tables of (condition, message), checked in order."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ordlink._typing import AnyArray, BoolArray, FloatArray, Int32Array
from ordlink.errors import InputError, InputKindError


def _first_free_node(merges: AnyArray) -> AnyArray:
    """Give for each merge t the node it creates, N + t; only smaller nodes exist before it."""
    n_merges = len(merges)
    return np.arange(n_merges + 1, 2 * n_merges + 1)


def _used_before(merges: AnyArray) -> BoolArray:
    """Mark each entry whose node already appeared, reading row by row."""
    flat = merges.ravel()
    used = np.ones(flat.size, dtype=np.bool_)
    used[np.unique(flat, return_index=True)[1]] = False
    return used.reshape(merges.shape)


Rule = tuple[Callable[[AnyArray], AnyArray], str]

MERGE_RULES: tuple[Rule, ...] = (
    (
        lambda merges: merges < 0,
        "merge {row} joins node {node}, but node ids start at 0; "
        "number the objects 0 to {last_object} and merge t as node {n_objects} + t.",
    ),
    (
        lambda merges: merges >= _first_free_node(merges)[:, None],
        "merge {row} joins node {node}, but only the nodes 0 to {last_node} exist before it "
        "({n_objects} objects, then one node per merge); put the merges in the order in which "
        "they happen.",
    ),
    (
        lambda merges: np.repeat(merges[:, :1] == merges[:, 1:], 2, axis=1),
        "merge {row} joins node {node} with itself; a merge needs two different nodes.",
    ),
    (
        _used_before,
        "merge {row} joins node {node}, which was already joined in an earlier merge; "
        "name the node that merge created instead.",
    ),
)
"""Condition (marks the bad entries of merges) and message; together they hold only for trees."""

SCORE_RULES: tuple[Rule, ...] = (
    (
        np.isinf,
        "the score of merge {row} is infinite; scores are finite numbers, or NaN where a merge "
        "has none.",
    ),
)

SUPPORT_RULES: tuple[Rule, ...] = (
    (
        lambda support: (support < 0) | (support > 1),
        "the support of merge {row} is {node}; support is a share from 0 to 1, or NaN where it is "
        "not known.",
    ),
)


def check_merges(merges: object) -> Int32Array:
    """Return `merges` as int32 of shape (N-1, 2), or raise with the first row that is wrong."""
    array = _as_array(merges, "merges")
    if array.size == 0 and array.ndim in (1, 2):
        return np.empty((0, 2), dtype=np.int32)
    if array.dtype.kind not in "iu":
        raise InputKindError(
            f"merges must be whole numbers (node ids), got {array.dtype}; "
            "convert them first, for instance with .astype(int)."
        )
    if array.ndim != 2 or array.shape[1] != 2:
        raise InputError(
            f"merges must have the shape (n_objects - 1, 2), got {array.shape}; "
            "each row names the two nodes that are joined."
        )
    _apply(MERGE_RULES, array)
    return array.astype(np.int32)


def check_scores(scores: object, n_merges: int) -> FloatArray:
    """Return `scores` as float64 of shape (N-1,); None means that no merge has a score."""
    if scores is None:
        return np.full(n_merges, np.nan)
    array = _as_array(scores, "scores")
    if array.size and array.dtype.kind not in "fiu":
        raise InputKindError(
            f"scores must be numbers, got {array.dtype}; use NaN for a merge without a score."
        )
    _check_length(array, n_merges, "scores")
    _apply(SCORE_RULES, array)
    return array.astype(np.float64)


def check_tied(tied: object, n_merges: int) -> BoolArray:
    """Return `tied` as bool of shape (N-1,); None means that no tie decided anything."""
    if tied is None:
        return np.zeros(n_merges, dtype=np.bool_)
    array = _as_array(tied, "tied")
    if array.size and array.dtype.kind != "b":
        raise InputKindError(
            f"tied must be True or False for each merge, got {array.dtype}; "
            "convert it first, for instance with .astype(bool)."
        )
    _check_length(array, n_merges, "tied")
    return array.astype(np.bool_)


def check_support(support: object, n_merges: int) -> FloatArray:
    """Return `support` as float64 of shape (N-1,); None means that none is known."""
    if support is None:
        return np.full(n_merges, np.nan)
    array = _as_array(support, "support")
    if array.size and array.dtype.kind not in "fiu":
        raise InputKindError(
            f"support must be numbers, got {array.dtype}; use NaN for a merge without support."
        )
    _check_length(array, n_merges, "support")
    _apply(SUPPORT_RULES, array)
    return array.astype(np.float64)


def check_min_support(min_support: object) -> float:
    """Return the least support that a merge must have, a number from 0 to 1."""
    if isinstance(min_support, bool) or not isinstance(
        min_support, int | float | np.integer | np.floating
    ):
        raise InputKindError(f"min_support must be a number from 0 to 1, got {min_support!r}.")
    if not 0 <= min_support <= 1:
        raise InputError(f"min_support must be from 0 to 1, got {min_support}.")
    return float(min_support)


def check_names(names: object, n_objects: int) -> tuple[str, ...] | None:
    """Return the names as a tuple of text, one per object; two objects may share a name."""
    if names is None:
        return None
    if isinstance(names, str | bytes) or not isinstance(names, Iterable):
        raise InputKindError(
            f"names must be a list of texts, one per object, got {type(names).__name__}."
        )
    listed = list(names)
    if len(listed) != n_objects:
        raise InputError(
            f"there are {n_objects} objects, but {len(listed)} names; give one name per object."
        )
    for i, name in enumerate(listed):
        if not isinstance(name, str):
            raise InputKindError(
                f"the name of object {i} is {name!r} ({type(name).__name__}), expected text; "
                "convert it with str()."
            )
        if any("\ud800" <= character <= "\udfff" for character in name):
            raise InputError(
                f"the name of object {i}, {name!r}, holds half a character (a lone surrogate) "
                "and cannot be written to a file; read the names again with the right encoding."
            )
    return tuple(str(name) for name in listed)


def check_method(method: object) -> str | None:
    """Return the name of the method."""
    if method is None or isinstance(method, str):
        return method
    raise InputKindError(
        f"method must be the name of a method or None, got {type(method).__name__}."
    )


def check_parameters(parameters: object) -> dict[str, Any]:
    """Return a copy of the parameters made of plain JSON values only."""
    if parameters is None:
        return {}
    if not isinstance(parameters, Mapping):
        raise InputKindError(
            f"parameters must be a dict of option names and values, got "
            f"{type(parameters).__name__}."
        )
    plain: dict[str, Any] = _plain(parameters, "parameters")
    return plain


def check_whole_number(value: object, what: str, *, lowest: int, highest: int, remedy: str) -> int:
    """Return `value` as an int between `lowest` and `highest`."""
    if isinstance(value, bool | np.bool_):
        raise InputKindError(f"{what} must be a whole number, got {value}.")
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise InputKindError(
            f"{what} must be a whole number, got {value!r} ({type(value).__name__})."
        ) from None
    if not lowest <= number <= highest:
        raise InputError(f"{what} must be from {lowest} to {highest}, got {number}; {remedy}.")
    return number


def check_objects(objects: object, n_objects: int) -> Int32Array:
    """Return a list of different objects as int32; a mask is refused, so is an empty list."""
    array = _as_array(objects, "objects")
    if array.size == 0:
        raise InputError("objects is empty; name at least one object to keep.")
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise InputKindError(
            f"objects must be a list of object numbers, got {array.dtype} of shape {array.shape}; "
            "turn a mask into numbers with numpy.flatnonzero."
        )
    outside = np.flatnonzero((array < 0) | (array >= n_objects))
    if outside.size:
        raise InputError(
            f"objects names object {array[outside[0]]}, but there "
            + ("is 1 object (0)." if n_objects == 1 else f"are {n_objects} objects (0 to ")
            + ("" if n_objects == 1 else f"{n_objects - 1}).")
        )
    values, counts = np.unique(array, return_counts=True)
    if counts.max() > 1:
        raise InputError(
            f"objects names object {values[counts.argmax()]} more than once; name each one once."
        )
    return array.astype(np.int32)


def _as_array(values: object, what: str) -> AnyArray:
    try:
        return np.asarray(values)
    except (ValueError, TypeError, OverflowError) as error:
        raise InputError(
            f"{what} cannot be read as an array ({error}); give rows of equal length."
        ) from error


def _check_length(array: AnyArray, n_merges: int, what: str) -> None:
    if array.shape != (n_merges,):
        raise InputError(
            f"{what} must have one entry per merge, so the shape ({n_merges},), got {array.shape}."
        )


def _apply(rules: Sequence[Rule], array: AnyArray) -> None:
    for condition, message in rules:
        bad = np.argwhere(condition(array))
        if len(bad):
            where = tuple(bad[0])
            row, n_objects = int(where[0]), len(array) + 1
            raise InputError(
                message.format(
                    row=row,
                    node=array[where],
                    n_objects=n_objects,
                    last_object=n_objects - 1,
                    last_node=n_objects + row - 1,
                )
            )


def _plain(value: object, where: str) -> Any:
    """Turn NumPy values, tuples and mappings into what JSON knows."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InputError(f"{where} is {value}, which JSON cannot hold; leave it out or None.")
        return value
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise InputKindError(f"{where} has the key {key!r}; keys must be text.")
        return {str(key): _plain(item, f"{where}[{key!r}]") for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, f"{where}[{i}]") for i, item in enumerate(value)]
    raise InputKindError(
        f"{where} is of type {type(value).__name__}, which cannot be saved; "
        "use numbers, text, lists and dicts."
    )
