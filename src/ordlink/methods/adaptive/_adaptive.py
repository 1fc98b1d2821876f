"""The adaptive method: few chosen questions, asked in rounds, that bear wrong answers."""

from __future__ import annotations

import warnings
from typing import Literal

import numpy as np

from ordlink._text import counted
from ordlink._typing import AnyArray, BoolArray, FloatArray, Int32Array, Int64Array, Progress
from ordlink._validate import Seed, check_choice, check_number, check_whole_number, random_generator
from ordlink.errors import OrdlinkWarning
from ordlink.hierarchy import Hierarchy
from ordlink.linkage import InitialPartition
from ordlink.methods.adaptive._heights import PER_SPLIT, Heights, order_of_splits
from ordlink.methods.adaptive._heights import N_ROUNDS as ROUNDS_FOR_ORDER
from ordlink.methods.adaptive._interview import Interview
from ordlink.methods.adaptive._levels import NOWHERE, SplitTree
from ordlink.methods.adaptive._sides import find_sides
from ordlink.oracles import Oracle

Question = Literal["quadruplet", "triplet"]
QUESTIONS_PER_BIT = 5.0  # default budget: so many times log2 N per object
STAGES = ((0.05, 8), (0.02, 14), (0.005, 24), (0.001, 40), (0.001, 80))
"""Probability of a wrong side that is good enough, and questions per object to look for sides: a
stage begins when the one before has nothing more to ask, or less than the budget allows."""
LARGEST_LINKED = 1000  # objects of a set without a firm split that is split by its answers all the same
_QUOTA = 0.5  # share of the budget left per round left below which the next stage begins
_SHARE_FOR_ORDER = 0.05


def run(
    oracle: Oracle,
    partition: InitialPartition,
    *,
    progress: Progress | None = None,
    budget: int | None = None,
    certainty: float = 0.999,
    question: Question = "quadruplet",
    max_rounds: int = 40,
    seed: Seed = 0,
) -> Hierarchy:
    """Return the tree of splits from the root down, asking about what is still uncertain."""
    n = partition.n_slots
    if budget is None:
        budget = int(QUESTIONS_PER_BIT * n * np.log2(n)) + 1
    budget = check_whole_number(budget, "budget", lowest=0)
    max_rounds = check_whole_number(max_rounds, "max_rounds", lowest=ROUNDS_FOR_ORDER + 1)
    wrong = 1 - check_number(certainty, "certainty", lowest=0.5, highest=0.999999)
    check_choice(question, "question", ("quadruplet", "triplet"))
    rng = random_generator(seed)
    interview = Interview(oracle, partition, budget, rng, progress)
    tree = SplitTree(interview, rng)
    stages = [(max(error, wrong), looks) for error, looks in STAGES]
    _ask_in_rounds(tree, interview, stages, max_rounds - ROUNDS_FOR_ORDER)
    tree.learn(len(interview.triplets), threshold=0.0)  # what is undecided goes where it may be
    splits = _two_sided(tree)
    heights = Heights(tree, interview)
    if question == "quadruplet" and len(splits) > 2:
        heights.ask_for_order(sorted(splits), interview.n_left, rng)
    merges = _merges(tree, interview, order_of_splits(tree, splits, heights.values), heights.values)
    names = getattr(oracle, "names", None)
    sizes = _unsplit_sizes(tree)
    if not splits and n > 2:
        message = (
            "no split of the objects predicts answers beyond chance: there is no hierarchy, or "
            f"{counted(interview.n_questions, 'question')} are too few to see it"
        )
        warnings.warn(message, OrdlinkWarning, stacklevel=3)
    return partition.finish(*merges, names=names).with_origin(
        "adaptive",
        {
            "n_questions": interview.n_questions,
            "n_rounds": interview.n_rounds,
            "n_firm_splits": len(splits),
            "largest_unsplit": max(sizes),
            "error_rate": round(heights.error_rate, 4),
        },
    )


def _ask_in_rounds(
    tree: SplitTree, interview: Interview, stages: list[tuple[float, int]], max_rounds: int
) -> None:
    """Ask until nothing more can be told, or the budget or the rounds are used up."""
    stage = 0

    def wanted() -> Int64Array:
        error, looks = stages[stage]
        return tree.questions(np.log(1 / error - 1), looks)

    while interview.n_rounds < max_rounds:
        n_splits = sum(node.children is not None for node in tree.nodes)
        reserve = min(_SHARE_FOR_ORDER * interview.budget, PER_SPLIT * n_splits)
        left = int(interview.n_left - reserve)
        if left <= 0:
            break
        rows = wanted()
        while stage + 1 < len(stages) and (
            len(rows) < _QUOTA * left / (max_rounds - interview.n_rounds)
        ):
            stage += 1
            rows = np.concatenate([rows, wanted()])
        n_before = len(interview.triplets)
        if not interview.ask_triplets(rows):
            break
        tree.learn(n_before, np.log(1 / stages[stage][0] - 1))


