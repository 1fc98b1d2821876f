"""Single and complete linkage from an oracle (SL, CL)."""

from ordlink.methods.active._complete import complete_linkage
from ordlink.methods.active._single import single_linkage

__all__ = [
    "complete_linkage",
    "single_linkage",
]
