"""The tree that is expected to agree best with new answers (`_search.py`); `auto` (`_auto.py`)."""

from ordlink.methods.search._auto import run_auto
from ordlink.methods.search._search import run

__all__ = ["run", "run_auto"]
