"""The tree that is expected to agree best with new answers: start with `_search.py`."""

from ordlink.methods.search._search import run

__all__ = ["run"]
