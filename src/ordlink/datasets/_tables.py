"""Tables of features with known classes, their similarities, and the two that ship: Zoo, Glass."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from importlib import resources

import numpy as np

from ordlink._typing import FloatArray, LabelArray
from ordlink._validate import check_choice
from ordlink.errors import InputError
from ordlink.oracles._feature import cosine_matrix

LICENCE = "CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/)"


@dataclass(frozen=True, eq=False)
class FeatureTable:
    """Objects described by features, with the class of each.

    Attributes
    ----------
    features : ndarray of shape (n_objects, n_features), dtype float64
        One row per object; read-only.
    feature_names : tuple of str
    names : tuple of str
        Name of each object; not always unique.
    classes : ndarray of shape (n_objects,), dtype intp
        The known class of each object, an index into `class_names`; read-only.
    class_names : tuple of str
    citation, licence : str
        What to cite when using the table, and its terms.
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
                f"expected shape ({len(self.names)}, {len(self.feature_names)}), one row per name "
                f"and one column per feature name, got {features.shape}",
                parameter="features",
            )
        if not np.isfinite(features).all():
            row, column = np.argwhere(~np.isfinite(features))[0]
            raise InputError(
                f"expected a finite number, got {features[row, column]}",
                where=f"features, row {row}, column {column}",
                remedy="leave out incomplete objects",
            )
        if classes.shape != (len(features),):
            raise InputError(
                f"expected one class for each of {len(features)} objects, got shape "
                f"{classes.shape}",
                parameter="classes",
            )
        if len(classes) and not 0 <= classes.min() <= classes.max() < len(self.class_names):
            raise InputError(
                f"expected indices 0 to {len(self.class_names) - 1} into class_names, got "
                f"{classes.min()} to {classes.max()}",
                parameter="classes",
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

        Examples
        --------
        >>> zoo = load_zoo()
        >>> zoo.similarities()[zoo.names.index("bear"), zoo.names.index("lion")].round(3)
        np.float64(0.979)
        """
        check_choice(metric, "metric", ("cosine", "euclidean"))
        features = self.features
        if scale is not None:
            check_choice(scale, "scale", ["standard"])
            features = _standardise(features)
        return cosine_matrix(features) if metric == "cosine" else _negative_euclidean(features)


def load_zoo() -> FeatureTable:
    """Return 100 animals with 16 features in 7 classes.

    The features are whole numbers: 15 are 0 or 1, and the number of legs. As in the paper the
    entry `girl` of the original is left out; the two different rows named `frog` stay, so names
    are not unique.

    References
    ----------
    R. Forsyth: Zoo, UCI Machine Learning Repository, 1990, https://doi.org/10.24432/C5R59V

    Examples
    --------
    >>> zoo = load_zoo()
    >>> zoo.names[0], zoo.class_names[zoo.classes[0]]
    ('aardvark', 'mammal')
    """
    return _load(
        "zoo.csv",
        class_names=("mammal", "bird", "reptile", "fish", "amphibian", "insect", "invertebrate"),
        citation=(
            "Forsyth, R. (1990). Zoo [Dataset]. UCI Machine Learning Repository. "
            "https://doi.org/10.24432/C5R59V"
        ),
    )


def load_glass() -> FeatureTable:
    """Return 214 pieces of glass with 9 features in 6 classes.

    The refractive index and the weight per cent of 8 oxides; the classes are types 1, 2, 3, 5, 6, 7
    of the original. Without scaling all cosine similarities lie between 0.987 and 1.

    References
    ----------
    B. German: Glass Identification, UCI Machine Learning Repository, 1987,
    https://doi.org/10.24432/C5WW2P

    Examples
    --------
    >>> load_glass().feature_names
    ('RI', 'Na', 'Mg', 'Al', 'Si', 'K', 'Ca', 'Ba', 'Fe')
    """
    return _load(
        "glass.csv",
        class_names=(
            "building windows float-processed",
            "building windows not float-processed",
            "vehicle windows float-processed",
            "containers",
            "tableware",
            "headlamps",
        ),
        citation=(
            "German, B. (1987). Glass Identification [Dataset]. UCI Machine Learning Repository. "
            "https://doi.org/10.24432/C5WW2P"
        ),
    )


def _load(file_name: str, *, class_names: tuple[str, ...], citation: str) -> FeatureTable:
    """Read a table of the columns name, features, class."""
    path = resources.files("ordlink.datasets") / "data" / file_name
    with path.open(encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    return FeatureTable(
        features=np.array([row[1:-1] for row in rows], dtype=np.float64),
        feature_names=tuple(header[1:-1]),
        names=tuple(row[0] for row in rows),
        classes=np.array([class_names.index(row[-1]) for row in rows], dtype=np.intp),
        class_names=class_names,
        citation=citation,
        licence=LICENCE,
    )


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
