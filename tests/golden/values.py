"""One golden result of every measure, test and plan, from one small input each."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from typing import Any

import numpy as np

import ordlink as ol
import ordlink.validation as v
from ordlink.methods import kernel_al
from tests.golden.trees import Case, answers, planted, quadruplets, tied_similarities

BY_BLAS = ("compare_methods", "learning_curve/spectral", "plan_answers", "embedding")
"""Results whose numbers depend a little on the linear algebra of the machine."""


def is_by_blas(name: str) -> bool:
    """Return whether the numbers of a case depend on the machine's linear algebra."""
    return name.startswith(BY_BLAS)


def cases() -> Iterator[tuple[str, Case]]:
    """Yield the name and the making of each result."""
    yield from _metrics()
    yield from _similarities()
    yield from _validation()
    yield from _crowd()
    yield from _planning()
    yield "datasets", _datasets
    yield "summary", lambda: str(_people().summary()).splitlines()
    yield "estimator", _estimator


@cache
def _truth() -> ol.datasets.PlantedHierarchy:
    return planted(0, 2, 6)


@cache
def _answers() -> ol.ListedComparisons:
    return answers("triplet", 400, 0)


@cache
def _tree() -> ol.Hierarchy:
    return ol.cluster(_answers(), "AddS-AL")


@cache
def _people() -> ol.ListedComparisons:
    """Return triplets of six people, with times; eve guesses, and ann is asked twice."""
    rows = ol.datasets.simulate_answers(_truth().similarities, 480, error_rate=0.05, seed=7)
    rows[80:100] = rows[:20]
    rows[160:200] = rows[:40]
    people = np.repeat(["ann", "bob", "cat", "dan", "eve", "fay"], 80)
    rng = np.random.default_rng(0)
    flipped = rng.random(480) < np.where(people == "eve", 0.5, 0.02)
    return ol.Comparisons.from_triplets(
        np.where(flipped[:, None], rows[:, [0, 2, 1]], rows),
        n_objects=24,
        annotators=people,
        response_times=np.where(people == "eve", 0.2, 1.0) * rng.uniform(1, 3, 480),
    )


def _metrics() -> Iterator[tuple[str, Case]]:
    for name in ("aari", "ari_per_level"):
        yield f"metrics/{name}", partial(_of_truth, name, "levels")
        yield f"metrics/{name}/tree", partial(_of_truth, name, "tree", n_levels=3)
    for name in (
        "cophenetic_correlation", "fowlkes_mallows", "robinson_foulds",
        "normalised_robinson_foulds", "triplet_distance",
    ):  # fmt: skip
        yield f"metrics/{name}", partial(_of_truth, name, "tree")
    yield "metrics/dendrogram_purity", partial(_of_truth, "dendrogram_purity", "labels")
    for name in ("dasgupta_cost", "normalised_dasgupta_cost", "moseley_wang_revenue"):
        yield f"metrics/{name}", partial(_of_similarities, name)
    for name in (
        "agreements", "comparison_accuracy", "comparison_revenue", "normalised_comparison_revenue"
    ):  # fmt: skip
        yield f"metrics/{name}/held-out", partial(_of_answers, name)
    yield "metrics/comparison_accuracy_of_chunks", _of_chunks
    yield "metrics/adjusted_rand_index", _of_labels
    for name in ("comparison_accuracy", "comparison_revenue", "normalised_comparison_revenue"):
        yield f"metrics/{name}/ranked", partial(_of_ranks, name)
    for name in ("comparison_revenue", "normalised_comparison_revenue"):
        yield f"metrics/{name}/majority", partial(_of_answers, name, repeats="majority")


def _of_truth(name: str, truth: str, **options: Any) -> Any:
    return getattr(ol.metrics, name)(getattr(_truth(), truth), _tree(), **options)


def _of_similarities(name: str) -> Any:
    return getattr(ol.metrics, name)(_truth().similarities, _tree())


def _of_answers(name: str, **options: Any) -> Any:
    held_out = answers("triplet", 300, 0, 0.05)
    return getattr(ol.metrics, name)(held_out, _tree(), **options)


def _of_chunks() -> float:
    held_out = answers("triplet", 300, 0, 0.05)
    chunks = [held_out.take(np.arange(300) % 3 == part) for part in range(3)]
    return ol.metrics.comparison_accuracy_of_chunks(chunks, _tree())


def _of_labels() -> float:
    return ol.metrics.adjusted_rand_index(_truth().labels, _tree().cut(8))


def _of_ranks(name: str) -> Any:
    everything = ol.Comparisons.from_similarities(tied_similarities(0))
    return getattr(ol.metrics, name)(everything, ol.cluster(tied_similarities(1), "AL"))


def _similarities() -> Iterator[tuple[str, Case]]:
    yield "similarity/adds", lambda: ol.methods.adds.adds_similarity(quadruplets())
    for flag in (False, True):
        yield (
            f"similarity/passive/{flag}",
            lambda flag=flag: kernel_al.passive_kernel(quadruplets(), self_comparisons=flag),
        )
    yield "similarity/active", _active_kernel
    for name in ("tste", "forte", "soe"):
        embed = getattr(ol.methods.embedding, f"{name}_embedding")
        yield f"embedding/{name}", lambda embed=embed: embed(_answers(), n_init=1)


