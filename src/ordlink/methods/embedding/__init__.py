"""Ordinal embeddings (t-STE, FORTE, SOE) for average linkage: start with `_embedding_al.py`."""

from ordlink.methods.embedding._embedding_al import Metric, embedding_similarity, run, run_tste
from ordlink.methods.embedding._fit import Embedding
from ordlink.methods.embedding._forte import forte_embedding
from ordlink.methods.embedding._soe import soe_embedding
from ordlink.methods.embedding._tste import tste_embedding

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
