"""The Bradley-Terry likelihood of strengths, and splits of objects in two by least squares.

P(e beats f) = lapse + (1 - 2 lapse) / (1 + exp(x_f - x_e)), where x_e is the strength of pair e.

For each pair e of objects, `precisions[e]` is the weight h of its strength z, and `pulls[e]` is
h (z - mean), where the mean is that of the set, so that the pulls add up to 0. A split that cuts
pairs of total pull t < 0 and total precision h, out of a total precision of H, explains

    gain = t^2 / 2 (1 / h + 1 / (H - h)):

the log-likelihood that it adds if all pairs across share one strength and all pairs within another.
`costs[k]` is the smallest gain for which splitting off k objects counts. Both matrices are
symmetric with 0 on the diagonal.
"""

from __future__ import annotations

import math

import numpy as np

from ordlink._kernels import inlined, kernel, whole
from ordlink._typing import AnyArray, BoolArray, FloatArray, Int32Array, Int64Array
from ordlink.comparisons._kernels_votes import mix

_AT_ONCE = 1024  # rows whose numbers stay in the fastest memory
_FACTORS, _SMALL = 100, 1e-3  # a product of so many such numbers is above 2^-1022, the smallest
_LANES = 16  # products at a time, of 1024 / 16 numbers each
_FEW_PAIRS = 125_000  # of so many, sums stay as they always were
TINY = 1e-12  # a total precision below this says nothing


@inlined
def slot_of(winner: int, loser: int, n_pairs: int, n_slots: int) -> int:
    """Return the slot of a row's two pairs, whichever won; `n_slots` is a power of 2."""
    low, high = whole(min(winner, loser)), whole(max(winner, loser))
    return whole(mix(low * n_pairs + high) & np.uint64(n_slots - 1))


@kernel
def fill_slots(winners: Int32Array, losers: Int32Array, n_pairs: int, slots: AnyArray) -> None:
    """Set one of the two bits of a slot if a row has it, the other if several have; all were 0."""
    n_slots = 4 * slots.shape[0]
    for row in range(winners.shape[0]):
        slot = slot_of(winners[row], losers[row], n_pairs, n_slots)
        place, bit = slot >> 2, 2 * (slot & 3)
        is_taken = (slots[place] >> bit) & 1
        slots[place] |= 2 << bit if is_taken else 1 << bit


@kernel
def mark_repeated(
    winners: Int32Array, losers: Int32Array, n_pairs: int, slots: AnyArray, again: BoolArray
) -> None:
    """Mark the rows whose slot is that of another row too."""
    n_slots = 4 * slots.shape[0]
    for row in range(winners.shape[0]):
        slot = slot_of(winners[row], losers[row], n_pairs, n_slots)
        again[row] = (slots[slot >> 2] >> (2 * (slot & 3) + 1)) & 1


@kernel
def find_first_rows(
    winners: Int32Array,
    losers: Int32Array,
    starts: Int64Array,
    higher: Int32Array,
    first: Int64Array,
) -> None:
    """Write the first row about each question, whoever won.

    Questions about the lower pair e are starts[e]..starts[e + 1]-1; `higher` is the other pair.
    """
    for row in range(winners.shape[0] - 1, -1, -1):
        low, high = min(winners[row], losers[row]), max(winners[row], losers[row])
        for question in range(starts[low], starts[low + 1]):
            if higher[question] == high:
                first[question] = row


@kernel
def find_shared_objects(
    winners: Int32Array,
    losers: Int32Array,
    first: AnyArray,
    n_objects: int,
    shared: AnyArray,
    counts: Int64Array,
) -> None:
    """Write the object that both pairs of a row have, else the first of the winner, and count them.

    `first` is the smaller object of each pair.
    """
    for row in range(winners.shape[0]):
        i, k = whole(first[winners[row]]), whole(first[losers[row]])
        j = winners[row] - i * (2 * n_objects - i - 1) // 2 + i + 1
        m = losers[row] - k * (2 * n_objects - k - 1) // 2 + k + 1
        shared[row] = j if j in (k, m) else i
        counts[shared[row]] += 1


