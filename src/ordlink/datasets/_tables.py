"""Tables of features with known classes: the two that ship, Zoo and Glass, and 20news."""

from __future__ import annotations

import csv
import os
import tarfile
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from ordlink._typing import FloatArray, LabelArray, Progress
from ordlink._validate import Seed, check_choice, check_whole_number, random_generator
from ordlink.datasets._source_table import NEWSGROUPS
from ordlink.datasets._sources import data_folder
from ordlink.errors import InputError, MissingDependencyError
from ordlink.oracles._feature import cosine_matrix, refuse_missing

LICENCE = "CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/)"
TRAINING = "20news-bydate-train"


@dataclass(frozen=True, eq=False)
class FeatureTable:
    """Objects described by features, with the class of each.

    Attributes
    ----------
    features : ndarray of shape (n_objects, n_features), dtype float64
        One row per object; read-only.
    names : tuple of str
        Name of each object; not always unique.
    classes : ndarray of shape (n_objects,), dtype intp
        The known class of each object, an index into `class_names`; read-only.
    feature_names, class_names : tuple of str
    citation, licence : str
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
            shape = f"({len(self.names)}, {len(self.feature_names)})"
            expected = f"expected shape {shape}, one row per name and one column per feature name"
            raise InputError(f"{expected}, got {features.shape}", parameter="features")
        refuse_missing(features, "leave out incomplete objects")
        if classes.shape != (len(features),):
            expected = f"expected one class for each of {len(features)} objects"
            raise InputError(f"{expected}, got shape {classes.shape}", parameter="classes")
        if len(classes) and not 0 <= classes.min() <= classes.max() < len(self.class_names):
            expected = f"expected indices 0 to {len(self.class_names) - 1} into class_names"
            got = f"{classes.min()} to {classes.max()}"
            raise InputError(f"{expected}, got {got}", parameter="classes")
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
        """Return the similarity of every pair of objects, shape (n_objects, n_objects), float64.

        The matrix is exactly symmetric. Objects with equal features have equal similarities to all
        others, and with whole-number features, as in Zoo, equal cosines are equal floats, so ties
        between pairs are exact.

        Parameters
        ----------
        metric : {"cosine", "euclidean"}
            Cosine of the angle between two rows (0 where a row is all zeros), or minus the
            Euclidean distance between two rows.
        scale : {None, "standard"}
            What to do with the features first: nothing, as in the paper's Zoo, or mean 0 and
            standard deviation 1 for each (constant features become 0).
        """
        check_choice(metric, "metric", ("cosine", "euclidean"))
        features = self.features
        if scale is not None:
            check_choice(scale, "scale", ["standard"])
            features = _standardise(features)
        if metric == "cosine":
            return cosine_matrix(features)
        squares = np.zeros((len(features), len(features)))
        for column in features.T:
            squares += np.subtract.outer(column, column) ** 2
        return -np.sqrt(squares)


def load_zoo() -> FeatureTable:
    """Return 100 animals with 16 features in 7 classes.

    The features are integers: 15 are 0 or 1, and one is the number of legs. As in the paper, the
    entry `girl` of the original is left out; there are two different rows named `frog`, so names
    are not unique.

    Examples
    --------
    >>> zoo = load_zoo()
    >>> zoo.names[0], zoo.class_names[zoo.classes[0]]
    ('aardvark', 'mammal')
    """
    return _load(
        "zoo.csv",
        class_names=("mammal", "bird", "reptile", "fish", "amphibian", "insect", "invertebrate"),
        citation="Forsyth, R. (1990). Zoo [Dataset]. UCI Machine Learning Repository. "
        "https://doi.org/10.24432/C5R59V",
    )


def load_glass() -> FeatureTable:
    """Return 214 pieces of glass with 9 features in 6 classes.

    The refractive index and the weight per cent of 8 oxides; the classes are types 1, 2, 3, 5, 6, 7
    of the original. Without scaling all cosine similarities lie between 0.987 and 1.

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
        citation="German, B. (1987). Glass Identification [Dataset]. UCI Machine Learning "
        "Repository. https://doi.org/10.24432/C5WW2P",
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


