"""Ordinal embeddings, and the trees of average linkage on them."""

from __future__ import annotations

import warnings
from collections.abc import Callable

from ordlink.comparisons import Comparisons
from ordlink.errors import OrdlinkWarning
from ordlink.hierarchy import Hierarchy
from ordlink.linkage import average_linkage
from ordlink.methods.embedding import (
    Embedding,
    embedding_similarity,
    forte_embedding,
    tste_embedding,
)

EMBEDDINGS: dict[str, Callable[..., Embedding]] = {
    "tSTE-AL": tste_embedding,
    "FORTE-AL": forte_embedding,
}
"""The methods that embed first, by the paper's names."""
EUCLIDEAN = ", Euclidean"
"""Added to the name where linkage uses distances; the paper uses cosines."""


def embedding_trees(
    method: str, comparisons: Comparisons, dimension: int, seed: int
) -> dict[str, Hierarchy]:
    """Return the trees of one embedding: with cosine similarity, and with Euclidean distance."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OrdlinkWarning)
        embed = EMBEDDINGS[method]
        points = embed(comparisons, n_components=dimension, n_init=1, seed=seed).points
        return {
            method: _tree(embedding_similarity(points, metric="cosine"), comparisons),
            method + EUCLIDEAN: _tree(
                embedding_similarity(points, metric="euclidean"), comparisons
            ),
        }


def _tree(similarities: object, comparisons: Comparisons) -> Hierarchy:
    return average_linkage(similarities, names=comparisons.names)  # type: ignore[arg-type]