@kernel
def put_in_order(keys: AnyArray, places: Int64Array, rows: AnyArray, ordered: AnyArray) -> None:
    """Copy the rows of each key to one place after another; `places`, the next ones, advance."""
    for row in range(rows.shape[0]):
        ordered[places[keys[row]]] = rows[row]
        places[keys[row]] += 1


@kernel
def take_differences(
    strengths: FloatArray, winners: Int32Array, losers: Int32Array, differences: FloatArray
) -> None:
    """Write the difference in strength between each winner and loser."""
    for row in range(winners.shape[0]):
        differences[row] = strengths[winners[row]] - strengths[losers[row]]


@kernel
def add_likelihood(
    differences: FloatArray,
    decays: FloatArray,
    lapse: float,
    winners: Int32Array,
    losers: Int32Array,
    weights: FloatArray,
    slopes: FloatArray,
) -> float:
    """Return minus the log-likelihood of the rows, and add its slopes times -1 to the pairs.

    `differences` are those of the strengths, `decays` is exp(-abs(difference)), which NumPy
    computes faster. `weights` is empty if all are 1.
    """
    weighted = weights.shape[0] > 0
    ones, answered, pulls = np.ones(_AT_ONCE), np.empty(_AT_ONCE), np.empty(_AT_ONCE)
    products = np.empty(_LANES)
    many = slopes.shape[0] > _FEW_PAIRS
    loss, product, n_factors = 0.0, 1.0, 0
    for begin in range(0, winners.shape[0], _AT_ONCE):
        rows = slice(begin, min(begin + _AT_ONCE, winners.shape[0]))
        ahead, small = differences[rows], decays[rows]
        weight = weights[rows] if weighted else ones
        derive(ahead, small, weight, lapse, answered, pulls)
        least = 1.0
        for row in range(ahead.shape[0]):
            least = min(least, answered[row])
        if many and not weighted and least >= _SMALL:
            loss += sum_of_logs(answered, ahead.shape[0], products)
        else:
            for row in range(ahead.shape[0]):
                if weighted or answered[row] < _SMALL:
                    # log of the logistic curve itself, where it is too small to be a factor
                    exact = math.log1p(small[row]) + max(-ahead[row], 0.0)
                    loss += weight[row] * (exact if lapse == 0.0 else -math.log(answered[row]))
                else:  # one logarithm for many factors
                    product *= answered[row]
                    n_factors += 1
                    if n_factors == _FACTORS:
                        loss -= math.log(product)
                        product, n_factors = 1.0, 0
        e, f = winners[rows], losers[rows]
        for row in range(e.shape[0]):
            slopes[e[row]] += pulls[row]
            slopes[f[row]] -= pulls[row]
    return loss - math.log(product)


@kernel
def add_curvatures(
    differences: FloatArray,
    decays: FloatArray,
    lapse: float,
    winners: Int32Array,
    losers: Int32Array,
    weights: FloatArray,
    curvatures: FloatArray,
) -> float:
    """Add the Fisher information of the rows to the pairs; see `add_likelihood`. Returns 0."""
    ones, bends = np.ones(_AT_ONCE), np.empty(_AT_ONCE)
    for begin in range(0, winners.shape[0], _AT_ONCE):
        rows = slice(begin, min(begin + _AT_ONCE, winners.shape[0]))
        weight = weights[rows] if weights.shape[0] else ones
        derive_twice(differences[rows], decays[rows], weight, lapse, bends)
        e, f = winners[rows], losers[rows]
        for row in range(e.shape[0]):
            curvatures[e[row]] += bends[row]
            curvatures[f[row]] += bends[row]
    return 0.0


@inlined
def sum_of_logs(numbers: FloatArray, n: int, products: FloatArray) -> float:
    """Return minus the sum of the logarithms of the first n numbers, at least `_SMALL` each.

    One logarithm for many factors, and several products at a time.
    """
    for lane in range(_LANES):
        products[lane] = 1.0
    whole_rows = n // _LANES
    for row in range(whole_rows):
        for lane in range(_LANES):
            products[lane] *= numbers[row * _LANES + lane]
    for row in range(whole_rows * _LANES, n):
        products[row - whole_rows * _LANES] *= numbers[row]
    total = 0.0
    for lane in range(_LANES):
        total -= math.log(products[lane])
    return total


