"""The descent of fits of many pairs, on functions whose minimum is known."""

from __future__ import annotations

import numpy as np

from ordlink.methods.spectral._descent import _step, descend


def test_the_minimum_of_a_coupled_quadratic_is_found() -> None:
    rng = np.random.default_rng(0)
    roots = rng.normal(size=(6, 6))
    bends, lowest = roots @ roots.T + 5.0 * np.eye(6), rng.normal(size=6)

    def loss(point):
        away = point - lowest
        return 0.5 * away @ bends @ away, bends @ away

    found = descend(loss, np.zeros(6), 1.0 / bends.diagonal(), max_steps=60, ftol=1e-14)

    np.testing.assert_allclose(found, lowest, atol=1e-5)


def test_steps_come_from_one_symmetric_inverse_that_knows_the_last_step() -> None:
    """The secant equation: the inverse Hessian times the change of slope is the step."""
    rng = np.random.default_rng(1)
    bends = np.diag([1.0, 4.0, 9.0]) + 0.5
    moved = rng.normal(size=(2, 3))
    past = [(one, bends @ one, float(one @ bends @ one)) for one in moved]

    def inverse(slope):
        return -_step(slope, past, 1.0 / bends.diagonal())

    one, other = rng.normal(size=(2, 3))
    np.testing.assert_allclose(inverse(past[-1][1]), moved[-1], rtol=1e-12)
    np.testing.assert_allclose(one @ inverse(other), other @ inverse(one), rtol=1e-12)


def test_a_step_that_goes_too_far_is_halved() -> None:
    values = []

    def loss(point):
        values.append(float(np.log(np.cosh(point)).sum()))
        return values[-1], np.tanh(point)

    found = descend(loss, np.array([3.0]), np.array([100.0]), max_steps=60, ftol=1e-12)

    assert max(values) > values[0]
    np.testing.assert_allclose(found, 0.0, atol=1e-3)


def test_nothing_is_tried_after_the_last_step() -> None:
    points = []

    def loss(point):
        points.append(point)
        return float(point @ point), 2.0 * point

    descend(loss, np.ones(3), np.full(3, 0.1), max_steps=1, ftol=0.0)

    assert len(points) == 2
