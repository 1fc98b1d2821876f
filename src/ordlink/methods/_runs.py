"""Each method as one function, from its input and options to a tree."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from ordlink._typing import AnyArray, Progress
from ordlink.comparisons import Comparisons, Repeats
from ordlink.errors import OrdlinkWarning
from ordlink.hierarchy import Hierarchy
from ordlink.linkage import average_linkage, average_linkage_of_features
from ordlink.methods.active import complete_linkage, single_linkage
from ordlink.methods.adds import adds_similarity
from ordlink.methods.embedding import Embedding, Metric, check_metric, embedding_similarity
from ordlink.methods.kernel_al import (
    active_features,
    active_kernel,
    passive_kernel,
    plan_active_kernel,
)
from ordlink.oracles import Oracle

InitialClusters = Sequence[Sequence[int] | AnyArray] | None
FEATURES_FROM = 1000
"""From so many objects, 4K-AL-act makes no N x N kernel: it links the features themselves."""


def run_single(
    data: Oracle, *, initial_clusters: InitialClusters, progress: Progress | None
) -> Hierarchy:
    return single_linkage(data, initial_clusters=initial_clusters, progress=progress)


def run_complete(
    data: Oracle, *, initial_clusters: InitialClusters, progress: Progress | None
) -> Hierarchy:
    return complete_linkage(data, initial_clusters=initial_clusters, progress=progress)


def run_average(
    data: AnyArray, *, initial_clusters: InitialClusters, progress: Progress | None
) -> Hierarchy:
    return average_linkage(data, initial_clusters=initial_clusters, progress=progress)


def run_active_kernel(
    data: Oracle, *, initial_clusters: InitialClusters, progress: Progress | None, **options: Any
) -> Hierarchy:
    plan = plan_active_kernel(data.n_objects, **options)
    features = active_features(data, plan, progress=progress)
    names = getattr(data, "names", None)
    if data.n_objects < FEATURES_FROM:
        kernel = active_kernel(features)
        return average_linkage(kernel, initial_clusters=initial_clusters, names=names)
    return average_linkage_of_features(
        features, initial_clusters=initial_clusters, names=names, progress=progress
    )


def run_passive_kernel(
    data: Comparisons,
    *,
    initial_clusters: InitialClusters,
    progress: Progress | None,
    self_comparisons: bool = True,
    repeats: Repeats = "majority",
) -> Hierarchy:
    kernel = passive_kernel(
        data, self_comparisons=self_comparisons, repeats=repeats, progress=progress
    )
    return average_linkage(kernel, initial_clusters=initial_clusters, names=data.names)


def run_adds(
    data: Comparisons,
    *,
    initial_clusters: InitialClusters,
    progress: Progress | None,
    repeats: Repeats = "majority",
) -> Hierarchy:
    return average_linkage(
        adds_similarity(data, repeats=repeats),
        initial_clusters=initial_clusters,
        names=data.names,
        progress=progress,
    )


def run_embedding(
    data: Comparisons,
    *,
    embed: Callable[..., Embedding],
    initial_clusters: InitialClusters,
    progress: Progress | None,
    metric: Metric = "cosine",
    **options: Any,
) -> Hierarchy:
    check_metric(metric)
    embedding = embed(data, progress=progress, **options)
    if not embedding.converged:
        warnings.warn(
            f"the {embedding.method} embedding did not converge in {embedding.n_iter:,} "
            "iterations; raise max_iter, or n_init for other starts",
            OrdlinkWarning,
            stacklevel=3,
        )
    similarity = embedding_similarity(embedding.points, metric=metric)
    return average_linkage(similarity, initial_clusters=initial_clusters, names=data.names)


def run_auto(data: Comparisons, **options: Any) -> Hierarchy:
    # Held-out scores build on this table, so the layer above is found by name, at the call.
    tree: Hierarchy = importlib.import_module("ordlink.validation").auto_linkage(data, **options)
    return tree
