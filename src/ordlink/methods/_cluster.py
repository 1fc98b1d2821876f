"""`cluster`: a tree of any input by any method."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ordlink._text import did_you_mean
from ordlink._typing import AnyArray, Progress
from ordlink._validate import seed_number
from ordlink.comparisons import Comparisons, check_repeats, check_similarities
from ordlink.errors import InputError, InputKindError, OrdlinkWarning
from ordlink.hierarchy import Hierarchy
from ordlink.linkage import InitialClusters, InitialPartition, initial_partition
from ordlink.methods._table import Method, find_method
from ordlink.oracles import Oracle, SimilarityOracle, check_oracle


def cluster(
    data: Comparisons | Oracle | AnyArray,
    method: str = "4-AL",
    *,
    initial_clusters: InitialClusters = None,
    progress: Progress | None = None,
    **options: Any,
) -> Hierarchy:
    """Return the hierarchy of the objects that a method finds.

    Parameters
    ----------
    data : Comparisons, Oracle, or ndarray of shape (N, N)
        Answers for the passive methods (4-AL, 4K-AL, spectral, AddS-AL, tSTE-AL, FORTE-AL,
        SOE-AL, auto), an oracle for the active ones (SL, CL, 4K-AL-act), known similarities for
        AL. The active methods take similarities too: they then ask a
        :class:`ordlink.oracles.SimilarityOracle`.
    method : str
        Name from the table of methods, in upper or lower case. "auto" takes the one that predicts
        held-out answers best; the tree's `parameters` say which and why, with the scores of all.
    initial_clusters : sequence of sequences of int, optional
        Clusters to start from; objects not named stay single. The tree still has N leaves:
        merges inside an initial cluster come first.
    progress : callable, optional
        Called now and then with (steps done, steps in all).
    **options
        Options of the method, e.g. `repeats="net"` (4-AL, 4K-AL, AddS-AL, spectral),
        `self_comparisons=False` (4K-AL), `n_references=8, seed=0` (4K-AL-act),
        `n_components=2, metric="euclidean"` (tSTE-AL, FORTE-AL, SOE-AL).

    Warns
    -----
    OrdlinkWarning
        If answers contradict each other, objects or groups of objects are never compared, or ties
        decided some merges; ConvergenceWarning if an embedding did not converge.

    Examples
    --------
    >>> import ordlink as ol
    >>> planted = ol.datasets.planted_hierarchy(depth=2, leaf_size=5, gap=0.5, seed=0)
    >>> c = ol.Comparisons.from_similarities(planted.similarities, 0.2, seed=0)
    >>> ol.metrics.aari(planted.levels, ol.cluster(c, "4-AL"))
    1.0
    """
    chosen = find_method(method)
    checked = _check_input(data, chosen)
    n_objects = len(checked) if isinstance(checked, np.ndarray) else checked.n_objects
    partition = initial_partition(n_objects, initial_clusters)
    options = _check_options(chosen, options)
    parameters = _json_ready(options | {"initial_clusters": initial_clusters})
    _warn_about_input(checked, partition)
    tree = chosen.run(checked, partition, progress=progress, **options)
    for message in warn_of_ties(tree):
        warnings.warn(message, OrdlinkWarning, stacklevel=2)
    return tree.with_origin(chosen.name, parameters | tree.parameters)


def warn_of_ties(tree: Hierarchy) -> list[str]:
    """Return the warning about merges that a tie decided, if there are any."""
    if not tree.n_tied_merges:
        return []
    return [
        f"{tree.n_tied_merges} of {tree.n_objects - 1} merges were decided by a tie, not by "
        "the answers; more answers would decide them"
    ]


def _check_input(data: object, method: Method) -> Any:
    """Return the input of the kind that the method needs, or say what to pass instead."""
    is_oracle, answers = isinstance(data, Oracle), isinstance(data, Comparisons)
    if method.needs == "comparisons" and not answers:
        remedy = (
            "collect its answers first, or use SL, CL or 4K-AL-act"
            if is_oracle
            else "make them with Comparisons.from_triplets, from_quadruplets or from_similarities"
        )
        raise InputKindError(
            f"{method.name} works on answers given beforehand (Comparisons), got "
            f"{type(data).__name__}",
            remedy=remedy,
        )
    if method.needs != "comparisons" and answers:
        raise InputKindError(
            f"{method.name} needs {method.needs}, got {type(data).__name__}",
            remedy="use 4-AL, 4K-AL or AddS-AL for answers given beforehand",
        )
    if method.needs == "similarities" and is_oracle:
        raise InputKindError(
            f"{method.name} needs known similarities (an N x N matrix), got an oracle",
            remedy="use SL, CL or 4K-AL-act for an oracle",
        )
    if is_oracle:
        return check_oracle(data)
    if answers:
        return data
    similarities = check_similarities(data)  # type: ignore[arg-type]
    return SimilarityOracle(similarities) if method.needs == "an oracle" else similarities


def _check_options(method: Method, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that were given; a seed becomes a number that can be noted."""
    for name in options:
        if name not in method.options:
            known = ", ".join(method.options) or "none"
            close = did_you_mean(name, method.options)
            raise InputError(
                f"{method.name} has no option {name!r}{close}; its options are: {known}"
            )
    checked = dict(options)
    if checked.get("repeats", "") is None:  # the method's own way
        del checked["repeats"]
    if "repeats" in checked:
        check_repeats(checked["repeats"])
    if "seed" in checked:
        checked["seed"] = seed_number(checked["seed"])
    return checked


def _json_ready(parameters: dict[str, Any]) -> dict[str, Any]:
    """Return parameters as values that JSON can hold, without those that are None."""
    noted: dict[str, Any] = {}
    for name, value in parameters.items():
        if value is None:
            continue
        if name == "initial_clusters":
            noted[name] = [np.asarray(cluster).tolist() for cluster in value]
            continue
        plain = np.asarray(value)
        if plain.dtype.kind == "O":
            raise InputKindError(
                f"expected a number, a word or an array, got {type(value).__name__}", parameter=name
            )
        noted[name] = plain.tolist()
    return noted


def _warn_about_input(data: object, partition: InitialPartition) -> None:
    messages = list(data.warnings()) if isinstance(data, Comparisons) else []
    if partition.n_slots == 1:
        messages.append(
            "the initial clusters are one cluster of all objects; nothing is left for the answers "
            "to decide"
        )
    for message in messages:
        warnings.warn(message, OrdlinkWarning, stacklevel=3)
