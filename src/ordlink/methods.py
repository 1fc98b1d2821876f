"""The one table of methods: from the paper's names to functions; and `cluster`, which runs them."""

from __future__ import annotations

import difflib
import importlib
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from ordlink.comparisons import Comparisons, Repeats, check_repeats, check_similarities
from ordlink.errors import InputError, InputKindError, OrdlinkWarning
from ordlink.hierarchy import Hierarchy
from ordlink.linkage import (
    average_linkage,
    average_linkage_of_features,
    complete_linkage,
    quadruplets_average_linkage,
    single_linkage,
    spectral_linkage,
    start_from,
)
from ordlink.oracles import Oracle, SimilarityOracle
from ordlink.similarity import (
    Embedding,
    Metric,
    active_features,
    active_kernel,
    adds_similarity,
    check_metric,
    embedding_similarity,
    forte_embedding,
    passive_kernel,
    plan_active_kernel,
    soe_embedding,
    tste_embedding,
)
from ordlink.typing import AnyArray, Progress

InitialClusters = Sequence[Sequence[int] | AnyArray] | None
Needs = Literal["comparisons", "an oracle", "similarities"]
FEATURES_FROM = 1000
"""From so many objects, 4K-AL-act makes no N x N kernel: it links the features themselves."""


@dataclass(frozen=True)
class Method:
    """A method of the table.

    Attributes
    ----------
    name : str
        The paper's name.
    needs : {"comparisons", "an oracle", "similarities"}
        Kind of input.
    run : callable
        From the input and the options to a Hierarchy.
    summary : str
        What it does, in one line.
    options : tuple of str
        Names of the options that it takes besides `initial_clusters` and `progress`.
    """

    name: str
    needs: Needs
    run: Callable[..., Hierarchy]
    summary: str
    options: tuple[str, ...] = ()


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
        `dimension=2, metric="euclidean"` (tSTE-AL, FORTE-AL, SOE-AL).

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
    checked = _check_input(data, chosen)
    n_objects = len(checked) if isinstance(checked, np.ndarray) else checked.n_objects
    if n_objects < 2:
        raise InputError(f"a tree needs at least two objects, got {n_objects}")
    # Wrong clusters and options are refused before any work is done or question asked.
    start_from(n_objects, initial_clusters)
    if options.get("repeats", "") is None:  # as each method counts them by itself
        del options["repeats"]
    if "repeats" in options:
        check_repeats(options["repeats"])
    parameters = _note_parameters(initial_clusters, options)
    if isinstance(checked, Comparisons):
        _warn_about_answers(checked)
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


def find_method(name: str) -> Method:
    """Return the method of this name; case does not matter.

    Raises
    ------
    InputError
        If there is none; the message lists the names and the closest one.
    """
    by_key = {_key(known): known for known in METHODS}
    key = _key(str(name))
    if key in by_key:
        return METHODS[by_key[key]]
    close = difflib.get_close_matches(key, by_key, n=1)
    hint = f"; did you mean {by_key[close[0]]}?" if close else ""
    raise InputError(f"unknown method {name!r}; there are {', '.join(METHODS)}{hint}")


def _key(name: str) -> str:
    """Return the letters and digits of a method's name: "4-AL" and "4al" are the same."""
    return "".join(letter for letter in name.lower() if letter.isalnum())


def _check_input(data: object, method: Method) -> Any:
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


def _warn_about_answers(comparisons: Comparisons) -> None:
    for message in comparisons.warnings():
        warnings.warn(message, OrdlinkWarning, stacklevel=3)


def _note_parameters(initial_clusters: InitialClusters, options: dict[str, Any]) -> dict[str, Any]:
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


def _run_single(
    data: Oracle, *, initial_clusters: InitialClusters, progress: Progress | None
) -> Hierarchy:
    return single_linkage(data, initial_clusters=initial_clusters, progress=progress)


def _run_complete(
    data: Oracle, *, initial_clusters: InitialClusters, progress: Progress | None
) -> Hierarchy:
    return complete_linkage(data, initial_clusters=initial_clusters, progress=progress)


def _run_average(
    data: AnyArray, *, initial_clusters: InitialClusters, progress: Progress | None
) -> Hierarchy:
    return average_linkage(data, initial_clusters=initial_clusters, progress=progress)


