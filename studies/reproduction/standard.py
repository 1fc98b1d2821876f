"""Figure 2 and S.3 to S.5: Dasgupta's cost on Zoo, Glass and 20news."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from ordlink._typing import FloatArray, LabelArray
from ordlink.comparisons import Comparisons, ListedComparisons
from ordlink.datasets import FeatureTable, fetch_20news, load_glass, load_zoo
from ordlink.hierarchy import Hierarchy
from ordlink.metrics import ari_per_level, dasgupta_cost, normalised_dasgupta_cost
from studies.embeddings import EMBEDDINGS, embedding_trees
from studies.entrants import PASSIVE, SPECTRAL, WITHOUT_ANSWERS, Entrant, Material, run_entrants
from studies.running._experiment import Experiment, Parameters, Record, seed_of

PROPORTIONS = tuple(round(0.01 * step, 2) for step in range(1, 11))
DIMENSIONS = (2, 3, 4, 5)
NEWS_SEED = 0
"""Which 200 posts: drawn once, as in the paper."""

GROUPS: dict[str, tuple[Entrant, ...]] = {
    "known similarities": tuple(e for e in WITHOUT_ANSWERS if e.name == "AL"),
    "with answers": PASSIVE,
    "spectral": SPECTRAL,
}


@dataclass(frozen=True)
class Source:
    """Where similarities come from: the features, how they are scaled, and what ties become."""

    features: Callable[[str | None], FeatureTable]
    scale: str | None = None
    breaks_ties: bool = False


def _news(data_home: str | None, weighting: str = "tfidf") -> FeatureTable:
    return fetch_20news(weighting=weighting, seed=NEWS_SEED, data_home=data_home)


DATASETS: dict[str, Source] = {
    "Zoo": Source(lambda _: load_zoo()),
    "Glass": Source(lambda _: load_glass()),
    "20news": Source(_news),
}
VARIANTS: dict[str, Source] = {
    "Zoo, ties broken": Source(lambda _: load_zoo(), breaks_ties=True),
    "Glass, standardised": Source(lambda _: load_glass(), scale="standard"),
    "20news, counts": Source(partial(_news, weighting="counts")),
}
"""The same data with other choices where the paper leaves them open."""
FEWER_PROPORTIONS = (0.01, 0.05, 0.1)
"""For the variants."""
SPECTRAL_PROPORTION = 0.01
"""For our own method: it uses about 100 comparisons of each pair, however many there are."""
TINY = 1e-9
"""Ties are broken by similarities that differ by about this."""


def standard_experiment(
    *,
    datasets: tuple[str, ...] = (*DATASETS, *VARIANTS),
    proportions: tuple[float, ...] = PROPORTIONS,
    dimensions: tuple[int, ...] = DIMENSIONS,
    n_repetitions: int = 10,
    data_home: str | None = None,
) -> Experiment:
    """Return the experiment of Figure 2 and S.3 to S.5, or a part of its grid."""
    runs: list[tuple[str, int | None]] = [(group, None) for group in GROUPS]
    runs += [(method, dimension) for method in EMBEDDINGS for dimension in dimensions]
    cells: list[Parameters] = [
        {
            "dataset": dataset,
            "group": group,
            "dimension": dimension,
            "proportion": proportion,
            "repetition": repetition,
        }
        for dataset in datasets
        for group, dimension in runs
        for proportion in _proportions(dataset, group, proportions)
        for repetition in range(n_repetitions)
    ]
    run = partial(standard_cell, data_home=data_home)
    return Experiment("standard", 2, run, tuple(cells), standard_cost)


def _proportions(
    dataset: str, group: str, proportions: tuple[float, ...]
) -> Sequence[float | None]:
    if group == "known similarities":
        return (None,)
    if group == "spectral":
        return tuple(p for p in proportions if p == SPECTRAL_PROPORTION and dataset in DATASETS)
    if dataset in VARIANTS:
        return tuple(p for p in proportions if p in FEWER_PROPORTIONS)
    return proportions


def standard_cell(
    *,
    dataset: str,
    group: str,
    dimension: int | None,
    proportion: float | None,
    repetition: int,
    data_home: str | None = None,
) -> list[Record]:
    """Return Dasgupta's cost, plain and between 0 and 1, and the agreement with the classes."""
    similarities, classes = shuffled_similarities(dataset, repetition, data_home)

    def judge(tree: Hierarchy) -> Mapping[str, float]:
        # All trees cost the same where all similarities are equal, so a shift changes no order.
        shifted = similarities - similarities.min()
        return {
            "dasgupta": dasgupta_cost(similarities, tree),
            "dasgupta_normalised": normalised_dasgupta_cost(shifted, tree),
            "class_ari": float(ari_per_level(classes, tree)[0]),
        }

    if dimension is None:
        return run_entrants(
            GROUPS[group], _material(similarities, dataset, proportion, repetition), judge
        )
    started = time.process_time()
    seed = seed_of("triplets", dataset=dataset, proportion=proportion, repetition=repetition)
    triplets = sample_triplets(similarities, proportion or 0.0, seed)
    trees = embedding_trees(group, triplets, dimension, seed_of("start", repetition=repetition))
    seconds = round(time.process_time() - started, 4)
    return [
        {
            "method": name,
            "n_comparisons": triplets.n_comparisons,
            "n_tied_merges": tree.n_tied_merges,
            "seconds": seconds,
            "measure": measure,
            "value": value,
        }
        for name, tree in trees.items()
        for measure, value in judge(tree).items()
    ]


