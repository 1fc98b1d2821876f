"""tSTE-AL, FORTE-AL, SOE-AL: an ordinal embedding, then average linkage of its points."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Literal, get_args

import numpy as np

from ordlink._typing import AnyArray, FloatArray, Progress
from ordlink._validate import Seed, check_choice
from ordlink.comparisons import Comparisons, Repeats
from ordlink.errors import ConvergenceWarning, InputError
from ordlink.hierarchy import Hierarchy
from ordlink.linkage import InitialPartition, link_by_average
from ordlink.methods.embedding._embeddings import tste_embedding
from ordlink.methods.embedding._fit import Embedding

Metric = Literal["cosine", "euclidean"]
"""How alike two points are: the cosine of their angle, or minus their distance."""
_NO_LENGTH = 1e-12


def run(
    embed: Callable[..., Embedding],
    comparisons: Comparisons,
    partition: InitialPartition,
    *,
    progress: Progress | None = None,
    n_components: int = 2,
    metric: Metric = "cosine",
    n_init: int = 3,
    seed: Seed = 0,
    repeats: Repeats = "majority",
    max_iter: int = 1000,
) -> Hierarchy:
    """Return the tree of average linkage of the points that `embed` makes with the options."""
    _check_metric(metric)  # before the long work
    embedding = embed(
        comparisons,
        n_components=n_components,
        n_init=n_init,
        seed=seed,
        repeats=repeats,
        max_iter=max_iter,
        progress=progress,
    )
    if not embedding.converged:
        warnings.warn(
            f"the {embedding.method} embedding did not converge in {embedding.n_iter:,} "
            "iterations; raise max_iter, or n_init for other starts",
            ConvergenceWarning,
            stacklevel=3,
        )
    similarities = embedding_similarity(embedding.points, metric=metric)
    return link_by_average(similarities, partition, names=comparisons.names)


def run_tste(
    comparisons: Comparisons,
    partition: InitialPartition,
    *,
    progress: Progress | None = None,
    n_components: int = 2,
    metric: Metric = "cosine",
    n_init: int = 3,
    seed: Seed = 0,
    repeats: Repeats = "majority",
    max_iter: int = 1000,
    alpha: float | None = None,
) -> Hierarchy:
    """Return the tree of tSTE-AL; `alpha` is an option of t-STE alone."""
    return run(
        partial(tste_embedding, alpha=alpha),
        comparisons,
        partition,
        progress=progress,
        n_components=n_components,
        metric=metric,
        n_init=n_init,
        seed=seed,
        repeats=repeats,
        max_iter=max_iter,
    )


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
    _check_metric(metric)
    checked = np.asarray(points, dtype=np.float64)
    if checked.ndim != 2 or not np.isfinite(checked).all():
        raise InputError(
            f"expected finite numbers, one row per object, got shape {checked.shape}",
            parameter="points",
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


def _check_metric(metric: str) -> None:
    check_choice(metric, "metric", get_args(Metric))
