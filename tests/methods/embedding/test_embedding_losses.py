"""Losses of embeddings equal their literal equations; gradients equal finite differences."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ordlink import Comparisons
from ordlink.methods.embedding._compared_pairs import ComparedPairs
from ordlink.methods.embedding._embeddings import forte_loss, soe_loss, tste_loss
from ordlink.methods.embedding._fit import loss_at, nearest_of_low_rank
from tests.instances import Instance, instances
from tests.reference import embedding as reference


@dataclass(frozen=True)
class Case:
    """Points, comparisons of them for the fast and for the literal loss."""

    points: np.ndarray
    pairs: ComparedPairs
    rows: list
    weights: list


def as_case(instance: Instance, points: np.ndarray) -> Case:
    won = {pairs: weight for pairs, weight in instance.relation.items() if weight > 0}
    return Case(
        points,
        ComparedPairs.of(instance.comparisons, repeats=instance.repeats),
        [(*winner, *loser) for winner, loser in won],
        list(won.values()),
    )


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Draw quadruplets or triplets with weights, and points of which some coincide."""
    instance = draw(instances(max_objects=8))
    assume(instance.relation)
    seed, dimension = draw(st.integers(0, 2**32)), draw(st.integers(1, 5))
    points = np.random.default_rng(seed).normal(size=(instance.n_objects, dimension))
    points *= draw(st.sampled_from([0.1, 1.0, 3.0]))
    if draw(st.booleans()):
        points[1] = points[0]
    points.flags.writeable = False
    return as_case(instance, points)


ALPHAS = st.sampled_from([0.5, 1.0, 4.0])


@settings(max_examples=200)
@given(case=cases(), alpha=ALPHAS)
def test_the_loss_of_tste_is_the_literal_mean(case: Case, alpha: float) -> None:
    loss, _ = loss_at(case.pairs, partial(tste_loss, alpha=alpha), case.points)

    assert loss == pytest.approx(reference.tste(case.points, case.rows, case.weights, alpha))


@settings(max_examples=200)
@given(case=cases())
def test_the_loss_of_forte_is_the_literal_mean(case: Case) -> None:
    loss, _ = loss_at(case.pairs, forte_loss, case.points)

    gram = case.points @ case.points.T
    assert loss == pytest.approx(reference.forte(gram, case.rows, case.weights), abs=1e-12)


@settings(max_examples=200)
@given(case=cases())
def test_the_loss_of_soe_is_the_literal_mean(case: Case) -> None:
    loss, _ = loss_at(case.pairs, soe_loss, case.points)

    assert loss == pytest.approx(reference.soe(case.points, case.rows, case.weights))


@settings(max_examples=200)
@given(case=cases())
def test_accuracy_is_the_literal_share(case: Case) -> None:
    # Whole coordinates, so that distances tie exactly.
    points = np.round(case.points)

    expected = reference.accuracy(points, case.rows, case.weights)
    assert case.pairs.accuracy(points) == pytest.approx(expected)


def by_differences(function, at: np.ndarray, width: float = 1e-5) -> np.ndarray:
    """Return the gradient from central differences, entry by entry."""
    gradient = np.zeros(at.shape)
    for place in np.ndindex(at.shape):
        up, down = at.copy(), at.copy()
        up[place] += width
        down[place] -= width
        gradient[place] = (function(up) - function(down)) / (2 * width)
    return gradient


@settings(max_examples=100)
@given(case=cases(), alpha=ALPHAS)
def test_the_gradient_of_tste_is_that_of_finite_differences(case: Case, alpha: float) -> None:
    _, gradient = loss_at(case.pairs, partial(tste_loss, alpha=alpha), case.points)

    def literal(points: np.ndarray) -> float:
        return reference.tste(points, case.rows, case.weights, alpha)

    np.testing.assert_allclose(gradient, by_differences(literal, case.points), atol=1e-6, rtol=0)


@settings(max_examples=100)
@given(case=cases())
def test_the_gradients_of_forte_are_those_of_finite_differences(case: Case) -> None:
    """By the points, and by the entries of the Gram matrix."""
    gram = case.points @ case.points.T
    assume(np.abs(gram).max() < 20)
    _, by_points = loss_at(case.pairs, forte_loss, case.points)
    _, slopes = forte_loss(case.pairs, case.pairs.squared_distances(case.points))
    by_gram = case.pairs.gradient_by_gram_matrix(slopes)

    def literal(gram: np.ndarray) -> float:
        return reference.forte(gram, case.rows, case.weights)

    expected = by_differences(lambda points: literal(points @ points.T), case.points)
    np.testing.assert_allclose(by_points, expected, atol=1e-6, rtol=1e-6)
    np.testing.assert_allclose(by_gram, by_differences(literal, gram), atol=1e-6, rtol=0)


@settings(max_examples=100)
@given(case=cases())
def test_the_gradient_of_soe_is_that_of_finite_differences(case: Case) -> None:
    assume(not np.array_equal(case.points[0], case.points[1]))  # a distance of 0 has no slope
    assume(case.pairs.squared_distances(case.points).min() > 1e-2)
    _, gradient = loss_at(case.pairs, soe_loss, case.points)

    def literal(points: np.ndarray) -> float:
        return reference.soe(points, case.rows, case.weights)

    expected = by_differences(literal, case.points, 1e-6)
    np.testing.assert_allclose(gradient, expected, atol=1e-4, rtol=0)


def test_the_gradient_of_soe_is_finite_where_points_coincide() -> None:
    pairs = ComparedPairs.of(Comparisons.from_triplets([[0, 1, 2], [2, 0, 1]]))

    _, gradient = loss_at(pairs, soe_loss, np.zeros((3, 2)))

    assert not gradient.any()


def test_margins_beyond_all_floats_keep_losses_and_slopes_right() -> None:
    pairs = ComparedPairs.of(Comparisons.from_triplets([[0, 1, 2], [1, 2, 0]]))
    squares = np.array([0.0, 5e3, 1e4])  # of 01, 02, 12

    loss, slopes = forte_loss(pairs, squares)

    assert loss == 5e3  # 0 and 1e4
    assert slopes.tolist() == [-0.5, 0.0, 0.5]


@settings(max_examples=100)
@given(n=st.integers(1, 9), rank=st.integers(1, 12), seed=st.integers(0, 2**32))
def test_projection_gives_the_nearest_centred_matrix_of_low_rank(
    n: int, rank: int, seed: int
) -> None:
    drawn = np.random.default_rng(seed).normal(size=(n, n))

    points = nearest_of_low_rank(drawn + drawn.T, rank)

    assert points.shape == (n, rank)
    expected = reference.nearest_of_low_rank(drawn + drawn.T, rank)
    np.testing.assert_allclose(points @ points.T, expected, atol=1e-10)