def _two_sided(tree: SplitTree) -> set[int]:
    """Return the splits that have objects on both sides."""
    filled = {int(v) for level in tree.levels for v in np.unique(level.node)}
    return {v for v, node in enumerate(tree.nodes) if node.children and set(node.children) <= filled}


def _unsplit(tree: SplitTree) -> Int32Array:
    """Return the deepest node of each slot."""
    deepest = tree.levels[0].node.copy()
    for level in tree.levels[1:]:
        inside = level.node != NOWHERE
        deepest[inside] = level.node[inside]
    return deepest


def _unsplit_sizes(tree: SplitTree) -> list[int]:
    return np.unique(_unsplit(tree), return_counts=True)[1].tolist()


def _merges(
    tree: SplitTree, interview: Interview, order: list[int], heights: FloatArray
) -> tuple[Int32Array, FloatArray, BoolArray]:
    """Return merges as `InitialPartition.finish` takes them: inside unsplit sets, then the splits."""
    pairs, tied = _link_unsplit(_unsplit(tree), interview.triplets)
    smallest = np.full(len(tree.nodes), len(tree.levels[0].node))
    for level in tree.levels:
        inside = np.flatnonzero(level.node != NOWHERE)
        np.minimum.at(smallest, level.node[inside], inside)
    children = np.array([tree.nodes[v].children for v in reversed(order)], dtype=np.int64)
    splits = np.sort(smallest[children.reshape(-1, 2)], axis=1)
    return (
        np.concatenate([pairs, splits]).astype(np.int32),
        np.concatenate([np.full(len(pairs), np.nan), heights[order[::-1]]]),
        np.concatenate([tied, np.zeros(len(splits), dtype=np.bool_)]),
    )


def _link_unsplit(nodes: Int32Array, triplets: Int32Array) -> tuple[AnyArray, BoolArray]:
    """Return the merges inside sets without a firm split, small clusters first."""
    triplets = triplets[(nodes[triplets] == nodes[triplets[:, :1]]).all(axis=1)]
    triplets = triplets[np.argsort(nodes[triplets[:, 0]], kind="stable")]
    slots = np.argsort(nodes, kind="stable")
    found, starts = np.unique(nodes[slots], return_index=True)
    bounds = np.searchsorted(nodes[triplets[:, 0]], found)
    sets = zip(np.split(slots, starts[1:]), np.split(triplets, bounds[1:]), strict=True)
    merges: list[tuple[int, int, int, bool]] = []  # size, slots kept and gone, tied
    while (some := next(sets, None)) is not None:
        waiting = [(some[0], np.searchsorted(some[0], some[1]).astype(np.int32))]
        while waiting:
            waiting += _split_by_answers(*waiting.pop(), merges)
    merges.sort()
    columns = np.array(merges, dtype=np.int64).reshape(-1, 4)
    return columns[:, 1:3], columns[:, 3].astype(np.bool_)


def _split_by_answers(
    slots: Int64Array, triplets: Int32Array, merges: list[tuple[int, int, int, bool]]
) -> list[tuple[Int64Array, Int32Array]]:
    """Add the merge of the likeliest sides of a set, firm or not; return sides to split further.

    `triplets` number the slots of the set. Where answers tell nothing, a chain of ties is added.
    """
    n = len(slots)
    if n < 2:
        return []
    plus = np.zeros(n, dtype=np.bool_)
    if len(triplets) and n <= LARGEST_LINKED:
        plus = find_sides(triplets, n).evidence > 0
    if plus.all() or not plus.any():
        merges += [(k + 1, int(slots[0]), int(slots[k]), n > 2) for k in range(1, n)]
        return []
    sides = np.flatnonzero(plus), np.flatnonzero(~plus)
    kept, gone = sorted(int(slots[side[0]]) for side in sides)
    merges.append((n, kept, gone, False))
    parts = []
    for side in sides:
        inside = np.isin(triplets, side).all(axis=1)
        parts.append((slots[side], np.searchsorted(side, triplets[inside]).astype(np.int32)))
    return parts