def _active_kernel() -> dict[str, Any]:
    oracle = ol.oracles.SimilarityOracle(planted().similarities)
    plan = kernel_al.plan_active_kernel(48, n_references=5, landmark_probability=0.2, seed=1)
    features = kernel_al.active_features(oracle, plan)
    kernel = kernel_al.active_kernel(features)
    return {"plan": plan, "features": features.astype(np.int32), "kernel": kernel}


def _validation() -> Iterator[tuple[str, Case]]:
    validation = ol.validation
    for method in ("AddS-AL", "4-AL"):
        yield (
            f"branch_support/{method}",
            lambda method=method: v.branch_support(_answers(), method, n_bootstrap=12, seed=1),
        )
    yield (
        "branch_support/people",
        lambda: v.branch_support(_people(), "AddS-AL", n_bootstrap=12, seed=1),
    )
    yield "consensus_tree", _consensus
    for method in ("AddS-AL", "4-AL"):
        yield (
            f"hierarchy_test/{method}",
            lambda method=method: validation.hierarchy_test(
                _answers(), method, n_splits=3, n_relabellings=99
            ),
        )
        yield (
            f"cross_validate/{method}",
            lambda method=method: validation.cross_validate(
                _answers(), method, n_repetitions=2, seed=3
            ),
        )
    yield "cross_validate/people", lambda: validation.cross_validate(_people(), "4K-AL")
    yield "assign_folds", lambda: validation.assign_folds(_people(), seed=4)
    yield (
        "compare_methods",
        lambda: validation.compare_methods(
            _people(), ["4-AL", "AddS-AL", "tSTE-AL"], n_folds=3, n_jobs=1
        ),
    )
    yield "learning_curve/AddS-AL", partial(_curve, "AddS-AL", n_repetitions=2)
    yield (
        "learning_curve/spectral",
        partial(_curve, "spectral", n_repetitions=1, sizes=[15, 30, 60]),
    )
    yield (
        "recommend",
        lambda: validation.recommend(
            {"4-AL": np.array([[0.7, 0.71, 0.72]]), "spectral": np.array([[0.71, 0.7, 0.72]])}
        ),
    )


def _consensus() -> ol.Hierarchy:
    support = v.branch_support(_answers(), "AddS-AL", n_bootstrap=12, seed=2)
    return ol.validation.consensus_tree(support.bootstrap_trees, min_share=0.6)


def _curve(method: str, **options: Any) -> dict[str, Any]:
    some = answers("triplet", 90, 0) if method == "spectral" else _answers()  # it is slow
    curve = ol.validation.learning_curve(some, method, n_folds=3, **options)
    return {"curve": curve, "ahead": curve.predict(1000), "verdict": curve.verdict()}


def _crowd() -> Iterator[tuple[str, Case]]:
    validation = ol.validation
    yield "crowd_quality", lambda: validation.crowd_quality(_people())
    yield "annotator_weights", lambda: validation.annotator_weights(_people())
    yield "weighted_comparisons", _weighted
    yield "weighting_effect", lambda: validation.weighting_effect(_people())
    yield "exclusion_effect", lambda: validation.exclusion_effect(_people(), ["eve"], "AddS-AL")


def _weighted() -> ol.Hierarchy:
    weighted = ol.validation.weighted_comparisons(
        _people(), ol.validation.annotator_weights(_people())
    )
    return ol.cluster(weighted, "4-AL", repeats="net")


def _planning() -> Iterator[tuple[str, Case]]:
    yield (
        "plan_answers",
        lambda: ol.planning.plan_answers(
            12,
            n_clusters=3,
            difficulty="easy",
            method="AddS-AL",
            n_runs=24,
            max_answers=2000,
            seed=2,
        ),
    )
    yield "answers_cost", lambda: ol.planning.answers_cost(1200, pay_per_hour=12.0)


def _datasets() -> dict[str, Any]:
    """Return what is drawn or loaded, before any method."""
    uneven = ol.datasets.planted_tree([3, [4, 5]], seed=3)
    forms = ("quadruplet", "triplet", "most-central", "odd-one-out")
    return {
        "planted": planted(1).similarities,
        "planted_tree": uneven.similarities,
        "sample": quadruplets(1).quadruplets,  # type: ignore[attr-defined]
        "zoo": ol.datasets.load_zoo().similarities(),
        "glass": ol.datasets.load_glass().similarities("euclidean"),
        "structure": ol.datasets.random_structure(5, smallest=2, largest=6, seed=1),
        **{
            form: ol.datasets.simulate_answers(
                uneven.similarities, 50, form=form, error_rate=0.2, seed=5
            )
            for form in forms
        },
    }


def _estimator() -> np.ndarray:
    return ol.OrdinalClustering(method="4-AL", n_clusters=4).fit_predict(_answers())