def _run_active_kernel(
    data: Oracle, *, initial_clusters: InitialClusters, progress: Progress | None, **options: Any
) -> Hierarchy:
    plan = plan_active_kernel(data.n_objects, **options)
    features = active_features(data, plan, progress=progress)
    names = getattr(data, "names", None)
    if data.n_objects < FEATURES_FROM:
        kernel = active_kernel(features)
        return average_linkage(kernel, initial_clusters=initial_clusters, names=names)
    return average_linkage_of_features(
        features, initial_clusters=initial_clusters, names=names, progress=progress
    )


def _run_passive_kernel(
    data: Comparisons,
    *,
    initial_clusters: InitialClusters,
    progress: Progress | None,
    self_comparisons: bool = True,
    repeats: Repeats = "majority",
) -> Hierarchy:
    kernel = passive_kernel(
        data, self_comparisons=self_comparisons, repeats=repeats, progress=progress
    )
    return average_linkage(kernel, initial_clusters=initial_clusters, names=data.names)


def _run_adds(
    data: Comparisons,
    *,
    initial_clusters: InitialClusters,
    progress: Progress | None,
    repeats: Repeats = "majority",
) -> Hierarchy:
    return average_linkage(
        adds_similarity(data, repeats=repeats),
        initial_clusters=initial_clusters,
        names=data.names,
        progress=progress,
    )


def _run_embedding(
    data: Comparisons,
    *,
    embed: Callable[..., Embedding],
    initial_clusters: InitialClusters,
    progress: Progress | None,
    metric: Metric = "cosine",
    **options: Any,
) -> Hierarchy:
    check_metric(metric)
    embedding = embed(data, progress=progress, **options)
    if not embedding.converged:
        warnings.warn(
            f"the {embedding.method} embedding did not converge in {embedding.n_iterations:,} "
            "iterations; raise max_iterations, or n_restarts for other starts",
            OrdlinkWarning,
            stacklevel=3,
        )
    similarity = embedding_similarity(embedding.points, metric=metric)
    return average_linkage(similarity, initial_clusters=initial_clusters, names=data.names)


def _run_auto(data: Comparisons, **options: Any) -> Hierarchy:
    # Held-out scores build on this table, so the layer above is found by name, at the call.
    tree: Hierarchy = importlib.import_module("ordlink.trust").auto_linkage(data, **options)
    return tree


_EMBEDDING_OPTIONS = ("dimension", "metric", "n_restarts", "seed", "repeats", "max_iterations")

METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method("SL", "an oracle", _run_single, "single linkage, asking as few questions as it can"),
        Method("CL", "an oracle", _run_complete, "complete linkage, asking few questions"),
        Method("AL", "similarities", _run_average, "average linkage on known similarities"),
        Method(
            "4K-AL",
            "comparisons",
            _run_passive_kernel,
            "quadruplet kernel, then average linkage",
            ("self_comparisons", "repeats"),
        ),
        Method(
            "4K-AL-act",
            "an oracle",
            _run_active_kernel,
            "quadruplet kernel of landmarks and references, then average linkage",
            (
                "landmark_probability",
                "n_references",
                "budget",
                "landmarks",
                "reference_pairs",
                "seed",
            ),
        ),
        Method(
            "4-AL",
            "comparisons",
            quadruplets_average_linkage,
            "average linkage straight on the comparisons",
            ("repeats",),
        ),
        Method(
            "AddS-AL",
            "comparisons",
            _run_adds,
            "wins minus losses of each pair, then average linkage",
            ("repeats",),
        ),
        Method(
            "spectral",
            "comparisons",
            spectral_linkage,
            "spectral splits of Bradley-Terry strengths: the best tree from few answers",
            ("repeats",),
        ),
        Method(
            "tSTE-AL",
            "comparisons",
            partial(_run_embedding, embed=tste_embedding),
            "t-STE embedding, then average linkage",
            (*_EMBEDDING_OPTIONS, "alpha"),
        ),
        Method(
            "FORTE-AL",
            "comparisons",
            partial(_run_embedding, embed=forte_embedding),
            "FORTE embedding, then average linkage",
            _EMBEDDING_OPTIONS,
        ),
        Method(
            "SOE-AL",
            "comparisons",
            partial(_run_embedding, embed=soe_embedding),
            "soft ordinal embedding, then average linkage",
            _EMBEDDING_OPTIONS,
        ),
        Method(
            "auto",
            "comparisons",
            _run_auto,
            "of all these, the one whose tree predicts held-out answers best",
            ("n_folds", "n_repetitions", "seed"),
        ),
    )
}
"""The methods by the paper's names."""
