"""The quadruplet kernels of 4K-AL, active and passive."""

from ordlink.methods.kernel_al._active import (
    ActivePlan,
    active_features,
    active_kernel,
    plan_active_kernel,
)
from ordlink.methods.kernel_al._passive import passive_kernel

__all__ = [
    "ActivePlan",
    "active_features",
    "active_kernel",
    "passive_kernel",
    "plan_active_kernel",
]
