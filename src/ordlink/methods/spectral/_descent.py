"""A minimum of a smooth function of many variables that are scaled alike, in few evaluations."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np

from ordlink._typing import FloatArray

_REMEMBERED = 4
_ENOUGH = 1e-4  # of the decrease that the slope promises (Armijo's rule)
_MOST_HALVINGS = 10


def descend(
    loss: Callable[[FloatArray], tuple[float, FloatArray]],
    point: FloatArray,
    scales: FloatArray,
    *,
    max_steps: int,
    ftol: float,
) -> FloatArray:
    """Return a point at which a step lowers the loss by no more than `ftol` of it, by L-BFGS.

    ``scales`` is about the inverse of the second derivative by each variable, so the first step has
    length 1. SciPy's first step has the length of a scaled slope of 1, from which it takes two or
    three evaluations to get to a step that is long enough; here these are passes over the answers.
    """
    value, slope = loss(point)
    past: deque[tuple[FloatArray, FloatArray, float]] = deque(maxlen=_REMEMBERED)
    for _ in range(max_steps):
        step = _step(slope, past, scales)
        promised = float(slope @ step)
        for _ in range(_MOST_HALVINGS):
            there = point + step
            new_value, new_slope = loss(there)
            if new_value <= value + _ENOUGH * promised:
                break
            step *= 0.5
            promised *= 0.5
        else:
            return point
        change = new_slope - slope
        bend = float(change @ step)
        if bend > 0.0:
            past.append((step, change, bend))
        fell, point, value, slope = value - new_value, there, new_value, new_slope
        if fell <= ftol * max(abs(value), abs(value + fell), 1.0):
            break
    return point


def _step(
    slope: FloatArray, past: deque[tuple[FloatArray, FloatArray, float]], scales: FloatArray
) -> FloatArray:
    """Return minus the product of the slope and the inverse Hessian, as far as that is known."""
    step = -slope
    room = np.empty_like(step)  # new arrays would take longer than what is done with them
    shares = []
    for moved, change, bend in reversed(past):
        shares.append(float(moved @ step) / bend)
        step -= np.multiply(change, shares[-1], out=room)
    step *= scales
    if past:
        _, change, bend = past[-1]
        step *= bend / float(change @ np.multiply(scales, change, out=room))
    for (moved, change, bend), share in zip(past, reversed(shares), strict=True):
        step += np.multiply(moved, share - float(change @ step) / bend, out=room)
    return step
