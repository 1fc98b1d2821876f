"""Simulated annotators: random questions of any form, answered from known similarities."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ordlink._typing import AnyArray, BoolArray, FloatArray, Int32Array
from ordlink._validate import Seed, check_number, check_whole_number, random_generator
from ordlink.comparisons import check_similarities, find_form, pair_members
from ordlink.comparisons._pairs import n_pairs
from ordlink.errors import InputError, InputKindError

LEAST_PROPER = 1e-3
"""Least share of independent draws that are questions, which bounds the time of drawing."""


def simulate_answers(
    similarities: AnyArray,
    n_answers: int,
    *,
    form: str = "triplet",
    error_rate: float = 0.0,
    popularity: Sequence[float] | AnyArray | None = None,
    seed: Seed = 0,
) -> Int32Array:
    """Return answers to random questions, one per row, as `Comparisons.from_...` takes them.

    Questions are drawn with replacement. An annotator answers by the similarities (ties at random)
    and, with probability `error_rate`, gives one of the other answers, each equally likely.

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
    popularity : array_like of shape (N,), optional
        A positive weight of each object. The probability of a question is proportional to the
        product of the weights of its objects (an object in both pairs of a quadruplet counts
        twice). By default all questions are equally likely.
    seed : int, numpy.random.Generator or None
        Random seed.

    Examples
    --------
    >>> similarities = np.array([[0, 9, 1], [9, 0, 2], [1, 2, 0]])
    >>> np.unique(simulate_answers(similarities, 20, form="odd-one-out", seed=0)[:, 2])
    array([2], dtype=int32)
    """
    checked = check_similarities(similarities)
    name = find_form(form).name
    n_answers = check_whole_number(n_answers, "n_answers", lowest=0)
    error_rate = check_number(error_rate, "error_rate", lowest=0, highest=1)
    if len(checked) < 3:
        raise InputError(f"expected at least 3 objects, got {len(checked)}", where="similarities")
    rng = random_generator(seed)
    wrong = rng.random(n_answers) < error_rate
    if popularity is None:
        draw = _draw_pairs if name == "quadruplet" else _draw_triples
        questions = draw(len(checked), n_answers, rng)
    else:
        shares = _check_popularity(popularity, len(checked))
        questions = _draw_by_popularity(shares, n_answers, rng, pairs=name == "quadruplet")
    if name in ("quadruplet", "triplet"):
        return _answer_about_two_pairs(checked, questions, wrong, rng)
    return _answer_about_three(checked, questions, wrong, rng, central=name == "most-central")


def _draw_triples(n_objects: int, n_answers: int, rng: np.random.Generator) -> Int32Array:
    """Return rows of three different objects, each ordered triple equally likely."""
    first = rng.integers(0, n_objects, n_answers)
    second = rng.integers(0, n_objects - 1, n_answers)
    second += second >= first
    third = rng.integers(0, n_objects - 2, n_answers)
    for taken in (np.minimum(first, second), np.maximum(first, second)):
        third += third >= taken
    return np.stack([first, second, third], axis=1).astype(np.int32)


def _draw_pairs(n_objects: int, n_answers: int, rng: np.random.Generator) -> Int32Array:
    """Return rows of two different pairs, each two equally likely."""
    e = rng.integers(0, n_pairs(n_objects), n_answers)
    f = rng.integers(0, n_pairs(n_objects) - 1, n_answers)
    f += f >= e
    return np.stack([*pair_members(e, n_objects), *pair_members(f, n_objects)], axis=1)


def _check_popularity(popularity: Sequence[float] | AnyArray, n_objects: int) -> FloatArray:
    """Return the weights of the objects as shares of their sum."""
    try:
        weights = np.asarray(popularity, dtype=np.float64)
    except (TypeError, ValueError) as error:
        problem = f"expected positive numbers ({error})"
        raise InputKindError(problem, parameter="popularity") from error
    if weights.shape != (n_objects,):
        expected = f"expected one weight for each of {n_objects} objects"
        raise InputError(f"{expected}, got shape {weights.shape}", parameter="popularity")
    wrong = ~(np.isfinite(weights) & (weights > 0))
    if wrong.any():
        i = int(wrong.argmax())
        problem = f"expected a positive finite number, got {weights[i]}"
        remedy = "leave out objects that are never asked about"
        raise InputError(problem, where=f"popularity, object {i}", remedy=remedy)
    shares = weights / weights.max()
    return np.asarray(shares / shares.sum())


def _draw_by_popularity(
    shares: FloatArray, n_answers: int, rng: np.random.Generator, *, pairs: bool
) -> Int32Array:
    """Return questions with probabilities proportional to the product of their objects' shares.

    Objects are drawn independently, and rows that are not questions (an object with itself, a pair
    with itself) are drawn again: what is left has just these probabilities, in random order.
    """
    s2, s3, s4 = (float((shares**power).sum()) for power in (2, 3, 4))
    proper_share = (1 - s2) ** 2 - 2 * (s2**2 - s4) if pairs else 1 - 3 * s2 + 2 * s3
    if proper_share < LEAST_PROPER:
        got = f"object {shares.argmax()} with {shares.max():.2%} of their sum"
        problem = f"expected weights that are less uneven, got {got}"
        why = "hardly any question would have different objects"
        raise InputError(f"{problem}: {why}", parameter="popularity")
    rows = np.empty((n_answers, 4 if pairs else 3), dtype=np.int32)
    open_rows = np.arange(n_answers)
    while len(open_rows):
        drawn = rng.choice(len(shares), (len(open_rows), rows.shape[1]), p=shares)
        if pairs:
            drawn = np.sort(drawn.reshape(-1, 2, 2), axis=2).reshape(-1, 4)
            i, j, k, l = drawn.T  # noqa: E741 - the paper's letters
            proper = (i != j) & (k != l) & ((i != k) | (j != l))
        else:
            i, j, k = drawn.T
            proper = (i != j) & (i != k) & (j != k)
        rows[open_rows] = drawn
        open_rows = open_rows[~proper]
    return rows


def _answer_about_two_pairs(
    similarities: FloatArray, rows: Int32Array, wrong: BoolArray, rng: np.random.Generator
) -> Int32Array:
    """Return each row with the more similar pair first: (i, j), (k, l), or (i, j), (i, k)."""
    is_triplet = rows.shape[1] == 3
    i, j, k, l = rows[:, [0, 1, 0, 2] if is_triplet else [0, 1, 2, 3]].T  # noqa: E741
    first, second = similarities[i, j], similarities[k, l]
    coin = rng.random(len(rows)) < 0.5
    stays = np.where(first == second, coin, first > second) != wrong
    return np.where(stays[:, None], rows, rows[:, [0, 2, 1] if is_triplet else [2, 3, 0, 1]])


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
