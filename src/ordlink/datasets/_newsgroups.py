"""20news: posts of 20 newsgroups as points."""

from __future__ import annotations

import os
import tarfile
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from ordlink._typing import FloatArray, Progress
from ordlink._validate import Seed, check_choice, check_whole_number, random_generator
from ordlink.datasets._source_table import NEWSGROUPS
from ordlink.datasets._sources import data_folder
from ordlink.datasets._tables import FeatureTable
from ordlink.errors import InputError

TRAINING = "20news-bydate-train"


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
    included), and are no English stop words of scikit-learn: 56,128 of them. The principal
    components are of all training posts. The paper does not say which words and weights it used.

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

    Returns
    -------
    FeatureTable
        In the order of the groups and the posts' numbers; names such as "sci.space/60790", the
        groups as classes. The same to rounding on any machine, up to the signs of the columns.

    References
    ----------
    K. Lang: NewsWeeder: Learning to filter netnews, ICML 1995.
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
        raise InputError(
            f"expected at most {len(names)} posts, got {n_objects}", parameter="n_objects"
        )
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
    from sklearn.decomposition import PCA
    from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
    from threadpoolctl import threadpool_limits

    posts = _read_posts(archive)
    names = sorted(posts, key=lambda name: (name.partition("/")[0], int(name.partition("/")[2])))
    vectorizer: Any = TfidfVectorizer if weighting == "tfidf" else CountVectorizer
    words = vectorizer(min_df=2, stop_words="english", dtype=np.float64)
    table = words.fit_transform(posts[name] for name in names)
    if n_features >= min(table.shape):
        raise InputError(
            f"expected fewer than {min(table.shape)} components, got {n_features}",
            parameter="n_features",
        )
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
