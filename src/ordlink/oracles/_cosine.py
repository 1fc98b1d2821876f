"""Cosines of feature vectors whose ties are ties, not matters of rounding."""

from __future__ import annotations

import numpy as np

from ordlink._typing import AnyArray, FloatArray

_PRODUCTS_AT_ONCE = 1 << 20


def cosine_matrix(features: FloatArray) -> FloatArray:
    """Return the cosine of every two rows, 0 where a row is all zeros.

    Rows that are equal have equal cosines with all others, and with whole numbers equal cosines
    are equal floats.

    Parameters
    ----------
    features : ndarray of shape (N, d), dtype float64

    Returns
    -------
    ndarray of shape (N, N), dtype float64
        Symmetric to the last bit.
    """
    features = _in_range(features)
    products = np.zeros((len(features), len(features)))
    # Feature by feature: a matrix product may add in another order in another part of the matrix.
    for column in features.T:
        products += np.multiply.outer(column, column)
    squares = np.diagonal(products)
    return _from_products(products, np.multiply.outer(squares, squares))


class PairCosines:
    """The cosines of chosen pairs of rows, equal to those of :func:`cosine_matrix` bit by bit.

    Parameters
    ----------
    features : ndarray of shape (N, d), dtype float64
    """

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
