"""Quality on Zoo and Glass: simulated answers about features, judged by cost and classes."""

from __future__ import annotations

from collections.abc import Mapping

from ordlink.comparisons import ListedComparisons, list_answers
from ordlink.datasets import simulate_answers
from ordlink.hierarchy import Hierarchy
from ordlink.metrics import ari_per_level, comparison_accuracy, normalised_dasgupta_cost
from studies.quality.methods import cost_of, run_methods
from studies.quality.planted import N_FRESH
from studies.reproduction.standard import shuffled_similarities
from studies.running._experiment import Parameters, Record, seed_of

FEATURES = {"Zoo": 100, "Glass": 214, "Glass, standardised": 214}
"""Names in `standard` of the tables that ship with the package, and their numbers of objects."""


def features_cell(
    *, methods: str, dataset: str, form: str, n_answers: int, repetition: int
) -> list[Record]:
    """Return Dasgupta's cost, agreement with the classes, and held-out accuracy."""
    similarities, classes = shuffled_similarities(dataset, repetition)
    shifted = similarities - similarities.min()  # costs all trees the same

    def draw(what: str, n: int) -> ListedComparisons:
        seed = seed_of(what, dataset=dataset, form=form, n_answers=n_answers, repetition=repetition)
        rows = simulate_answers(similarities, n, form=form, seed=seed)
        return list_answers(rows, form, n_objects=len(similarities))

    answers, fresh = draw("answers", n_answers), draw("fresh answers", N_FRESH)

    def judge(tree: Hierarchy) -> Mapping[str, float]:
        return {
            "held_out": comparison_accuracy(fresh, tree),
            "dasgupta": normalised_dasgupta_cost(shifted, tree),
            "class_ari": float(ari_per_level(classes, tree)[0]),
        }

    return run_methods(methods, answers, seed_of("start", repetition=repetition), judge)


def features_cost(parameters: Parameters) -> float:
    """Return about how many seconds a cell takes."""
    return cost_of(parameters["methods"], parameters["n_answers"])
