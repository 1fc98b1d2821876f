"""A scikit-learn estimator: `OrdinalClustering`."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from scipy.spatial.distance import cdist

from ordlink._threads import limit_threads
from ordlink._typing import AnyArray, FloatArray
from ordlink._validate import check_names, check_whole_number, seed_number
from ordlink.comparisons import Comparisons, list_answers
from ordlink.errors import InputError, InputKindError, MissingDependencyError, OrdlinkWarning
from ordlink.methods import DEFAULT_METHOD, METHODS, Method, cluster, find_method, method_for
from ordlink.methods.growing import place_in_clusters
from ordlink.metrics import comparison_accuracy
from ordlink.oracles import Oracle

try:
    from sklearn.base import BaseEstimator, ClusterMixin
    from sklearn.utils.metaestimators import available_if
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError as error:
    raise MissingDependencyError(
        "OrdinalClustering needs scikit-learn, which is not installed",
        remedy="run: pip install 'ordlink[scikit-learn]'; ordlink.cluster does without it",
    ) from error

SIMILARITIES, FEATURES = "similarities", "features"


class OrdinalClustering(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Hierarchical clustering of objects from comparisons, as a scikit-learn estimator.

    In cross-validation, scikit-learn splits comparisons row by row. If one answer gives two
    comparisons (most central, odd one out), keep them together: ``cv=GroupKFold()`` and
    ``groups=comparisons.answer_ids``.

    Options that the method does not take are ignored with a warning; None stands for the method's
    own default.

    Parameters
    ----------
    method : str
        Name from the table of methods, see :func:`ordlink.cluster`.
    n_clusters : int or None
        Number of clusters in `labels_`: those that the answers support best, see
        :meth:`ordlink.Hierarchy.partition`. None takes the number that they suggest. Without
        answers (an oracle, or similarities for AL) the tree is cut by merge order, and None leaves
        each object a cluster of its own.
    form : str, optional
        Meaning of an array: "quadruplet", "triplet", "most-central" or "odd-one-out" for answers,
        one per row; "similarities" for an N x N matrix; "features" for samples, compared by
        Euclidean distance. Of similarities and features, a method on comparisons observes all
        comparisons. By default "similarities" for AL and methods that ask an oracle, and
        "features" for the others; arrays that look like answers or similarities are then refused.
    n_objects : int, optional
        Number of objects in an array of answers; needed if a part of the rows (as in
        cross-validation) may not mention all of them.
    names : sequence of str, optional
        One name per object of an array; comparisons and oracles have their own.
    initial_clusters : sequence of sequences of int, optional
        Clusters to start from.
    repeats : {"majority", "net"}, optional
        How repeated answers count (4-AL, 4K-AL, AddS-AL, spectral and embeddings).
    self_comparisons : bool, optional
        Whether each object counts as most similar to itself (4K-AL).
    n_components, n_init, max_iter : int, optional
        Dimension of the embedding (tSTE-AL, FORTE-AL, SOE-AL), number of initialisations, and most
        iterations of each (embeddings and search).
    metric : {"cosine", "euclidean"}, optional
        Similarity in the embedding.
    alpha : float, optional
        Degrees of freedom of t-STE (tSTE-AL).
    landmark_probability, n_references, budget, landmarks, reference_pairs : optional
        What to ask the oracle (4K-AL-act; `budget` also for adaptive).
    certainty, error_rate, question, max_rounds, votes : optional
        How sure places must be (adaptive, insertion), share of wrong answers (insertion), form of
        the questions and most rounds (adaptive), votes per question (SL, CL).
    model_weights : mapping of str to float, optional
        Weights of the models (search).
    kind : {"splits", "average", "plain splits"}, optional
        Kind of tree (spectral); by default it is chosen by cross-validation.
    random_state : int, numpy.random.Generator, numpy.random.RandomState or None
        Seed of randomised methods; others ignore it. None draws a new seed each time.
    n_jobs : int, optional
        Number of threads, -1 for one per core; by default as many as there are cores. The tree
        does not depend on it.
    verbose : bool or int
        Whether to print progress to standard error.

    Attributes
    ----------
    labels_ : ndarray of shape (N,), dtype intp
        Cluster of each object, 0 for the largest; -1 for outliers, which are in no cluster.
    reason_ : str
        What the method chose and why, in one sentence ("auto"), or the name of the method.
    hierarchy_ : Hierarchy
        The whole tree.
    children_ : ndarray of shape (N - 1, 2), dtype int32
        The merges, as in sklearn.cluster.AgglomerativeClustering.
    distances_ : ndarray of shape (N - 1,), dtype float64
        Dissimilarity of each merge, see :attr:`ordlink.Hierarchy.heights`; without answers its rank
        1, ..., N - 1, because scores need not be monotone.
    n_leaves_ : int
        Number of objects.
    n_clusters_ : int
        Number of clusters.
    n_features_in_, feature_names_in_
        Number and names of the columns; only if `fit` got an array or a data frame.

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
        method: str = DEFAULT_METHOD,
        n_clusters: int | None = 2,
        *,
        form: str | None = None,
        n_objects: int | None = None,
        names: Sequence[str] | None = None,
        initial_clusters: Sequence[Sequence[int]] | None = None,
        repeats: Literal["majority", "net"] | None = None,
        self_comparisons: bool | None = None,
        n_components: int | None = None,
        metric: Literal["cosine", "euclidean"] | None = None,
        n_init: int | None = None,
        max_iter: int | None = None,
        alpha: float | None = None,
        landmark_probability: float | None = None,
        n_references: int | None = None,
        budget: int | None = None,
        landmarks: Sequence[int] | None = None,
        reference_pairs: Sequence[Sequence[int]] | None = None,
        certainty: float | None = None,
        error_rate: float | None = None,
        question: Literal["quadruplet", "triplet"] | None = None,
        max_rounds: int | None = None,
        votes: int | None = None,
        model_weights: Mapping[str, float] | None = None,
        kind: Literal["splits", "average", "plain splits"] | None = None,
        random_state: int | np.random.Generator | np.random.RandomState | None = 0,
        n_jobs: int | None = None,
        verbose: bool | int = False,
    ) -> None:
        given = locals()  # scikit-learn's rule: each parameter is kept under its name, as it is
        for name in OrdinalClustering._get_param_names():  # a subclass may have others
            setattr(self, name, given[name])

    def fit(self, X: Comparisons | Oracle | AnyArray, y: object = None) -> OrdinalClustering:
        """Build the tree and cut it.

        Parameters
        ----------
        X : Comparisons, Oracle or array
            Comparisons or an oracle as for :func:`ordlink.cluster`; or an array, whose meaning
            `form` gives: shape (n_answers, 3) or (n_answers, 4) for answers, (N, N) for
            similarities, (n_samples, n_features) for features.
        y : ignored
        """
        data = self._read(X, reset=True)
        options = self._options(method_for(data, self.method))
        with limit_threads(self.n_jobs):
            tree = cluster(
                data,
                self.method,
                initial_clusters=self.initial_clusters,
                progress=_print_progress if self.verbose else None,
                **options,
            )
        n = tree.n_objects
        if self.names is not None:
            tree = tree.with_names(self.names)
        n_clusters = self.n_clusters
        if n_clusters is not None:
            n_clusters = check_whole_number(
                n_clusters, "n_clusters", lowest=1, highest=n, remedy=f"n_samples is {n}"
            )
        elif not tree.has_evidence:
            n_clusters = n
        found = tree.partition(n_clusters)
        self.n_clusters_ = found.n_clusters
        self.hierarchy_ = tree
        self.reason_ = str(tree.parameters.get("reason", tree.method))
        self.labels_ = found.labels
        self.children_ = tree.merges
        self.distances_ = tree.heights if tree.has_heights else np.arange(1.0, n)
        self.n_leaves_ = n
        return self

    @available_if(lambda self: self._knows_answers())  # type: ignore[untyped-decorator]
    def predict(self, X: Comparisons | Oracle | AnyArray) -> AnyArray:
        """Return the clusters of objects that came after `fit`, without building the tree again.

        Parameters
        ----------
        X : Comparisons, Oracle or array
            Answers about the new objects, or an oracle that answers; if `form` is that of answers,
            an array of these. Objects are recognised by name, or those from N on are new.

        Returns
        -------
        labels : ndarray of shape (n_new_objects,), dtype intp
            As in `labels_`. For their places in the tree, use `hierarchy_.insert`.
        """
        check_is_fitted(self, "hierarchy_")
        if not isinstance(X, Comparisons | Oracle):
            X = list_answers(np.asarray(X), self.form)
        return place_in_clusters(self.hierarchy_, X, self.labels_)[1]

    def score(self, X: Comparisons | AnyArray, y: object = None) -> float:
        """Return the share of the comparisons in X that the tree predicts; ties count one half.

        Parameters
        ----------
        X : Comparisons or array
            Held-out answers, for any method; an array has the same meaning as in `fit`.
        y : ignored
        """
        check_is_fitted(self, "hierarchy_")
        data = self._read(X, reset=False)
        if isinstance(data, Oracle):
            raise InputKindError("score needs comparisons, such as held-out answers, not an oracle")
        if not isinstance(data, Comparisons):
            data = Comparisons.from_similarities(data)
        return comparison_accuracy(data, self.hierarchy_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        try:
            tags.input_tags.pairwise = self._form() == SIMILARITIES
        except InputError:  # fit will refuse the method
            tags.input_tags.pairwise = False
        if self.form not in (None, SIMILARITIES, FEATURES):  # numbers or names of objects
            tags.input_tags.string = tags.input_tags.positive_only = True
        return tags

    def _knows_answers(self) -> bool:
        """Return whether the data are answers or an oracle, not features or similarities."""
        fitted_to_array = hasattr(self, "n_features_in_")
        fitted_to_answers = hasattr(self, "hierarchy_") and not fitted_to_array
        return fitted_to_answers or self.form not in (SIMILARITIES, FEATURES, None)

    def _form(self) -> str:
        """Return the meaning of an array."""
        form: str | None = self.form
        if form is not None:
            return form
        return FEATURES if find_method(self.method).needs == "comparisons" else SIMILARITIES

    def _options(self, method: Method) -> dict[str, Any]:
        """Return the options that are set and that the method takes."""
        known = {name for each in METHODS.values() for name in each.options}
        parameters = OrdinalClustering._get_param_names()
        given = {name: getattr(self, name) for name in parameters if name in known}
        options = {name: value for name, value in given.items() if value is not None}
        unused = sorted(options.keys() - set(method.options))
        if unused:
            warnings.warn(
                f"{method.name} ignores {', '.join(unused)}; leave them at None",
                OrdlinkWarning,
                stacklevel=3,
            )
        options = {name: options[name] for name in options.keys() - set(unused)}
        if "seed" in method.options:
            seed: Any = self.random_state
            if isinstance(seed, np.random.RandomState):
                seed = int(seed.randint(2**31 - 1))
            options["seed"] = seed_number(seed, "random_state")
        return options

    def _read(self, X: Any, *, reset: bool) -> Any:
        """Return comparisons, an oracle or similarities: what the method or the score needs."""
        if isinstance(X, Comparisons | Oracle):
            if reset and self.names is not None:
                problem = f"expected None, since {type(X).__name__} has its own names"
                raise InputError(problem, parameter="names")
            return X
        form = self._form()
        if form not in (SIMILARITIES, FEATURES):
            rows = validate_data(self, X, reset=reset, dtype=None, ensure_min_samples=1)
            n_objects = self.n_objects if reset else self.n_leaves_
            return list_answers(rows, form, names=self.names, n_objects=n_objects)
        matrix = validate_data(self, X, reset=reset, dtype=np.float64, ensure_min_samples=2)
        check_names(self.names, len(matrix))  # before the work
        if form == FEATURES:
            if self.form is None:
                _refuse_ambiguous(matrix)
            matrix = -cdist(matrix, matrix)
        if find_method(self.method).needs == "comparisons":
            return Comparisons.from_similarities(matrix)
        return matrix


def _print_progress(done: int, total: int) -> None:
    print(f"\rstep {done:,} of {total:,}", end="\n" if done == total else "", file=sys.stderr)


def _refuse_ambiguous(matrix: FloatArray) -> None:
    """Refuse what may be answers or similarities: as features, it would give a wrong tree."""
    n_rows, n_columns = matrix.shape
    looks_like = ""
    if n_columns in (3, 4) and matrix.min() >= 0 and (matrix == np.floor(matrix)).all():
        looks_like = "answers (whole numbers in 3 or 4 columns)"
    elif n_rows == n_columns and np.allclose(matrix, matrix.T):
        looks_like = "similarities (a symmetric matrix)"
    if looks_like:
        problem = f"X looks like {looks_like}, not like features"
        remedy = "pass {form:'triplet'}, {form:'similarities'}, {form:'features'} or the like"
        raise InputError(problem, parameter="form", remedy=remedy)
