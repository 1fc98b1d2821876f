"""Whether methods that predict equally well split the objects in the same way at the top."""

from __future__ import annotations

from dataclasses import dataclass

from ordlink.hierarchy import Hierarchy
from ordlink.metrics import triplet_distance
from ordlink.validation import MethodComparison

ALIKE = 0.1
"""Two top splits are alike if at most this share of the objects is on different sides of them."""
AS_GOOD = 2.0
"""The tree that is shown is as good as the best if it is at most so many standard errors behind."""


@dataclass(frozen=True)
class TopSplit:
    """A method whose tree has another top split than that of the method it is held against.

    Attributes
    ----------
    label : str
        The method.
    n_moved : int
        Number of objects on different sides of the two splits.
    agreement : float
        Share of the triples of objects that both trees resolve alike.
    """

    label: str
    n_moved: int
    agreement: float


def other_top_splits(methods: MethodComparison, label: str) -> tuple[str, list[TopSplit]]:
    """Return who splits the objects otherwise, of the methods that predict as well as the best.

    These are all within one standard error of the best, in pairs over folds. They are held against
    the method of this label, whose tree is shown, or against the best where it was not compared;
    the label of that method comes first. Nothing is found where it predicts worse than the best.
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
    """Return how many objects are on different sides of the first splits of two trees."""
    differ = int((one.cut(2) != other.cut(2)).sum())
    return min(differ, one.n_objects - differ)
