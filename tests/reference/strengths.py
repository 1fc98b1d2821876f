"""Bradley-Terry likelihoods and splits, as literal loops."""

from __future__ import annotations

import math


def likelihood(strengths, rows, lapse=0.0):
    """Return minus the log-likelihood, its slopes times -1, and the Fisher information.

    `rows` are (winner, loser, weight); a share `lapse` of the answers says the opposite.
    """
    loss, slopes, curvatures = 0.0, [0.0] * len(strengths), [0.0] * len(strengths)
    for winner, loser, weight in rows:
        meant = 1.0 / (1.0 + math.exp(strengths[loser] - strengths[winner]))
        p = lapse + (1.0 - 2.0 * lapse) * meant
        slope = (1.0 - 2.0 * lapse) * meant * (1.0 - meant)  # of p
        loss -= weight * math.log(p)
        slopes[winner] += weight * slope / p
        slopes[loser] -= weight * slope / p
        for pair in (winner, loser):
            curvatures[pair] += weight * slope * slope / (p * (1.0 - p))
    return loss, slopes, curvatures


def gain_of_split(side, strengths, precisions):
    """Return what two mean strengths, across and within, explain more than one mean.

    That is half the drop of the weighted sum of squares, or 0 if pairs across are not weaker.
    """
    n = len(side)
    groups = {True: [], False: []}
    for i in range(n):
        for j in range(i + 1, n):
            groups[bool(side[i]) != bool(side[j])].append((strengths[i][j], precisions[i][j]))

    def mean(pairs):
        weight = sum(h for _, h in pairs)
        return sum(h * z for z, h in pairs) / weight if weight > 1e-12 else 0.0

    def squares(pairs):
        return sum(h * (z - mean(pairs)) ** 2 for z, h in pairs)

    across, within = groups[True], groups[False]
    everything = across + within
    if sum(h for _, h in across) <= 1e-12 or mean(across) >= mean(everything):
        return 0.0
    return 0.5 * (squares(everything) - squares(across) - squares(within))


def cost_of_split(n, k, caution):
    """Return caution log C(n, k) + log(number of pairs) / 2."""
    return caution * math.log(math.comb(n, k)) + 0.5 * math.log(max(2, n * (n - 1) // 2))
