"""New objects and new answers for a tree, without building it again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ordlink._text import counted, listed
from ordlink._typing import AnyArray, FloatArray, Int32Array, Int64Array, Progress
from ordlink._validate import Seed, check_number, check_whole_number, random_generator
from ordlink.comparisons import Comparisons, ListedComparisons
from ordlink.errors import InputError, InputKindError
from ordlink.hierarchy import Hierarchy
from ordlink.methods.growing._choose import ask_about_places
from ordlink.methods.growing._places import Noise, Places, attach, fit_noise
from ordlink.oracles import AskOnce, Oracle

QUESTIONS_PER_BIT = 3.0  # default budget: so many times log2 N per new object
SURE = 0.95
_OBJECTS_FOR_NOISE = 20
_MOST_SWEEPS = 3


@dataclass(frozen=True, eq=False)
class Insertion:
    """A tree with new objects, and how certain their places are.

    Attributes
    ----------
    tree : Hierarchy
        The objects of the old tree keep their numbers and names; the new ones follow.
    objects : ndarray of shape (m,)
        Numbers of the new objects in `tree`.
    siblings : tuple of tuple of int
        The objects that each new one was put beside (at the time).
    probabilities : ndarray of shape (m,)
        Probability of exactly this place.
    groups : tuple of tuple of int
        The smallest cluster of the tree so far that contains the place with probability 0.95.
    n_answers : ndarray of shape (m,)
        Answers about each new object that were used.
    comparisons : ListedComparisons
        The answers, those of an oracle too.
    """

    tree: Hierarchy
    objects: Int64Array
    siblings: tuple[tuple[int, ...], ...]
    probabilities: FloatArray
    groups: tuple[tuple[int, ...], ...]
    n_answers: Int64Array
    comparisons: ListedComparisons


def insert(
    tree: Hierarchy,
    data: Comparisons | Oracle,
    *,
    budget: int | None = None,
    certainty: float = 0.95,
    seed: Seed = 0,
    progress: Progress | None = None,
) -> Insertion:
    """Return the tree with new objects at their places; the old part does not change.

    Parameters
    ----------
    tree : Hierarchy
        A tree of N objects.
    data : Comparisons or Oracle
        Answers about the new objects, or who answers. If it and the tree have names, objects are
        recognised by name; otherwise objects from N on are new.
    budget : int, optional
        Maximum number of questions to an oracle, by default 3 log2 N per new object.
    certainty : float
        Probability of a place at which questions about it stop.
    seed : int, numpy.random.Generator or None
        Random seed of the questions.
    progress : callable, optional
        Called with (questions asked, budget).

    Examples
    --------
    >>> import ordlink as ol
    >>> tree = ol.Hierarchy([[0, 1], [2, 3]], names=["ant", "bee", "cat"])
    >>> rows = [("dog", "cat", "ant"), ("cat", "dog", "bee"), ("dog", "cat", "bee")]
    >>> grown = tree.insert(ol.Comparisons.from_triplets(rows))
    >>> grown.tree.to_newick()
    '((ant:2,bee:2):1,(cat:1,dog:1):2);'
    """
    certainty = check_number(certainty, "certainty", lowest=0.5, highest=0.999999)
    names, numbers = _new_names(tree, data)
    n, m = tree.n_objects, len(numbers) - tree.n_objects
    if not m:
        problem = "there is no new object"
        raise InputError(problem, remedy="for new answers about known objects, use tree.update")
    if isinstance(data, Oracle):
        if budget is None:
            budget = int(QUESTIONS_PER_BIT * max(np.log2(n), 1.0) * m) + 1
        budget = check_whole_number(budget, "budget", lowest=0)
        asker, rng = AskOnce(data), random_generator(seed)
        ask_about_places(tree, asker, numbers, budget, certainty, rng, progress)
        answers = asker.comparisons()
    else:
        answers = _listed(data)
    return _insert_all(tree, answers, _tree_numbers(numbers, answers.n_objects), names)


def _insert_all(
    tree: Hierarchy,
    answers: ListedComparisons,
    tree_number: Int64Array,
    names: tuple[str, ...] | None,
) -> Insertion:
    rows = tree_number[answers.quadruplets].astype(np.int32)
    rows = rows[(rows >= 0).all(axis=1)]
    n = tree.n_objects
    new = np.arange(n, int(tree_number.max()) + 1)
    first = Places(tree)
    noise = _noise(first, rows, new[:_OBJECTS_FOR_NOISE])
    grown, siblings, groups = tree, [], []
    chances, n_answers = np.empty(len(new)), np.empty(len(new), dtype=np.int64)
    for k, i in enumerate(new.tolist()):
        places = Places(grown) if k else first
        own = _about(rows, i, i)
        probabilities = places.probabilities(places.differences(own, i), noise)
        node = places.descend(probabilities)
        siblings.append(tuple(grown.members(node).tolist()))
        groups.append(tuple(grown.members(_group(places, probabilities)).tolist()))
        chances[k], n_answers[k] = probabilities[places.position[node]], len(own)
        grown = attach(grown, node)
    parameters = {**tree.parameters, "n_inserted": len(new)}
    grown = grown.with_names(names).with_origin(tree.method or "insertion", parameters)
    return Insertion(grown, new, tuple(siblings), chances, tuple(groups), n_answers, answers)


def _group(places: Places, probabilities: FloatArray) -> int:
    """Return the smallest node that has the place at or below it almost certainly."""
    below = places.below(probabilities)
    likely = np.flatnonzero(below >= SURE)
    return int(likely[np.argmin(places.tree.sizes[likely])]) if len(likely) else places.n_nodes - 1


def _about(rows: Int32Array, i: int, n_known: int) -> Int32Array:
    """Return the answers about object i and otherwise objects before `n_known`."""
    chosen = (rows == i).any(axis=1) & ((rows < n_known) | (rows == i)).all(axis=1)
    return np.asarray(rows[chosen])


def _noise(places: Places, rows: Int32Array, objects: Int64Array) -> Noise:
    n = places.tree.n_objects
    own = [(i, _about(rows, i, n)) for i in objects.tolist()]
    return fit_noise(places, [places.differences(some, i) for i, some in own if len(some)])


def place_in_clusters(
    tree: Hierarchy, data: Comparisons | Oracle, labels: AnyArray, **options: object
) -> tuple[Insertion, AnyArray]:
    """Return the insertion, and the cluster of each new object, given those of the old ones.

    A new object belongs to the cluster of most of the objects that it was put beside.
    """
    found = insert(tree, data, **options)  # type: ignore[arg-type]
    known = np.asarray(labels).tolist()
    for sibling in found.siblings:
        known.append(int(np.bincount([known[j] for j in sibling]).argmax()))
    return found, np.array(known[tree.n_objects :], dtype=np.intp)


def update(tree: Hierarchy, comparisons: Comparisons) -> Hierarchy:
    """Return the tree after objects moved to where all these answers place them.

    Each object that the answers contradict is taken out and inserted again; the move is kept if the
    answers become likelier. So the tree changes only where it has to, and the work is small. Pass
    the earlier answers too: what they say is forgotten otherwise.

    Parameters
    ----------
    tree : Hierarchy
        The tree to start from.
    comparisons : Comparisons
        Answers about objects of the tree.

    Examples
    --------
    >>> import ordlink as ol
    >>> tree = ol.Hierarchy([[0, 1], [2, 3], [4, 5]])
    >>> c = ol.Comparisons.from_triplets([(0, 2, 1), (0, 3, 1), (2, 0, 1), (3, 0, 1)])
    >>> tree.update(c).to_newick()
    '(((0:1,2:1):1,3:2):1,1:3);'
    """
    answers = _listed(comparisons)
    _, numbers = _new_names(tree, answers)
    if len(numbers) > tree.n_objects:
        problem = f"{counted(len(numbers) - tree.n_objects, 'object')} not in the tree"
        raise InputError(problem, remedy="insert new objects first, with tree.insert")
    rows = _tree_numbers(numbers, answers.n_objects)[answers.quadruplets].astype(np.int32)
    noise, value = Noise(), _values(tree, rows, Noise()).sum()
    for _ in range(_MOST_SWEEPS):
        changed = False
        for i in _contradicted(tree, rows, noise):
            moved = _moved(tree, rows, i, noise)
            new_value = _values(moved, rows, noise).sum()
            if new_value > value + 1e-9:
                tree, value, changed = moved, new_value, True
        if not changed:
            break
    return tree


def _values(tree: Hierarchy, rows: Int32Array, noise: Noise) -> FloatArray:
    heights = Places(tree).heights
    ranks = tree.lca_ranks()
    a, b, c, d = rows.T
    won, lost = (heights[tree.n_objects + ranks[x, y]] for x, y in ((a, b), (c, d)))
    return noise.log_likelihood(lost - won)


def _contradicted(tree: Hierarchy, rows: Int32Array, noise: Noise) -> list[int]:
    """Return the objects of answers that the tree contradicts, most answers first."""
    against = rows[_values(tree, rows, noise) < np.log(0.5)]
    counts = np.bincount(against.ravel(), minlength=tree.n_objects)
    order = np.argsort(-counts, kind="stable")
    return [int(i) for i in order[counts[order] > 0]]


def _moved(tree: Hierarchy, rows: Int32Array, i: int, noise: Noise) -> Hierarchy:
    """Return the tree with object i at its likeliest place, given where all others are."""
    n = tree.n_objects
    if n < 3:
        return tree
    others = np.delete(np.arange(n), i)
    number = np.empty(n, dtype=np.int32)
    number[others], number[i] = np.arange(n - 1), n - 1
    places = Places(tree.restrict(others))
    own = number[rows[(rows == i).any(axis=1)]]
    probabilities = places.probabilities(places.differences(own, n - 1), noise)
    grown = attach(places.tree, int(places.nodes[probabilities.argmax()]))
    return (
        grown.restrict(number)
        .with_names(tree.names)
        .with_origin(tree.method or "insertion", tree.parameters)
    )


def _listed(data: object) -> ListedComparisons:
    if not isinstance(data, ListedComparisons):
        problem = f"expected answers (Comparisons) or an oracle, got {type(data).__name__}"
        raise InputKindError(problem, remedy="make them with Comparisons.from_triplets or others")
    return data


def _new_names(tree: Hierarchy, data: Any) -> tuple[tuple[str, ...] | None, Int64Array]:
    """Return the names of all objects, and the number in `data` of each (-1 if it has none)."""
    n = tree.n_objects
    if not isinstance(data, Comparisons | Oracle):
        _listed(data)
    given: Sequence[str] | None = getattr(data, "names", None)
    if tree.names is None or given is None:
        if data.n_objects < n:
            problem = f"expected at least {counted(n, 'object')}, as in the tree"
            raise InputError(f"{problem}, got {data.n_objects:,}")
        if tree.names is not None and data.n_objects > n:
            problem = "the tree has names, and the new objects have none"
            raise InputError(problem, remedy="give names to the objects of the answers")
        return tree.names, np.arange(data.n_objects)
    for names, where in ((tree.names, "the tree"), (given, "the answers")):
        if len(set(names)) < len(names):
            twice = sorted({name for name in names if list(names).count(name) > 1})
            problem = f"objects cannot be recognised: {where} has a name twice, {listed(twice)}"
            raise InputError(problem, remedy="give every object its own name")
    place = {name: k for k, name in enumerate(given)}
    if place.keys().isdisjoint(tree.names):
        problem = "no object of the answers is in the tree"
        raise InputError(problem, remedy="check that the names are spelled alike")
    known = set(tree.names)
    names = (*tree.names, *(name for name in given if name not in known))
    return names, np.array([place.get(name, -1) for name in names])


def _tree_numbers(numbers: Int64Array, n_given: int) -> Int64Array:
    """Return the number in the grown tree of each object of the data."""
    found = np.full(n_given, -1, dtype=np.int64)
    here = numbers >= 0
    found[numbers[here]] = np.flatnonzero(here)
    return found
