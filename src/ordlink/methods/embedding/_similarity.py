"""Similarities of embedded points, for average linkage."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from ordlink._typing import AnyArray, FloatArray
from ordlink.errors import InputError

Metric = Literal["cosine", "euclidean"]
"""How alike two points are: the cosine of their angle, or minus their distance."""
_NO_LENGTH = 1e-12


def embedding_similarity(points: AnyArray, *, metric: Metric = "cosine") -> FloatArray:
    """Return the similarity of every two points.

    Parameters
    ----------
    points : ndarray of shape (N, d)
        Coordinates, such as `Embedding.points`.
    metric : {"cosine", "euclidean"}
        The cosine of the angle between two points seen from the origin, as in the paper, or minus
        their distance. A point at the origin (no longer than 1e-12 of the longest) has no angle:
        its cosine with every point is 0, "neither alike nor unlike".

    Returns
    -------
    ndarray of shape (N, N), dtype float64
        Symmetric; on the diagonal 1 (cosine) or 0 (euclidean).

    Raises
    ------
    InputError
        If the points are not a table of finite numbers, or the metric is unknown.

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
    check_metric(metric)
    checked = np.asarray(points, dtype=np.float64)
    if checked.ndim != 2 or not np.isfinite(checked).all():
        raise InputError(
            f"points must be finite numbers, one row per object, got shape {checked.shape}"
        )
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


def check_metric(metric: str) -> None:
    """Raise InputError unless the metric is known."""
    if metric not in get_args(Metric):
        raise InputError(f"metric must be one of {', '.join(get_args(Metric))}; got {metric!r}")
