"""Additive similarities (AddS-AL): how often a pair won minus how often it lost."""

from ordlink.methods.adds._adds import (
    adds_similarity,
    adds_similarity_of_chunks,
    cluster_chunks,
    run,
)

__all__ = ["adds_similarity", "adds_similarity_of_chunks", "cluster_chunks", "run"]
