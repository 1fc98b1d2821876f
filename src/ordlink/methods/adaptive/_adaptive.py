"""The adaptive method: few, chosen questions in rounds, robust to wrong answers."""

from __future__ import annotations

import warnings
from typing import Literal

import numpy as np

from ordlink._text import counted
from ordlink._threads import one_blas_thread
from ordlink._typing import BoolArray, FloatArray, Int32Array, Int64Array, Progress
from ordlink._validate import Seed, check_choice, check_number, check_whole_number, random_generator
from ordlink.errors import OrdlinkWarning
from ordlink.hierarchy import Hierarchy
from ordlink.linkage import InitialPartition, initial_partition, link_by_average
from ordlink.methods.adaptive._better import better_tree, is_compared, reserve_for_choice
from ordlink.methods.adaptive._evenness import has_other_groups
from ordlink.methods.adaptive._groups import split_into_groups
from ordlink.methods.adaptive._heights import N_ROUNDS as ROUNDS_FOR_ORDER
from ordlink.methods.adaptive._heights import PER_SPLIT, Heights, order_of_splits
from ordlink.methods.adaptive._interview import Interview
from ordlink.methods.adaptive._levels import NOWHERE, SAMPLE, SplitTree
from ordlink.methods.adaptive._unsplit import LIKELY, link_unsplit
from ordlink.oracles import Oracle

Question = Literal["quadruplet", "triplet"]
QUESTIONS_PER_BIT = 5.0  # default budget: so many times log2 N per object
STAGES = ((0.05, 8), (0.02, 14), (0.005, 24), (0.001, 40), (0.001, 80))
"""Accepted probability of a wrong side, and questions per object to look for sides. A stage begins
when the one before has nothing more to ask, or less than the budget allows."""
MOST_LINKED = 128  # clusters between which strengths are estimated
_QUOTA = 0.5  # share of the budget left per round left below which the next stage begins
_SHARE_FOR_ORDER = 0.05
LOOK_SHARE, FEWEST_LOOKS = 0.1, 12
"""Share of the budget, and questions per object of the sample, that are asked to find two sides of
the root; if they are not even likely by then, groups of other kinds are looked for."""


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
    """Return the tree of splits from the root down, asking about what is still uncertain.

    To split a set in two, some of its objects are compared with each other at random; a two-class
    model gives their sides, and the split is firm if the sides predict answers about other pairs
    better than chance. Then, for each object i of the set, the method asks whether i is closer to
    a or to b, objects known to be on either side, until the side of i is certain. Clear objects
    take one or two questions, others more; wrong answers add a few. All sets share the same rounds.
    In the end, the order of merges follows from the strengths between the clusters, estimated from
    all answers.

    From 24 to 500 objects, a first look decides whether splits in two suit the objects. If a tenth
    of the budget (at least 768 questions) shows no likely sides, or if it shows a star or sides of
    very different sizes, most questions are random: the passive method spectral finds the groups
    of all answers, and at most half of the questions are chosen, about objects whose group is
    uncertain.

    Parameters
    ----------
    oracle : Oracle
        Answers the questions. To reuse the answers, wrap it in
        :class:`ordlink.oracles.AskOnce`, whose `comparisons()` has them all.
    partition : InitialPartition
        What to start from.
    progress : callable, optional
        Called with (questions asked, budget).
    budget : int, optional
        Maximum number of questions; by default 5 N log2 N. Fewer are asked if nothing is left to
        find out.
    certainty : float
        Probability of an object's side at which questions about it stop.
    question : {"quadruplet", "triplet"}
        "triplet" for oracles that only compare two pairs that share an object.
    max_rounds : int
        Maximum number of batches.
    seed : int, numpy.random.Generator or None
        Random seed.

    Returns
    -------
    Hierarchy
        Merges that are not firm have score NaN. `parameters` has `n_questions`, `n_rounds`,
        `n_firm_splits`, `largest_unsplit` (objects of the largest set without a firm split),
        `error_rate` (the estimated share of wrong answers, with splits in two) and, from 24 to 500
        objects, `chosen`: "groups", or "splits" or "spectral", of which random questions (8 % of
        the budget) have chosen the better one, with `held_out_accuracy` of both.
    """
    n = partition.n_slots
    if budget is None:
        budget = int(QUESTIONS_PER_BIT * n * np.log2(n)) + 1
    budget = check_whole_number(budget, "budget", lowest=0)
    max_rounds = check_whole_number(max_rounds, "max_rounds", lowest=ROUNDS_FOR_ORDER + 2)
    wrong = 1 - check_number(certainty, "certainty", lowest=0.5, highest=0.999999)
    check_choice(question, "question", ("quadruplet", "triplet"))
    with one_blas_thread():  # many small matrices, and the same result on any number of threads
        return _run(oracle, partition, budget, wrong, question, max_rounds, seed, progress)


def _run(
    oracle: Oracle,
    partition: InitialPartition,
    budget: int,
    wrong: float,
    question: Question,
    max_rounds: int,
    seed: Seed,
    progress: Progress | None,
) -> Hierarchy:
    rng = random_generator(seed)
    interview = Interview(oracle, partition, budget, rng, progress)
    tree = SplitTree(interview, rng)
    reserve_for_choice(interview)
    stages = [(max(error, wrong), looks) for error, looks in STAGES]
    if _ask_in_rounds(tree, interview, stages, max_rounds - ROUNDS_FOR_ORDER - 1):
        found, facts = _split_in_two(tree, interview, partition, question)
    else:
        found, facts = split_into_groups(interview, partition, question, max_rounds)
    if not facts["n_firm_splits"] and partition.n_slots > 2:
        message = (
            "no split of the objects predicts answers better than chance: there is no hierarchy, "
            f"or {counted(interview.n_questions, 'question')} are too few to detect it"
        )
        warnings.warn(message, OrdlinkWarning, stacklevel=4)
    facts = {**facts, "n_questions": interview.n_questions, "n_rounds": interview.n_rounds}
    return found.with_names(getattr(oracle, "names", None)).with_origin("adaptive", facts)


