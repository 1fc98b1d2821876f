"""Candidates: the methods that are compared, how long they take, and which are too slow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ordlink.errors import InputError, InputKindError
from ordlink.methods import METHODS, find_method

LONGEST_SECONDS = 120.0
"""A candidate whose trees would take longer in total, on one core, is left out."""


@dataclass(frozen=True)
class Candidate:
    """A method with its options.

    Attributes
    ----------
    label : str
        Its name in tables.
    method : str
        Name of the method.
    options : mapping
        Options of the method.
    """

    label: str
    method: str
    options: Mapping[str, Any] = field(default_factory=dict)


# Further random starts hardly ever end in a better optimum than the first.
_PLANE = {"n_components": 2, "metric": "euclidean", "n_init": 1}

CANDIDATES: dict[str, Candidate] = {
    candidate.label: candidate
    for candidate in (
        Candidate("spectral", "spectral"),
        Candidate("tSTE-AL 2-D", "tSTE-AL", _PLANE),
        Candidate("SOE-AL 2-D", "SOE-AL", _PLANE),
        Candidate("4K-AL", "4K-AL"),
        Candidate("4-AL", "4-AL"),
        Candidate("AddS-AL", "AddS-AL"),
        Candidate("4K-AL no self", "4K-AL", {"self_comparisons": False}),
    )
}
"""The candidates by label, in the order of preference where they tie."""


def choose_candidates(
    methods: Iterable[str | Candidate] | None, *, n_objects: int, n_comparisons: int, n_trees: int
) -> tuple[list[Candidate], dict[str, str]]:
    """Return the candidates to compare, and why others are left out.

    By default these are all of CANDIDATES except those whose trees would take more than
    `LONGEST_SECONDS`; AddS-AL, the fastest, is always compared.
    """
    if methods is not None:
        return find_candidates(methods), {}
    chosen, left_out = [], {}
    for candidate in CANDIDATES.values():
        seconds = n_trees * estimate_seconds(candidate.method, n_objects, n_comparisons)
        if seconds > LONGEST_SECONDS and candidate.method != "AddS-AL":
            left_out[candidate.label] = (
                f"{n_trees} trees of {n_objects:,} objects and {n_comparisons:,} comparisons would "
                f"take about {_duration(seconds)}; name it to compare it anyway"
            )
        else:
            chosen.append(candidate)
    return chosen, left_out


def estimate_seconds(method: str, n_objects: int, n_comparisons: int) -> float:
    """Return about how many seconds of one core a tree of listed comparisons takes.

    Fitted to timings, within a factor of about three. A method without an estimate counts as fast.

    Examples
    --------
    >>> estimate_seconds("spectral", 60, 12_000) > 10 * estimate_seconds("4-AL", 60, 12_000)
    True
    """
    estimate = _SECONDS.get(method)
    return 0.0 if estimate is None else estimate(float(n_objects), float(n_comparisons))


def _four_kernel(n: float, q: float) -> float:
    n_pairs = max(1.0, n * (n - 1) / 2)
    products = min(5e-9 * q * q / n_pairs, 8e-10 * n**5 / 256)  # by groups, or by bits
    return 4e-8 * q + 3e-7 * n * n + products


def _spectral(n: float, q: float) -> float:
    if n <= 64:  # up to three kinds of trees are tried on five folds
        return 1.2 + 0.03 * n + 2e-5 * q
    return 0.5 + 1.2e-5 * q + 1e-8 * n**3


_SECONDS: dict[str, Callable[[float, float], float]] = {
    "AddS-AL": lambda n, q: 1e-8 * q + 3e-7 * n * n,
    "4-AL": lambda n, q: 5e-8 * q + 3.5e-9 * n**3,
    "4K-AL": _four_kernel,
    "spectral": _spectral,
    "tSTE-AL": lambda n, q: 0.02 + 3e-6 * q + 5e-7 * n * n,
    "SOE-AL": lambda n, q: 0.02 + 3e-6 * q + 5e-7 * n * n,
    "FORTE-AL": lambda n, q: 0.02 + 3e-6 * q + 5e-7 * n * n + 1e-8 * n**3,
}


def find_candidates(methods: Iterable[str | Candidate]) -> list[Candidate]:
    """Return the candidates of these labels, or the methods of these names.

    Raises
    ------
    InputError, InputKindError
        If one is unknown, does not work on answers or is named twice, or there is none.
    """
    if isinstance(methods, str) or not isinstance(methods, Iterable):
        raise InputKindError(
            f"expected a list of names, such as ['4-AL', 'spectral'], got {methods!r}",
            parameter="methods",
        )
    found = {}
    for method in methods:
        candidate = method if isinstance(method, Candidate) else _find(str(method))
        if candidate.label in found:
            raise InputError(f"{candidate.label} is named twice", parameter="methods")
        found[candidate.label] = candidate
    if not found:
        raise InputError(
            "expected at least one name",
            parameter="methods",
            remedy="leave {methods} out to compare all",
        )
    return list(found.values())


def _find(name: str) -> Candidate:
    """Return the candidate of this label, or else the method of this name with its defaults."""
    by_key = {_key(label): candidate for label, candidate in CANDIDATES.items()}
    if _key(name) in by_key:
        return by_key[_key(name)]
    try:
        method = find_method(name)
    except InputError as error:
        others = [label for label in CANDIDATES if label not in METHODS]
        raise InputError(f"{error}; or, with options, {', '.join(others)}") from error
    if method.needs != "comparisons":
        raise InputKindError(
            f"{method.name} needs {method.needs} and cannot be compared on answers",
            parameter="methods",
            remedy=f"use {', '.join(CANDIDATES)}",
        )
    return Candidate(method.name, method.name)


def _key(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())


def _duration(seconds: float) -> str:
    if seconds < 300:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:,.0f} min" if seconds < 3 * 3600 else f"{seconds / 3600:,.0f} h"
