"""What is simulated: the objects, the people, the method and the aim."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ordlink.comparisons import find_form
from ordlink.datasets._checks import check_number, check_whole_number
from ordlink.datasets._structure import MAX_OBJECTS, Structure
from ordlink.errors import InputError, InputKindError
from ordlink.methods import find_method

DIFFICULTIES = {"easy": 2.0, "medium": 1.0, "hard": 0.5}
"""Names for delta / sigma: what a level of the tree counts for against the noise."""
MEASURES = {
    "aari": "AARI: agreement with the true tree, level by level",
    "accuracy": "share of fresh answers that the tree predicts",
}
"""What a target is about."""
OBJECTS_PER_CLUSTER = 8
"""Where neither depth nor number of clusters is given."""


@dataclass(frozen=True)
class Setting:
    """What is simulated; `check_setting` makes it.

    Attributes
    ----------
    n_objects, n_clusters : int
        Numbers of objects and of pure clusters.
    difficulty : float
        delta / sigma of the planted model; larger is easier.
    error_rate : float
        Share of wrong answers.
    method, question : str
        Name of the method, and form of the answers.
    target : float
        What is to be reached.
    measure : {"aari", "accuracy"}
        What the target is about.
    """

    n_objects: int
    n_clusters: int
    difficulty: float
    error_rate: float
    method: str
    question: str
    target: float
    measure: str

    @property
    def structure(self) -> Structure:
        """The true tree: clusters halved again and again, sizes as equal as can be."""
        edges = np.arange(self.n_clusters + 1) * self.n_objects // self.n_clusters
        return _halve(np.diff(edges).tolist())


def check_setting(
    n_objects: int,
    *,
    depth: int | None,
    n_clusters: int | None,
    difficulty: float | str,
    error_rate: float,
    method: str,
    question: str,
    target: float,
    measure: str,
) -> Setting:
    """Return the setting, or say what cannot be."""
    n_objects = check_whole_number(n_objects, "n_objects", smallest=3)
    if n_objects > MAX_OBJECTS:
        raise InputError(f"n_objects: expected at most {MAX_OBJECTS}, got {n_objects}.")
    form = find_form(question)
    chosen = find_method(method)
    if chosen.needs != "comparisons":
        raise InputError(
            f"method: expected one that works on answers given beforehand, got {chosen.name}, "
            f"which needs {chosen.needs}; plan for spectral, 4-AL or AddS-AL."
        )
    measure = str(measure).lower()
    if measure not in MEASURES:
        raise InputError(f"measure: expected {' or '.join(MEASURES)}, got {measure!r}.")
    return Setting(
        n_objects=n_objects,
        n_clusters=_check_clusters(n_objects, depth, n_clusters),
        difficulty=check_difficulty(difficulty),
        error_rate=_check_error_rate(error_rate, 2 if len(form.comparisons) == 1 else 3),
        method=chosen.name,
        question=form.name,
        target=_check_target(target, measure),
        measure=measure,
    )


def check_difficulty(difficulty: float | str) -> float:
    """Return delta / sigma from a number or one of the names.

    Examples
    --------
    >>> check_difficulty("easy"), check_difficulty(0.7), check_difficulty("0.7")
    (2.0, 0.7, 0.7)
    """
    if isinstance(difficulty, str):
        named = DIFFICULTIES.get(difficulty.strip().lower())
        try:
            difficulty = float(difficulty) if named is None else named
        except ValueError as error:
            raise InputError(
                f"difficulty: expected {', '.join(DIFFICULTIES)} or a number above 0, got "
                f"{difficulty!r}."
            ) from error
    ratio = check_number(difficulty, "difficulty")
    if ratio <= 0:
        raise InputError(
            f"difficulty: expected a number above 0 (delta / sigma), got {ratio:g}; without a gap "
            "between the levels there is no tree to find."
        )
    return ratio


def _check_clusters(n_objects: int, depth: int | None, n_clusters: int | None) -> int:
    if depth is not None and n_clusters is not None:
        raise InputError("depth, n_clusters: expected one of them, got both; leave one out.")
    if depth is not None:
        depth = check_whole_number(depth, "depth", smallest=1)
        most = n_objects.bit_length() - 1  # the largest depth with 2**depth <= n_objects
        if depth > most:
            raise InputError(
                f"depth: expected at most {most}, since {n_objects} objects make no "
                f"2**{depth} clusters, got {depth}."
            )
        return 1 << depth
    if n_clusters is not None:
        n_clusters = check_whole_number(n_clusters, "n_clusters", smallest=2)
        if n_clusters > n_objects:
            raise InputError(
                f"n_clusters: expected at most {n_objects}, the number of objects, got "
                f"{n_clusters}."
            )
        return n_clusters
    return int(2 ** max(1, round(math.log2(n_objects / OBJECTS_PER_CLUSTER))))


def _check_error_rate(error_rate: float, n_choices: int) -> float:
    error_rate = check_number(error_rate, "error_rate", smallest=0)
    of_guessing = (n_choices - 1) / n_choices
    if error_rate > of_guessing - 1e-9:
        raise InputError(
            f"error_rate: expected less than {of_guessing:.3g}, got {error_rate:g}; with that many "
            "errors people guess, and no number of answers is enough."
        )
    return error_rate


def _check_target(target: float, measure: str) -> float:
    target = check_number(target, "target")
    lowest = 0.5 if measure == "accuracy" else 0.0
    if not lowest < target <= 1:
        why = "guessing gives 0.5" if lowest else "a tree that knows nothing has 0"
        raise InputError(
            f"target: expected more than {lowest:g} ({why}) and at most 1, got {target:g}."
        )
    return target


def check_confidence(confidence: float) -> float:
    """Return the share of runs that are to reach the target."""
    confidence = check_number(confidence, "confidence")
    if not 0.5 <= confidence <= 0.95:
        raise InputError(
            f"confidence: expected 0.5 to 0.95, the share of runs that reach the target, got "
            f"{confidence:g}."
        )
    return confidence


def check_seed(seed: int) -> int:
    """Return the seed."""
    if isinstance(seed, float | str):
        raise InputKindError(f"seed: expected a whole number of at least 0, got {seed!r}.")
    return check_whole_number(seed, "seed", smallest=0)


def _halve(sizes: Sequence[int]) -> Structure:
    if len(sizes) == 1:
        return sizes[0]
    middle = (len(sizes) + 1) // 2
    return [_halve(sizes[:middle]), _halve(sizes[middle:])]
