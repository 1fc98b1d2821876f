"""Methods that ask an oracle pair by pair: SL, CL and insertion."""

from ordlink.methods.active._complete import run_complete
from ordlink.methods.active._insertion import run_insertion
from ordlink.methods.active._single import run_single

__all__ = ["run_complete", "run_insertion", "run_single"]
