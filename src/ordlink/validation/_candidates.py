"""Candidates: the methods that are compared, how long they take, and which one to use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ordlink._typing import FloatArray
from ordlink.errors import InputError, InputKindError
from ordlink.methods import METHODS, find_method
from ordlink.methods._table import name_key
from ordlink.validation._cross_validation import standard_error

LONGEST_SECONDS = 120.0  # a candidate whose trees would take longer in total, on one core, is out
CHANCE = 0.5  # accuracy of a random tree


@dataclass(frozen=True)
class Candidate:
    """A method with its options, and a label for tables."""

    label: str
    method: str
    options: Mapping[str, Any] = field(default_factory=dict)


# Further random starts hardly ever end in a better optimum than the first.
_PLANE = {"n_components": 2, "metric": "euclidean", "n_init": 1}

CANDIDATES: dict[str, Candidate] = {
    candidate.label: candidate
    for candidate in (
        Candidate("auto", "auto"),
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

    By default these are all but the slow ones; AddS-AL, the fastest, is always compared.
    """
    if methods is not None:
        return find_candidates(methods), {}
    chosen, left_out = [], {}
    for candidate in CANDIDATES.values():
        method = "search" if candidate.method == "auto" else candidate.method  # chosen once
        seconds = n_trees * estimate_seconds(method, n_objects, n_comparisons)
        if seconds > LONGEST_SECONDS and candidate.method != "AddS-AL":
            left_out[candidate.label] = (
                f"{n_trees} trees of {n_objects:,} objects and {n_comparisons:,} comparisons would "
                f"take about {_duration(seconds)}; name it to compare it anyway"
            )
        else:
            chosen.append(candidate)
    return chosen, left_out


def estimate_seconds(method: str, n_objects: int, n_comparisons: int) -> float:
    """Return the estimated seconds on one core for a tree of listed comparisons.

    Fitted to timings, within a factor of about three. A method without an estimate counts as fast.
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


def _search(n: float, q: float) -> float:
    return 0.1 + 2e-5 * q + 8e-8 * n**3


_SECONDS: dict[str, Callable[[float, float], float]] = {
    "AddS-AL": lambda n, q: 1e-8 * q + 3e-7 * n * n,
    "4-AL": lambda n, q: 5e-8 * q + 3.5e-9 * n**3,
    "4K-AL": _four_kernel,
    "spectral": _spectral,
    "search": _search,
    "auto": lambda n, q: _spectral(n, q) if n > 500 else 5 * _spectral(n, q) + 6 * _search(n, q),
    "tSTE-AL": lambda n, q: 0.02 + 3e-6 * q + 5e-7 * n * n,
    "SOE-AL": lambda n, q: 0.02 + 3e-6 * q + 5e-7 * n * n,
    "FORTE-AL": lambda n, q: 0.02 + 3e-6 * q + 5e-7 * n * n + 1e-8 * n**3,
}


def find_candidates(methods: Iterable[str | Candidate]) -> list[Candidate]:
    """Return the candidates of these labels, or the methods of these names."""
    if isinstance(methods, str) or not isinstance(methods, Iterable):
        raise InputKindError(
            f"expected a list of names, such as ['4-AL', 'spectral'], got {methods!r}",
            parameter="methods",
        )
    found = {}
    for method in methods:
        candidate = method if isinstance(method, Candidate) else _find(str(method))
        if candidate.label in found:
            raise InputError(f"{candidate.label} is listed twice", parameter="methods")
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
    by_key = {name_key(label): candidate for label, candidate in CANDIDATES.items()}
    if name_key(name) in by_key:
        return by_key[name_key(name)]
    try:
        method = find_method(name)
    except InputError as error:
        others = [label for label in CANDIDATES if label not in METHODS]
        raise InputError(f"{error}; or, with options, {', '.join(others)}") from error
    if method.needs != "comparisons":
        raise InputKindError(
            f"{method.name} needs {method.needs} and cannot be evaluated on answers",
            parameter="methods",
            remedy=f"use {', '.join(CANDIDATES)}",
        )
    return Candidate(method.name, method.name)


def _duration(seconds: float) -> str:
    if seconds < 300:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:,.0f} min" if seconds < 3 * 3600 else f"{seconds / 3600:,.0f} h"


@dataclass(frozen=True)
class Recommendation:
    """The recommended method, the reason, and how far each method is behind the best."""

    label: str
    reason: str  # in one sentence
    best: str  # the method with the highest mean accuracy
    differences: dict[str, tuple[float, float]]
    """Mean accuracy of the best minus that of each method, paired over folds, and its error; NaN
    where a method has no accuracy."""


def recommend(accuracies: Mapping[str, FloatArray]) -> Recommendation:
    """Return the recommended method by its accuracies (n_repetitions, n_folds) on the same folds.

    The best has the highest mean. Methods that are at most one standard error behind it, by the
    paired differences over folds, tie with it. Of those, the first in CANDIDATES is recommended;
    methods outside that list come last, in the order given.

    Examples
    --------
    >>> import numpy as np
    >>> found = recommend({"4-AL": np.array([[0.7, 0.8]]), "spectral": np.array([[0.75, 0.74]])})
    >>> found.best, found.label
    ('4-AL', 'spectral')
    """
    ranked = [label for label in CANDIDATES if label in accuracies]
    ranked += [label for label in accuracies if label not in CANDIDATES]
    means = {label: float(np.nan_to_num(accuracies[label].mean(), nan=-1.0)) for label in ranked}
    best = max(ranked, key=means.__getitem__)  # of equal ones, the preferred
    behind = {label: accuracies[best] - accuracies[label] for label in accuracies}
    differences = {
        label: (float(np.mean(by_fold)), float(standard_error(by_fold)))
        for label, by_fold in behind.items()
    }
    tied = [
        label
        for label in ranked  # not where the difference is NaN
        if label == best or differences[label][0] <= differences[label][1] + 1e-12
    ]
    return Recommendation(tied[0], _reason(tied, best, differences, accuracies), best, differences)


def _reason(
    tied: list[str],
    best: str,
    differences: Mapping[str, tuple[float, float]],
    accuracies: Mapping[str, FloatArray],
) -> str:
    chosen = tied[0]
    mean = float(accuracies[chosen].mean())
    error = float(standard_error(accuracies[chosen]))
    if np.isnan(mean):
        return f"{chosen} comes first in the order of preference, and no method could be evaluated."
    score = f"{mean:.3f} ± {error:.3f}"
    if len(accuracies) == 1:
        reason = f"{chosen} is the only method compared; it predicts {score} of held-out answers"
    elif chosen == best:
        others = [label for label in tied if label != best]
        reason = f"{chosen} predicts held-out answers best ({score})"
        if others:
            verb = "is" if len(others) == 1 else "are"
            reason += f"; {_joined(others)} {verb} within one standard error"
        else:
            reason += ", more than a standard error ahead of every other method"
    else:
        difference, its_error = differences[chosen]
        reason = (
            f"{chosen} predicts held-out answers ({score}) within one standard error of the best, "
            f"{best} (difference {difference:.3f} ± {its_error:.3f}), and is preferred to it"
        )
    if mean - 2 * error <= CHANCE:
        reason += f", but this is hardly better than chance ({CHANCE})"
    return reason + "."


def _joined(labels: list[str]) -> str:
    if len(labels) == 1:
        return labels[0]
    return f"{', '.join(labels[:-1])} and {labels[-1]}"
