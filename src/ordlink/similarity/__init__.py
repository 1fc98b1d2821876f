"""Similarities estimated from comparisons: AddS, the kernels of 4K-AL, ordinal embeddings."""

from ordlink.similarity._active_kernel import (
    ActivePlan,
    active_features,
    active_kernel,
    plan_active_kernel,
)
from ordlink.similarity._adds import adds_similarity, adds_similarity_of_chunks
from ordlink.similarity._embedding import Embedding
from ordlink.similarity._embedding_similarity import Metric, check_metric, embedding_similarity
from ordlink.similarity._forte import forte_embedding
from ordlink.similarity._passive_kernel import passive_kernel
from ordlink.similarity._soe import soe_embedding
from ordlink.similarity._tste import tste_embedding

__all__ = [
    "ActivePlan",
    "Embedding",
    "Metric",
    "active_features",
    "active_kernel",
    "adds_similarity",
    "adds_similarity_of_chunks",
    "check_metric",
    "embedding_similarity",
    "forte_embedding",
    "passive_kernel",
    "plan_active_kernel",
    "soe_embedding",
    "tste_embedding",
]
