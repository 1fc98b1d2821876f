"""A table of features with known classes, and the similarities computed from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ordlink._typing import FloatArray, LabelArray
from ordlink.errors import InputError, InputKindError
from ordlink.oracles._feature import cosine_matrix


@dataclass(frozen=True, eq=False)
class FeatureTable:
    """Objects described by features, with the class of each.

    Attributes
    ----------
    features : ndarray of shape (n_objects, n_features), dtype float64
        One row per object; read-only.
    feature_names : tuple of str
        Name of each column.
    names : tuple of str
        Name of each object; not always unique.
    classes : ndarray of shape (n_objects,), dtype intp
        The known class of each object, an index into `class_names`; read-only.
    class_names : tuple of str
        Name of each class.
    citation : str
        What to cite when using the table.
    licence : str
        The terms of the table.
    """

    features: FloatArray
    feature_names: tuple[str, ...]
    names: tuple[str, ...]
    classes: LabelArray
    class_names: tuple[str, ...]
    citation: str
    licence: str

    def __post_init__(self) -> None:
        features = np.array(self.features, dtype=np.float64)
        classes = np.array(self.classes, dtype=np.intp)
        if features.ndim != 2 or features.shape != (len(self.names), len(self.feature_names)):
            raise InputError(
                f"features: expected shape ({len(self.names)}, {len(self.feature_names)}), one row "
                f"per name and one column per feature name, got {features.shape}."
            )
        if not np.isfinite(features).all():
            row, column = np.argwhere(~np.isfinite(features))[0]
            raise InputError(
                f"features, row {row}, column {column}: expected a finite number, got "
                f"{features[row, column]}; leave out incomplete objects."
            )
        if classes.shape != (len(features),):
            raise InputError(
                f"classes: expected one class for each of {len(features)} objects, got shape "
                f"{classes.shape}."
            )
        if len(classes) and not 0 <= classes.min() <= classes.max() < len(self.class_names):
            raise InputError(
                f"classes: expected indices 0 to {len(self.class_names) - 1} into class_names, "
                f"got {classes.min()} to {classes.max()}."
            )
        features.flags.writeable = classes.flags.writeable = False
        object.__setattr__(self, "features", features)
        object.__setattr__(self, "classes", classes)

    @property
    def n_objects(self) -> int:
        """Number of objects."""
        return len(self.names)

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.feature_names)

    def similarities(self, metric: str = "cosine", scale: str | None = None) -> FloatArray:
        """Return the similarity of every pair of objects.

        Parameters
        ----------
        metric : {"cosine", "euclidean"}
            Cosine of the angle between two rows (0 where a row is all zeros), or the Euclidean
            distance of two rows with a minus sign.
        scale : {None, "standard"}
            What to do with the features first: nothing, as in the paper's Zoo, or mean 0 and
            standard deviation 1 for each (constant features become 0).

        Returns
        -------
        ndarray of shape (n_objects, n_objects), dtype float64
            Symmetric to the last bit. Objects with equal features have equal similarities to all
            others, and with whole-number features, as in Zoo, equal cosines are equal floats, so
            ties between pairs are seen as ties.

        Raises
        ------
        InputError
            If the metric or the scale is unknown.

        Examples
        --------
        >>> from ordlink.datasets import load_zoo
        >>> zoo = load_zoo()
        >>> similarities = zoo.similarities()
        >>> similarities[zoo.names.index("bear"), zoo.names.index("lion")].round(3)
        np.float64(0.979)
        """
        scaling = _choose(SCALES, scale, "scale")
        similarity = _choose(METRICS, metric, "metric")
        return similarity(scaling(self.features))


def _choose(
    table: dict[str | None, Callable[[FloatArray], FloatArray]], key: str | None, what: str
) -> Callable[[FloatArray], FloatArray]:
    if key is not None and not isinstance(key, str):
        raise InputKindError(f"{what}: expected a name, got {type(key).__name__}.")
    if key not in table:
        known = ", ".join(repr(name) for name in table)
        raise InputError(f"{what}: expected one of {known}, got {key!r}.")
    return table[key]


def _as_they_are(features: FloatArray) -> FloatArray:
    return features


def _standardise(features: FloatArray) -> FloatArray:
    if not len(features):
        return features
    spread = features.max(axis=0) - features.min(axis=0)  # exactly 0 for a constant, unlike std
    centred = features - features.mean(axis=0)
    varies = spread > 0
    deviation = np.where(varies, features.std(axis=0), 1.0)
    return np.where(varies, centred / deviation, 0.0)


def _negative_euclidean(features: FloatArray) -> FloatArray:
    squares = np.zeros((len(features), len(features)))
    for column in features.T:
        squares += np.subtract.outer(column, column) ** 2
    return -np.sqrt(squares)


METRICS: dict[str | None, Callable[[FloatArray], FloatArray]] = {
    "cosine": cosine_matrix,
    "euclidean": _negative_euclidean,
}
SCALES: dict[str | None, Callable[[FloatArray], FloatArray]] = {
    None: _as_they_are,
    "standard": _standardise,
}
