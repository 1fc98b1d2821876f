"""The likelihood of answers given the steps between the merges of a tree."""

from __future__ import annotations

import math

from ordlink._kernels import inlined, kernel
from ordlink._typing import FloatArray, Int32Array


@inlined
def add_steps(steps: FloatArray, parents: Int32Array, strengths: FloatArray) -> None:
    """Set the dissimilarity of each merge: that of its parent less its step; 0 for the root."""
    last = len(parents) - 1
    strengths[last] = 0.0
    for t in range(last - 1, -1, -1):
        strengths[t] = strengths[parents[t]] - steps[t]


@kernel
def loss(
    steps: FloatArray,
    parents: Int32Array,
    won: Int32Array,
    lost: Int32Array,
    counts: FloatArray,
    strengths: FloatArray,
    gradient: FloatArray,
) -> float:
    """Return the negative log-likelihood; `gradient` receives its derivatives by the steps.

    The answer that a pair of merge a is more alike than a pair of merge b has probability
    1 / (1 + exp(s_a - s_b)), where s are the dissimilarities (Bradley and Terry 1952).
    """
    add_steps(steps, parents, strengths)
    for t in range(len(parents)):
        gradient[t] = 0.0
    total = 0.0
    for row in range(len(won)):
        a, b = won[row], lost[row]
        ahead = strengths[b] - strengths[a]
        # log(1 + exp(-ahead)) without overflow
        small = math.exp(-abs(ahead))
        total += counts[row] * (math.log1p(small) + max(-ahead, 0.0))
        wrong = counts[row] * (small if ahead >= 0 else 1.0) / (1.0 + small)
        gradient[b] -= wrong
        gradient[a] += wrong
    for t in range(len(parents) - 1):  # a step lowers all merges under it
        gradient[parents[t]] += gradient[t]
    for t in range(len(parents)):
        gradient[t] = -gradient[t]
    return total