def fetch_20news(
    n_objects: int = 200,
    *,
    n_features: int = 100,
    weighting: str = "tfidf",
    seed: Seed = 0,
    data_home: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> FeatureTable:
    """Return posts of 20 newsgroups: bag of words, principal components, and a random sample.

    The words have two letters or more, are in at least two of the 11,314 training posts (headings
    included), and are not among scikit-learn's English stop words: 56,128 words. The principal
    components are of all training posts. The paper does not say which words and weights it used.

    Posts, named such as "sci.space/60790", are in the order of the groups, which are the classes,
    and of their numbers. The result is the same on any machine, up to rounding and the signs of the
    columns.

    Parameters
    ----------
    n_objects : int
        Number of posts, drawn without replacement.
    n_features : int
        Number of principal components.
    weighting : {"tfidf", "counts"}
        TF-IDF, each post scaled to length 1, or plain counts. With counts a few very long posts
        make up nearly all of the variance, and cosines hardly separate the groups.
    seed : int, numpy.random.Generator or None
        Random seed of the draw.
    data_home, progress
        As for :func:`fetch_car`.
    """
    check_choice(weighting, "weighting", ("tfidf", "counts"))
    n_objects = check_whole_number(n_objects, "n_objects", lowest=2)
    n_features = check_whole_number(n_features, "n_features", lowest=1)
    generator = random_generator(seed)
    folder = data_folder(data_home)
    archive = NEWSGROUPS.find(str(NEWSGROUPS.instead), folder)
    archive = archive or NEWSGROUPS.get(NEWSGROUPS.files[0].path, folder, progress)
    names, components = _components(archive, n_features, weighting)
    if n_objects > len(names):
        problem = f"expected at most {len(names)} posts, got {n_objects}"
        raise InputError(problem, parameter="n_objects")
    chosen = np.sort(generator.choice(len(names), n_objects, replace=False))
    groups = [name.partition("/")[0] for name in names]
    class_names = tuple(sorted(set(groups)))
    return FeatureTable(
        features=components[chosen],
        feature_names=tuple(f"component {number}" for number in range(1, n_features + 1)),
        names=tuple(names[post] for post in chosen),
        classes=np.array([class_names.index(groups[post]) for post in chosen], dtype=np.intp),
        class_names=class_names,
        citation=NEWSGROUPS.citation,
        licence=NEWSGROUPS.terms,
    )


@lru_cache(maxsize=2)
def _components(archive: Path, n_features: int, weighting: str) -> tuple[list[str], FloatArray]:
    """Return the names and principal components of all posts; kept, since it takes a while."""
    try:
        from sklearn.decomposition import PCA
        from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
    except ImportError as error:
        problem = "the features of 20news need scikit-learn, which is not installed"
        remedy = "run: pip install 'ordlink[scikit-learn]'"
        raise MissingDependencyError(problem, remedy=remedy) from error
    from threadpoolctl import threadpool_limits

    posts = _read_posts(archive)
    names = sorted(posts, key=lambda name: (name.partition("/")[0], int(name.partition("/")[2])))
    vectorizer: Any = TfidfVectorizer if weighting == "tfidf" else CountVectorizer
    words = vectorizer(min_df=2, stop_words="english", dtype=np.float64)
    table = words.fit_transform(posts[name] for name in names)
    if n_features >= min(table.shape):
        problem = f"expected fewer than {min(table.shape)} components, got {n_features}"
        raise InputError(problem, parameter="n_features")
    reduction = PCA(n_features, svd_solver="arpack", random_state=0)
    with threadpool_limits(1):  # its steps are so small that threads only wait for each other
        return names, reduction.fit_transform(table)


def _read_posts(archive: Path) -> dict[str, str]:
    posts = {}
    with tarfile.open(archive) as opened:
        for member in opened:
            folder, _, name = member.name.partition("/")
            file = opened.extractfile(member) if folder == TRAINING else None
            if file is not None:
                posts[name] = file.read().decode("latin-1")
    return posts