def _split_in_two(
    tree: SplitTree, interview: Interview, partition: InitialPartition, question: Question
) -> tuple[Hierarchy, dict[str, object]]:
    """Return the tree of splits in two, or that of `spectral` if it is better, and its facts."""
    tree.learn(len(interview.triplets), threshold=0.0)  # what is undecided goes where it may be
    splits = _two_sided(tree)
    heights = Heights(tree, interview)
    if question == "quadruplet" and len(splits) > 2:
        heights.ask_for_order(sorted(splits), interview.rng)
    merges = _merges(tree, interview, order_of_splits(tree, splits, heights.values), heights)
    found = partition.finish(*merges, names=None)
    found, choice = better_tree(found, interview, partition, question)
    return found, {
        **choice,
        "n_firm_splits": len(splits),
        "largest_unsplit": int(np.unique(_unsplit(tree), return_counts=True)[1].max()),
        "error_rate": round(heights.error_rate, 4),
    }


def _ask_in_rounds(
    tree: SplitTree, interview: Interview, stages: list[tuple[float, int]], max_rounds: int
) -> bool:
    """Ask until nothing is left to find out, or the budget or the rounds are used up.

    Return whether splits in two suit the objects. They do not if the sample of the root shows
    other groups, or no two sides.
    """
    stage = 0
    is_checked = not is_compared(interview.n_slots)
    most_looks = max(LOOK_SHARE * interview.budget, FEWEST_LOOKS * SAMPLE)

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
        if len(rows) > left:
            rows = interview.rng.permutation(rows)[:left]
        n_before = len(interview.triplets)
        if not interview.ask_triplets(rows):
            break
        tree.learn(n_before, np.log(1 / stages[stage][0] - 1))
        root = tree.nodes[0]
        if not is_checked and root.children is not None:
            is_checked = True
            if has_other_groups(np.flatnonzero(tree.levels[0].sampled), interview):
                return False
        elif not is_checked and interview.n_questions >= most_looks and root.score < LIKELY:
            return False
    return is_checked


def _two_sided(tree: SplitTree) -> set[int]:
    """Return the splits that have objects on both sides."""
    filled = {int(v) for level in tree.levels for v in np.unique(level.node)}
    return {
        v
        for v, node in enumerate(tree.nodes)
        if node.children and len(filled.intersection(node.children)) > 1
    }


def _unsplit(tree: SplitTree) -> Int32Array:
    """Return the deepest node of each slot."""
    deepest = tree.levels[0].node.copy()
    for level in tree.levels[1:]:
        inside = level.node != NOWHERE
        deepest[inside] = level.node[inside]
    return deepest


def _merges(
    tree: SplitTree, interview: Interview, order: list[int], heights: Heights
) -> tuple[Int32Array, FloatArray, BoolArray]:
    """Return merges as `InitialPartition.finish` takes them.

    First those inside unsplit sets, then the lower splits, then the clusters that the upper splits
    have left, by average linkage of the strengths between them.
    """
    pairs, tied = link_unsplit(_unsplit(tree), interview)
    smallest = np.full(len(tree.nodes), len(tree.levels[0].node))
    for level in tree.levels:
        inside = np.flatnonzero(level.node != NOWHERE)
        np.minimum.at(smallest, level.node[inside], inside)
    lower = order[: MOST_LINKED - 2 : -1] if len(order) >= MOST_LINKED else []
    children = np.array([tree.nodes[v].children for v in lower], dtype=np.int64).reshape(-1, 2)
    clusters = _clusters(tree, order[: MOST_LINKED - 1])
    n_clusters = int(clusters.max()) + 1
    upper, scores = np.empty((0, 2), dtype=np.int64), np.empty(0)
    if n_clusters > 1:
        linked = link_by_average(heights.between(clusters), initial_partition(n_clusters))
        upper, scores = _as_slots(linked, np.unique(clusters, return_index=True)[1]), linked.scores
    return (
        np.concatenate([pairs, np.sort(smallest[children], axis=1), upper]).astype(np.int32),
        np.concatenate([np.full(len(pairs), np.nan), heights.values[lower], scores]),
        np.concatenate([tied, np.zeros(len(lower) + len(upper), dtype=np.bool_)]),
    )


def _clusters(tree: SplitTree, splits: list[int]) -> Int64Array:
    """Return the clusters that these splits leave, numbered by their smallest slots."""
    found = np.zeros(len(tree.levels[0].node), dtype=np.int64)
    for level in tree.levels[1:]:
        of_split = [child for v in splits for child in tree.nodes[v].children or ()]
        here = np.isin(level.node, of_split)
        found[here] = level.node[here]
    return InitialPartition.of_labels(found).labels.astype(np.int64)


def _as_slots(linked: Hierarchy, slots: Int64Array) -> Int64Array:
    """Return the merges of a tree of clusters as pairs of their smallest slots (kept, gone)."""
    smallest = np.append(slots, np.zeros(len(slots) - 1, dtype=np.int64))
    for step, merged in enumerate(linked.merges):
        smallest[len(slots) + step] = smallest[merged].min()
    return np.sort(smallest[linked.merges], axis=1)
