"""Adaptive sampling: ask about the objects whose position in the tree is uncertain.

The tree of all answers gives the groups; trees of bootstrap samples show where they are uncertain.
For an object and a merge of two groups above it, the question is on which side the object belongs:
"is it more like one of these, or one of those?" Such questions are drawn where the bootstrap trees
disagree about the side, more often for larger groups, since mistakes near the root cost most. A
random question is about a small group only by luck; these are about it whenever it is uncertain.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ordlink._typing import FloatArray, Int32Array
from ordlink.collect.draws import DrawnQuestion, SamplerInput
from ordlink.collect.question_types import QuestionType
from ordlink.collect.trees import bootstrap_trees, build_tree
from ordlink.comparisons import ListedComparisons
from ordlink.hierarchy import Hierarchy

N_TREES = 8  # bootstrap trees
ANSWERS_PER_OBJECT = 8  # until there are so many, questions are random: the tree means little
LEAST_DOUBT = 0.05  # weight of a question on whose side all trees agree: they may all be wrong
GROUPS_PER_ROOT = 2.0  # number of groups, in units of the square root of the number of objects


@dataclass(frozen=True)
class Place:
    """An object, two groups that a merge joins, and how uncertain the object's side is."""

    item: int
    first: Int32Array  # without the object, as `second`
    second: Int32Array
    doubt: float  # 0 where all trees agree on the side, 1 where they are split evenly
    weight: float  # how often it is asked about


def is_tree_due(known: SamplerInput) -> bool:
    """Return whether there are enough answers for a useful tree."""
    return len(known.answers) >= ANSWERS_PER_OBJECT * known.n_objects


def sample_adaptively(
    known: SamplerInput, n_questions: int, rng: np.random.Generator
) -> list[DrawnQuestion]:
    """Return questions about objects whose position in the tree is uncertain."""
    places = _places_of(known)
    weights = np.array([place.weight for place in places])
    chosen = rng.choice(len(places), size=n_questions, p=weights / weights.sum())
    return [_question(places[one], known, rng) for one in chosen.tolist()]


_latest: list[tuple[ListedComparisons, str, list[Place]]] = []
"""The last result: trees take seconds, and several draws may know the same answers."""


def _places_of(known: SamplerInput) -> list[Place]:
    """Return the places in the tree of the known answers."""
    if _latest and _latest[0][0] is known.comparisons and _latest[0][1] == known.method:
        return _latest[0][2]
    rng = np.random.default_rng(len(known.answers))
    tree = build_tree(known.comparisons, known.method)
    others = bootstrap_trees(known.comparisons, known.method, N_TREES, rng)
    places = find_places(tree, others)
    _latest[:] = [(known.comparisons, known.method, places)]
    return places


def find_places(tree: Hierarchy, others: list[Hierarchy]) -> list[Place]:
    """Return every object with every merge above it that joins two groups of some size."""
    n_objects = tree.n_objects
    ranks = np.stack([other.lca_ranks() for other in others]).astype(np.float64)
    n_groups = min(n_objects, max(4, round(GROUPS_PER_ROOT * n_objects**0.5)))
    places: list[Place] = []
    for merge in range(n_objects - 2, n_objects - 1 - n_groups, -1):
        first, second = (tree.members(int(node)) for node in tree.merges[merge])
        if min(len(first), len(second)) < 2:
            places += _places_of_single(tree, merge, first, second, ranks)
            continue
        weight = (len(first) + len(second)) / n_objects
        for item in np.concatenate([first, second]).tolist():
            places.append(_place(item, first, second, ranks, weight))
    return places


def _places_of_single(
    tree: Hierarchy, merge: int, first: Int32Array, second: Int32Array, ranks: FloatArray
) -> list[Place]:
    """Return where an object that joins a group alone could belong within that group."""
    nodes = tree.merges[merge].tolist()
    single, group = (nodes[0], nodes[1]) if len(first) == 1 else (nodes[1], nodes[0])
    if group < tree.n_objects:
        return []
    inner = [tree.members(int(node)) for node in tree.merges[group - tree.n_objects]]
    weight = (len(first) + len(second)) / tree.n_objects
    return [_place(int(single), inner[0], inner[1], ranks, weight)]


def _place(
    item: int, first: Int32Array, second: Int32Array, ranks: FloatArray, weight: float
) -> Place:
    first, second = first[first != item], second[second != item]
    nearer = ranks[:, item, first].mean(axis=1) - ranks[:, item, second].mean(axis=1)
    doubt = 1 - abs(float(np.sign(nearer).mean()))
    return Place(item, first, second, doubt, weight * (LEAST_DOUBT + doubt))


def _question(place: Place, known: SamplerInput, rng: np.random.Generator) -> DrawnQuestion:
    objects = _objects(known.kind, known.n_objects, place, rng)
    size = len(place.first) + len(place.second) + 1
    return DrawnQuestion(objects, f"side in a group of {size}, doubt {place.doubt:.2f}")


def _objects(
    kind: QuestionType, n_objects: int, place: Place, rng: np.random.Generator
) -> tuple[int, ...]:
    """Return the objects of a question that asks on which side an object belongs."""
    item = place.item
    if kind.n_objects <= 4:
        one, other = int(rng.choice(place.first)), int(rng.choice(place.second))
        return (item, one, item, other) if kind.form == "quadruplet" else (item, one, other)
    n_options = kind.n_objects - 1
    half = rng.permutation(place.first)[: n_options // 2]
    rest = rng.permutation(place.second)[: n_options - len(half)]
    taken = np.concatenate([half, rest])
    free = np.setdiff1d(np.arange(n_objects), np.append(taken, item))
    filled = np.concatenate([taken, rng.permutation(free)[: n_options - len(taken)]])
    return (item, *filled.tolist())