@inlined
def derive(
    differences: FloatArray,
    decays: FloatArray,
    weights: FloatArray,
    lapse: float,
    answered: FloatArray,
    pulls: FloatArray,
) -> None:
    """Write the probability of each row's answer and the derivative of its logarithm.

    No row depends on another, so that several are computed at a time.
    """
    attention = 1.0 - 2.0 * lapse
    if lapse == 0.0:
        for row in range(differences.shape[0]):
            small = decays[row]
            share = 1.0 / (1.0 + small)
            answered[row] = share if differences[row] > 0 else small * share
            pulls[row] = weights[row] * (1.0 - answered[row])
        return
    for row in range(differences.shape[0]):
        small = decays[row]
        share = 1.0 / (1.0 + small)
        steepness = small * share * share  # of the logistic curve
        chance = lapse + attention * (share if differences[row] > 0 else small * share)
        answered[row] = chance
        pulls[row] = weights[row] * attention * steepness / chance


@inlined
def derive_twice(
    differences: FloatArray,
    decays: FloatArray,
    weights: FloatArray,
    lapse: float,
    bends: FloatArray,
) -> None:
    """Write the Fisher information of each row."""
    attention = 1.0 - 2.0 * lapse
    for row in range(decays.shape[0]):
        small = decays[row]
        share = 1.0 / (1.0 + small)
        steepness = small * share * share
        if lapse == 0.0:
            bends[row] = weights[row] * steepness
        else:
            chance = lapse + attention * (share if differences[row] > 0 else small * share)
            bend = attention * attention * steepness / (chance * (1.0 - chance))
            bends[row] = weights[row] * steepness * bend


@kernel
def fill_symmetric(by_pair: FloatArray, matrix: FloatArray) -> None:
    """Write one number per pair into both halves of a matrix, and 0 on the diagonal."""
    n = matrix.shape[0]
    e = 0
    for i in range(n):
        matrix[i, i] = 0.0
        for j in range(i + 1, n):
            matrix[i, j] = by_pair[e]
            matrix[j, i] = by_pair[e]
            e += 1


@kernel
def take_upper(matrix: FloatArray, by_pair: FloatArray) -> None:
    """Write the numbers above the diagonal, row by row."""
    n = matrix.shape[0]
    e = 0
    for i in range(n):
        for j in range(i + 1, n):
            by_pair[e] = matrix[i, j]
            e += 1


@kernel
def add_by_label(
    strengths: FloatArray,
    precisions: FloatArray,
    labels: Int64Array,
    first: int,
    last: int,
    totals: FloatArray,
    sums: FloatArray,
) -> None:
    """Add up h z and h of objects first..last-1 over the objects of each label."""
    for i in range(first, last):
        for j in range(labels.shape[0]):
            totals[i, labels[j]] += precisions[i, j] * strengths[i, j]
            sums[i, labels[j]] += precisions[i, j]


@inlined
def gain_of_cut(pull: float, precision: float, total: float) -> float:
    """Return the gain of a split from what it cuts, or 0 if it does not cut the weaker pairs."""
    if pull >= 0.0 or precision <= TINY:
        return 0.0
    within = total - precision
    inverse = 1.0 / precision
    if within > TINY:
        inverse += 1.0 / within
    return 0.5 * pull * pull * inverse


@inlined
def sum_of_all(matrix: FloatArray) -> float:
    """Return the sum of a matrix; `sum` takes long to compile."""
    total = 0.0
    for i in range(matrix.shape[0]):
        for j in range(matrix.shape[1]):
            total += matrix[i, j]
    return total


@kernel
def best_threshold(
    order: Int64Array, pulls: FloatArray, precisions: FloatArray, costs: FloatArray
) -> tuple[int, float]:
    """Return how many leading objects of this order split off best, and the gain less the cost."""
    n = order.shape[0]
    inside = np.zeros(n, dtype=np.bool_)
    total = 0.5 * sum_of_all(precisions)
    pull, precision = 0.0, 0.0
    best, best_value = 1, -np.inf
    for k in range(1, n):
        i = order[k - 1]
        for j in range(n):
            if inside[j]:
                pull -= pulls[i, j]
                precision -= precisions[i, j]
            else:
                pull += pulls[i, j]
                precision += precisions[i, j]
        inside[i] = True
        value = gain_of_cut(pull, precision, total) - costs[k]
        if value > best_value:
            best, best_value = k, value
    return best, best_value


