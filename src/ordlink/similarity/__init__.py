"""Similarities estimated from comparisons: AddS, and the quadruplet kernels of 4K-AL."""

from ordlink.similarity._active_kernel import (
    ActivePlan,
    active_features,
    active_kernel,
    plan_active_kernel,
)
from ordlink.similarity._adds import adds_similarity, adds_similarity_of_chunks
from ordlink.similarity._passive_kernel import passive_kernel

__all__ = [
    "ActivePlan",
    "active_features",
    "active_kernel",
    "adds_similarity",
    "adds_similarity_of_chunks",
    "passive_kernel",
    "plan_active_kernel",
]
