"""Simulated people."""

from __future__ import annotations

import numpy as np
import pytest

from ordlink import Comparisons
from ordlink.datasets import simulate_answers
from ordlink.errors import InputError

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
    with pytest.raises(InputError, match="unknown answer form"):
        simulate_answers(_matrix(), 5, form="pairs")
    with pytest.raises(InputError, match="probability"):
        simulate_answers(_matrix(), 5, error_rate=1.5)
    with pytest.raises(InputError, match="n_answers"):
        simulate_answers(_matrix(), -1)
    with pytest.raises(InputError, match="at least 3 objects"):
        simulate_answers(np.ones((2, 2)), 5)
