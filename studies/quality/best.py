"""The default method against all others: answers of people, and simulated ones about features.

Run it with ``python -m studies.quality.best --out FOLDER``; it resumes where an interrupted run
ended. ``python -m studies.pages.best_tree FOLDER`` then updates docs/best-tree.md.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from ordlink.comparisons import ListedComparisons
from ordlink.datasets import data_folder, fetch_mlds
from ordlink.errors import OrdlinkWarning
from ordlink.hierarchy import Hierarchy
from ordlink.io import read_answers
from ordlink.methods.search._folds import question_units
from ordlink.metrics import comparison_accuracy
from studies.quality.features import FEATURES, features_cell, features_cost
from studies.quality.grid import PER_OBJECT
from studies.quality.methods import (
    DEFAULT_VERSION,
    METHOD_SETS,
    Outcome,
    embedding_trees,
    our_tree,
    plain_trees,
    run_methods,
    timed,
)
from studies.quality.people import PEOPLE
from studies.rivals import ON_TRIPLETS, RIVALS, rooted_triplets
from studies.running._experiment import Experiment, Parameters, Record, seed_of
from studies.running._parts import run_parts

OTHERS_VERSION = 1
N_FOLDS = 5
N_REPETITIONS = 1
"""Of the cells of Zoo and Glass; the page of all methods has more."""
FRESH = (
    "shape, matching",
    "size, matching",
    "size, discrimination",
    "shapecolor, discrimination",
    "MLDS, kk2",
    "MLDS, kktriad",
)
"""Sets on which the default was more than one standard error behind: judged on other folds too."""
N_FRESH = 1
"""How often their folds are drawn again."""


def _mlds(experiment: str) -> ListedComparisons:
    return fetch_mlds(experiment).comparisons


def _export(name: str) -> ListedComparisons:
    return read_answers(data_folder(None) / "exports" / name)


SETS: dict[str, Callable[[], ListedComparisons]] = {
    **{name: partial(lambda fetch: fetch().comparisons, fetch) for name, fetch in PEOPLE.items()},
    **{
        f"MLDS, {name}": partial(_mlds, name)
        for name in ("AutumnLab", "Transparency", "kk1", "kk2", "kk3", "kktriad")
    },
    "eggs (NEXT)": partial(_export, "next_eggs300.csv"),
    "Salmon": partial(_export, "salmon_responses.csv"),
    "jsPsych, one person": partial(_export, "jspsych_triplets_one_person.csv"),
}
"""Answers of people, in the data folder (ORDLINK_DATA)."""


def rival_trees(comparisons: ListedComparisons, seed: int) -> Iterator[Outcome]:
    """Yield the trees of the methods that the package does not have."""
    has_triplets = len(rooted_triplets(comparisons)[0]) > 0
    for name, make in RIVALS.items():
        if has_triplets or name not in ON_TRIPLETS:
            yield timed(name, partial(make, comparisons, seed))


def older_trees(comparisons: ListedComparisons, seed: int) -> Iterator[Outcome]:
    """Yield the trees of all methods of the package that `auto` chooses from or is built on."""
    yield from plain_trees(comparisons, seed)
    yield from our_tree(comparisons, seed)
    yield from embedding_trees(comparisons, seed, names=("tSTE-AL", "SOE-AL"), dimensions=(2, 3, 5))


METHOD_SETS |= {"older": older_trees, "rivals": rival_trees}


def people_cell(
    *, methods: str, dataset: str, fold: int, repetition: int | None = None
) -> list[Record]:
    """Return the accuracy on one fold of trees made from the others.

    What was answered on one screen, or to one question, is in one fold. Objects are shuffled. With
    a `repetition`, the folds are others than without.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OrdlinkWarning)  # rows that are no answers
        answers = SETS[dataset]()
    drawn = {} if repetition is None else {"repetition": repetition}
    rng = np.random.default_rng(seed_of("folds by question", dataset=dataset, **drawn))
    shuffled = answers.subset(rng.permutation(answers.n_objects))
    units = question_units(shuffled)
    folds = (rng.permutation(int(units.max()) + 1) % N_FOLDS)[units]
    held_out = shuffled.take(folds == fold)

    def judge(tree: Hierarchy) -> Mapping[str, float]:
        return {"held_out": comparison_accuracy(held_out, tree)}

    return run_methods(methods, shuffled.take(folds != fold), seed_of("start", fold=fold), judge)


def people_cost(parameters: Parameters) -> float:
    """Return about how many seconds a cell takes."""
    large = {"Car": 6.0, "faces": 8.0, "eggs (NEXT)": 30.0}
    return large.get(parameters["dataset"], 2.0)


def best_experiments(*, quick: bool = False) -> dict[str, Experiment]:
    """Return the parts of the study by name."""
    people = [
        {"dataset": dataset, "fold": fold}
        for dataset in (tuple(SETS)[2:4] if quick else SETS)
        for fold in range(N_FOLDS)
    ]
    features = [
        {"dataset": dataset, "form": form, "n_answers": per * size, "repetition": repetition}
        for dataset, size in FEATURES.items()
        for form in ("quadruplet", "triplet")
        for per in (PER_OBJECT[:1] if quick else (*PER_OBJECT, 1000))
        for repetition in range(1 if quick else N_REPETITIONS)
    ]
    fresh = [
        {"dataset": dataset, "fold": fold, "repetition": repetition}
        for dataset in (FRESH[1:2] if quick else FRESH)
        for fold in range(N_FOLDS)
        for repetition in range(1 if quick else N_FRESH)
    ]
    made = {}
    for methods in ("older", "rivals", "default"):
        version = DEFAULT_VERSION if methods == "default" else OTHERS_VERSION
        for part, every in (("people", people), ("fresh", fresh)):
            cells = tuple({**cell, "methods": methods} for cell in every)
            name = f"{part}-{methods}"
            made[name] = Experiment(f"best-{name}", version, people_cell, cells, people_cost)
    cells = tuple({**cell, "methods": "default"} for cell in features)
    name = "features-default"
    made[name] = Experiment(f"best-{name}", DEFAULT_VERSION, features_cell, cells, features_cost)
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is missing, and return the exit code."""
    return run_parts(
        "python -m studies.quality.best",
        "Compare the default method with all others.",
        best_experiments,
        arguments,
    )


if __name__ == "__main__":
    sys.exit(main())
