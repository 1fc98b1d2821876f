"""A truth given as labels: one row per level, checked."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ordlink._typing import AnyArray
from ordlink.errors import InputError, InputKindError


def check_labels(truth: ArrayLike, n_objects: int) -> AnyArray:
    """Return labels as whole numbers of shape (n_levels, n_objects), at least one level."""
    try:
        labels: AnyArray = np.atleast_2d(np.asarray(truth))
    except ValueError as error:  # rows of different lengths
        raise InputError(
            f"truth: expected rows with one label for each of the {n_objects} objects, "
            "got rows of different lengths."
        ) from error
    if labels.size and labels.dtype.kind not in "iu":
        raise InputKindError(
            "truth: expected labels that are whole numbers, or a Hierarchy, got "
            f"{labels.dtype}; number the classes, for instance with numpy.unique(..., "
            "return_inverse=True)."
        )
    if labels.ndim != 2 or labels.shape[1] != n_objects:
        raise InputError(
            f"truth: expected labels of shape (n_levels, {n_objects}), one column per object "
            f"of the tree, got shape {labels.shape}."
        )
    if not len(labels):
        raise InputError("truth: expected at least one level, got none.")
    return labels
