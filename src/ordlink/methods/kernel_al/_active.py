"""The quadruplet kernel of actively chosen comparisons (4K-AL-act)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ordlink._typing import AnyArray, FloatArray, Int8Array, Int32Array, Int64Array, Progress
from ordlink.comparisons import n_pairs, pair_ids, pair_members
from ordlink.errors import InputError
from ordlink.oracles import Oracle, check_oracle
from ordlink.oracles._base import check_answers

DEFAULT_REFERENCES = 8
"""Number of reference pairs where neither it nor a budget is given."""
_QUESTIONS_PER_BATCH = 1 << 18


@dataclass(frozen=True)
class ActivePlan:
    """Which questions the active kernel asks: every pair {object, landmark} against each reference.

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
        return _count_landmark_pairs(self.n_objects, len(self.landmarks))


def plan_active_kernel(
    n_objects: int,
    *,
    landmark_probability: float | None = None,
    n_references: int | None = None,
    budget: int | None = None,
    landmarks: Sequence[int] | AnyArray | None = None,
    reference_pairs: Sequence[Sequence[int]] | AnyArray | None = None,
    seed: int | None = None,
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
    seed : int, optional
        Makes the draw reproducible.

    Raises
    ------
    InputError
        If options exclude each other, lie out of range, or the budget is too small for one
        reference pair.

    Examples
    --------
    >>> plan = plan_active_kernel(10, landmarks=[0, 5], budget=40, seed=0)
    >>> plan.n_landmark_pairs, len(plan.reference_pairs)
    (17, 2)
    """
    given = [
        name
        for name, value in (
            ("n_references", n_references),
            ("budget", budget),
            ("reference_pairs", reference_pairs),
        )
        if value is not None
    ]
    if len(given) > 1:
        raise InputError(f"give only one of {' and '.join(given)}: each sets the references")
    if landmarks is not None and landmark_probability is not None:
        raise InputError("give either landmarks or landmark_probability, not both")
    rng = np.random.default_rng(seed)
    chosen = (
        _draw_landmarks(n_objects, landmark_probability, rng)
        if landmarks is None
        else _check_objects(landmarks, n_objects)
    )
    if reference_pairs is not None:
        return ActivePlan(n_objects, chosen, _check_references(reference_pairs, n_objects))
    if budget is not None:
        per_reference = _count_landmark_pairs(n_objects, len(chosen))
        n_references = min(budget // per_reference, n_pairs(n_objects))
        if n_references < 1:
            raise InputError(
                f"the budget of {budget} comparisons is too small: one reference pair needs "
                f"{per_reference} ({len(chosen)} landmarks); raise it or pass fewer landmarks"
            )
    if n_references is None:
        n_references = min(DEFAULT_REFERENCES, n_pairs(n_objects))
    if n_references < 1:
        raise InputError(f"n_references must be at least 1, got {n_references}")
    ids = _draw_pairs(n_pairs(n_objects), n_references, rng)
    return ActivePlan(n_objects, chosen, np.stack(pair_members(ids, n_objects), axis=1))


def active_features(
    oracle: Oracle, plan: ActivePlan, *, progress: Progress | None = None
) -> Int8Array:
    """Ask the oracle and return the sign features F, with K = F F^T.

    F[i, (k, ref)] is +1 / -1 as w_ik is above / below w_ref; 0 where k = i, where {i, k} is the
    reference pair, and where the oracle can't tell. No question is asked twice: a pair of two
    landmarks is asked about once.

    Returns
    -------
    ndarray of shape (N, n_landmarks * n_references), dtype int8
    """
    check_oracle(oracle)
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

    F is 0 where k = i, so the sum leaves out k in {i, j} exactly. Whole numbers, exact.

    Returns
    -------
    ndarray of shape (N, N), dtype float64
    """
    exact = features.astype(np.float64)
    kernel: FloatArray = exact @ exact.T
    np.fill_diagonal(kernel, 0.0)
    return kernel


def _places_in_list(reference_pairs: Int32Array, rank_of: Int64Array) -> Int64Array:
    """Return where each reference pair is in the list of pairs {object, landmark}; -1: nowhere.

    The list names, for each object, the landmarks of lower rank; others than landmarks have the
    highest rank.
    """
    ranks = np.sort(rank_of[reference_pairs], axis=1)
    holders = np.where(
        rank_of[reference_pairs[:, 0]] == ranks[:, 1],
        reference_pairs[:, 0],
        reference_pairs[:, 1],
    )
    first_of = np.cumsum(rank_of) - rank_of
    places: Int64Array = np.where(ranks[:, 0] < ranks[:, 1], first_of[holders] + ranks[:, 0], -1)
    return places


def _compare_with(oracle: Oracle, i: AnyArray, k: AnyArray, reference: Int32Array) -> Int8Array:
    """Return the signs of w_ik - w_reference."""
    questions = np.empty((len(i), 4), dtype=np.int32)
    np.minimum(i, k, out=questions[:, 0], casting="same_kind")
    np.maximum(i, k, out=questions[:, 1], casting="same_kind")
    questions[:, 2:] = reference
    return check_answers(oracle.compare(questions), len(i), oracle)


def _count_landmark_pairs(n_objects: int, n_landmarks: int) -> int:
    return n_landmarks * (n_objects - n_landmarks) + n_landmarks * (n_landmarks - 1) // 2


def _draw_landmarks(
    n_objects: int, probability: float | None, rng: np.random.Generator
) -> Int32Array:
    q = np.log(max(n_objects, 2)) / max(n_objects, 2) if probability is None else probability
    if not 0 < q <= 1:
        raise InputError(f"landmark_probability must be above 0 and at most 1, got {probability}")
    while True:
        chosen = np.flatnonzero(rng.random(n_objects) < q)
        if len(chosen):
            return chosen.astype(np.int32)


def _draw_pairs(n: int, size: int, rng: np.random.Generator) -> AnyArray:
    if size > n:
        raise InputError(f"there are only {n} pairs to serve as references, {size} were asked for")
    return np.asarray(rng.choice(n, size=size, replace=False))


def _check_objects(objects: Sequence[int] | AnyArray, n_objects: int) -> Int32Array:
    given = np.asarray(objects)
    if given.ndim != 1 or given.dtype.kind not in "iu" or not len(given):
        raise InputError("landmarks must be a list of at least one object number")
    if given.min() < 0 or given.max() >= n_objects:
        raise InputError(f"landmarks must lie between 0 and {n_objects - 1}")
    return np.unique(given).astype(np.int32)


def _check_references(pairs: Sequence[Sequence[int]] | AnyArray, n_objects: int) -> Int32Array:
    given = np.asarray(pairs)
    if given.ndim != 2 or given.shape[1] != 2 or given.dtype.kind not in "iu" or not len(given):
        raise InputError("reference_pairs must be rows of two object numbers, at least one row")
    if given.min() < 0 or given.max() >= n_objects:
        raise InputError(f"reference_pairs must name objects between 0 and {n_objects - 1}")
    if (given[:, 0] == given[:, 1]).any():
        raise InputError("a reference pair needs two different objects")
    if len(np.unique(pair_ids(given[:, 0], given[:, 1], n_objects))) < len(given):
        raise InputError("a reference pair is given twice")
    return np.sort(given, axis=1).astype(np.int32)
