"""Car: the trees of 60 cars from answers of people."""

from __future__ import annotations

import warnings
from functools import partial

from ordlink.datasets import AnswerSet, fetch_car
from ordlink.errors import OrdlinkWarning
from ordlink.hierarchy import Hierarchy
from ordlink.methods import METHODS, cluster
from ordlink.metrics import ari_per_level, comparison_accuracy
from studies.embeddings import EMBEDDINGS, embedding_trees
from studies.running._experiment import Experiment, Parameters, Record, seed_of

DIMENSIONS = (2, 3, 4, 5)
PASSIVE_METHODS = ("4K-AL", "4-AL", "AddS-AL", "spectral")


def car_experiment(
    *, dimensions: tuple[int, ...] = DIMENSIONS, data_home: str | None = None
) -> Experiment:
    """Return the experiment that makes the trees of the cars."""
    cells: list[Parameters] = [
        {"group": method, "dimension": None} for method in PASSIVE_METHODS if method in METHODS
    ]
    cells += [
        {"group": method, "dimension": dimension}
        for method in EMBEDDINGS
        for dimension in dimensions
    ]
    return Experiment("car", 1, partial(car_cell, data_home=data_home), tuple(cells))


def car_cell(*, group: str, dimension: int | None, data_home: str | None = None) -> list[Record]:
    """Return a tree as JSON, and how well it agrees with the answers and the authors' classes."""
    car = fetch_car(data_home=data_home)
    if dimension is None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", OrdlinkWarning)  # ties are counted below
            trees = {group: cluster(car.comparisons, group)}
    else:
        trees = embedding_trees(group, car.comparisons, dimension, seed_of("car"))
    return [_judge(name, tree, car) for name, tree in trees.items()]


def _judge(name: str, tree: Hierarchy, car: AnswerSet) -> Record:
    return {
        "method": name,
        "tree": tree.to_json(),
        "n_tied_merges": tree.n_tied_merges,
        "accuracy": comparison_accuracy(car.comparisons, tree),
        "class_ari": float(ari_per_level(car.classes, tree)[0]),  # type: ignore[arg-type]
    }
