"""The nearest clusters by sign features: from products of means, or from the bits of the signs."""

from __future__ import annotations

import numpy as np

from ordlink._kernels import count_bits, kernel
from ordlink._typing import AnyArray, Float32Array, FloatArray, Int8Array, Int32Array
from ordlink.linkage._kernels_lists import Clusters, Lists, dot, insert

CHUNK = 64
"""Products looked at together: counting those above a threshold takes a few vector instructions."""
BITS = 64
"""Signs per machine word."""
NEVER = -(2**31)
"""Less than any product of sign features."""


@kernel
def scan_products(
    products: Float32Array,
    rows: Int32Array,
    columns: Int32Array,
    margins: FloatArray,
    clusters: Clusters,
    lists: Lists,
    largest: Float32Array,
) -> None:
    """Rebuild the lists of some clusters from estimated scores with all clusters.

    `products[i, j]` is within `margins[i]` of W(rows[i], columns[j]). At least length + 1 products
    are `largest[-1]` or more, so at least as many true scores are within one margin below it. A
    product more than two margins below it can therefore belong neither to the list nor to its
    bound. All others are evaluated in integers.
    """
    length = lists.slots.shape[1] - 1
    for i in range(len(rows)):
        r = int(rows[i])
        lists.counts[r] = 0
        lists.scores[r, length] = -np.inf
        lists.weights[r, length] = 0
        # r itself may be among the largest: one more than needed makes up for it.
        find_largest(products[i], largest)
        threshold = np.float32(largest[len(largest) - 1] - 2 * margins[i])
        for first in range(0, len(columns), CHUNK):
            last = min(first + CHUNK, len(columns))
            n_above = 0
            for j in range(first, last):
                n_above += products[i, j] >= threshold
            if n_above == 0:
                continue
            for j in range(first, last):
                q = int(columns[j])
                if products[i, j] >= threshold and q != r:
                    weight = clusters.sizes[r] * clusters.sizes[q]
                    insert(dot(r, q, clusters.sums), weight, q, r, lists)


@kernel
def find_largest(values: Float32Array, largest: Float32Array) -> None:
    """Write the largest values in decreasing order, -inf where there are too few."""
    largest[:] = -np.inf
    end = len(largest) - 1
    for first in range(0, len(values), CHUNK):
        last = min(first + CHUNK, len(values))
        n_above = 0
        for j in range(first, last):
            n_above += values[j] > largest[end]
        if n_above == 0:
            continue
        for j in range(first, last):
            value = values[j]
            if value > largest[end]:
                place = end
                while place > 0 and largest[place - 1] < value:
                    largest[place] = largest[place - 1]
                    place -= 1
                largest[place] = value


@kernel
def pack_signs(features: Int8Array, signs: AnyArray, known: AnyArray) -> None:
    """Write bit k % 64 of word k // 64: is feature k positive, is it not 0; one row per word."""
    for i in range(features.shape[0]):
        for k in range(features.shape[1]):
            bit = np.uint64(1) << np.uint64(k % BITS)
            if features[i, k] > 0:
                signs[k // BITS, i] |= bit
            if features[i, k] != 0:
                known[k // BITS, i] |= bit


@kernel
def scan_signs(
    first_row: int,
    last_row: int,
    signs: AnyArray,
    known: AnyArray,
    lists: Lists,
    products: Int32Array,
    best: Int32Array,
) -> None:
    """Make the lists of the objects first_row..last_row - 1, from the signs of all objects.

    <F_i, F_j> is the number of features known for both, less twice the number that differ in sign.
    `products` has space for CHUNK numbers; `best`, of shape (2, length + 1), for one list.
    """
    n_words, n = signs.shape
    length = lists.slots.shape[1] - 1
    for i in range(first_row, last_row):
        n_best = 0
        threshold = NEVER
        for first in range(0, n, CHUNK):
            last = min(first + CHUNK, n)
            products[:] = 0
            for word in range(n_words):
                sign, mask = signs[word, i], known[word, i]
                for j in range(first, last):
                    both = mask & known[word, j]
                    products[j - first] += np.int32(count_bits(both)) - 2 * np.int32(
                        count_bits(both & (sign ^ signs[word, j]))
                    )
            n_above = 0
            for j in range(last - first):
                n_above += products[j] > threshold
            if n_above == 0:
                continue
            for j in range(first, last):
                product = products[j - first]
                # Objects come in the order of the tie rule: an equal score comes after.
                if product > threshold and j != i:
                    place = min(n_best, length)
                    n_best = place + 1
                    while place > 0 and best[0, place - 1] < product:
                        best[0, place], best[1, place] = best[0, place - 1], best[1, place - 1]
                        place -= 1
                    best[0, place], best[1, place] = product, j
                    if n_best > length:
                        threshold = best[0, length]
        lists.counts[i] = min(n_best, length)
        lists.scores[i, length] = -np.inf
        lists.weights[i, length] = 0
        for place in range(n_best):
            lists.scores[i, place] = best[0, place]
            lists.numbers[i, place] = best[0, place]
            lists.weights[i, place] = 1
            lists.slots[i, place] = best[1, place]