def sample_triplets(similarities: FloatArray, proportion: float, seed: int) -> ListedComparisons:
    """Return triplets: each i with two others is observed with this probability, ties left out."""
    rng = np.random.default_rng(seed)
    n_objects = len(similarities)
    first, second = np.triu_indices(n_objects, 1)
    rows = []
    for i in range(n_objects):
        seen = (rng.random(len(first)) < proportion) & (first != i) & (second != i)
        j, k = first[seen], second[seen]
        difference = similarities[i, j] - similarities[i, k]
        closer, farther = np.where(difference > 0, (j, k), (k, j))
        triplets = np.stack([np.full(len(j), i), closer, farther], axis=1)
        rows.append(triplets[difference != 0])
    return Comparisons.from_triplets(np.concatenate(rows), n_objects=n_objects)


def standard_cost(parameters: Parameters) -> float:
    """Return about how many seconds a cell takes."""
    size = {"Zoo": 0.05, "20news": 0.8}.get(str(parameters["dataset"]).partition(",")[0], 1.0)
    proportion = parameters["proportion"]
    if proportion is None:
        return 0.1
    if parameters["dimension"] is not None:
        return 0.1 + 25 * size * float(proportion)
    return 0.1 + 60 * size * float(proportion)


def _material(
    similarities: FloatArray, dataset: str, proportion: float | None, repetition: int
) -> Material:
    if proportion is None:
        return Material(similarities)
    seed = seed_of("comparisons", dataset=dataset, proportion=proportion, repetition=repetition)
    comparisons = Comparisons.from_similarities(similarities, proportion, seed=seed)
    return Material(similarities, comparisons)


def shuffled_similarities(
    dataset: str, repetition: int, data_home: str | None = None
) -> tuple[FloatArray, LabelArray]:
    """Return similarities and classes, the objects shuffled: Glass comes sorted by class."""
    similarities, classes = _load(dataset, data_home)
    rng = np.random.default_rng(seed_of("objects", dataset=dataset, repetition=repetition))
    order = rng.permutation(len(classes))
    similarities = similarities[np.ix_(order, order)]
    if _source(dataset).breaks_ties:
        noise = rng.random(similarities.shape)
        similarities += TINY * (noise + noise.T)
    return similarities, classes[order]


@cache
def _load(dataset: str, data_home: str | None) -> tuple[FloatArray, LabelArray]:
    source = _source(dataset)
    features = source.features(data_home)
    return features.similarities("cosine", source.scale), features.classes


def _source(dataset: str) -> Source:
    return {**DATASETS, **VARIANTS}[dataset]
