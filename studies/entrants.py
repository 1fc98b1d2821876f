"""The methods as the experiments run them, one row each, and how their trees are judged."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from ordlink._typing import AnyArray, FloatArray, Int8Array
from ordlink.comparisons import Comparisons
from ordlink.errors import OrdlinkWarning
from ordlink.hierarchy import Hierarchy
from ordlink.linkage import average_linkage
from ordlink.methods import cluster
from ordlink.methods.adds import adds_similarity
from ordlink.methods.kernel_al import ActivePlan, active_kernel, passive_kernel, plan_active_kernel
from studies.running._experiment import Record

REFERENCES_AT_ONCE = 200
"""Reference pairs whose features are in memory together."""
Judge = Callable[[Hierarchy], Mapping[str, float]]
"""From a tree to its measures."""


class KnownSimilarities:
    """An oracle that answers from a matrix and keeps no record, for many millions of questions."""

    def __init__(self, similarities: FloatArray) -> None:
        self._similarities = similarities
        self.n_objects = len(similarities)
        self.n_asked = 0

    def compare(self, quadruplets: AnyArray) -> Int8Array:
        """Return +1, -1 or 0 as the first pair is more, less or equally similar."""
        i, j, k, l = quadruplets.T  # noqa: E741 - the paper's letters
        self.n_asked += len(i)
        difference = self._similarities[i, j] - self._similarities[k, l]
        return np.asarray(np.sign(difference), dtype=np.int8)


@dataclass
class Material:
    """What all methods of one repetition see.

    Attributes
    ----------
    similarities : ndarray of shape (N, N)
        The truth behind the answers; only for oracles, the ceiling and the judges.
    comparisons : Comparisons
        The answers of the passive methods.
    seed : int
        For methods that draw something.
    initial_clusters : callable
        From a size to a partition of the pure clusters into groups of that size (planted model).
    """

    similarities: FloatArray
    comparisons: Comparisons | None = None
    seed: int = 0
    initial_clusters: Callable[[int], list[list[int]]] | None = None

    @property
    def answers(self) -> Comparisons:
        """The comparisons, where there are some."""
        if self.comparisons is None:
            raise TypeError("this method needs comparisons")
        return self.comparisons

    @cached_property
    def adds(self) -> FloatArray:
        """AddS, made once."""
        return adds_similarity(self.answers)

    @cached_property
    def kernel(self) -> FloatArray:
        """The quadruplet kernel without self comparisons; with them it is larger by 2 x AddS."""
        return passive_kernel(self.answers, self_comparisons=False)


@dataclass(frozen=True)
class Entrant:
    """A method of an experiment: the name in figures, and a way to run it.

    `run` takes a Material and returns the tree and the number of comparisons used (None: those
    of the material).
    """

    name: str
    run: Callable[[Material], tuple[Hierarchy, int | None]]


def _passive(name: str) -> Entrant:
    return Entrant(name, lambda material: (cluster(material.answers, name), None))


def _active(name: str) -> Entrant:
    def run(material: Material) -> tuple[Hierarchy, int]:
        oracle = KnownSimilarities(material.similarities)
        return cluster(oracle, name), oracle.n_asked

    return Entrant(name, run)


def _run_active_kernel(
    material: Material, landmark_probability: float | None = None
) -> tuple[Hierarchy, int]:
    """Ask at most as many questions as the passive methods have answers.

    There are only so many questions about landmarks: with q = ln N / N, about 9 % of all
    comparisons at N = 240, from 2 % to 18 % in single draws. Where the budget exceeds them, all
    references are used. The number returned is at most a few per cent too large: two pairs that
    are both about landmarks count in both orders.
    """
    n = len(material.similarities)
    plan = plan_active_kernel(
        n,
        landmark_probability=landmark_probability,
        budget=material.answers.n_comparisons,
        seed=material.seed,
    )
    kernel = np.zeros((n, n))
    for start in range(0, len(plan.reference_pairs), REFERENCES_AT_ONCE):
        some = plan.reference_pairs[start : start + REFERENCES_AT_ONCE]
        part = replace(plan, reference_pairs=some)
        kernel += active_kernel(known_features(material.similarities, part))
    return average_linkage(kernel), plan.n_landmark_pairs * len(plan.reference_pairs)


def known_features(similarities: FloatArray, plan: ActivePlan) -> Int8Array:
    """Return the answers of `active_features`, looked up all at once instead of asked in turn."""
    asked = similarities[:, plan.landmarks, None]
    references = similarities[tuple(plan.reference_pairs.T)]
    signs = (asked > references).astype(np.int8)
    signs -= asked < references
    signs[plan.landmarks, np.arange(len(plan.landmarks))] = 0  # k = i
    return np.asarray(signs.reshape(len(similarities), -1))


def _from_initial_clusters(size: int) -> Entrant:
    def run(material: Material) -> tuple[Hierarchy, None]:
        if material.initial_clusters is None:
            raise TypeError("this method needs initial clusters")
        groups = material.initial_clusters(size)
        return cluster(material.answers, "4-AL", initial_clusters=groups), None

    return Entrant(f"4-AL-I{size}", run)


WITHOUT_ANSWERS = (
    _active("SL"),
    _active("CL"),
    Entrant("AL", lambda material: (cluster(material.similarities, "AL"), 0)),
)
"""What does not depend on the proportion of comparisons; AL sees the true similarities."""

ALL_LANDMARKS = "4K-AL-act, q = 1"
"""4K-AL-act with every object as a landmark, as in the authors' published program."""
MANY_LANDMARKS = (Entrant(ALL_LANDMARKS, partial(_run_active_kernel, landmark_probability=1.0)),)
NO_SELF = "4K-AL, no self"
"""4K-AL without self comparisons, as in the proofs."""
PASSIVE = (
    Entrant("4K-AL", lambda m: (average_linkage(m.kernel + 2 * m.adds), None)),
    Entrant(NO_SELF, lambda m: (average_linkage(m.kernel), None)),
    _passive("4-AL"),
    Entrant("AddS-AL", lambda m: (average_linkage(m.adds), None)),
)
"""What works on comparisons alone."""

PLANTED_ONLY = (
    Entrant("4K-AL-act", _run_active_kernel),
    _from_initial_clusters(3),
    _from_initial_clusters(5),
)
"""What needs an oracle or the true clusters besides."""

SPECTRAL = (_passive("spectral"),)
"""Our own, in cells of its own: it can be run again without the others."""


def run_entrants(entrants: Iterable[Entrant], material: Material, judge: Judge) -> list[Record]:
    """Return a record of every method and measure.

    Seconds are those of the processor. The time of what methods share (kernel, AddS) counts for the
    first that uses it.
    """
    records: list[Record] = []
    for entrant in entrants:
        started = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", OrdlinkWarning)  # ties are counted below
            tree, n_used = entrant.run(material)
        seconds = round(time.process_time() - started, 4)
        if n_used is None:
            n_used = material.answers.n_comparisons
        shared = {
            "method": entrant.name,
            "n_comparisons": n_used,
            "n_tied_merges": tree.n_tied_merges,
            "seconds": seconds,
        }
        records += [
            {**shared, "measure": measure, "value": float(value)}
            for measure, value in judge(tree).items()
        ]
    return records
