"""`cluster`: a tree of any input by any method."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ordlink._typing import AnyArray, Progress
from ordlink.comparisons import Comparisons, check_repeats
from ordlink.errors import InputError, OrdlinkWarning
from ordlink.hierarchy import Hierarchy
from ordlink.linkage import initial_partition
from ordlink.methods._input import check_input, note_parameters
from ordlink.methods._runs import InitialClusters
from ordlink.methods._table import find_method
from ordlink.oracles import Oracle

_NOTHING_LEFT = (
    "the initial clusters are one cluster of all objects; nothing is left for the answers to decide"
)


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

    Returns
    -------
    Hierarchy

    Warns
    -----
    OrdlinkWarning
        If answers contradict each other, objects or groups of objects are never compared, an
        embedding did not converge, or ties decided some merges.

    Examples
    --------
    >>> import ordlink as ol
    >>> planted = ol.datasets.planted_hierarchy(depth=2, leaf_size=5, gap=0.5, seed=0)
    >>> c = ol.Comparisons.from_similarities(planted.similarities, 0.2, seed=0)
    >>> ol.metrics.aari(planted.levels, ol.cluster(c, "4-AL"))
    1.0
    """
    chosen = find_method(method)
    unknown = sorted(set(options) - set(chosen.options))
    if unknown:
        known = ", ".join(chosen.options) or "none"
        raise InputError(f"{chosen.name} has no option {unknown[0]!r}; its options are: {known}")
    checked = check_input(data, chosen)
    n_objects = len(checked) if isinstance(checked, np.ndarray) else checked.n_objects
    if n_objects < 2:
        raise InputError(f"a tree needs at least two objects, got {n_objects}")
    # Wrong clusters and options are refused before any work is done or question asked.
    partition = initial_partition(n_objects, initial_clusters)
    if options.get("repeats", "") is None:  # as each method counts them by itself
        del options["repeats"]
    if "repeats" in options:
        check_repeats(options["repeats"])
    parameters = note_parameters(initial_clusters, options)
    if isinstance(checked, Comparisons):
        _warn_about_answers(checked)
    if partition.n_slots == 1:
        warnings.warn(_NOTHING_LEFT, OrdlinkWarning, stacklevel=2)
    tree = chosen.run(checked, initial_clusters=initial_clusters, progress=progress, **options)
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


def _warn_about_answers(comparisons: Comparisons) -> None:
    for message in comparisons.warnings():
        warnings.warn(message, OrdlinkWarning, stacklevel=3)
