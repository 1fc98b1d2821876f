"""The quadruplet kernels of 4K-AL: `_passive.py` (4K-AL) and `_active.py` (4K-AL-act)."""

from ordlink.methods.kernel_al._active import (
    ActivePlan,
    active_features,
    active_kernel,
    plan_active_kernel,
    run_active,
)
from ordlink.methods.kernel_al._passive import passive_kernel, run_passive

__all__ = [
    "ActivePlan",
    "active_features",
    "active_kernel",
    "passive_kernel",
    "plan_active_kernel",
    "run_active",
    "run_passive",
]
