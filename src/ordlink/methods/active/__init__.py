"""Single and complete linkage from an oracle (SL, CL): start with `_single.py`, `_complete.py`."""

from ordlink.methods.active._complete import run_complete
from ordlink.methods.active._single import run_single

__all__ = ["run_complete", "run_single"]
