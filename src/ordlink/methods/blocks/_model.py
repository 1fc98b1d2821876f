"""The block model: strengths between blocks of objects, and how they are fitted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ordlink._typing import Float32Array, FloatArray, Int64Array

SPREAD = 3.0  # standard deviation of strengths before any answer, in logits
_STRONGEST = 15.0
_LAPSES = (-7.0, 0.0)  # bounds of the lapse rate, as the logit of its double
_MAX_STEPS = 60


@dataclass(frozen=True)
class BlockModel:
    """P(e beats f) = q + (1 - 2 q) / (1 + exp(x_f - x_e)) for pairs e, f of blocks.

    Attributes
    ----------
    strengths : ndarray of shape (n_blocks, n_blocks), dtype float64
        x, symmetric; the diagonal is for pairs within a block.
    lapse_rate : float
        q.
    """

    strengths: FloatArray
    lapse_rate: float

    @property
    def n_blocks(self) -> int:
        """Number of blocks."""
        return len(self.strengths)

    def log_chances(self) -> FloatArray:
        """Return log P(e beats f) for all pairs e, f of blocks."""
        return np.log(self._chances())

    def slopes(self) -> FloatArray:
        """Return the derivative of log P(e beats f) by x_e for all pairs e, f of blocks."""
        chances, q = self._chances(), self.lapse_rate
        logistic = (chances - q) / (1.0 - 2.0 * q)
        return np.asarray((1.0 - 2.0 * q) * logistic * (1.0 - logistic) / chances)

    def tables(self) -> tuple[Float32Array, Float32Array, Float32Array]:
        """Return log-likelihoods by block t of one object: the tables of `draw_labels`."""
        x = self.strengths
        by_pair = x[np.triu_indices(self.n_blocks)]
        ahead = x[:, None, :] - by_pair[None, :, None]
        both = x[:, None, :] - x[None, :, :]
        won, lost, shared = (np.log(self._logistic(d)) for d in (ahead, -ahead, both))
        return won.astype(np.float32), lost.astype(np.float32), shared.astype(np.float32)

    def _chances(self) -> FloatArray:
        x = self.strengths[np.triu_indices(self.n_blocks)]
        return self._logistic(x[:, None] - x[None, :])

    def _logistic(self, differences: FloatArray) -> FloatArray:
        q = self.lapse_rate
        return np.asarray(q + (1.0 - 2.0 * q) / (1.0 + np.exp(-differences)))


def number_pairs(n_blocks: int) -> Int64Array:
    """Return the number of each unordered pair of blocks, equal ones included, as a matrix."""
    pair_of = np.zeros((n_blocks, n_blocks), dtype=np.int64)
    upper = np.triu_indices(n_blocks)
    pair_of[upper] = np.arange(len(upper[0]))
    return np.maximum(pair_of, pair_of.T)


def fit_model(counts: Int64Array, near: BlockModel) -> BlockModel:
    """Return the model under which block pairs most likely beat each other as often as counted."""
    from scipy.optimize import minimize

    n_pairs = len(counts)
    e, f = np.nonzero(counts)
    e, f = e[e != f], f[e != f]  # pairs of the same two blocks say nothing
    weights = counts[e, f].astype(np.float64)
    scale = 1.0 / max(float(weights.sum()), 1.0)

    def loss(point: Any) -> tuple[float, FloatArray]:
        x, q = point[:-1], 0.5 / (1.0 + np.exp(-point[-1]))
        logistic = 1.0 / (1.0 + np.exp(x[f] - x[e]))
        chances = q + (1.0 - 2.0 * q) * logistic
        off = (x - x.mean()) / SPREAD
        value = 0.5 * float(off @ off) - float(weights @ np.log(chances))
        pulls = weights * (1.0 - 2.0 * q) * logistic * (1.0 - logistic) / chances
        slopes = np.bincount(f, pulls, n_pairs) - np.bincount(e, pulls, n_pairs) + off / SPREAD
        by_lapse = -float(weights @ ((1.0 - 2.0 * logistic) / chances)) * q * (1.0 - 2.0 * q)
        return scale * value, scale * np.append(slopes, by_lapse)

    upper = np.triu_indices(near.n_blocks)
    q = near.lapse_rate
    start: Any = np.append(near.strengths[upper], np.log(2.0 * q / (1.0 - 2.0 * q)))
    bounds = [(-_STRONGEST, _STRONGEST)] * n_pairs + [_LAPSES]
    options: Any = {"maxiter": _MAX_STEPS, "ftol": 1e-10}
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options).x
    strengths = np.zeros((near.n_blocks, near.n_blocks))
    strengths[upper] = found[:-1] - found[:-1].mean()
    strengths = strengths + strengths.T - np.diag(np.diag(strengths))
    return BlockModel(strengths, float(0.5 / (1.0 + np.exp(-found[-1]))))


def merge_counts(counts: Int64Array, new_block: Int64Array) -> Int64Array:
    """Return the counts between fewer blocks, where block b is in ``new_block[b]``."""
    upper = np.triu_indices(len(new_block))
    pair_of = number_pairs(int(new_block.max()) + 1)
    new_pair = pair_of[new_block[upper[0]], new_block[upper[1]]]
    merged = np.zeros((int(pair_of.max()) + 1,) * 2, dtype=np.int64)
    e, f = np.nonzero(counts)
    np.add.at(merged, (new_pair[e], new_pair[f]), counts[e, f])
    return merged
