"""tSTE-AL, FORTE-AL, SOE-AL: an ordinal embedding, then average linkage of its points."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, Literal, get_args

import numpy as np

from ordlink._typing import AnyArray, FloatArray, Progress
from ordlink._validate import Seed, check_choice, check_number, check_whole_number
from ordlink.comparisons import Comparisons, Repeats
from ordlink.errors import ConvergenceWarning, InputError
from ordlink.hierarchy import Hierarchy
from ordlink.linkage import InitialPartition, link_by_average
from ordlink.methods.embedding._compared_pairs import ComparedPairs
from ordlink.methods.embedding._fit import (
    LEAST_DECREASE,
    Descent,
    Embedding,
    Watch,
    descend_by_lbfgs,
    fit_embedding,
    nearest_of_low_rank,
)

Metric = Literal["cosine", "euclidean"]
"""How alike two points are: the cosine of their angle, or minus their distance."""
_NO_LENGTH = 1e-12
_PROJECTED_STEPS = 10  # most steps by projected gradient, each an eigendecomposition
_SUFFICIENT = 1e-4  # share of the decrease promised by the step that must be seen (Armijo's rule)
_HALVINGS = 50


def run(
    embed: Callable[..., Embedding],
    comparisons: Comparisons,
    partition: InitialPartition,
    *,
    metric: Metric = "cosine",
    **options: Any,
) -> Hierarchy:
    """Return the tree of average linkage of the points that `embed` makes with the options."""
    check_choice(metric, "metric", get_args(Metric))  # before the long work
    embedding = embed(comparisons, **options)
    if not embedding.converged:
        warnings.warn(
            f"the {embedding.method} embedding did not converge in {embedding.n_iter:,} "
            "iterations; increase max_iter, or n_init for more starts",
            ConvergenceWarning,
            stacklevel=3,
        )
    similarities = embedding_similarity(embedding.points, metric=metric)
    return link_by_average(similarities, partition, names=comparisons.names)


def embedding_similarity(points: AnyArray, *, metric: Metric = "cosine") -> FloatArray:
    """Return the similarity of every two points.

    Parameters
    ----------
    points : ndarray of shape (N, d)
        Coordinates, such as `Embedding.points`.
    metric : {"cosine", "euclidean"}
        The cosine of the angle between two points as vectors, as in the paper, or minus their
        distance. A point at the origin (no longer than 1e-12 of the longest) has no angle: its
        cosine with every point is 0, "neither alike nor unlike".

    Returns
    -------
    ndarray of shape (N, N), dtype float64
        Symmetric; on the diagonal 1 (cosine) or 0 (euclidean).

    Examples
    --------
    >>> embedding_similarity([[3, 0], [0, 4], [0, 0]])
    array([[1., 0., 0.],
           [0., 1., 0.],
           [0., 0., 1.]])
    >>> embedding_similarity([[3, 0], [0, 4]], metric="euclidean")
    array([[ 0., -5.],
           [-5.,  0.]])
    """
    check_choice(metric, "metric", get_args(Metric))
    checked = np.asarray(points, dtype=np.float64)
    if checked.ndim != 2:
        problem = f"expected an array with one row per object, got shape {checked.shape}"
        raise InputError(problem, parameter="points")
    if not (finite := np.isfinite(checked).all(axis=1)).all():
        problem = f"expected finite numbers, got {checked[~finite][0]} for object {finite.argmin()}"
        raise InputError(problem, parameter="points")
    if metric == "euclidean":
        from scipy.spatial.distance import cdist

        return np.asarray(0.0 - cdist(checked, checked))
    lengths = np.linalg.norm(checked, axis=1)
    seen = lengths > _NO_LENGTH * lengths.max(initial=0.0)
    directions = np.zeros_like(checked)
    directions[seen] = checked[seen] / lengths[seen, None]
    cosines = np.clip(directions @ directions.T, -1.0, 1.0)
    np.fill_diagonal(cosines, 1.0)
    return cosines


def tste_embedding(
    comparisons: Comparisons,
    *,
    n_components: int = 2,
    alpha: float | None = None,
    n_init: int = 3,
    seed: Seed = 0,
    repeats: Repeats = "majority",
    max_iter: int = 1000,
    progress: Progress | None = None,
) -> Embedding:
    """Return points that make the comparisons likely under t-STE.

    A comparison (i, j, k, l) has the probability q_ij / (q_ij + q_kl) with
    ``q_ij = (1 + |x_i - x_j|^2 / alpha)^(-(alpha + 1) / 2)``; triplets are the case k = i. The loss
    is the mean of -ln of these probabilities.

    Parameters
    ----------
    comparisons : Comparisons
        Listed, or all of a similarity matrix (ranked): these are listed up to two million, beyond
        which about two million are drawn at random with `seed`.
    n_components : int
        Number of coordinates d.
    alpha : float, optional
        Degrees of freedom of Student's t; max(d - 1, 1) by default.
    n_init : int
        Number of runs: the first starts from the AddS similarity, the others at random. The run
        with the smallest loss is kept.
    seed : int, numpy.random.Generator or None
        Random seed.
    repeats : {"majority", "net"}
        How repeated answers count.
    max_iter : int
        Largest number of iterations of a run.
    progress : callable, optional
        Called with (steps done, largest number of steps).

    References
    ----------
    van der Maaten, Weinberger: Stochastic triplet embedding, 2012.

    Examples
    --------
    >>> from ordlink import Comparisons
    >>> c = Comparisons.from_triplets([[0, 1, 2], [1, 0, 2], [2, 1, 0]])
    >>> tste_embedding(c, n_components=1).accuracy
    1.0
    """
    if alpha is None:
        alpha = max(check_whole_number(n_components, "n_components", lowest=1) - 1, 1)
    elif check_number(alpha, "alpha") <= 0:
        raise InputError(f"expected a number above 0, got {alpha}", parameter="alpha")
    descend = partial(descend_by_lbfgs, loss=partial(tste_loss, alpha=float(alpha)))
    options = n_components, n_init, seed, repeats, max_iter, progress
    return fit_embedding(comparisons, "t-STE", descend, options)


run_tste = partial(run, tste_embedding)
"""Return the tree of t-STE followed by average linkage; options as for `run`."""


def tste_loss(
    pairs: ComparedPairs, squares: FloatArray, *, alpha: float
) -> tuple[float, FloatArray]:
    """Return the mean of -ln p and its derivatives by the squared distances."""
    from ordlink.methods.embedding._kernels import add_logistic

    half = (alpha + 1) / 2
    loss, slopes = pairs.mean_loss(add_logistic, -half * np.log1p(squares / alpha))  # ln q
    return loss, slopes * (-half / (alpha + squares))


def forte_embedding(
    comparisons: Comparisons,
    *,
    n_components: int = 2,
    n_init: int = 3,
    seed: Seed = 0,
    repeats: Repeats = "majority",
    max_iter: int = 1000,
    progress: Progress | None = None,
) -> Embedding:
    """Return points whose Gram matrix, of rank at most d, makes the comparisons likely (FORTE).

    With D_ij = K_ii + K_jj - 2 K_ij, a comparison (i, j, k, l) loses ln(1 + exp(D_ij - D_kl)); the
    loss is the mean, K is positive semidefinite, centred and of rank at most d. Gradient steps in
    K with a backtracking line search, each projected to such matrices (the d largest eigenvalues,
    clipped at 0), lead near a minimum. They converge slowly near the minimum, so L-BFGS over the
    factor X of K = X X^T, which keeps K among these matrices, takes over.

    The parameters are those of :func:`tste_embedding`.

    References
    ----------
    Jain, Jamieson, Nowak: Finite sample prediction and recovery bounds for ordinal embedding, 2016.

    Examples
    --------
    >>> from ordlink import Comparisons
    >>> c = Comparisons.from_triplets([[0, 1, 2], [1, 0, 2], [2, 1, 0]])
    >>> forte_embedding(c, n_components=1).accuracy
    1.0
    """
    options = n_components, n_init, seed, repeats, max_iter, progress
    return fit_embedding(comparisons, "FORTE", _descend, options)


def forte_loss(pairs: ComparedPairs, squares: FloatArray) -> tuple[float, FloatArray]:
    """Return the mean logistic loss and its derivatives by the squared distances."""
    from ordlink.methods.embedding._kernels import add_logistic

    loss, slopes = pairs.mean_loss(add_logistic, -squares)
    return loss, -slopes


def _descend(pairs: ComparedPairs, start: FloatArray, max_iter: int, watch: Watch) -> Descent:
    """Return where projected gradient, then L-BFGS over the factor, ends."""
    near = _project_gradient(pairs, start, min(_PROJECTED_STEPS, max_iter), watch)
    left = max_iter - near.n_iter
    if near.converged or not left:
        return near
    end = descend_by_lbfgs(pairs, near.points, left, watch, loss=forte_loss)
    return end._replace(n_iter=near.n_iter + end.n_iter)


def _project_gradient(
    pairs: ComparedPairs, start: FloatArray, max_iter: int, watch: Watch
) -> Descent:
    """Return where gradient steps in K end, each projected and no longer than lowers the loss."""
    points = start - start.mean(axis=0)
    gram = points @ points.T
    loss, slopes = forte_loss(pairs, pairs.squared_distances(points))
    gradient = pairs.gradient_by_gram_matrix(slopes)
    steepness = float(np.linalg.norm(gradient))
    step = float(np.linalg.norm(gram)) / steepness if steepness else 0.0
    for n_done in range(max_iter):
        for _ in range(_HALVINGS):
            new_points = nearest_of_low_rank(gram - step * gradient, points.shape[1])
            new_gram = new_points @ new_points.T
            new_loss, slopes = forte_loss(pairs, pairs.squared_distances(new_points))
            moved = float(np.sum((new_gram - gram) ** 2))
            if step * (loss - new_loss) >= _SUFFICIENT / 2 * moved:
                break
            step /= 2
        else:  # no step, however short, lowers the loss
            return Descent(points, loss, n_done, converged=True)
        decrease = loss - new_loss
        points, gram, loss = new_points, new_gram, new_loss
        watch(points)
        if decrease < LEAST_DECREASE:
            return Descent(points, loss, n_done + 1, converged=False)
        gradient = pairs.gradient_by_gram_matrix(slopes)
        step *= 2
    return Descent(points, loss, max_iter, converged=False)


def soe_embedding(
    comparisons: Comparisons,
    *,
    n_components: int = 2,
    n_init: int = 3,
    seed: Seed = 0,
    repeats: Repeats = "majority",
    max_iter: int = 1000,
    progress: Progress | None = None,
) -> Embedding:
    """Return points whose distances keep the order of the comparisons by a margin (SOE).

    With distances d, a comparison (i, j, k, l) loses max(0, d_ij + 1 - d_kl)^2; the loss is the
    mean. The margin 1 is the unit of length: another one would scale the points and nothing else.

    The parameters are those of :func:`tste_embedding`.

    References
    ----------
    Terada, von Luxburg: Local ordinal embedding, 2014.

    Examples
    --------
    >>> from ordlink import Comparisons
    >>> c = Comparisons.from_triplets([[0, 1, 2], [1, 0, 2], [2, 1, 0]])
    >>> soe_embedding(c, n_components=1).accuracy
    1.0
    """
    options = n_components, n_init, seed, repeats, max_iter, progress
    return fit_embedding(comparisons, "SOE", partial(descend_by_lbfgs, loss=soe_loss), options)


def soe_loss(pairs: ComparedPairs, squares: FloatArray) -> tuple[float, FloatArray]:
    """Return the mean squared hinge loss and its derivatives by the squared distances.

    Where two points coincide, the distance is not differentiable; 0 is used.
    """
    from ordlink.methods.embedding._kernels import add_hinge

    distances = np.sqrt(squares)
    loss, slopes = pairs.mean_loss(add_hinge, distances)
    apart = distances > 0
    return loss, np.divide(slopes, 2 * distances, out=np.zeros_like(slopes), where=apart)
