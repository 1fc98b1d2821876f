"""`cluster`: a tree from any input by any method."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from ordlink._parallel import use_jobs
from ordlink._text import counted, did_you_mean
from ordlink._typing import AnyArray, Progress
from ordlink._validate import seed_number
from ordlink.comparisons import (
    Comparisons,
    ListedComparisons,
    check_repeats,
    check_similarities,
)
from ordlink.errors import (
    BudgetExhaustedError,
    InputError,
    InputKindError,
    OrdlinkWarning,
)
from ordlink.hierarchy import Hierarchy
from ordlink.linkage import (
    InitialClusters,
    InitialPartition,
    describe_merges,
    initial_partition,
)
from ordlink.methods._memory import check_memory, not_enough_memory
from ordlink.methods._table import METHODS, Method, find_method
from ordlink.oracles import Oracle, SimilarityOracle, check_oracle

DEFAULT_METHOD = "auto"
"""The method of every function, command and page that is not told another one."""
QUICK_METHOD = "AddS-AL"
"""The method of a first tree, where the default takes longer than people like to wait."""
MOST_DESCRIBED = 20_000  # objects; beyond, heights and evidence would take N^2 steps
MOST_FOR_SPECTRAL = 2000  # objects; beyond, N^3 steps take too long for what was not asked for


def cluster(
    data: Comparisons | Oracle | AnyArray,
    method: str = DEFAULT_METHOD,
    *,
    initial_clusters: InitialClusters = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Hierarchy:
    """Return the hierarchy of the objects that the method builds.

    From answers, its merges also have a dissimilarity (`heights`) and the `evidence` by which
    `Hierarchy.partition` finds clusters.

    Parameters
    ----------
    data : Comparisons, Oracle, or ndarray of shape (N, N)
        Answers for the passive methods (auto, search, spectral, blocks, 4-AL, 4K-AL, AddS-AL,
        tSTE-AL, FORTE-AL, SOE-AL), an oracle for the active ones (adaptive, insertion, SL, CL,
        4K-AL-act), known similarities for AL. The active methods take similarities too: they then
        ask a :class:`ordlink.oracles.SimilarityOracle`.
    method : str
        Name from the table of methods, in upper or lower case. "auto" takes the tree of search or
        of spectral, whichever predicts held-out answers better; the tree's `parameters` say which
        and why. For more than 2,000 objects it is blocks, for an oracle adaptive.
    initial_clusters : sequence of sequences of int, optional
        Clusters to start from; objects not named stay single. The tree still has N leaves:
        merges inside an initial cluster come first.
    n_jobs : int, optional
        Number of processes for the models and folds of auto and search, -1 for all cores; by
        default joblib's configuration (``joblib.parallel_config``), otherwise threads. The tree
        does not depend on it.
    progress : callable, optional
        Called from time to time with (steps done, total steps).
    **options
        Options of the method, e.g. `repeats="net"` (4-AL, 4K-AL, AddS-AL, spectral),
        `self_comparisons=False` (4K-AL), `n_references=8, seed=0` (4K-AL-act),
        `budget=5000` (adaptive), `votes=3` (SL, CL),
        `n_components=2, metric="euclidean"` (tSTE-AL, FORTE-AL, SOE-AL).

    Warns
    -----
    OrdlinkWarning
        If answers contradict each other, objects or groups of objects are never compared, ties
        decided some merges, or an oracle's budget ran out: then the tree is that of the answers so
        far by a passive method, which `tree.method` names, and the parameter "asked_by" names the
        active one. ConvergenceWarning if an embedding did not converge.

    Examples
    --------
    >>> import ordlink as ol
    >>> planted = ol.datasets.planted_hierarchy(depth=2, leaf_size=5, gap=0.5, seed=0)
    >>> c = ol.Comparisons.from_similarities(planted.similarities, 0.2, seed=0)
    >>> ol.metrics.aari(planted.levels, ol.cluster(c, "4-AL"))
    1.0
    """
    options |= {"initial_clusters": initial_clusters, "progress": progress}
    with use_jobs(n_jobs):
        tree = build_tree(data, method, **options)
    if isinstance(data, Comparisons) and data.n_objects <= MOST_DESCRIBED:
        return describe_merges(tree, data)
    return tree


def build_tree(
    data: Comparisons | Oracle | AnyArray,
    method: str,
    *,
    initial_clusters: InitialClusters = None,
    progress: Progress | None = None,
    **options: Any,
) -> Hierarchy:
    """Return the tree of `cluster` without heights and evidence, which many trees do not need."""
    chosen = method_for(data, method)
    checked = _check_input(data, chosen)
    n_objects = len(checked) if isinstance(checked, np.ndarray) else checked.n_objects
    partition = initial_partition(n_objects, initial_clusters)
    options = _check_options(chosen, options)
    parameters = _json_ready(options | {"initial_clusters": initial_clusters})
    _warn_about_input(checked, partition)
    check_memory(chosen, checked, partition)
    try:
        tree = chosen.run(checked, partition, progress=progress, **options)
    except BudgetExhaustedError as error:
        return _tree_so_far(error, chosen, initial_clusters, progress)
    except MemoryError as error:
        raise not_enough_memory(chosen, checked, partition) from error
    for message in warn_of_ties(tree):
        warnings.warn(message, OrdlinkWarning, stacklevel=3)
    return tree.with_origin(chosen.name, parameters | tree.parameters)


def repeatable(tree: Hierarchy, method: str) -> tuple[str, dict[str, Any]]:
    """Return the method and options that build a tree of the same kind from other answers.

    For "auto" these are what it chose; for "search" the weights of its models, without the slowest
    model; for "spectral" the kind of tree. For other methods there are no options.
    """
    name, options = find_method(method).name, {}
    if name == "auto":
        chosen = tree.parameters.get("chosen")
        if not isinstance(chosen, Mapping) or "method" not in chosen:
            return method, {}
        name, options = chosen["method"], dict(chosen.get("options", {}))
    elif name == "search" and tree.parameters.get("model_weights"):
        options = {"model_weights": tree.parameters["model_weights"]}
    elif name == "spectral" and tree.parameters.get("kinds"):
        options = {"kind": tree.parameters["kinds"][0]}  # of the largest part
    if "model_weights" in options:
        weights = options["model_weights"]
        fast = {label: weight for label, weight in weights.items() if label != "spectral"}
        options["model_weights"] = fast if any(fast.values()) else weights
        options["n_init"] = 1
    return name, options


def method_for(data: object, method: str) -> Method:
    """Return the method of this name; "auto" is adaptive for an oracle, blocks for many objects."""
    chosen = find_method(method)
    if chosen.name == "auto" and isinstance(data, Oracle):
        return METHODS["adaptive"]
    many = isinstance(data, ListedComparisons) and data.n_objects > MOST_FOR_SPECTRAL
    return METHODS["blocks"] if chosen.name == "auto" and many else chosen


def _tree_so_far(
    error: BudgetExhaustedError,
    active: Method,
    initial_clusters: InitialClusters,
    progress: Progress | None,
) -> Hierarchy:
    """Return the tree of the answers that a budget paid for; raise the error if there are none."""
    known = error.comparisons
    if not known.n_comparisons:
        raise error
    passive = "AddS-AL" if known.n_objects <= MOST_DESCRIBED else "blocks"  # without N x N tables
    passive = "spectral" if known.n_objects <= MOST_FOR_SPECTRAL else passive
    n_questions = counted(error.n_questions, "question")
    warnings.warn(
        f"the budget ran out after {n_questions}, before {active.name} was complete; returning the "
        f"tree of the answers so far, built by {passive}",
        OrdlinkWarning,
        stacklevel=4,
    )
    tree = cluster(known, passive, initial_clusters=initial_clusters, progress=progress)
    asked = {"asked_by": active.name, "n_questions": error.n_questions}
    return tree.with_origin(passive, tree.parameters | asked)


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
            "collect its answers first, or use SL, CL, adaptive or 4K-AL-act"
            if is_oracle
            else "make them with Comparisons.from_triplets, from_quadruplets or from_similarities"
        )
        raise InputKindError(
            f"{method.name} works on answers collected beforehand (Comparisons), got "
            f"{type(data).__name__}",
            remedy=remedy,
        )
    if method.needs != "comparisons" and answers:
        raise InputKindError(
            f"{method.name} needs {method.needs}, got {type(data).__name__}",
            remedy="use 4-AL, 4K-AL or AddS-AL for answers collected beforehand",
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
        if isinstance(value, Mapping):
            try:
                noted[name] = {str(key): float(number) for key, number in value.items()}
            except (TypeError, ValueError):
                problem = "expected numbers by name"
                raise InputKindError(problem, parameter=name) from None
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
        warnings.warn(message, OrdlinkWarning, stacklevel=4)
