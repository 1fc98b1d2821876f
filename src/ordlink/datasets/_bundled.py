"""Tables that ship with the package: Zoo and Glass."""

from __future__ import annotations

import csv
from importlib import resources

import numpy as np

from ordlink.datasets._features import FeatureTable

LICENCE = "CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/)"


def load_zoo() -> FeatureTable:
    """Return 100 animals with 16 features in 7 classes.

    The features are whole numbers: 15 are 0 or 1, and the number of legs. As in the paper the
    entry `girl` of the original is left out; the two different rows named `frog` stay, so names
    are not unique.

    Returns
    -------
    FeatureTable
        The classes are in the order of the original: mammal, bird, reptile, fish, amphibian,
        insect, invertebrate.

    References
    ----------
    R. Forsyth: Zoo, UCI Machine Learning Repository, 1990, https://doi.org/10.24432/C5R59V

    Examples
    --------
    >>> zoo = load_zoo()
    >>> zoo.features.shape
    (100, 16)
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

    The refractive index and the weight per cent of 8 oxides. Without scaling all cosine
    similarities lie between 0.987 and 1.

    Returns
    -------
    FeatureTable
        The classes are in the order of the original, which has types 1, 2, 3, 5, 6, 7.

    References
    ----------
    B. German: Glass Identification, UCI Machine Learning Repository, 1987,
    https://doi.org/10.24432/C5WW2P

    Examples
    --------
    >>> glass = load_glass()
    >>> glass.features.shape
    (214, 9)
    >>> glass.feature_names
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
