"""The quadruplet kernel of actively chosen comparisons (4K-AL-act)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ordlink._text import counted
from ordlink._typing import AnyArray, FloatArray, Int8Array, Int32Array, Int64Array, Progress
from ordlink._validate import (
    Seed,
    check_number,
    check_objects,
    check_whole_number,
    random_generator,
)
from ordlink.comparisons import n_pairs, pair_ids, pair_members
from ordlink.errors import InputError
from ordlink.hierarchy import Hierarchy
from ordlink.linkage import InitialPartition, link_by_average, link_features_by_average
from ordlink.oracles import Oracle
from ordlink.oracles._base import check_answers

DEFAULT_REFERENCES = 8  # number of reference pairs where neither it nor a budget is given
FEATURES_FROM = 1000  # from so many objects on, the features are linked, without an N x N kernel
_QUESTIONS_PER_BATCH = 1 << 18


def run_active(
    oracle: Oracle,
    partition: InitialPartition,
    *,
    progress: Progress | None = None,
    **options: Any,
) -> Hierarchy:
    """Return the tree of 4K-AL-act: average linkage of K = F F^T (eq:Kendalkernel-practical)."""
    plan = plan_active_kernel(oracle.n_objects, **options)
    features = active_features(oracle, plan, progress=progress)
    names = getattr(oracle, "names", None)
    if plan.n_objects < FEATURES_FROM:
        return link_by_average(active_kernel(features), partition, names=names)
    return link_features_by_average(features, partition, names=names, progress=progress)


@dataclass(frozen=True)
class ActivePlan:
    """The questions of the active kernel: each pair {object, landmark} against each reference.

    Attributes
    ----------
    n_objects : int
        Number of objects N.
    landmarks : ndarray of int32
        The set S of eq:Kendalkernel-practical, sorted.
    reference_pairs : ndarray of shape (n_references, 2), dtype int32
        The set R.
    """

    n_objects: int
    landmarks: Int32Array
    reference_pairs: Int32Array

    @property
    def n_landmark_pairs(self) -> int:
        """Number of distinct pairs {object, landmark}."""
        n = len(self.landmarks)
        return n * (self.n_objects - n) + n * (n - 1) // 2


def plan_active_kernel(
    n_objects: int,
    *,
    landmark_probability: float | None = None,
    n_references: int | None = None,
    budget: int | None = None,
    landmarks: Sequence[int] | AnyArray | None = None,
    reference_pairs: Sequence[Sequence[int]] | AnyArray | None = None,
    seed: Seed = 0,
) -> ActivePlan:
    """Return the landmarks S and the reference pairs R, drawn at random where not given.

    Parameters
    ----------
    n_objects : int
        Number of objects N.
    landmark_probability : float, optional
        q: every object is a landmark independently with this probability; default ln N / N. A
        draw without any landmark is repeated.
    n_references : int, optional
        Number of different reference pairs, drawn uniformly; 8 by default, at most all pairs.
    budget : int, optional
        Largest number of comparisons; sets n_references.
    landmarks : sequence of int, optional
        S itself.
    reference_pairs : array of shape (n_references, 2), optional
        R itself.
    seed : int, numpy.random.Generator or None
        Random seed.

    Examples
    --------
    >>> plan = plan_active_kernel(10, landmarks=[0, 5], budget=40, seed=0)
    >>> plan.n_landmark_pairs, len(plan.reference_pairs)
    (17, 2)
    """
    given = {"n_references": n_references, "budget": budget, "reference_pairs": reference_pairs}
    chosen = [name for name, value in given.items() if value is not None]
    if len(chosen) > 1:
        raise InputError(f"pass only one of {' and '.join(chosen)}: each sets the references")
    if landmarks is not None and landmark_probability is not None:
        raise InputError("pass either landmarks or landmark_probability, not both")
    rng = random_generator(seed)
    if landmarks is None:
        drawn = _draw_landmarks(n_objects, landmark_probability, rng)
    else:
        drawn = np.sort(check_objects(landmarks, n_objects, "landmarks"))
    plan = ActivePlan(n_objects, drawn, np.empty((0, 2), dtype=np.int32))
    if reference_pairs is not None:
        return replace(plan, reference_pairs=_check_references(reference_pairs, n_objects))
    n_all = n_pairs(n_objects)
    if budget is not None:
        needed = plan.n_landmark_pairs
        n_references = min(check_whole_number(budget, "budget", lowest=0) // needed, n_all)
        if n_references < 1:
            raise InputError(
                f"one reference pair needs {needed:,} comparisons with "
                f"{counted(len(drawn), 'landmark')}, got {budget:,}",
                parameter="budget",
                remedy="raise it or pass fewer {landmarks}",
            )
    if n_references is None:
        n_references = min(DEFAULT_REFERENCES, n_all)
    check_whole_number(n_references, "n_references", lowest=1, highest=n_all)
    ids = rng.choice(n_all, size=n_references, replace=False)
    return replace(plan, reference_pairs=np.stack(pair_members(ids, n_objects), axis=1))


def active_features(
    oracle: Oracle, plan: ActivePlan, *, progress: Progress | None = None
) -> Int8Array:
    """Ask the oracle and return the sign features F, (N, n_landmarks * n_references), K = F F^T.

    F[i, (k, ref)] is +1 / -1 as w_ik is above / below w_ref; 0 where k = i, where {i, k} is the
    reference pair, and where the oracle can't tell. No question is asked twice: a pair of two
    landmarks is asked about once.
    """
    n_objects, n_landmarks = plan.n_objects, len(plan.landmarks)
    rank_of = np.full(n_objects, n_landmarks, dtype=np.int64)
    rank_of[plan.landmarks] = np.arange(n_landmarks)
    # A pair of two landmarks is listed once: with the landmark of lower rank as the column.
    objects, columns = np.nonzero(np.arange(n_landmarks) < rank_of[:, None])
    two_landmarks = rank_of[objects] < n_landmarks
    features = np.zeros((n_objects, n_landmarks, len(plan.reference_pairs)), dtype=np.int8)
    places = _places_in_list(plan.reference_pairs, rank_of)
    total = len(objects) * len(plan.reference_pairs)
    for number, reference in enumerate(plan.reference_pairs):
        signs = np.zeros(len(objects), dtype=np.int8)
        is_new = np.ones(len(objects), dtype=bool)
        own = places[number]
        if own >= 0:
            # Only a question about two reference pairs can come up twice: the other way round.
            earlier = np.flatnonzero(places[:number] >= 0)
            signs[places[earlier]] = -features[objects[own], columns[own], earlier]
            is_new[places[earlier]] = False
            is_new[own] = False
        new = np.flatnonzero(is_new)
        for start in range(0, len(new), _QUESTIONS_PER_BATCH):
            batch = new[start : start + _QUESTIONS_PER_BATCH]
            k = plan.landmarks[columns[batch]]
            signs[batch] = _compare_with(oracle, objects[batch], k, reference)
            if progress is not None:
                progress(number * len(objects) + int(batch[-1]) + 1, total)
        features[objects, columns, number] = signs
        ranks = rank_of[objects[two_landmarks]]
        features[plan.landmarks[columns[two_landmarks]], ranks, number] = signs[two_landmarks]
    if progress is not None:
        progress(total, total)
    return features.reshape(n_objects, -1)


def active_kernel(features: Int8Array) -> FloatArray:
    """Return K = F F^T of eq:Kendalkernel-practical, with 0 on the diagonal.

    F is 0 where k = i, so the sum leaves out k in {i, j} exactly. Whole numbers, exact (float64).
    """
    exact = features.astype(np.float64)
    kernel: FloatArray = exact @ exact.T
    np.fill_diagonal(kernel, 0.0)
    return kernel


def _places_in_list(reference_pairs: Int32Array, rank_of: Int64Array) -> Int64Array:
    """Return where each reference pair is in the list of pairs {object, landmark}; -1: nowhere."""
    ranks = np.sort(rank_of[reference_pairs], axis=1)
    holders = np.where(
        rank_of[reference_pairs[:, 0]] == ranks[:, 1], reference_pairs[:, 0], reference_pairs[:, 1]
    )
    first_of = np.cumsum(rank_of) - rank_of
    return np.where(ranks[:, 0] < ranks[:, 1], first_of[holders] + ranks[:, 0], -1)


def _compare_with(oracle: Oracle, i: AnyArray, k: AnyArray, reference: Int32Array) -> Int8Array:
    """Return the signs of w_ik - w_reference."""
    questions = np.empty((len(i), 4), dtype=np.int32)
    np.minimum(i, k, out=questions[:, 0], casting="same_kind")
    np.maximum(i, k, out=questions[:, 1], casting="same_kind")
    questions[:, 2:] = reference
    return check_answers(oracle.compare(questions), len(i), oracle)


def _draw_landmarks(
    n_objects: int, probability: float | None, rng: np.random.Generator
) -> Int32Array:
    q = np.log(n_objects) / n_objects
    if probability is not None:
        q = check_number(probability, "landmark_probability", lowest=0, highest=1)
        if q == 0:
            raise InputError(
                f"expected a number above 0, got {q}", parameter="landmark_probability"
            )
    while True:
        chosen = np.flatnonzero(rng.random(n_objects) < q)
        if len(chosen):
            return chosen.astype(np.int32)


def _check_references(pairs: Sequence[Sequence[int]] | AnyArray, n_objects: int) -> Int32Array:
    given = np.asarray(pairs)
    problem = ""
    if given.shape[1:] != (2,) or given.dtype.kind not in "iu" or not len(given):
        problem = "expected rows of two object numbers, at least one row"
    elif given.min() < 0 or given.max() >= n_objects:
        problem = f"expected object numbers from 0 to {n_objects - 1}"
    elif (given[:, 0] == given[:, 1]).any():
        problem = "a reference pair needs two different objects"
    elif len(np.unique(pair_ids(given[:, 0], given[:, 1], n_objects))) < len(given):
        problem = "a reference pair is given twice"
    if problem:
        raise InputError(problem, parameter="reference_pairs")
    return np.sort(given, axis=1).astype(np.int32)
