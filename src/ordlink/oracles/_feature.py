"""An oracle that compares distances between feature vectors; cosines have exact ties."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ordlink._typing import AnyArray, FloatArray, Int8Array, Int32Array
from ordlink.errors import InputError, InputKindError
from ordlink.oracles._base import BaseOracle, sign_of_difference

Metric = str | Callable[..., float]
TIE_TOLERANCE = 1e-12
"""Distances that differ by less than this share of the larger one are equal."""
_PRODUCTS_AT_ONCE = 1 << 20


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

    Examples
    --------
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
        plain_cosine = metric in ("cosine", "cos") and not metric_options
        self._cosines = PairCosines(self._features) if plain_cosine else None
        self._try_metric()

    def _answer(self, quadruplets: Int32Array) -> Int8Array:
        pairs = quadruplets.reshape(-1, 2)
        i, j = pairs[:, 0], pairs[:, 1]
        values = self._distances(i, j) if self._cosines is None else self._cosines(i, j)
        self._refuse_undefined(values, i, j)
        first, second = values[0::2], values[1::2]
        if self._cosines is not None:
            return sign_of_difference(first, second)
        with np.errstate(invalid="ignore"):  # infinite distances
            larger = np.maximum(np.abs(first), np.abs(second))
            equal = np.abs(first - second) <= TIE_TOLERANCE * larger
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
            problem = f"the {self._metric} distance of objects {i[row]} and {j[row]} is undefined"
            remedy = "choose another metric, such as 'euclidean', or leave the object out"
            why = "(a row of zeros or without variation?)"
            raise InputError(f"{problem} {why}", parameter="metric", remedy=remedy)

    def _try_metric(self) -> None:
        ends = np.array([0, len(self._features) - 1], dtype=np.int32)
        try:
            self._refuse_undefined(self._distances(ends[:1], ends[1:]), ends[:1], ends[1:])
        except InputError:
            raise
        except (ValueError, TypeError) as error:
            problem = f"SciPy refuses {self._metric!r}: {error}"
            remedy = "see scipy.spatial.distance.cdist for the metrics that it has"
            raise InputError(problem, parameter="metric", remedy=remedy) from error


def _check_features(features: ArrayLike) -> FloatArray:
    try:
        raw: AnyArray = np.asarray(features)
        if raw.dtype.kind not in "biufO":
            raise TypeError(f"entries of type {raw.dtype}")
        table: FloatArray = np.array(raw, dtype=np.float64)
    except (TypeError, ValueError) as error:
        problem = f"expected a table of numbers, one row per object, got {error}"
        raise InputKindError(problem, parameter="features") from error
    if table.ndim != 2 or not table.size:
        expected = "expected a table with one row per object and one column per feature"
        raise InputError(f"{expected}, got shape {table.shape}", parameter="features")
    refuse_missing(table, "fill it in, or leave the object out")
    table.flags.writeable = False
    return table


def refuse_missing(table: FloatArray, remedy: str) -> None:
    """Raise InputError for the first feature that is not a finite number."""
    for row, column in np.argwhere(~np.isfinite(table))[:1]:
        problem = f"expected a finite number, got {table[row, column]}"
        raise InputError(problem, where=f"features, row {row}, column {column}", remedy=remedy)


def _missing_options(
    features: FloatArray, metric: Metric, options: dict[str, Any]
) -> dict[str, Any]:
    """Return the scale of all objects for metrics that would estimate it from each call's rows."""
    if metric == "seuclidean" and "V" not in options:
        return {"V": features.var(axis=0, ddof=1)}
    if metric == "mahalanobis" and "VI" not in options:
        return {"VI": np.linalg.inv(np.atleast_2d(np.cov(features.T))).T.copy()}
    return {}


def cosine_matrix(features: FloatArray) -> FloatArray:
    """Return the cosine of every two rows, 0 where a row is all zeros; exactly symmetric.

    Equal rows have equal cosines with all others; of whole numbers, equal cosines are equal floats.
    """
    features = _in_range(features)
    products = np.zeros((len(features), len(features)))
    # Feature by feature: a matrix product may add in another order in another part of the matrix.
    for column in features.T:
        products += np.multiply.outer(column, column)
    squares = np.diagonal(products)
    return _from_products(products, np.multiply.outer(squares, squares))


class PairCosines:
    """The cosines of chosen pairs of rows, equal to those of :func:`cosine_matrix` bit by bit."""

    def __init__(self, features: FloatArray) -> None:
        self._features = _in_range(features)
        everything = np.arange(len(features))
        self._squares = self._products(everything, everything)

    def __call__(self, i: AnyArray, j: AnyArray) -> FloatArray:
        """Return the cosine of rows i[t] and j[t] for each t; NaN where a row is all zeros."""
        both = self._squares[i] * self._squares[j]
        return np.where(both > 0, _from_products(self._products(i, j), both), np.nan)

    def _products(self, i: AnyArray, j: AnyArray) -> FloatArray:
        step = max(1, _PRODUCTS_AT_ONCE // self._features.shape[1])
        products = np.empty(len(i))
        for start in range(0, len(i), step):
            some = slice(start, start + step)
            terms = self._features[i[some]] * self._features[j[some]]
            # A cumulative sum adds one by one, in the order of the matrix; `sum` does not.
            products[some] = np.cumsum(terms, axis=1)[:, -1]
        return products


def _in_range(features: FloatArray) -> FloatArray:
    """Return the features, scaled if fourth powers would leave the range of numbers."""
    largest = float(np.abs(features).max(initial=0.0))
    if largest > 1e50 or 0 < largest < 1e-50:
        scaled: FloatArray = features / largest
        return scaled
    return features


def _from_products(products: FloatArray, both: FloatArray) -> FloatArray:
    # sign(p) sqrt(p^2 / (a b)) rather than p / sqrt(a b): for whole numbers p^2 and a b are exact,
    # so the one rounding of the quotient is the same for all pairs with the same cosine.
    ratio = np.divide(products**2, both, out=np.zeros_like(products), where=both > 0)
    return np.copysign(np.sqrt(np.minimum(ratio, 1.0)), products)
