"""The scikit-learn face: `OrdinalClustering`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted

from ordlink._typing import AnyArray
from ordlink.comparisons import Comparisons, ListedComparisons, list_answers
from ordlink.errors import InputError
from ordlink.methods import cluster, find_method
from ordlink.metrics import comparison_accuracy
from ordlink.oracles import Oracle


class OrdinalClustering(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Clusters objects from comparisons, with scikit-learn's manners.

    In cross validation, scikit-learn splits comparisons row by row. Where one answer gives two
    comparisons (most central, odd one out), keep them together: ``cv=GroupKFold()`` and
    ``groups=comparisons.answer_ids``.

    Parameters
    ----------
    method : str
        Name from the table of methods, see :func:`ordlink.cluster`.
    n_clusters : int
        Number of clusters in `labels_`.
    form : str
        What the rows mean if `fit` gets an array: "quadruplet", "triplet", "most-central" or
        "odd-one-out".
    n_objects : int, optional
        Number of objects if `fit` gets an array; needed where a part of the rows (as in cross
        validation) may not name all of them.
    initial_clusters : sequence of sequences of int, optional
        Clusters to start from.
    options : dict, optional
        Options of the method.

    Attributes
    ----------
    hierarchy_ : Hierarchy
        The whole tree.
    labels_ : ndarray of shape (N,), dtype intp
        Cluster of each object.
    children_ : ndarray of shape (N - 1, 2), dtype int32
        The merges, as in sklearn.cluster.AgglomerativeClustering.
    n_leaves_ : int
        Number of objects.

    Examples
    --------
    >>> import ordlink as ol
    >>> planted = ol.datasets.planted_hierarchy(depth=1, leaf_size=4, gap=1, seed=0)
    >>> c = ol.Comparisons.from_similarities(planted.similarities)
    >>> ol.OrdinalClustering(n_clusters=2).fit_predict(c)
    array([0, 0, 0, 0, 1, 1, 1, 1])
    """

    def __init__(
        self,
        method: str = "4-AL",
        n_clusters: int = 2,
        *,
        form: str = "quadruplet",
        n_objects: int | None = None,
        initial_clusters: Sequence[Sequence[int]] | None = None,
        options: dict[str, Any] | None = None,
    ) -> None:
        self.method = method
        self.n_clusters = n_clusters
        self.form = form
        self.n_objects = n_objects
        self.initial_clusters = initial_clusters
        self.options = options

    def fit(self, X: Comparisons | Oracle | AnyArray, y: object = None) -> OrdinalClustering:
        """Build the tree and cut it.

        Parameters
        ----------
        X : Comparisons, Oracle or array
            Comparisons or an oracle as for :func:`ordlink.cluster`. An array of shape (n, 3) or
            (n, 4) holds answers of the given form, one per row; for the methods that do not work on
            answers (SL, CL, AL, 4K-AL-act), an array of shape (N, N) holds similarities.
        y : ignored
        """
        self.hierarchy_ = cluster(
            self._as_input(X),
            self.method,
            initial_clusters=self.initial_clusters,
            **(self.options or {}),
        )
        self.children_ = self.hierarchy_.merges
        self.n_leaves_ = self.hierarchy_.n_objects
        self.labels_ = self.hierarchy_.cut(self.n_clusters)
        return self

    def score(self, X: Comparisons | AnyArray, y: object = None) -> float:
        """Return the share of the comparisons in X that the tree predicts; ties count one half.

        Parameters
        ----------
        X : ListedComparisons or array of shape (n, 3) or (n, 4)
            Held-out answers, whatever the method; an array holds answers of the given form.
        y : ignored
        """
        check_is_fitted(self, "hierarchy_")
        if isinstance(X, (Comparisons, Oracle)):
            comparisons = X
        else:
            comparisons = list_answers(np.asarray(X), self.form, n_objects=self.n_leaves_)
        if not isinstance(comparisons, ListedComparisons):
            raise InputError("score needs listed comparisons, such as held-out answers")
        return comparison_accuracy(comparisons, self.hierarchy_)

    def _as_input(self, X: Comparisons | Oracle | AnyArray) -> Comparisons | Oracle | AnyArray:
        """Return rows of answers as comparisons, for methods that need them."""
        if isinstance(X, (Comparisons, Oracle)) or find_method(self.method).needs != "comparisons":
            return X
        return list_answers(np.asarray(X), self.form, n_objects=self.n_objects)
