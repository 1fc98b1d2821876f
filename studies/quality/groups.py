"""The groups of cells that `python -m studies.quality` runs: in words, and as experiments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from itertools import product
from typing import TypeAlias

from studies.quality import grid as quality_grid
from studies.quality import people as quality_people
from studies.quality.features import FEATURES, features_cell, features_cost
from studies.quality.grid import FEW_REPETITIONS, N_REPETITIONS, PER_OBJECT
from studies.quality.methods import SLOW_UP_TO, make_experiments
from studies.quality.planted import planted_cell, planted_cost
from studies.reproduction.experiments import Grid
from studies.reproduction.planted import NOISE
from studies.running._experiment import Experiment

Made: TypeAlias = tuple[tuple[Experiment, ...], tuple[str, ...]]
"""Experiments, and notes on what is left out."""


@dataclass(frozen=True)
class Group:
    """Cells that vary one thing.

    Attributes
    ----------
    name, title : str
        What the command line calls it, and the heading.
    text : str
        What is run, in words.
    make : callable
        From the grid and the data folder to the experiments and notes.
    """

    name: str
    title: str
    text: str
    make: Callable[[Grid, str | None], Made]


def _make_planted(name: str, grid: Grid, _home: str | None) -> Made:
    quick = grid == "quick"
    cells = [
        {**asdict(setting), "repetition": repetition}
        for setting, is_quick in quality_grid.SETTINGS[name]()
        if is_quick or not quick
        for repetition in range(quality_grid.n_repetitions(setting, quick=quick))
    ]
    return make_experiments(name, planted_cell, cells, planted_cost), ()


def _make_features(grid: Grid, _home: str | None) -> Made:
    quick = grid == "quick"
    per_object = PER_OBJECT[:2] if quick else (*PER_OBJECT, 1000)
    cells = [
        {"dataset": dataset, "form": form, "n_answers": per * size, "repetition": repetition}
        for dataset, size in FEATURES.items()
        for form, per in product(("quadruplet", "triplet"), per_object)
        for repetition in range(FEW_REPETITIONS if quick else N_REPETITIONS)
    ]
    return make_experiments("features", features_cell, cells, features_cost), ()


def _make_people(grid: Grid, home: str | None) -> Made:
    datasets, notes = quality_people.find_people(home)
    cells = [
        {"dataset": dataset, "repetition": repetition, "fold": fold}
        for dataset in datasets
        for repetition in range(1 if grid == "quick" else quality_people.N_REPETITIONS)
        for fold in range(quality_people.N_FOLDS)
    ]
    if not cells:
        return (), notes
    run = partial(quality_people.people_cell, data_home=home)
    return make_experiments("people", run, cells, quality_people.people_cost), notes


GROUPS: dict[str, Group] = {
    group.name: group
    for group in (
        Group(
            "planted",
            "The planted grid",
            f"8 clusters of 30 objects in 3 levels (N = 240), sigma = {NOISE:g}, delta 0.02 to "
            "0.2; 2,000 to 205,000 comparisons, each two pairs compared once with the same "
            f"probability; for some deltas up to 41 million (from 4.1 million on {FEW_REPETITIONS} "
            f"times). Embeddings are run on at most {SLOW_UP_TO:,} answers.",
            partial(_make_planted, "planted"),
        ),
        Group(
            "shapes",
            "Trees of other shapes",
            "Clusters of 2 to 100 objects, 1 to 7 levels: chains, stars, three branches, trees "
            "drawn at random, 10 objects; 20, 60 and 300 quadruplets per object.",
            partial(_make_planted, "shapes"),
        ),
        Group(
            "forms",
            "Forms of answers",
            "Quadruplets, triplets, most central and odd one out at equal numbers of answers: 20, "
            "60 and 300 per object, N = 240 and 400.",
            partial(_make_planted, "forms"),
        ),
        Group(
            "errors",
            "Wrong answers",
            "0, 10, 20 and 30 % of the answers wrong, quadruplets, N = 240; with 20 % also three "
            "times as many answers. Fresh answers are as often wrong.",
            partial(_make_planted, "errors"),
        ),
        Group(
            "uneven",
            "Objects asked about unevenly",
            f"Objects have weights exp(z), z normal with standard deviation "
            f"{quality_grid.UNEVEN_SD:g}; a question is as likely as the product of its objects' "
            "weights. 20, 60 and 300 answers per object.",
            partial(_make_planted, "uneven"),
        ),
        Group(
            "features",
            "Zoo and Glass",
            "Simulated answers by the cosine similarity of the features, 20 to 1000 per object. "
            "Dasgupta's cost is normalised after the smallest similarity is subtracted (2/3: a "
            "random tree); the agreement with the classes is the adjusted Rand index "
            "of the tree cut into as many clusters.",
            _make_features,
        ),
        Group(
            "people",
            "Answers of people",
            f"Car, faces and perceptual kernels; {quality_people.N_FOLDS} folds by answer, "
            f"{quality_people.N_REPETITIONS} times. Revenue is normalised: 0 is chance.",
            _make_people,
        ),
    )
}
"""The groups by the names of the command line."""
