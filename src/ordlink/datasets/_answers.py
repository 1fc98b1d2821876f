"""Simulated people: random questions of any form, answered from known similarities."""

from __future__ import annotations

import numpy as np

from ordlink.comparisons import check_similarities, find_form, pair_members
from ordlink.comparisons._pairs import check_pair_ids_fit, n_pairs
from ordlink.datasets._checks import check_number, check_whole_number
from ordlink.errors import InputError
from ordlink.typing import AnyArray, BoolArray, FloatArray, Int32Array


def simulate_answers(
    similarities: AnyArray,
    n_answers: int,
    *,
    form: str = "triplet",
    error_rate: float = 0.0,
    seed: int | None = None,
) -> Int32Array:
    """Return answers to random questions, one per row, as `Comparisons.from_...` takes them.

    Questions are drawn uniformly and with replacement. A person answers by the similarities
    (where they tie, by a fair coin) and, with probability `error_rate`, says something else: one
    of the other possible answers, each as likely.

    Parameters
    ----------
    similarities : ndarray of shape (N, N)
        Symmetric; the diagonal is not used.
    n_answers : int
        Number of answers.
    form : {"quadruplet", "triplet", "most-central", "odd-one-out"}
        What is asked.
    error_rate : float
        Probability of a wrong answer, from 0 to 1.
    seed : int, optional
        Makes the draw reproducible.

    Returns
    -------
    ndarray of shape (n_answers, 4) for quadruplets, (n_answers, 3) otherwise, dtype int32

    Examples
    --------
    >>> import numpy as np
    >>> similarities = np.array([[0, 9, 1], [9, 0, 2], [1, 2, 0]])
    >>> np.unique(simulate_answers(similarities, 20, form="odd-one-out", seed=0)[:, 2])
    array([2], dtype=int32)
    """
    checked = check_similarities(similarities)
    name = find_form(form).name
    n_answers = check_whole_number(n_answers, "n_answers", smallest=0)
    error_rate = check_number(error_rate, "error_rate", smallest=0)
    if error_rate > 1:
        raise InputError(f"error_rate: expected a probability from 0 to 1, got {error_rate}.")
    if len(checked) < 3:
        raise InputError(f"expected at least 3 objects to ask about, got {len(checked)}.")
    rng = np.random.default_rng(seed)
    wrong = rng.random(n_answers) < error_rate
    if name == "quadruplet":
        return _answer_quadruplets(checked, n_answers, wrong, rng)
    triples = _draw_triples(len(checked), n_answers, rng)
    if name == "triplet":
        return _answer_triplets(checked, triples, wrong, rng)
    return _answer_about_three(checked, triples, wrong, rng, central=name == "most-central")


def _draw_triples(n_objects: int, n_answers: int, rng: np.random.Generator) -> Int32Array:
    """Return rows of three different objects, each ordered triple equally likely."""
    first = rng.integers(0, n_objects, n_answers)
    second = rng.integers(0, n_objects - 1, n_answers)
    second += second >= first
    third = rng.integers(0, n_objects - 2, n_answers)
    for taken in (np.minimum(first, second), np.maximum(first, second)):
        third += third >= taken
    return np.stack([first, second, third], axis=1).astype(np.int32)


def _first_is_more_alike(
    first: FloatArray, second: FloatArray, rng: np.random.Generator
) -> BoolArray:
    coin = rng.random(len(first)) < 0.5
    return np.asarray(np.where(first == second, coin, first > second))


def _answer_quadruplets(
    similarities: FloatArray, n_answers: int, wrong: BoolArray, rng: np.random.Generator
) -> Int32Array:
    n_objects = len(similarities)
    check_pair_ids_fit(n_objects)
    e = rng.integers(0, n_pairs(n_objects), n_answers)
    f = rng.integers(0, n_pairs(n_objects) - 1, n_answers)
    f += f >= e
    rows = np.stack([*pair_members(e, n_objects), *pair_members(f, n_objects)], axis=1)
    i, j, k, l = rows.T  # noqa: E741 - the paper's letters
    kept = _first_is_more_alike(similarities[i, j], similarities[k, l], rng) != wrong
    return np.where(kept[:, None], rows, rows[:, [2, 3, 0, 1]])


def _answer_triplets(
    similarities: FloatArray, triples: Int32Array, wrong: BoolArray, rng: np.random.Generator
) -> Int32Array:
    i, j, k = triples.T
    kept = _first_is_more_alike(similarities[i, j], similarities[i, k], rng) != wrong
    return np.where(kept[:, None], triples, triples[:, [0, 2, 1]])


def _answer_about_three(
    similarities: FloatArray,
    triples: Int32Array,
    wrong: BoolArray,
    rng: np.random.Generator,
    *,
    central: bool,
) -> Int32Array:
    """Single out one of three: the odd one is left by the most similar pair, the central least.

    The triples come in random order, so taking the first of equals is a fair choice.
    """
    i, j, k = triples.T
    left_by = np.stack([similarities[j, k], similarities[i, k], similarities[i, j]], axis=1)
    single = (left_by.argmin(axis=1) if central else left_by.argmax(axis=1)).astype(np.int64)
    single = np.where(wrong, (single + rng.integers(1, 3, len(single))) % 3, single)
    others = np.array([[1, 2], [0, 2], [0, 1]])[single]
    columns = [single[:, None], others] if central else [others, single[:, None]]
    return np.take_along_axis(triples, np.concatenate(columns, axis=1), axis=1)
