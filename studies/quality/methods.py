"""The methods of the bench of quality: all that work on answers alone, on the same answers."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from ordlink._typing import FloatArray
from ordlink.comparisons import Comparisons
from ordlink.errors import OrdlinkWarning
from ordlink.hierarchy import Hierarchy
from ordlink.linkage import average_linkage
from ordlink.methods import cluster
from ordlink.methods.embedding import (
    Embedding,
    Metric,
    embedding_similarity,
    forte_embedding,
    soe_embedding,
    tste_embedding,
)
from studies.entrants import NO_SELF, Judge
from studies.running._experiment import Experiment, Parameters, Record

OURS = "spectral"
"""Our own method; all others are its rivals. None of them uses oracle clusters."""
OURS_VERSION = 7
"""To be raised whenever our method gives other trees: its cells alone then run again."""
OTHERS_VERSION = 1
"""The same for the others. Whoever changes what is drawn or measured raises both."""
DEFAULT = "auto"
"""What is used if no method is named."""
DEFAULT_VERSION = 2

PLAIN: dict[str, tuple[str, dict[str, Any]]] = {
    "4-AL": ("4-AL", {}),
    "4K-AL": ("4K-AL", {}),
    NO_SELF: ("4K-AL", {"self_comparisons": False}),
    "AddS-AL": ("AddS-AL", {}),
}
"""Name -> method of the table and its options."""
EMBEDDINGS: dict[str, Callable[..., Embedding]] = {
    "tSTE-AL": tste_embedding,
    "SOE-AL": soe_embedding,
    "FORTE-AL": forte_embedding,
}
DIMENSIONS = (2, 5)
METRICS: dict[Metric, str] = {"euclidean": "Euclidean", "cosine": "cosine"}
SLOW_UP_TO = 4_100_000
"""Most answers that embeddings are run on; they take minutes beyond."""


class Outcome(NamedTuple):
    """A tree, and the seconds of the processor that it took."""

    method: str
    tree: Hierarchy
    seconds: float


def plain_trees(comparisons: Comparisons, _seed: int) -> Iterator[Outcome]:
    """Yield the trees of the methods that embed nothing."""
    for name, (method, options) in PLAIN.items():
        yield timed(name, partial(cluster, comparisons, method, **options))


def embedding_trees(
    comparisons: Comparisons,
    seed: int,
    *,
    names: Sequence[str] = tuple(EMBEDDINGS),
    dimensions: Sequence[int] = DIMENSIONS,
) -> Iterator[Outcome]:
    """Yield the trees of one run of each embedding and dimension, linked with both metrics.

    The run counts for both trees.
    """
    for name in names:
        for dimension in dimensions:
            started = time.process_time()
            embed = EMBEDDINGS[name]
            points = embed(comparisons, n_components=dimension, n_init=1, seed=seed).points
            seconds = time.process_time() - started
            for metric, word in METRICS.items():
                outcome = timed(f"{name} {dimension}-D, {word}", partial(_link, points, metric))
                yield outcome._replace(seconds=outcome.seconds + seconds)


def other_trees(comparisons: Comparisons, seed: int) -> Iterator[Outcome]:
    """Yield the trees of all methods but ours."""
    yield from plain_trees(comparisons, seed)
    yield from embedding_trees(comparisons, seed)


def our_tree(comparisons: Comparisons, _seed: int) -> Iterator[Outcome]:
    """Yield the tree of our own method."""
    yield timed(OURS, partial(cluster, comparisons, OURS))


def default_tree(comparisons: Comparisons, _seed: int) -> Iterator[Outcome]:
    """Yield the tree of the default method."""
    yield timed(DEFAULT, partial(cluster, comparisons, DEFAULT))


METHOD_SETS: dict[str, Callable[..., Iterator[Outcome]]] = {
    "others": other_trees,
    "others, no embeddings": plain_trees,
    "ours": our_tree,
    "default": default_tree,
}
"""The methods of a cell. All sets of one setting and repetition see the same answers."""


def run_methods(methods: str, comparisons: Comparisons, seed: int, judge: Judge) -> list[Record]:
    """Return a record of every method of a set and every measure of its tree."""
    records: list[Record] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OrdlinkWarning)  # ties are counted, few answers intended
        for method, tree, seconds in METHOD_SETS[methods](comparisons, seed):
            shared = {
                "method": method,
                "n_comparisons": comparisons.n_comparisons,
                "n_tied_merges": tree.n_tied_merges,
                "seconds": round(seconds, 4),
            }
            records += [
                {**shared, "measure": measure, "value": float(value)}
                for measure, value in judge(tree).items()
            ]
    return records


def make_experiments(
    name: str,
    run: Callable[..., list[Record]],
    cells: Iterable[Mapping[str, Any]],
    cost: Callable[[Parameters], float],
) -> tuple[Experiment, Experiment]:
    """Return the experiment of the other methods and that of ours.

    Parameters
    ----------
    name : str
        Name of the group of cells.
    run : callable
        Runs one cell; takes `methods`, a name of METHOD_SETS, besides the cell's parameters.
    cells : iterable of mappings
        The parameters of each setting and repetition.
    cost : callable
        About how many seconds a cell takes.
    """
    cells = list(cells)
    others = [
        {**cell, "methods": "others" if _is_small(cell) else "others, no embeddings"}
        for cell in cells
    ]
    ours = tuple({**cell, "methods": "ours"} for cell in cells)
    return (
        Experiment(f"quality-{name}", OTHERS_VERSION, run, tuple(others), cost),
        Experiment(f"quality-{name}-ours", OURS_VERSION, run, ours, cost),
    )


def cost_of(methods: str, n_answers: float) -> float:
    """Return about how many seconds a set of methods takes on so many answers."""
    start, per_answer = {"others": (0.6, 5e-6), "ours": (0.5, 1.2e-5)}.get(methods, (0.2, 3e-7))
    return start + per_answer * n_answers


def _is_small(cell: Mapping[str, Any]) -> bool:
    return int(cell.get("n_answers", 0)) <= SLOW_UP_TO


def _link(points: FloatArray, metric: Metric) -> Hierarchy:
    return average_linkage(embedding_similarity(points, metric=metric))


def timed(method: str, make: Callable[[], Hierarchy]) -> Outcome:
    """Return the tree that is made, and the seconds that it took."""
    started = time.process_time()
    tree = make()
    return Outcome(method, tree, time.process_time() - started)
