"""An oracle that compares distances between feature vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ordlink._typing import AnyArray, FloatArray, Int8Array, Int32Array
from ordlink.errors import InputError, InputKindError
from ordlink.oracles._base import BaseOracle, sign_of_difference
from ordlink.oracles._cosine import PairCosines

Metric = str | Callable[..., float]
TIE_TOLERANCE = 1e-12
"""Distances that differ by less than this share of the larger one are equal."""


class FeatureOracle(BaseOracle):
    """Answers from features: the pair at the smaller distance is more alike.

    Distances are computed when asked for; no N x N matrix is made. Distances that differ by less
    than 1e-12 of the larger one are a tie; cosines are computed so that equal ones of whole-number
    features are equal exactly, as in :meth:`ordlink.datasets.FeatureTable.similarities`.

    Parameters
    ----------
    features : array_like of shape (N, d)
        One finite row per object.
    metric : str or callable
        Any metric of :func:`scipy.spatial.distance.cdist`. "seuclidean" and "mahalanobis" take
        the variance of all objects unless `metric_options` say otherwise.
    names : sequence of str, optional
        One name per object.
    **metric_options
        Passed to cdist, such as ``p=3`` for "minkowski".

    Raises
    ------
    InputError
        If a feature is not finite, the metric is unknown, or a distance is undefined, as the
        cosine of a row of zeros.

    Examples
    --------
    >>> from ordlink.oracles import FeatureOracle
    >>> oracle = FeatureOracle([[0, 1], [0, 2], [3, 0]])
    >>> oracle.compare([[0, 1, 1, 2], [0, 2, 1, 2]])
    array([1, 0], dtype=int8)
    """

    def __init__(
        self,
        features: ArrayLike,
        metric: Metric = "cosine",
        *,
        names: Sequence[str] | None = None,
        **metric_options: Any,
    ) -> None:
        self._features = _check_features(features)
        super().__init__(len(self._features), names=names)
        self._metric: Any = metric  # SciPy's stubs split cdist by the kind of metric
        self._options = metric_options | _missing_options(self._features, metric, metric_options)
        is_cosine = isinstance(metric, str) and metric in ("cosine", "cos")
        plain_cosine = is_cosine and not metric_options
        self._cosines = PairCosines(self._features) if plain_cosine else None
        self._try_metric()

    def _answer(self, quadruplets: Int32Array) -> Int8Array:
        pairs = quadruplets.reshape(-1, 2)
        i, j = pairs[:, 0], pairs[:, 1]
        if self._cosines is not None:
            cosines = self._cosines(i, j)
            self._refuse_undefined(cosines, i, j)
            return sign_of_difference(cosines[0::2], cosines[1::2])
        distances = self._distances(i, j)
        self._refuse_undefined(distances, i, j)
        first, second = distances[0::2], distances[1::2]
        with np.errstate(invalid="ignore"):  # infinite distances
            equal = np.abs(first - second) <= TIE_TOLERANCE * np.maximum(
                np.abs(first), np.abs(second)
            )
        return np.where(equal, np.int8(0), sign_of_difference(second, first))

    def _distances(self, i: Int32Array, j: Int32Array) -> FloatArray:
        """Return the distance of each pair; one cdist per distinct first object."""
        from scipy.spatial.distance import cdist

        order = np.argsort(i, kind="stable")
        starts = np.flatnonzero(np.diff(i[order], prepend=-1))
        distances = np.empty(len(i), dtype=np.float64)
        for rows in np.split(order, starts[1:]) if len(order) else []:
            here = self._features[i[rows[:1]]]
            distances[rows] = cdist(here, self._features[j[rows]], self._metric, **self._options)[0]
        return distances

    def _refuse_undefined(self, values: FloatArray, i: Int32Array, j: Int32Array) -> None:
        undefined = np.isnan(values)
        if undefined.any():
            row = int(undefined.argmax())
            raise InputError(
                f"the {self._metric} distance of objects {i[row]} and {j[row]} is undefined "
                "(a row of zeros or without variation?); choose another metric, such as "
                "'euclidean', or leave the object out."
            )

    def _try_metric(self) -> None:
        ends = np.array([0, len(self._features) - 1], dtype=np.int32)
        try:
            self._refuse_undefined(self._distances(ends[:1], ends[1:]), ends[:1], ends[1:])
        except InputError:
            raise
        except (ValueError, TypeError) as error:
            raise InputError(
                f"SciPy refuses the metric {self._metric!r}: {error}; see "
                "scipy.spatial.distance.cdist for what there is."
            ) from error


def _check_features(features: ArrayLike) -> FloatArray:
    try:
        raw: AnyArray = np.asarray(features)
        if raw.dtype.kind not in "biufO":
            raise TypeError(f"entries of type {raw.dtype}")
        table: FloatArray = np.array(raw, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputKindError(
            f"features: expected a table of numbers, one row per object, got {error}."
        ) from error
    if table.ndim != 2 or not table.size:
        raise InputError(
            "features: expected a table with one row per object and one column per feature, "
            f"got shape {table.shape}."
        )
    missing = ~np.isfinite(table)
    if missing.any():
        row, column = np.argwhere(missing)[0]
        raise InputError(
            f"features, row {row}, column {column}: expected a finite number, "
            f"got {table[row, column]}; fill in or leave out the object."
        )
    table.flags.writeable = False
    return table


def _missing_options(
    features: FloatArray, metric: Metric, options: dict[str, Any]
) -> dict[str, Any]:
    """Return the scale of metrics that would otherwise take it from the rows of each call."""
    if metric == "seuclidean" and "V" not in options:
        return {"V": features.var(axis=0, ddof=1)}
    if metric == "mahalanobis" and "VI" not in options:
        return {"VI": np.linalg.inv(np.atleast_2d(np.cov(features.T))).T.copy()}
    return {}
