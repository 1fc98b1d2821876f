"""Whether methods that predict equally well split the objects in the same way at the root."""

from __future__ import annotations

from dataclasses import dataclass

from ordlink.hierarchy import Hierarchy
from ordlink.metrics import triplet_distance
from ordlink.validation import MethodComparison

ALIKE = 0.1
"""Two root splits are equivalent if at most this share of the objects changes sides."""
AS_GOOD = 2.0
"""The tree shown counts as equally good within so many standard errors of the best."""


@dataclass(frozen=True)
class TopSplit:
    """A method whose tree is split differently at the root.

    Attributes
    ----------
    label : str
        The method.
    n_moved : int
        Number of objects that change sides.
    agreement : float
        Share of the triples of objects that both trees resolve in the same way.
    """

    label: str
    n_moved: int
    agreement: float


def other_top_splits(methods: MethodComparison, label: str) -> tuple[str, list[TopSplit]]:
    """Return the reference method, and the equally good methods with another root split.

    Equally good means within one standard error of the best, paired over folds. The reference is
    the method with this label, whose tree is shown, or the best if it was not compared; if it
    predicts worse than the best, no other method is returned.
    """
    labels = [one.label for one in methods.scores]
    reference = methods[label if label in labels else methods.best.label]
    if not reference.difference <= AS_GOOD * reference.difference_error:
        return reference.label, []
    found = []
    for other in methods.scores:
        n_moved = _n_moved(reference.tree, other.tree)
        is_good = other.difference <= other.difference_error
        if is_good and n_moved > ALIKE * other.tree.n_objects:
            agreement = 1 - triplet_distance(reference.tree, other.tree)
            found.append(TopSplit(other.label, n_moved, agreement))
    return reference.label, found


def _n_moved(one: Hierarchy, other: Hierarchy) -> int:
    """Return how many objects change sides between the root splits of two trees."""
    differ = int((one.cut(2) != other.cut(2)).sum())
    return min(differ, one.n_objects - differ)
