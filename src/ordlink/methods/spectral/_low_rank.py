"""A first guess of all strengths: x_ij = <v_i, v_j>, few numbers per object."""

from __future__ import annotations

import numpy as np

from ordlink._typing import FloatArray
from ordlink.methods.spectral._bradley_terry import PairAnswers, as_matrix, by_pair

MAX_RANK = 16
DENSE_AT_MOST = 400
"""Of larger matrices, leading eigenvectors are found by Lanczos' method."""
_MAX_STEPS = 60
_REMEMBERED_STEPS = 10


def noise_edge(answers: PairAnswers) -> float:
    """Return about the largest eigenvalue that the slopes have if answers are coin flips.

    At x = 0 each comparison has variance (1 - 2 lapse)^2 / 4 in the slopes of its two pairs. So a
    row of their matrix has n times that in all, where n = 4 |Q| / N is the mean number of
    comparisons that an object's pairs are in, and the spectrum ends at (1 - 2 lapse) sqrt(n).
    """
    per_object = 4.0 * answers.total_weight / answers.n_objects
    return float((1.0 - 2.0 * answers.lapse) * np.sqrt(per_object))


def first_points(answers: PairAnswers) -> FloatArray:
    """Return the leading eigenvectors of the AddS similarity, scaled like strengths.

    Returns
    -------
    ndarray of shape (N, min(16, N - 1)), dtype float64
    """
    n = answers.n_objects
    rank = min(MAX_RANK, n - 1)
    _, slopes, _ = answers.likelihood(np.zeros(answers.n_pairs))
    mean_curvature = answers.total_weight / 2.0 / answers.n_pairs
    similarity = as_matrix(slopes / max(mean_curvature, 1e-12), n)
    np.fill_diagonal(similarity, similarity.sum(axis=1) / (n - 1))
    values, vectors = leading_eigenpairs(similarity, rank)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 1e-3)))


def fit_low_rank(answers: PairAnswers, points: FloatArray, ridge: float) -> FloatArray:
    """Return points v that maximise log-likelihood - ridge / 2 |v|^2, from a start, by L-BFGS.

    Directions that explain less than the ridge vanish: ridge / 2 |v|^2 is ridge / 2 times the
    nuclear norm of the matrix x.
    """
    from scipy.optimize import minimize

    shape = points.shape

    def loss(flat: FloatArray) -> tuple[float, FloatArray]:
        v = flat.reshape(shape)
        value, slopes, _ = answers.likelihood(strengths_of(v))
        gradient = ridge * v - as_matrix(slopes, shape[0]) @ v
        return value + 0.5 * ridge * float((v * v).sum()), gradient.ravel()

    found = minimize(
        loss,
        points.ravel(),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": _MAX_STEPS, "maxcor": _REMEMBERED_STEPS, "ftol": 1e-5},
    )
    return np.asarray(found.x.reshape(shape))


def strengths_of(points: FloatArray) -> FloatArray:
    """Return <v_i, v_j> of each pair."""
    return by_pair(points @ points.T)


def leading_eigenpairs(matrix: FloatArray, n_pairs: int) -> tuple[FloatArray, FloatArray]:
    """Return the largest eigenvalues of a symmetric matrix, falling, and their eigenvectors."""
    from scipy.linalg import eigh
    from scipy.sparse.linalg import ArpackError, eigsh

    n = len(matrix)
    n_pairs = min(n_pairs, n)
    if n > DENSE_AT_MOST:
        start = (matrix * matrix).sum(axis=1)  # the same for the same objects in any order
        try:
            values, vectors = eigsh(matrix, k=n_pairs, which="LA", v0=start, tol=1e-4)
            return values[::-1], vectors[:, ::-1]
        except ArpackError:
            pass  # no eigenvalue stands out, or all are 0: take the slow way
    values, vectors = eigh(matrix, subset_by_index=[n - n_pairs, n - 1])
    return values[::-1], vectors[:, ::-1]
