"""The descent of fits of many pairs, on functions whose minimum is known."""

from __future__ import annotations

import numpy as np

from ordlink.methods.spectral._descent import descend


def test_the_minimum_of_a_coupled_quadratic_is_found() -> None:
    rng = np.random.default_rng(0)
    roots = rng.normal(size=(6, 6))
    bends, lowest = roots @ roots.T + 5.0 * np.eye(6), rng.normal(size=6)

    def loss(point):
        away = point - lowest
        return 0.5 * away @ bends @ away, bends @ away

    found = descend(loss, np.zeros(6), 1.0 / bends.diagonal(), max_steps=60, ftol=1e-14)

    np.testing.assert_allclose(found, lowest, atol=1e-5)


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
