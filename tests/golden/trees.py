"""Trees of every method: seeds, options, kinds of input, planted and real data."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

import ordlink as ol

Case = Callable[[], Any]
EMBEDDINGS = ("tSTE-AL", "FORTE-AL", "SOE-AL")
BY_BLAS = ("adaptive", "insertion", "spectral", "blocks", "search", "auto", *EMBEDDINGS)
"""Methods whose numbers depend a little on the linear algebra of the machine."""
LISTED = ("4K-AL", "4-AL", "AddS-AL", "spectral", *EMBEDDINGS)
ACTIVE = ("SL", "CL", "adaptive", "insertion", "4K-AL-act")


def cases() -> Iterator[tuple[str, Case]]:
    """Yield the name and the making of each tree; real data that is absent makes no tree."""
    yield from _planted()
    yield from _with_options()
    yield from _repeated()
    yield from _ranked()
    yield from _active()
    yield from _bundled()


def data_cases() -> Iterator[tuple[str, Case]]:
    """Yield the trees of the public data that does not come with the package."""
    for method in LISTED:
        yield f"car/{method}", partial(_of_people, "car", method)
        # Of 100,000 answers about faces only the fast methods.
        if method not in ("spectral", "tSTE-AL"):
            yield f"faces/{method}", partial(_of_people, "faces", method)
    yield "car/4K-AL/no-self", partial(_of_people, "car", "4K-AL", self_comparisons=False)
    for method in ("4-AL", "4K-AL", "AddS-AL"):
        yield f"faces/{method}/net", partial(_of_people, "faces", method, repeats="net")


def data_home() -> Path | None:
    """Return the folder of public data, or None where there is none."""
    folder = Path(os.environ.get("ORDLINK_DATA", Path(__file__).parents[3] / "shared" / "data"))
    return folder if (folder / "car").is_dir() else None


def is_by_blas(name: str) -> bool:
    """Return whether the scores of a case depend on the machine's linear algebra."""
    return any(method in name.split("/") for method in BY_BLAS)


# --- data -----------------------------------------------------------------------------------------


@cache
def planted(seed: int = 0, depth: int = 3, leaf_size: int = 6) -> ol.datasets.PlantedHierarchy:
    return ol.datasets.planted_hierarchy(
        depth=depth, leaf_size=leaf_size, gap=0.15, noise=0.1, seed=seed
    )


@cache
def quadruplets(seed: int = 0, proportion: float = 0.01) -> ol.Comparisons:
    return ol.Comparisons.from_similarities(planted(seed).similarities, proportion, seed=seed)


@cache
def answers(form: str, n_answers: int, seed: int, error_rate: float = 0.1) -> ol.ListedComparisons:
    """Return simulated answers about 24 objects, in a form."""
    similarities = planted(seed, 2, 6).similarities
    rows = ol.datasets.simulate_answers(
        similarities, n_answers, form=form, error_rate=error_rate, seed=seed
    )
    make = {
        "quadruplet": ol.Comparisons.from_quadruplets,
        "triplet": ol.Comparisons.from_triplets,
        "most-central": ol.Comparisons.from_most_central,
        "odd-one-out": ol.Comparisons.from_odd_one_out,
    }[form]
    return make(rows, n_objects=24)


@cache
def tied_similarities(seed: int) -> np.ndarray:
    """Return whole numbers from 0 to 5 as similarities: many are equal."""
    drawn = np.triu(np.random.default_rng(seed).integers(0, 6, (20, 20)).astype(float), 1)
    return drawn + drawn.T


@cache
def table_answers(name: str) -> ol.Comparisons:
    table = load_table(name)
    rows = ol.datasets.simulate_answers(table.similarities(), 4000, error_rate=0.05, seed=3)
    return ol.Comparisons.from_triplets(rows, names=table.names)


@cache
def load_table(name: str) -> ol.datasets.FeatureTable:
    return ol.datasets.load_zoo() if name == "zoo" else ol.datasets.load_glass()


@cache
def people_answers(name: str) -> ol.Comparisons:
    fetch = {"car": ol.datasets.fetch_car, "faces": ol.datasets.fetch_faces}[name]
    return fetch(data_home=data_home()).comparisons


