"""FORTE: logistic loss over Gram matrices of low rank, by projected gradient."""

from __future__ import annotations

import numpy as np

from ordlink._typing import FloatArray, Progress
from ordlink._validate import Seed
from ordlink.comparisons import Comparisons, Repeats
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

_PROJECTED_STEPS = 10
"""Most steps by projected gradient, each an eigendecomposition; the fine work comes after."""
_SUFFICIENT = 1e-4
"""Share of the decrease promised by the step that must be seen (Armijo's rule)."""
_HALVINGS = 50


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

    Parameters
    ----------
    comparisons, n_components, n_init, seed, repeats, max_iter, progress
        As in :func:`tste_embedding`.

    Returns
    -------
    Embedding

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
    return fit_embedding(
        comparisons,
        "FORTE",
        _descend,
        n_components=n_components,
        n_init=n_init,
        seed=seed,
        repeats=repeats,
        max_iter=max_iter,
        progress=progress,
    )


def forte_loss(pairs: ComparedPairs, squares: FloatArray) -> tuple[float, FloatArray]:
    """Return the mean logistic loss and its slopes by the squared distances."""
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
