"""Each kind of argument, checked in one place."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any, TypeAlias

import numpy as np

from ordlink._text import counted, did_you_mean, either, quoted
from ordlink._typing import Int32Array
from ordlink.errors import InputError, InputKindError

Seed: TypeAlias = int | np.random.Generator | None
"""What every function that draws at random takes: None draws a new seed each time."""

_NOT_TEXT = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")
"""What no name may contain: control characters and lone surrogates."""


def check_whole_number(
    value: Any, parameter: str, *, lowest: int, highest: int | None = None, remedy: str = ""
) -> int:
    """Return an integer within bounds as an int."""
    bound = f"of at least {lowest:,}" if highest is None else f"from {lowest:,} to {highest:,}"
    expected = f"expected a whole number {bound}"
    is_flag = isinstance(value, bool | np.bool_)
    if is_flag or not isinstance(value, Integral):
        kind = InputError if isinstance(value, Real) and not is_flag else InputKindError
        raise kind(f"{expected}, got {value!r}", parameter=parameter, remedy=remedy)
    number = int(value)
    if number < lowest or (highest is not None and number > highest):
        raise InputError(f"{expected}, got {number}", parameter=parameter, remedy=remedy)
    return number


def check_number(
    value: Any, parameter: str, *, lowest: float = -math.inf, highest: float = math.inf
) -> float:
    """Return a finite number within bounds as a float."""
    bound = ""
    if highest < math.inf:
        bound = f" from {lowest:g} to {highest:g}"
    elif lowest > -math.inf:
        bound = f" of at least {lowest:g}"
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        raise InputKindError(f"expected a number{bound}, got {value!r}", parameter=parameter)
    number = float(value)
    if not math.isfinite(number) or not lowest <= number <= highest:
        raise InputError(f"expected a finite number{bound}, got {value}", parameter=parameter)
    return number


def check_keywords(given: Iterable[str], known: Iterable[str], function: str) -> None:
    """Refuse keywords that a function does not have, as Python does."""
    for name in given:
        if name not in known:
            problem = f"{function}() got an unexpected keyword argument {quoted(name)}"
            raise InputKindError(problem + did_you_mean(name, known))


def check_choice(value: Any, parameter: str, choices: Iterable[str]) -> str:
    """Return a word that is one of the choices."""
    known = list(choices)
    expected = f"expected {either(map(repr, known))}"
    if not isinstance(value, str):
        raise InputKindError(f"{expected}, got {value!r}", parameter=parameter)
    if value not in known:
        got = f"{quoted(value)}{did_you_mean(value, known)}"
        raise InputError(f"{expected}, got {got}", parameter=parameter)
    return value


def check_flag(value: Any, parameter: str) -> bool:
    """Return True or False; refuse words such as "no", which would count as True."""
    if not isinstance(value, bool | np.bool_):
        raise InputKindError(f"expected True or False, got {value!r}", parameter=parameter)
    return bool(value)


def check_names(names: Any, n_objects: int | None) -> tuple[str, ...] | None:
    """Return the names of the objects as a tuple: single lines of text, which may repeat."""
    if names is None:
        return None
    unordered = isinstance(names, str | bytes | dict | set | frozenset)
    if unordered or not isinstance(names, Iterable):
        problem = f"expected a sequence of strings, got {type(names).__name__}"
        raise InputKindError(problem, parameter="names")
    given = list(names)
    if any(name is None or name != name for name in given):
        raise InputKindError("expected a name for each object, got None", parameter="names")
    checked = tuple(str(name) for name in given)
    if n_objects is not None and len(checked) != n_objects:
        problem = f"expected {counted(n_objects, 'name')}, one per object, got {len(checked):,}"
        raise InputError(problem, parameter="names")
    for index, name in enumerate(checked):
        if not name.strip() or _NOT_TEXT.search(name):
            bad = f"the name of object {index}, {quoted(name)},"
            problem = f"{bad} is empty or has control characters"
            raise InputError(problem, parameter="names", remedy="names are single lines of text")
    return checked


def check_objects(objects: Any, n_objects: int, parameter: str) -> Int32Array:
    """Return the object numbers after checking that they are distinct and from 0 to N - 1."""
    try:
        given = np.asarray(objects)
    except ValueError:  # nested lists of different lengths
        given = np.empty((0, 0))
    if given.ndim != 1 or not len(given) or given.dtype.kind not in "iu":
        problem = "expected a list of object numbers, at least one, such as [0, 1, 2]"
        raise InputError(problem, parameter=parameter)
    wrong = given[(given < 0) | (given >= n_objects)]
    if len(wrong):
        problem = f"object {wrong[0]} is out of range: there {count_objects(n_objects)}"
        raise InputError(problem, parameter=parameter)
    numbers, counts = np.unique(given, return_counts=True)
    if len(numbers) < len(given):
        raise InputError(f"object {numbers[counts > 1][0]} is listed twice", parameter=parameter)
    return given.astype(np.int32)


def count_objects(n_objects: int, first: int = 0) -> str:
    """Return "are 4 objects (0 to 3)", or "is 1 object (0)"."""
    if n_objects == 1:
        return f"is 1 object ({first})"
    return f"are {n_objects:,} objects ({first} to {n_objects - 1 + first})"


def random_generator(seed: Any, parameter: str = "seed") -> np.random.Generator:
    """Return a generator for the seed; a generator is returned unchanged."""
    if seed is None or isinstance(seed, np.random.Generator):
        return np.random.default_rng(seed)
    if isinstance(seed, bool | np.bool_) or not isinstance(seed, Integral):
        problem = f"expected a whole number, a numpy.random.Generator or None, got {seed!r}"
        raise InputKindError(problem, parameter=parameter)
    number = int(seed)
    if number < 0:
        raise InputError(f"expected a whole number of at least 0, got {seed}", parameter=parameter)
    return np.random.default_rng(number)


def seed_number(seed: Any, parameter: str = "seed") -> int:
    """Return an integer to derive seeds from: the seed, or one drawn by the generator."""
    generator = random_generator(seed, parameter)
    return int(seed) if isinstance(seed, Integral) else int(generator.integers(2**63))