# --- cases ----------------------------------------------------------------------------------------


def _planted() -> Iterator[tuple[str, Case]]:
    for method in LISTED:
        for seed in (0,) if method == "spectral" else (0, 1, 2):  # seconds each
            yield f"planted/{method}/{seed}", partial(_of_quadruplets, seed, method)
    for form in ("triplet", "most-central", "odd-one-out", "quadruplet"):
        for method in ("4K-AL", "4-AL", "AddS-AL", "tSTE-AL"):
            yield f"{form}/{method}", partial(_of_answers, form, 600, 0, method)
    for method in LISTED:  # few answers: parts that were never compared, objects never named
        yield f"few/{method}", partial(_of_answers, "triplet", 25, 1, method)
    for form in ("triplet", "quadruplet"):
        yield f"{form}/blocks", partial(_of_answers, form, 3000, 0, "blocks")
    yield "triplet/spectral", partial(_of_answers, "triplet", 600, 0, "spectral")
    for form in ("triplet", "most-central", "odd-one-out", "quadruplet"):
        yield f"{form}/search", partial(_of_answers, form, 600, 0, "search")
    yield "few/search", partial(_of_answers, "triplet", 25, 1, "search")
    yield "small/auto", partial(_of_answers, "triplet", 100, 1, "auto")
    yield "few/auto", partial(_of_answers, "triplet", 12, 0, "auto")


def _with_options() -> Iterator[tuple[str, Case]]:
    some, every = [[0, 1, 2], [7, 30], [5]], [[*range(i, i + 6)] for i in range(0, 48, 6)]
    for flag in (False, True):
        for seed in (0, 1):
            yield (
                f"self-comparisons/4K-AL/{flag}/{seed}",
                partial(_of_quadruplets, seed, "4K-AL", self_comparisons=flag),
            )
    for method in ("4K-AL", "4-AL", "AddS-AL", "spectral", "tSTE-AL"):
        for name, clusters in (("some", some), ("every", every)):
            if (method, name) == ("spectral", "some"):  # seconds
                continue
            yield (
                f"initial-clusters/{method}/{name}",
                partial(_of_quadruplets, 0, method, initial_clusters=clusters),
            )
    for method in EMBEDDINGS:
        for metric in ("cosine", "euclidean"):
            for seed in (0, 5):
                yield (
                    f"metric/{method}/{metric}/{seed}",
                    partial(_of_quadruplets, 0, method, metric=metric, n_components=3, seed=seed),
                )
    yield "alpha/tSTE-AL", partial(_of_quadruplets, 0, "tSTE-AL", alpha=5.0, n_init=1)


def _repeated() -> Iterator[tuple[str, Case]]:
    """Many answers about few objects: the same questions again and again, also the other way."""
    for method in LISTED:
        for repeats in ("majority", "net"):
            yield (
                f"repeats/{method}/{repeats}",
                partial(_of_answers, "triplet", 5000, 2, method, error_rate=0.3, repeats=repeats),
            )


def _ranked() -> Iterator[tuple[str, Case]]:
    """All comparisons of a similarity matrix (p = 1), with and without ties."""
    for seed in (0, 1):
        for method in LISTED:
            if method not in EMBEDDINGS:
                yield f"ranked/{method}/{seed}", partial(_of_ranks, planted(seed), method)
            yield f"ranked-ties/{method}/{seed}", partial(_of_ties, seed, method)
    for flag in (False, True):
        yield (
            f"ranked/4K-AL/{flag}/self",
            partial(_of_ranks, planted(2), "4K-AL", self_comparisons=flag),
        )
    for method in ("4-AL", "4K-AL", "AddS-AL"):
        clusters = [[0, 1, 2], [7, 30], [5]]
        yield (
            f"ranked/{method}/initial-clusters",
            partial(_of_ranks, planted(0), method, initial_clusters=clusters),
        )


