"""Ordinal embeddings (t-STE, FORTE, SOE) for average linkage: start with `_embeddings.py`."""

from ordlink.methods.embedding._compared_pairs import LISTED_AT_MOST
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
    "LISTED_AT_MOST",
    "Embedding",
    "Metric",
    "embedding_similarity",
    "forte_embedding",
    "run",
    "run_tste",
    "soe_embedding",
    "tste_embedding",
]
