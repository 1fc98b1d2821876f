"""How an embedding is fitted: starts, L-BFGS, the best of several runs, principal axes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ordlink._threads import one_blas_thread
from ordlink._typing import FloatArray, Progress
from ordlink._validate import Seed, check_whole_number, seed_number
from ordlink.comparisons import Comparisons, Repeats
from ordlink.comparisons._base import FrozenArrays
from ordlink.methods.embedding._compared_pairs import ComparedPairs

LEAST_DECREASE = 1e-7  # a run has converged once a step lowers the mean loss by less than this
_LEAST_SLOPE = 1e-8
_REMEMBERED_STEPS = 10
_SAME = 1e-6  # losses that differ by less, relatively, count as equal
_JITTER = 1e-3  # moves coinciding points of the first start apart, which no gradient would

Loss = Callable[[ComparedPairs, FloatArray], tuple[float, FloatArray]]
"""From the squared distances D of the pairs to the mean loss and its slopes dloss/dD."""
Watch = Callable[[FloatArray], None]  # called with the points after every step


@dataclass(frozen=True, eq=False, kw_only=True)
class Embedding(FrozenArrays):
    """Points whose distances agree with comparisons.

    Attributes
    ----------
    points : ndarray of shape (N, d), dtype float64
        Coordinates along the principal axes, the widest first; their mean is the origin. Objects
        that were never compared lie at the origin.
    method : str
        Name of the embedding: "t-STE", "FORTE" or "SOE".
    loss : float
        Mean loss per comparison; comparable only for the same method and comparisons.
    accuracy : float
        Share of the comparisons (repeated ones counted once) whose more similar pair is closer;
        equal distances count one half. NaN if there are no comparisons.
    converged : bool
        Whether the best run ended because the loss no longer fell.
    n_iter : int
        Number of steps of the best run.
    losses : tuple of float
        Loss of each run; `loss` is the smallest.
    names : tuple of str or None
        Names of the objects.
    """

    points: FloatArray
    method: str
    loss: float
    accuracy: float
    converged: bool
    n_iter: int
    losses: tuple[float, ...]
    names: tuple[str, ...] | None = None

    @property
    def n_objects(self) -> int:
        """Number of objects N."""
        return len(self.points)

    @property
    def n_components(self) -> int:
        """Number of coordinates d."""
        return int(self.points.shape[1])

    def __repr__(self) -> str:
        state = "converged" if self.converged else "not converged"
        return (
            f"Embedding({self.method}, {self.n_objects} objects, dimension {self.n_components}, "
            f"loss {self.loss:.4g}, accuracy {self.accuracy:.4f}, {state} after "
            f"{self.n_iter} iterations)"
        )


class Descent(NamedTuple):
    """Where a run ended."""

    points: FloatArray
    loss: float
    n_iter: int
    converged: bool


Descend = Callable[[ComparedPairs, FloatArray, int, Watch], Descent]
"""From pairs, a start, the most steps and a watcher to where a run ended."""


def fit_embedding(
    comparisons: Comparisons,
    method: str,
    descend: Descend,
    options: tuple[int, int, Seed, Repeats, int, Progress | None],
) -> Embedding:
    """Return the best of several runs of `descend`, each from a different start.

    Linear algebra runs on one thread, so that results are the same on any number of cores.
    """
    n_components, n_init, any_seed, repeats, max_iter, progress = options
    check_whole_number(n_components, "n_components", lowest=1)
    check_whole_number(n_init, "n_init", lowest=1)
    check_whole_number(max_iter, "max_iter", lowest=1)
    seed = seed_number(any_seed)
    pairs = ComparedPairs.of(comparisons, repeats=repeats, seed=seed)
    # Where nothing is known, everything is in one place.
    runs = [Descent(np.zeros((pairs.n_objects, n_components)), 0.0, 0, converged=True)]
    with one_blas_thread():
        if pairs.n_rows:
            runs = [
                descend(pairs, start, max_iter, _count_steps(progress, number, n_init, max_iter))
                for number, start in enumerate(_starts(pairs, n_components, n_init, seed))
            ]
        # Runs that end in the same place differ by rounding, which must not choose between them.
        lowest = min(run.loss for run in runs)
        best = next(run for run in runs if run.loss <= lowest + _SAME * abs(lowest))
        points = _in_principal_axes(best.points, pairs)
    if progress is not None:
        progress(n_init * max_iter, n_init * max_iter)
    return Embedding(
        points=points,
        method=method,
        loss=best.loss,
        accuracy=pairs.accuracy(points),
        converged=best.converged,
        n_iter=best.n_iter,
        losses=tuple(run.loss for run in runs),
        names=comparisons.names,
    )


def loss_at(pairs: ComparedPairs, loss: Loss, points: FloatArray) -> tuple[float, FloatArray]:
    """Return the mean loss at these points and its gradient, shape (N, d)."""
    value, slopes = loss(pairs, pairs.squared_distances(points))
    return value, pairs.gradient_by_points(points, slopes)


def descend_by_lbfgs(
    pairs: ComparedPairs, start: FloatArray, max_iter: int, watch: Watch, *, loss: Loss
) -> Descent:
    """Return where L-BFGS over the coordinates ends."""
    from scipy.optimize import minimize

    shape = start.shape

    def value_and_gradient(flat: FloatArray) -> tuple[float, FloatArray]:
        value, gradient = loss_at(pairs, loss, flat.reshape(shape))
        return value, gradient.ravel()

    limits: Any = {"maxiter": max_iter, "maxfun": 20 * max_iter, "maxcor": _REMEMBERED_STEPS}
    done = minimize(
        value_and_gradient,
        start.ravel(),
        jac=True,
        method="L-BFGS-B",
        callback=lambda flat: watch(flat.reshape(shape)),
        options=limits | {"ftol": LEAST_DECREASE, "gtol": _LEAST_SLOPE},
    )
    return Descent(done.x.reshape(shape), float(done.fun), int(done.nit), bool(done.success))


def nearest_of_low_rank(matrix: FloatArray, n_components: int) -> FloatArray:
    """Return X of shape (N, d): X X^T is the nearest centred PSD matrix of rank at most d.

    The d largest eigenvalues of the centred matrix are kept, clipped at 0. O(N^3).
    """
    from scipy.linalg import eigh

    n = len(matrix)
    means = matrix.mean(axis=0)
    centred = matrix - means - means[:, None] + means.mean()
    points = np.zeros((n, n_components))
    kept = min(n, n_components)
    values, vectors = eigh(centred, subset_by_index=[n - kept, n - 1])
    if len(values) < kept:  # LAPACK loses some of those that are nearly equal
        values, vectors = (part[..., -kept:] for part in eigh(centred))
    points[:, :kept] = (vectors * np.sqrt(np.maximum(values, 0.0)))[:, ::-1]
    return points


def _starts(
    pairs: ComparedPairs, n_components: int, n_starts: int, seed: int
) -> Iterator[FloatArray]:
    """Yield starts: the first from the AddS similarity, near an optimum; then random ones."""
    compared = pairs.compared[:, None]
    for number in range(n_starts):
        drawn = np.random.default_rng([seed, number]).normal(size=(pairs.n_objects, n_components))
        if number == 0:
            points = nearest_of_low_rank(pairs.balance(), n_components)
            width = np.sqrt(np.mean(points**2))
            yield (points / (width or 1.0) + _JITTER * drawn) * compared
        else:
            yield drawn * compared


def _count_steps(progress: Progress | None, number: int, n_init: int, max_iter: int) -> Watch:
    """Return a watcher that tells how many of all steps are done, at the most."""
    done = number * max_iter

    def step(_points: FloatArray) -> None:
        nonlocal done
        done = min(done + 1, (number + 1) * max_iter)
        if progress is not None:
            progress(done, n_init * max_iter)

    return step


def _in_principal_axes(points: FloatArray, pairs: ComparedPairs) -> FloatArray:
    """Return the points about their mean, the widest axis first, its largest coordinate positive.

    Objects never compared go to the origin and do not count for the mean.
    """
    compared = pairs.compared
    centred = np.zeros_like(points)
    if not compared.any():
        return centred
    centred[compared] = points[compared] - points[compared].mean(axis=0)
    axes = np.linalg.eigh(centred.T @ centred)[1][:, ::-1]
    turned = centred @ axes
    furthest = turned[np.abs(turned).argmax(axis=0), np.arange(turned.shape[1])]
    return np.ascontiguousarray(turned * np.where(furthest < 0, -1.0, 1.0))