def _active() -> Iterator[tuple[str, Case]]:
    for seed in (0, 1):
        for method in ACTIVE:
            yield f"oracle/{method}/{seed}", partial(_of_oracle, "exact", seed, method)
            yield f"noisy/{method}/{seed}", partial(_of_oracle, "noisy", seed, method)
            yield f"tied-oracle/{method}/{seed}", partial(_of_oracle, "tied", seed, method)
        yield f"similarities/AL/{seed}", partial(_of_similarities, planted(seed), "AL")
        yield f"similarities-ties/AL/{seed}", partial(_average_of_ties, seed)
    for method in (*ACTIVE, "AL"):
        clusters = [[0, 1, 2], [7, 30], [5]]
        yield (
            f"initial-clusters/{method}",
            partial(_of_similarities, planted(0), method, initial_clusters=clusters),
        )
    yield "features/4K-AL-act", _of_many_objects


def _bundled() -> Iterator[tuple[str, Case]]:
    for name in ("zoo", "glass"):
        for method in LISTED:
            if (name, method) != ("glass", "spectral"):  # seconds
                yield f"{name}/{method}", partial(_of_table, name, method)
        for method in ("4-AL", "4K-AL", "AddS-AL"):
            yield f"{name}/{method}/ranked", partial(_of_table_ranks, name, method)
        for method in (*ACTIVE, "AL"):
            yield f"{name}/{method}/active", partial(_of_table_similarities, name, method)


def _of_quadruplets(seed: int, method: str, /, **options: Any) -> ol.Hierarchy:
    return ol.cluster(quadruplets(seed), method, **options)


def _of_answers(
    form: str, n_answers: int, seed: int, method: str, error_rate: float = 0.1, **options: Any
) -> ol.Hierarchy:
    return ol.cluster(answers(form, n_answers, seed, error_rate), method, **options)


def _of_ranks(truth: ol.datasets.PlantedHierarchy, method: str, **options: Any) -> ol.Hierarchy:
    everything = ol.Comparisons.from_similarities(truth.similarities, names=truth.names)
    assert isinstance(everything, ol.RankedComparisons)
    return ol.cluster(everything, method, **options)


def _of_ties(seed: int, method: str) -> ol.Hierarchy:
    return ol.cluster(ol.Comparisons.from_similarities(tied_similarities(seed)), method)


def _average_of_ties(seed: int) -> ol.Hierarchy:
    return ol.cluster(tied_similarities(seed), "AL")


def _of_oracle(kind: str, seed: int, method: str) -> dict[str, Any]:
    """Return the tree and the number of questions."""
    oracle: Any = ol.oracles.SimilarityOracle(
        tied_similarities(seed) if kind == "tied" else planted(seed).similarities
    )
    if kind == "noisy":
        oracle = ol.oracles.NoisyOracle(oracle, 0.1, seed=seed)
    options = {"n_references": 6, "seed": seed} if method == "4K-AL-act" else {}
    tree = ol.cluster(oracle, method, **options)
    return {"tree": tree, "n_questions": oracle.n_questions}


def _of_similarities(
    truth: ol.datasets.PlantedHierarchy, method: str, **options: Any
) -> ol.Hierarchy:
    seeded = {"seed": 0} if method == "4K-AL-act" else {}
    return ol.cluster(truth.similarities, method, **seeded, **options)


def _of_many_objects() -> ol.Hierarchy:
    """With a thousand objects 4K-AL-act links features, without a kernel."""
    points = np.random.default_rng(0).normal(size=(1000, 3))
    oracle = ol.oracles.FeatureOracle(points, "euclidean")
    return ol.cluster(oracle, "4K-AL-act", n_references=4, landmark_probability=0.01, seed=0)


def _of_table(name: str, method: str) -> ol.Hierarchy:
    return ol.cluster(table_answers(name), method)


def _of_table_ranks(name: str, method: str) -> ol.Hierarchy:
    return ol.cluster(ol.Comparisons.from_similarities(load_table(name).similarities()), method)


def _of_table_similarities(name: str, method: str) -> ol.Hierarchy:
    options = {"seed": 0} if method == "4K-AL-act" else {}
    return ol.cluster(load_table(name).similarities("euclidean"), method, **options)


def _of_people(name: str, method: str, **options: Any) -> ol.Hierarchy:
    return ol.cluster(people_answers(name), method, **options)
