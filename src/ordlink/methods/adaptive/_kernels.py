"""Kernels of the two-class model: what every answer says about the sides of its three objects.

A row (i, a, b) says that i is closer to a than to b. If a and b are on different sides, an object
of side + chooses its own side with probability rates[node, 0], one of side - with rates[node, 1];
if they are on the same side, it chooses either with probability 1/2.
"""

from __future__ import annotations

import numpy as np

from ordlink._kernels import kernel
from ordlink._typing import FloatArray, Int32Array


@kernel
def add_evidence(
    triplets: Int32Array,
    nodes: Int32Array,
    belief: FloatArray,
    rates: FloatArray,
    evidence: FloatArray,
) -> None:
    """Add the log-likelihood ratio, side + against side -, of every answer for its objects.

    `belief` is P(+) - P(-) of each object; the two other objects are averaged over.
    """
    for row in range(len(triplets)):
        i, a, b = triplets[row]
        own, other = rates[nodes[row], 0], 1 - rates[nodes[row], 1]
        plus_i, plus_a, plus_b = (1 + belief[i]) / 2, (1 + belief[a]) / 2, (1 + belief[b]) / 2
        right, wrong = plus_a * (1 - plus_b), (1 - plus_a) * plus_b
        same = (1 - right - wrong) / 2
        evidence[i] += np.log(
            (right * own + wrong * (1 - own) + same) / (right * other + wrong * (1 - other) + same)
        )
        # P(answer) if a is on side + and b on side -
        chosen = plus_i * own + (1 - plus_i) * other
        evidence[a] += np.log(
            ((1 - plus_b) * chosen + plus_b / 2) / (plus_b * (1 - chosen) + (1 - plus_b) / 2)
        )
        evidence[b] += np.log(
            ((1 - plus_a) * (1 - chosen) + plus_a / 2) / (plus_a * chosen + (1 - plus_a) / 2)
        )


@kernel
def count_choices(
    triplets: Int32Array, nodes: Int32Array, belief: FloatArray, counts: FloatArray
) -> None:
    """Add to counts[node, side] the expected numbers of choices of (own side, other side)."""
    for row in range(len(triplets)):
        i, a, b = triplets[row]
        plus_i, plus_a, plus_b = (1 + belief[i]) / 2, (1 + belief[a]) / 2, (1 + belief[b]) / 2
        right, wrong = plus_a * (1 - plus_b), (1 - plus_a) * plus_b
        counts[nodes[row], 0, 0] += plus_i * right
        counts[nodes[row], 0, 1] += plus_i * wrong
        counts[nodes[row], 1, 0] += (1 - plus_i) * wrong
        counts[nodes[row], 1, 1] += (1 - plus_i) * right


@kernel
def log_likelihood(
    triplets: Int32Array, nodes: Int32Array, belief: FloatArray, rates: FloatArray
) -> float:
    """Return the log-likelihood of the answers, each averaged over the sides of its objects."""
    total = 0.0
    for row in range(len(triplets)):
        i, a, b = triplets[row]
        own, other = rates[nodes[row], 0], 1 - rates[nodes[row], 1]
        plus_i, plus_a, plus_b = (1 + belief[i]) / 2, (1 + belief[a]) / 2, (1 + belief[b]) / 2
        right, wrong = plus_a * (1 - plus_b), (1 - plus_a) * plus_b
        chosen = plus_i * own + (1 - plus_i) * other
        total += np.log(right * chosen + wrong * (1 - chosen) + (1 - right - wrong) / 2)
    return total
