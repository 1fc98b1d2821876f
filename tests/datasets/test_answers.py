"""Simulated people."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from ordlink import Comparisons
from ordlink.datasets import simulate_answers
from ordlink.errors import InputError, InputKindError

MAKE = {
    "quadruplet": Comparisons.from_quadruplets,
    "triplet": Comparisons.from_triplets,
    "most-central": Comparisons.from_most_central,
    "odd-one-out": Comparisons.from_odd_one_out,
}


def _matrix(n: int = 9) -> np.ndarray:
    upper = np.triu(np.random.default_rng(0).normal(size=(n, n)), 1)
    return upper + upper.T


def _share_right(form: str, error_rate: float) -> float:
    matrix = _matrix()
    rows = simulate_answers(matrix, 6000, form=form, error_rate=error_rate, seed=1)
    comparisons = MAKE[form](rows, n_objects=9)
    i, j, k, l = comparisons.quadruplets.T  # noqa: E741 - the paper's letters
    right = matrix[i, j] > matrix[k, l]
    # An answer is right if all its comparisons are.
    return float(np.mean(right.reshape(6000, -1).all(axis=1)))


@pytest.mark.parametrize("form", MAKE)
def test_answers_without_errors_follow_the_similarities(form: str) -> None:
    assert _share_right(form, 0.0) == 1.0


@pytest.mark.parametrize("form", MAKE)
def test_the_given_share_of_answers_is_wrong(form: str) -> None:
    assert abs(_share_right(form, 0.2) - 0.8) < 0.02


@pytest.mark.parametrize("form", MAKE)
def test_all_objects_are_asked_about_equally_often(form: str) -> None:
    rows = simulate_answers(_matrix(), 6000, form=form, seed=2)

    named = np.bincount(rows.ravel(), minlength=9)
    assert named.min() > 0.9 * named.mean()


@pytest.mark.parametrize("form", MAKE)
def test_ties_are_answered_by_a_fair_coin(form: str) -> None:
    rows = simulate_answers(np.ones((3, 3)), 3000, form=form, seed=3)

    single = rows[:, 2] if form == "odd-one-out" else rows[:, 0]
    shares = np.bincount(single, minlength=3) / 3000
    assert shares.max() < 0.75


def test_the_same_seed_gives_the_same_answers() -> None:
    first, again, other = (simulate_answers(_matrix(), 50, seed=seed) for seed in (0, 0, 1))

    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_wrong_parameters_are_refused() -> None:
    with pytest.raises(InputError, match="form: expected 'quadruplet'"):
        simulate_answers(_matrix(), 5, form="pairs")
    with pytest.raises(InputError, match="probability"):
        simulate_answers(_matrix(), 5, error_rate=1.5)
    with pytest.raises(InputError, match="n_answers"):
        simulate_answers(_matrix(), -1)
    with pytest.raises(InputError, match="at least 3 objects"):
        simulate_answers(np.ones((2, 2)), 5)


WEIGHTS = np.array([1.0, 2.0, 4.0, 0.5])


def _questions(form: str) -> dict[tuple[int, ...], float]:
    """Return the probability of every question about four objects, by its definition."""
    if form == "quadruplet":
        pairs = list(itertools.combinations(range(4), 2))
        asked = {tuple(sorted(two)): np.prod(WEIGHTS[[*two[0], *two[1]]])
                 for two in itertools.combinations(pairs, 2)}  # fmt: skip
    elif form == "triplet":
        asked = {(i, *sorted(others)): np.prod(WEIGHTS[[i, *others]])
                 for i in range(4)
                 for others in itertools.combinations(set(range(4)) - {i}, 2)}  # fmt: skip
    else:
        asked = {three: np.prod(WEIGHTS[[*three]])
                 for three in itertools.combinations(range(4), 3)}  # fmt: skip
    total = sum(asked.values())
    return {question: weight / total for question, weight in asked.items()}


def _question(form: str, row: list[int]) -> tuple:
    if form == "quadruplet":
        return tuple(sorted([tuple(sorted(row[:2])), tuple(sorted(row[2:]))]))
    return (row[0], *sorted(row[1:])) if form == "triplet" else tuple(sorted(row))


@pytest.mark.parametrize("form", MAKE)
def test_popular_objects_are_asked_about_by_the_product_of_their_weights(form: str) -> None:
    n_answers = 20_000

    rows = simulate_answers(_matrix(4), n_answers, form=form, popularity=WEIGHTS, seed=3)

    expected = _questions(form)
    asked = [_question(form, row) for row in rows.tolist()]
    assert set(asked) <= set(expected)
    for question, share in expected.items():
        spread = np.sqrt(share * (1 - share) / n_answers)
        assert abs(asked.count(question) / n_answers - share) < 5 * spread


@pytest.mark.parametrize("form", MAKE)
def test_popularity_does_not_change_what_is_answered(form: str) -> None:
    matrix = _matrix()

    rows = simulate_answers(matrix, 2000, form=form, popularity=np.arange(1, 10), seed=1)

    i, j, k, l = MAKE[form](rows, n_objects=9).quadruplets.T  # noqa: E741 - the paper's letters
    assert (matrix[i, j] > matrix[k, l]).all()
    again = simulate_answers(matrix, 2000, form=form, popularity=np.arange(1, 10), seed=1)
    np.testing.assert_array_equal(rows, again)


def test_without_popularity_the_draws_of_a_seed_stay_as_they_were() -> None:
    rows = simulate_answers(_matrix(), 3, form="triplet", error_rate=0.2, seed=7)
    pairs = simulate_answers(_matrix(), 3, form="quadruplet", seed=7)

    assert rows.tolist() == [[7, 8, 2], [2, 3, 0], [0, 7, 4]]
    assert pairs.tolist() == [[1, 4, 5, 6], [1, 2, 1, 4], [0, 2, 5, 7]]


@pytest.mark.parametrize("form", ["triplet", "quadruplet"])
@pytest.mark.parametrize(
    ("popularity", "error", "words"),
    [
        ([1, 2], InputError, "one weight for each of 9 objects"),
        ([1.0] * 8 + [0], InputError, "object 8: expected a positive finite number, got 0.0"),
        ([np.nan] + [1.0] * 8, InputError, "object 0"),
        (["a"] * 9, InputKindError, "popularity: expected positive numbers"),
        ([1e300] + [1.0] * 8, InputError, "less uneven, got object 0 with 100.00%"),
    ],
)
def test_wrong_popularity_is_refused(popularity, error, words, form: str) -> None:
    with pytest.raises(error, match=words):
        simulate_answers(_matrix(), 5, form=form, popularity=popularity)
