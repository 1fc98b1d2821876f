"""Bradley-Terry likelihoods and splits, as literal loops."""

from __future__ import annotations

import itertools
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


def gain_by_others(labels, p, q, strengths, precisions):
    """Return what clusters p and q being apart explains of their strengths to all third clusters.

    Beyond what noise gives at most; never below 0.
    """
    others = sorted(set(labels) - {p, q})
    gain = 0.0
    for other in others:
        weight, total = [0.0, 0.0], [0.0, 0.0]
        for i in range(len(labels)):
            for j in range(len(labels)):
                if labels[i] in (p, q) and labels[j] == other:
                    which = 0 if labels[i] == p else 1
                    weight[which] += precisions[i][j]
                    total[which] += precisions[i][j] * strengths[i][j]
        if min(weight) > 0.0:
            means = [total[0] / weight[0], total[1] / weight[1]]
            both = sum(total) / sum(weight)
            for which in (0, 1):
                gain += 0.5 * weight[which] * (means[which] - both) ** 2
    n = sum(1 for label in labels if label in (p, q))
    by_noise = 0.5 * len(others) + math.sqrt(n * len(others))
    return max(gain - by_noise, 0.0)


def spread_of_blocks(labels, strengths, precisions):
    """Return the variance of the true strengths of blocks, by DerSimonian and Laird's moments."""
    weight, total = {}, {}
    for i in range(len(labels)):
        for j in range(i):
            block = tuple(sorted((labels[i], labels[j])))
            weight[block] = weight.get(block, 0.0) + precisions[i][j]
            total[block] = total.get(block, 0.0) + precisions[i][j] * strengths[i][j]
    known = [block for block in weight if weight[block] > 0.0]
    if len(known) < 2:
        return 0.0
    all_weight = sum(weight[block] for block in known)
    mean = sum(total[block] for block in known) / all_weight
    seen = sum(weight[block] * (total[block] / weight[block] - mean) ** 2 for block in known)
    squares = sum(weight[block] ** 2 for block in known)
    return max(seen - (len(known) - 1), 0.0) / (all_weight - squares / all_weight)


def chances_of_sides(side, strengths, precisions):
    """Return for each object the chance to be on the side, if all splits are equally likely before.

    The strengths across and within are the means over the pairs that the given split cuts and does
    not cut; None if the pairs across are not the weaker ones. A split and its reverse are the same
    one: that of the two which has more objects in common with the given one counts; where both have
    as many, the one as it is.
    """
    n = len(side)
    pairs = [(i, j) for i in range(n) for j in range(i)]
    sums = {True: [0.0, 0.0], False: [0.0, 0.0]}
    for i, j in pairs:
        sums[side[i] != side[j]][0] += precisions[i][j]
        sums[side[i] != side[j]][1] += precisions[i][j] * strengths[i][j]
    if min(sums[True][0], sums[False][0]) <= 1e-12:
        return None
    across, within = sums[True][1] / sums[True][0], sums[False][1] / sums[False][0]
    if across >= within:
        return None
    chances, everything = [0.0] * n, 0.0
    for one in itertools.product([True, False], repeat=n):
        likelihood = 0.0
        for i, j in pairs:
            mean = across if one[i] != one[j] else within
            likelihood -= 0.5 * precisions[i][j] * (strengths[i][j] - mean) ** 2
        alike = sum(1 if one[i] == side[i] else -1 for i in range(n))
        chance = math.exp(likelihood)
        everything += chance
        for i in range(n):
            chances[i] += chance * (one[i] == (alike >= 0))
    return [chance / everything for chance in chances]


def join_clusters(strengths, precisions, least_spread=0.1):
    """Return {set of objects: (strength across, whether anything is known of it)} of all merges.

    Single objects are joined by average linkage: the mean strength across, weighted by precision,
    as if one more observation, the mean of all, had a precision of one over the spread of the
    strengths. None if two choices are equally good.
    """
    n = len(strengths)
    weight = sum(precisions[i][j] for i in range(n) for j in range(n))
    total = sum(precisions[i][j] * strengths[i][j] for i in range(n) for j in range(n))
    mean = total / max(weight, 1e-12)
    prior = 1.0 / max(spread_of_blocks(list(range(n)), strengths, precisions), least_spread)
    clusters = [frozenset([i]) for i in range(n)]
    joined = {}
    while len(clusters) > 1:
        found = []
        for p, first in enumerate(clusters):
            for second in clusters[:p]:
                h = sum(precisions[i][j] for i in first for j in second)
                hz = sum(precisions[i][j] * strengths[i][j] for i in first for j in second)
                found.append(((hz + prior * mean) / (h + prior), h > 0.0, first, second))
        found.sort(key=lambda choice: -choice[0])
        if len(found) > 1 and found[0][0] - found[1][0] < 1e-9:
            return None
        strength, known, first, second = found[0]
        joined[first | second] = strength, known
        clusters = [c for c in clusters if c not in (first, second)] + [first | second]
    return joined
