"""Ordinal embeddings (t-STE, FORTE, SOE) for average linkage: start with `_embeddings.py`."""

from ordlink.methods.embedding._embeddings import (
    Metric,
    embedding_similarity,
    forte_embedding,
    run,
    run_tste,
    soe_embedding,
    tste_embedding,
)
from ordlink.methods.embedding._fit import Embedding

__all__ = [
    "Embedding",
    "Metric",
    "embedding_similarity",
    "forte_embedding",
    "run",
    "run_tste",
    "soe_embedding",
    "tste_embedding",
]
