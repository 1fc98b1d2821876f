"""Splits of blocks in two: where to try them, and whether held-out answers support them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ordlink._typing import AnyArray, BoolArray, Float32Array, FloatArray, Int64Array
from ordlink.methods.blocks._model import BlockModel, fit_model, merge_counts, number_pairs
from ordlink.methods.blocks._passes import Answers

MAX_BLOCKS = 64
FEWEST_OBJECTS = 4  # a smaller block is not split
N_SWEEPS, N_AVERAGED = 14, 6
_CLEAR = 0.999  # of the objects: then further sweeps change nothing
LEAST_GAIN, ERRORS = 3.0, 2.0  # in log-likelihood of held-out answers, and standard errors of it
MOST_VECTORS = 60  # of the Krylov space in which a split is looked for
_STEPS_AT_ONCE, _RESIDUAL = 5, 0.01  # ends once the residual is this share of the eigenvalue


@dataclass(frozen=True)
class Partition:
    """Objects in blocks, and the model of the strengths between these."""

    labels: AnyArray  # (n_objects,), uint8
    model: BlockModel

    @property
    def n_blocks(self) -> int:
        """Number of blocks."""
        return self.model.n_blocks

    @property
    def sizes(self) -> Int64Array:
        """Number of objects in each block."""
        return np.bincount(self.labels, minlength=self.n_blocks).astype(np.int64)


def split_blocks(answers: Answers, now: Partition, may_split: BoolArray, depth: int) -> Partition:
    """Return the partition after each of some blocks was split in two, if that predicts better.

    Blocks keep their numbers; a part that is split off has a number after all others.
    """
    sizes = now.sizes
    tried = np.flatnonzero(may_split & (sizes >= FEWEST_OBJECTS))
    room = MAX_BLOCKS - now.n_blocks
    tried = np.sort(tried[np.argsort(-sizes[tried], kind="stable")][:room])
    if not len(tried):
        return now
    new_block = np.arange(now.n_blocks)
    new_block[tried] = now.n_blocks + np.arange(len(tried))
    direction = _best_directions(answers, now, tried)
    labels = np.where(direction > 0.0, new_block[now.labels], now.labels).astype(np.uint8)
    origin = np.concatenate([np.arange(now.n_blocks), tried])
    strengths = now.model.strengths[np.ix_(origin, origin)]
    start = Partition(labels, BlockModel(strengths, now.model.lapse_rate))
    split = refine(answers, start, depth)
    return _keep_supported(answers, split, tried, now.n_blocks)


def refine(answers: Answers, start: Partition, depth: int) -> Partition:
    """Return the partition after sweeps of Gibbs sampling, each object where it most likely is."""
    labels, model = start.labels, start.model
    model = fit_model(answers.count(labels, model.n_blocks), model)
    first, clear = 1000 * depth, 0.0
    for sweep in range(N_SWEEPS):
        labels, clear = answers.draw(labels, model, first + sweep)
        model = fit_model(answers.count(labels, model.n_blocks), model)
        if clear > _CLEAR and sweep > 0:
            break
    shares = np.zeros((answers.n_objects, model.n_blocks), dtype=np.float32)
    for sweep in range(N_AVERAGED if clear <= _CLEAR else 1):
        labels, _ = answers.draw(labels, model, first + N_SWEEPS + sweep, shares)
    labels = shares.argmax(axis=1).astype(np.uint8)
    return Partition(labels, fit_model(answers.count(labels, model.n_blocks), model))


def _keep_supported(
    answers: Answers, split: Partition, tried: Int64Array, n_before: int
) -> Partition:
    """Return the partition without the splits that do not predict held-out answers better."""
    train = answers.count(split.labels, split.n_blocks)
    test = answers.count_tested(split.labels, split.n_blocks)
    e, f = np.nonzero(test)
    weights = test[e, f].astype(np.float64)
    log_chances = split.model.log_chances()[e, f]
    sizes = split.sizes
    new_block = np.arange(split.n_blocks)
    for number, block in enumerate(tried.tolist()):
        part = n_before + number
        if sizes[block] and sizes[part]:
            merged = _without(part, block, split.n_blocks)
            model = fit_model(merge_counts(train, merged), _merge(split.model, merged, sizes))
            upper = np.triu_indices(split.n_blocks)
            pair_of = number_pairs(split.n_blocks - 1)[np.ix_(merged, merged)][upper]
            ratios = log_chances - model.log_chances()[pair_of[e], pair_of[f]]
            # Of the mean of both predictions: a split may be real and some objects still misplaced.
            gains = np.log1p(np.exp(ratios)) - np.log(2.0)
            gain = float(weights @ gains)
            if gain > max(LEAST_GAIN, ERRORS * float(np.sqrt(weights @ gains**2))):
                continue
        new_block[part] = block
    kept = np.unique(new_block)
    new_block = np.searchsorted(kept, new_block)
    if len(kept) == split.n_blocks:
        return split
    model = fit_model(merge_counts(train, new_block), _merge(split.model, new_block, sizes))
    return Partition(new_block[split.labels].astype(np.uint8), model)


def _without(part: int, block: int, n_blocks: int) -> Int64Array:
    """Return the new numbers of blocks if a part is merged into another block."""
    merged = np.arange(n_blocks)
    merged[part] = block
    merged[part + 1 :] -= 1
    return merged


def _merge(model: BlockModel, new_block: Int64Array, sizes: Int64Array) -> BlockModel:
    """Return the model of fewer blocks, whose strengths are means."""
    n_new = int(new_block.max()) + 1
    members = np.zeros((n_new, len(new_block)))
    members[new_block, np.arange(len(new_block))] = np.maximum(sizes, 1)
    members /= members.sum(axis=1, keepdims=True)
    return BlockModel(members @ model.strengths @ members.T, model.lapse_rate)


def _best_directions(answers: Answers, now: Partition, tried: Int64Array) -> FloatArray:
    """Return the leading eigenvector of the slopes in each tried block, by Lanczos in all at once.

    If the strength of pair {i, j} of a block rises by t s_i s_j, with s = +1 or -1, then the
    log-likelihood rises by t times the sum of s_i s_j times the slope of the pair: the best split
    follows the eigenvector with the largest eigenvalue. Blocks whose vector has converged leave
    the work; elsewhere the vector is 0.
    """
    labels, n_blocks = now.labels, now.n_blocks
    sizes = np.maximum(now.sizes, 1)
    slopes = now.model.slopes()
    open_blocks = np.zeros(n_blocks, dtype=bool)
    open_blocks[tried] = True

    def total(vector: FloatArray) -> FloatArray:
        return np.asarray(np.bincount(labels, vector, n_blocks), dtype=np.float64)

    def centred(vector: FloatArray) -> FloatArray:
        return np.asarray(vector - (total(vector) / sizes)[labels])

    def normed(vector: FloatArray) -> tuple[FloatArray, FloatArray]:
        norms = np.sqrt(total(vector * vector))
        return vector / np.maximum(norms, 1e-300)[labels], norms

    start = answers.marks.astype(np.float64) / 2.0**64 - 0.5
    vector = normed(centred(start) * open_blocks[labels])[0]
    n_vectors = int(min(MOST_VECTORS, max(2, sizes[tried].max() - 1)))
    diagonal, beside, coefficients = np.zeros((3, n_vectors, n_blocks))
    basis: list[Float32Array] = []
    for n_done in range(1, n_vectors + 1):
        basis.append(vector.astype(np.float32))
        product = centred(answers.multiply(labels, slopes, vector, open_blocks))
        diagonal[n_done - 1] = total(product * basis[-1])
        for other in basis[-2:]:  # those before are orthogonal until a vector has converged
            product -= total(product * other)[labels] * other
        vector, beside[n_done - 1] = normed(product)
        is_full = open_blocks & (n_done >= now.sizes - 1)  # the rest is 0, and rounding errors
        if n_done % _STEPS_AT_ONCE and n_done < n_vectors and not is_full.any():
            continue
        for block in np.flatnonzero(open_blocks):
            off = beside[: n_done - 1, block]
            tridiagonal = np.diag(diagonal[:n_done, block]) + np.diag(off, 1) + np.diag(off, -1)
            values, vectors = np.linalg.eigh(tridiagonal)
            coefficients[:n_done, block] = vectors[:, -1]
            left = beside[n_done - 1, block] * abs(vectors[-1, -1])
            open_blocks[block] = left > _RESIDUAL * abs(values[-1]) and not is_full[block]
        if not open_blocks.any():
            break
        vector *= open_blocks[labels]
    found = np.zeros(answers.n_objects)
    for row, part in zip(coefficients, basis, strict=False):
        found += row[labels] * part
    return found
