"""Quality on answers that people gave: held-out accuracy and revenue, folds by answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from ordlink.datasets import AnswerSet, fetch_car, fetch_faces, fetch_perceptual_kernels
from ordlink.errors import MissingDataError
from ordlink.hierarchy import Hierarchy
from ordlink.metrics import comparison_accuracy, normalised_comparison_revenue
from ordlink.validation import assign_folds
from studies.quality.methods import run_methods
from studies.running._experiment import Parameters, Record, seed_of

N_FOLDS = 5
N_REPETITIONS = 3
"""How often the folds are redrawn."""

PEOPLE: dict[str, Callable[..., AnswerSet]] = {
    "Car": fetch_car,
    "faces": fetch_faces,
    **{
        f"{palette}, {task}": partial(fetch_perceptual_kernels, palette, task)
        for palette in ("color", "shape", "size", "shapecolor", "shapesize", "sizecolor")
        for task in ("matching", "discrimination")
    },
}
"""Car, faces, and the perceptual kernels: six palettes with two tasks each."""


def find_people(data_home: str | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of the data that is there, and notes on what is left out."""
    found, notes = [], []
    for name, fetch in PEOPLE.items():
        try:
            fetch(data_home=data_home)
        except MissingDataError as error:
            notes.append(f"{name} is left out: {error}")
        else:
            found.append(name)
    return tuple(found), tuple(notes)


def people_cell(
    *, methods: str, dataset: str, repetition: int, fold: int, data_home: str | None = None
) -> list[Record]:
    """Return accuracy and revenue on one fold of the answers, of trees made from the others.

    Comparisons of one answer share a fold. Objects are shuffled: some palettes come in order.
    """
    answers = PEOPLE[dataset](data_home=data_home).comparisons
    rng = np.random.default_rng(seed_of("objects", dataset=dataset, repetition=repetition))
    shuffled = answers.subset(rng.permutation(answers.n_objects))
    folds = assign_folds(shuffled, N_FOLDS, by_annotator=False, seed=repetition)
    held_out = shuffled.take(folds == fold)

    def judge(tree: Hierarchy) -> Mapping[str, float]:
        return {
            "held_out": comparison_accuracy(held_out, tree),
            "revenue": normalised_comparison_revenue(held_out, tree),
        }

    seed = seed_of("start", repetition=repetition)
    return run_methods(methods, shuffled.take(folds != fold), seed, judge)


def people_cost(parameters: Parameters) -> float:
    """Return about how many seconds a cell takes."""
    return {"Car": 1.0, "faces": 2.0}.get(parameters["dataset"], 0.5)
