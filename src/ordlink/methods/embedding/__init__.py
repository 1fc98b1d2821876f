"""Ordinal embeddings: t-STE, FORTE, SOE."""

from ordlink.methods.embedding._embedding import Embedding
from ordlink.methods.embedding._forte import forte_embedding
from ordlink.methods.embedding._similarity import Metric, check_metric, embedding_similarity
from ordlink.methods.embedding._soe import soe_embedding
from ordlink.methods.embedding._tste import tste_embedding

__all__ = [
    "Embedding",
    "Metric",
    "check_metric",
    "embedding_similarity",
    "forte_embedding",
    "soe_embedding",
    "tste_embedding",
]