@kernel
def improve_split(
    side: BoolArray, pulls: FloatArray, precisions: FloatArray, costs: FloatArray, max_moves: int
) -> float:
    """Move one object at a time, always the best one, while gain less cost rises; return it."""
    n = side.shape[0]
    row_pulls, row_precisions = np.zeros(n), np.zeros(n)
    to_side_pulls, to_side_precisions = np.zeros(n), np.zeros(n)
    size, total = 0, 0.0
    for i in range(n):
        for j in range(n):
            row_pulls[i] += pulls[i, j]
            row_precisions[i] += precisions[i, j]
        total += row_precisions[i]
        if side[i]:
            size += 1
            for j in range(n):
                to_side_pulls[j] += pulls[i, j]
                to_side_precisions[j] += precisions[i, j]
    total *= 0.5
    pull, precision = 0.0, 0.0
    for i in range(n):
        if side[i]:
            pull += row_pulls[i] - to_side_pulls[i]
            precision += row_precisions[i] - to_side_precisions[i]
    value = gain_of_cut(pull, precision, total) - costs[size]
    for _ in range(max_moves):
        best, best_value = -1, value + 1e-9 * (1.0 + abs(value))
        for i in range(n):
            step = -1 if side[i] else 1
            if size + step == 0 or size + step == n:
                continue
            moved = gain_of_cut(
                pull + step * (row_pulls[i] - 2.0 * to_side_pulls[i]),
                precision + step * (row_precisions[i] - 2.0 * to_side_precisions[i]),
                total,
            )
            if moved - costs[size + step] > best_value:
                best, best_value = i, moved - costs[size + step]
        if best < 0:
            break
        step = -1 if side[best] else 1
        pull += step * (row_pulls[best] - 2.0 * to_side_pulls[best])
        precision += step * (row_precisions[best] - 2.0 * to_side_precisions[best])
        size += step
        side[best] = not side[best]
        value = best_value
        for j in range(n):
            to_side_pulls[j] += step * pulls[best, j]
            to_side_precisions[j] += step * precisions[best, j]
    return value


@kernel
def vote_on_sides(
    side: BoolArray, pulls: FloatArray, precisions: FloatArray, limits: FloatArray
) -> Int64Array:
    """Return how often each object is on the side, less how often it is not, in a random walk.

    The walk goes through all splits, each as often as it is likely (Gibbs sampling; one row of
    `limits` per sweep, the log odds of numbers drawn from [0, 1)). The strengths across and within
    are those of the split it starts from; the result is all zeros if these do not differ. The
    overlap of a split with the first one tells which side is which.
    """
    n = side.shape[0]
    votes = np.zeros(n, dtype=np.int64)
    pull, across = 0.0, 0.0
    for i in range(n):
        for j in range(n):
            if side[i] and not side[j]:
                pull += pulls[i, j]
                across += precisions[i, j]
    within = 0.5 * sum_of_all(precisions) - across
    if pull >= 0.0 or across <= TINY or within <= TINY:
        return votes
    difference = -pull / within - pull / across
    middle = 0.5 * (pull / across - pull / within)
    odds = np.zeros(n)  # log odds that an object is on the side, by where the others are
    for i in range(n):
        for j in range(n):
            said = difference * (pulls[i, j] - middle * precisions[i, j])
            odds[i] += said if side[j] else -said
    now = side.copy()
    for sweep in range(limits.shape[0]):
        alike = 0
        for i in range(n):
            chosen = odds[i] > limits[sweep, i]
            if chosen != now[i]:
                change = 2.0 * difference if chosen else -2.0 * difference
                for j in range(n):
                    odds[j] += change * (pulls[i, j] - middle * precisions[i, j])
                now[i] = chosen
            alike += 1 if now[i] == side[i] else -1
        for i in range(n):
            votes[i] += 1 if now[i] == (alike >= 0) else -1
    return votes
