"""The tree that is expected to agree best with new answers (`_search.py`); `auto` (`_auto.py`)."""

from ordlink.methods.search._auto import run_auto, why_not_compared
from ordlink.methods.search._folds import n_folds
from ordlink.methods.search._search import MOST_OBJECTS, run

__all__ = ["MOST_OBJECTS", "n_folds", "run", "run_auto", "why_not_compared"]
