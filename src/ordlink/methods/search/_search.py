"""Our own method: the tree with the largest expected agreement with new answers."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from ordlink._threads import n_threads, one_blas_thread, run_parts
from ordlink._typing import AnyArray, BoolArray, FloatArray, Int32Array, Progress
from ordlink._validate import Seed, check_whole_number, seed_number
from ordlink.comparisons import Comparisons, ListedComparisons
from ordlink.errors import InputError, InputKindError, OrdlinkWarning
from ordlink.hierarchy import Hierarchy
from ordlink.linkage import (
    InitialPartition,
    average_linkage,
    grow_parts,
    order_of_appearance,
    permute_objects,
    restore_objects,
)
from ordlink.methods.search._folds import Fits, fit_pool
from ordlink.methods.search._models import LABELS, Pool, fit_models
from ordlink.methods.search._questions import count_questions

MOST_OBJECTS = 500
"""The table of all triples of more objects would not fit."""
N_SWEEPS = 30
MOST_RUNS = 10
_MANY_OBJECTS = 150  # with more, there are fewer sweeps
_STEPS = 6e7  # of all runs together, for one sweep
_GREEDY_SWEEPS = 6
_WARMTH = 0.3  # the first temperature, in units of the mean gain of a triple times N
_TIE = 1e-9  # relative difference below which another topology is as good

Note = dict[str, Any]


def run(
    comparisons: Comparisons,
    partition: InitialPartition,
    *,
    progress: Progress | None = None,
    max_iter: int | None = None,
    n_init: int | None = None,
    model_weights: Mapping[str, float] | None = None,
    seed: Seed = 0,
) -> Hierarchy:
    """Return the tree with the largest expected agreement with new answers.

    A mixture of models predicts each answer about three objects: t-STE in 2, 3, 5 and 8 dimensions,
    Bradley-Terry strengths of pairs, and the trees of tSTE-AL, 4-AL, 4K-AL, AddS-AL and spectral.
    Their weights maximise the likelihood of held-out answers, or are given as `model_weights`, such
    as those in the parameters of an earlier tree; models without a weight are not fitted. The
    predictions are a prior, worth one answer, that the answers about the same three objects update.
    Questions are weighted by how often they are expected to be asked: more often about objects that
    were often shown together.

    The search is simulated annealing: subtrees are pruned and grafted elsewhere, with probability
    proportional to exp(agreement / T), for a temperature T that falls to 0, in `max_iter` sweeps
    over all subtrees (by default up to 30, fewer for more objects). The best of `n_init` such runs
    is kept (by default up to 10, fewer for more objects). Ctrl-C ends the search with the best tree
    so far, and a warning.

    The score of a merge is the probability that a pair across its two clusters is more similar than
    a random pair; merges are in the order of their scores. A merge is marked as tied if another
    topology of the same three clusters agrees equally well.
    """
    if max_iter is not None:
        max_iter = check_whole_number(max_iter, "max_iter", lowest=0)
    if n_init is not None:
        n_init = check_whole_number(n_init, "n_init", lowest=1)
    if comparisons.n_objects > MOST_OBJECTS:
        problem = f"search takes at most {MOST_OBJECTS} objects, got {comparisons.n_objects:,}"
        raise InputError(problem, remedy="use spectral")
    effort = {"n_sweeps": max_iter, "n_init": n_init, "seed": seed_number(seed)}
    weights = None if model_weights is None else check_weights(model_weights)
    grow_part = partial(_grow_one, weights=weights, effort=effort, progress=progress)
    tree, notes = grow(comparisons, partition, grow_part)
    return tree.with_origin("search", {"model_weights": notes[0]})


def grow(
    comparisons: Comparisons,
    partition: InitialPartition,
    grow_part: Callable[..., tuple[Hierarchy, Note]],
) -> tuple[Hierarchy, list[Note]]:
    """Return the tree and a note on each part; nothing depends on how objects are numbered."""
    with one_blas_thread():
        if not isinstance(comparisons, ListedComparisons):
            tree, note = grow_part(comparisons, partition)
            return tree, [note]
        order = order_of_appearance(comparisons)
        own = InitialPartition.of_labels(partition.labels[order])
        tree, notes = grow_parts(permute_objects(comparisons, order), own, grow_part)
        return restore_objects(tree, order, comparisons.names), notes


def _grow_one(
    comparisons: Comparisons,
    partition: InitialPartition,
    *,
    weights: Mapping[str, float] | None,
    effort: dict[str, Any],
    progress: Progress | None,
) -> tuple[Hierarchy, Note]:
    """Return the tree of one part, and the weights of its models."""
    fits = fit(comparisons, partition, effort["seed"], part_of(progress, 0.0, 0.6), weights)
    tree = search(comparisons, partition, fits.pool, **effort, progress=part_of(progress, 0.6, 1.0))
    return tree, weights_of(fits.pool)


def fit(
    comparisons: Comparisons,
    partition: InitialPartition,
    seed: int,
    progress: Progress | None = None,
    weights: Mapping[str, float] | None = None,
) -> Fits:
    """Return the models with their weights, the given ones or those of held-out answers."""
    if weights is None and isinstance(comparisons, ListedComparisons):
        return fit_pool(comparisons, partition, seed, progress)
    models = fit_models(comparisons, partition, seed, weights)
    given = [(weights or {}).get(label, 0.0) for label in models.labels]
    return Fits(Pool(models, np.array(given) if any(given) else np.ones(len(given))), [])


def check_weights(weights: object) -> dict[str, float]:
    """Return the positive weights of models by name; their sum is at most 1."""
    if not isinstance(weights, Mapping):
        problem = f"expected weights by name of the model, got {type(weights).__name__}"
        raise InputKindError(problem, parameter="model_weights")
    unknown = [label for label in weights if label not in LABELS]
    if unknown:
        problem = f"unknown model {unknown[0]!r}; the models are {', '.join(LABELS)}"
        raise InputError(problem, parameter="model_weights")
    found = {label: float(weight) for label, weight in weights.items()}
    if not all(np.isfinite(weight) and weight >= 0 for weight in found.values()):
        raise InputError("expected weights of at least 0", parameter="model_weights")
    if not any(found.values()):
        raise InputError("expected a weight above 0", parameter="model_weights")
    total = max(sum(found.values()), 1.0)
    return {label: weight / total for label, weight in found.items() if weight}


def weights_of(pool: Pool) -> Note:
    """Return the weights of the models by name."""
    return dict(zip(pool.models.labels, np.round(pool.weights, 4).tolist(), strict=True))


def part_of(progress: Progress | None, start: float, stop: float) -> Progress | None:
    """Return the progress of a part of the work, from one share of it to another."""
    if progress is None:
        return None
    return lambda done, total: progress(round(100 * (start + (stop - start) * done / total)), 100)


def search(
    comparisons: Comparisons,
    partition: InitialPartition,
    pool: Pool,
    *,
    n_sweeps: int | None = None,
    n_init: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
    may_stop: bool = True,
) -> Hierarchy:
    """Return the tree that agrees best with what the models expect.

    Ctrl-C returns the best tree so far if it `may_stop`.
    """
    near = _mean_by_slot(pool.similarities, partition)
    n = partition.n_slots
    if n < 3:
        pairs = np.array([[0, 1]] * (n - 1), dtype=np.int32).reshape(-1, 2)
        scores, tied = near[pairs[:, 0], pairs[:, 1]], np.zeros(len(pairs), dtype=bool)
        return partition.finish(pairs, scores, tied, names=comparisons.names)
    gains = _contract(expected_gains(comparisons, pool), partition)
    if n_sweeps is None:
        n_sweeps = round(N_SWEEPS * min(1.0, _MANY_OBJECTS / n) ** 2)
    effort = {"n_sweeps": n_sweeps, "n_init": n_init or _runs(n), "seed": seed}
    children, root = search_tree(gains, near, **effort, progress=progress, may_stop=may_stop)
    parts = order_merges(gains, near, partition.sizes, children, root)
    return partition.finish(*parts, names=comparisons.names)


def expected_gains(comparisons: Comparisons, pool: Pool) -> AnyArray:
    """Return the gains (N, N, N), dtype float32, of all triples; see `_kernels.py`."""
    from ordlink.methods.search._kernels import add_choices, add_triplets, fill_gains

    n = comparisons.n_objects
    gains = np.zeros((n, n, n), dtype=np.float32)
    asked = count_questions(comparisons)
    models = pool.models.odds, pool.models.ranks, pool.weights
    every = (*models, asked.shares, asked.rates, asked.heads, gains)
    threads = n_threads()
    run_parts(lambda part: fill_gains(*every, part, threads), threads)
    if len(asked.triplets.questions):  # otherwise the kernel need not be compiled
        add_triplets(*models, asked.shares[0], *asked.triplets, gains)
    for sign, share, answered in ((1.0, 1, asked.closest), (-1.0, 2, asked.farthest)):
        if len(answered.questions):
            add_choices(*models, sign, asked.shares[share], *answered, gains)
    return gains


def search_tree(
    gains: AnyArray,
    strengths: FloatArray,
    *,
    n_sweeps: int,
    n_init: int,
    seed: int,
    progress: Progress | None = None,
    may_stop: bool = True,
) -> tuple[Int32Array, int]:
    """Return the children of each node, (2 n, 2), and the root: the best tree of all runs.

    Every run starts from average linkage of the strengths.
    """
    from ordlink.methods.search._kernels import sweep

    n = len(gains)
    start = _arrays_of(average_linkage(strengths))
    rng = np.random.default_rng([seed, 1])
    state = rng.integers(1, 2**62, size=1)
    warmth = _WARMTH * float(np.abs(gains).sum(dtype=np.float64)) / n**2
    found, best = (start[0], 2 * n - 2), 0.0
    last = *found, best
    n_all = n_init * (n_sweeps + _GREEDY_SWEEPS)
    try:
        for run_number in range(n_init):
            (children, parents), root, total = (one.copy() for one in start), 2 * n - 2, 0.0
            for done in range(n_sweeps + _GREEDY_SWEEPS):
                picks = rng.permutation(2 * n - 1).astype(np.int32)
                passed = done + np.arange(len(picks)) / len(picks)
                left = np.maximum(1.0 - passed / max(n_sweeps, 1), 0.0)
                root, gain = sweep(gains, root, children, parents, picks, warmth * left**2, state)
                total += gain
                last = children.copy(), root, total  # whole, whenever Ctrl-C comes
                if progress is not None:
                    progress(run_number * (n_sweeps + _GREEDY_SWEEPS) + done + 1, n_all)
                if done >= n_sweeps and gain <= 1e-9 * abs(total):
                    break
            if total > best:
                found, best = (children, root), total
    except KeyboardInterrupt:
        if not may_stop:
            raise
        message = "interrupted; returning the best tree so far"
        warnings.warn(message, OrdlinkWarning, stacklevel=2)
        if last[2] > best:
            found = last[:2]
    if progress is not None:
        progress(n_all, n_all)
    return found


def _runs(n_objects: int) -> int:
    """Return how many runs take about a second: one is enough only where triples are many."""
    return int(np.clip(_STEPS / (2.0 * n_objects**3 * np.log2(n_objects)), 1, MOST_RUNS))


def order_merges(
    gains: AnyArray, strengths: FloatArray, sizes: AnyArray, children: Int32Array, root: int
) -> tuple[Int32Array, FloatArray, BoolArray]:
    """Return merges as `InitialPartition.finish` takes them: pairs, scores, tie marks.

    A merge comes before another one if its mean strength across is larger, but after the merges
    inside its own clusters.
    """
    n = len(gains)
    members: dict[int, list[int]] = {}
    heights: dict[int, float] = dict.fromkeys(range(n), -np.inf)
    across: dict[int, float] = {}
    tied: dict[int, bool] = {}
    for v in reversed(_from_the_root_down(children, root, n)):
        if v < n:
            members[v] = [v]
            continue
        a, b = children[v].tolist()
        block, weight = (
            np.ix_(members[a], members[b]),
            np.outer(sizes[members[a]], sizes[members[b]]),
        )
        across[v] = float((strengths[block] * weight).sum() / weight.sum())
        heights[v] = max(-across[v], heights[a], heights[b])
        members[v] = sorted(members[a] + members[b])
        for part, other in ((a, b), (b, a)):
            if part >= n:
                one, two = (members[c] for c in children[part].tolist())
                tied[part] = _is_tied(gains, one, two, members[other])
    tied[root] = False
    order = sorted(across, key=lambda v: (heights[v], len(members[v]), members[v][0]))
    pairs = [sorted(members[c][0] for c in children[v].tolist()) for v in order]
    return (
        np.array(pairs, dtype=np.int32),
        np.array([across[v] for v in order]),
        np.array([tied[v] for v in order]),
    )


def _is_tied(gains: AnyArray, a: list[int], b: list[int], c: list[int]) -> bool:
    """Return whether ac|b or bc|a is as good as ab|c for three neighbouring clusters."""
    for one, other in ((a, b), (b, a)):
        block = gains[np.ix_(one, other, c)].astype(np.float64)
        if block.sum() <= _TIE * np.abs(block).sum():
            return True
    return False


def _from_the_root_down(children: Int32Array, root: int, n: int) -> list[int]:
    nodes, waiting = [], [root]
    while waiting:
        v = waiting.pop()
        nodes.append(v)
        if v >= n:
            waiting.extend(children[v].tolist())
    return nodes


def _arrays_of(tree: Hierarchy) -> tuple[Int32Array, Int32Array]:
    """Return the children (2 n, 2) and the parent of each node, -1 where there is none."""
    n = tree.n_objects
    children = np.full((2 * n, 2), -1, dtype=np.int32)
    parents = np.full(2 * n, -1, dtype=np.int32)
    children[n : 2 * n - 1] = tree.merges
    parents[tree.merges] = np.arange(n, 2 * n - 1, dtype=np.int32)[:, None]
    return children, parents


def _mean_by_slot(strengths: FloatArray, partition: InitialPartition) -> FloatArray:
    return partition.contract(strengths) / np.outer(partition.sizes, partition.sizes)


def _contract(gains: AnyArray, partition: InitialPartition) -> AnyArray:
    """Return the sums of the gains over the triples of objects within three slots."""
    if partition.n_slots == partition.n_objects:
        return gains
    for axis in range(3):
        shape = list(gains.shape)
        shape[axis] = partition.n_slots
        sums = np.zeros(shape, dtype=np.float32)
        np.add.at(np.moveaxis(sums, axis, 0), partition.labels, np.moveaxis(gains, axis, 0))
        gains = sums
    return gains
