"""What a method is given: the right kind of input, and its options as values that JSON can hold."""

from __future__ import annotations

from typing import Any

import numpy as np

from ordlink.comparisons import Comparisons, check_similarities
from ordlink.errors import InputKindError
from ordlink.methods._runs import InitialClusters
from ordlink.methods._table import Method
from ordlink.oracles import Oracle, SimilarityOracle


def check_input(data: object, method: Method) -> Any:
    """Return the input of the kind that the method needs, or say what to pass instead."""
    if method.needs == "comparisons":
        if isinstance(data, Comparisons):
            return data
        remedy = (
            "collect its answers first, or use SL, CL or 4K-AL-act"
            if isinstance(data, Oracle)
            else "make them with Comparisons.from_triplets, from_quadruplets or from_similarities"
        )
        raise InputKindError(
            f"{method.name} works on answers given beforehand (Comparisons), got "
            f"{type(data).__name__}; {remedy}"
        )
    if isinstance(data, Comparisons):
        remedy = "use 4-AL, 4K-AL or AddS-AL for answers given beforehand"
        raise InputKindError(
            f"{method.name} needs {method.needs}, got {type(data).__name__}; {remedy}"
        )
    if method.needs == "an oracle":
        if isinstance(data, Oracle):
            return data
        return SimilarityOracle(check_similarities(data))  # type: ignore[arg-type]
    if isinstance(data, Oracle):
        raise InputKindError(
            f"{method.name} needs known similarities (an N x N matrix), got an oracle; "
            "use SL, CL or 4K-AL-act for an oracle"
        )
    return check_similarities(data)  # type: ignore[arg-type]


def note_parameters(initial_clusters: InitialClusters, options: dict[str, Any]) -> dict[str, Any]:
    """Return how the tree is made, as values that JSON can hold."""
    noted: dict[str, Any] = {}
    for name, value in options.items():
        if value is None:
            continue
        plain = np.asarray(value)
        if plain.dtype.kind == "O":
            raise InputKindError(
                f"{name} must be a number, a word or an array, got {type(value).__name__}"
            )
        noted[name] = plain.tolist()
    if initial_clusters is not None:
        noted["initial_clusters"] = [np.asarray(cluster).tolist() for cluster in initial_clusters]
    return noted
