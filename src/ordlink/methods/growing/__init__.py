"""Trees that grow: new objects, new answers. Start with `_insert.py`, then `_places.py`."""

from ordlink.methods.growing._insert import Insertion, insert, place_in_clusters, update

__all__ = ["Insertion", "insert", "place_in_clusters", "update"]
