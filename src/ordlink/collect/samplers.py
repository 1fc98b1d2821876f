"""Which question next: adaptive, random, or an active method of the paper as a plan.

An active method such as SL asks an oracle in batches. Here it runs on the answers that are known
and stops at the first batch that it lacks; participants are asked this batch, and it runs again.
So nothing has to be remembered between runs, and answers of a participant who was excluded or
withdrew are missing like any other.

Adaptive sampling asks about objects whose position in the tree is uncertain. For an object and a
merge of two groups above it: "is it more like one of these, or one of those?" Such questions are
drawn where bootstrap trees disagree about the side, more often for larger groups, since mistakes
near the root cost most. A random question is about a small group only by luck.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import sqlalchemy as sa

from ordlink._typing import AnyArray, FloatArray, Int8Array, Int32Array
from ordlink.collect.question_types import QuestionType
from ordlink.collect.schema import draw, question, read_objects, serving
from ordlink.collect.trees import bootstrap_trees, build_tree
from ordlink.comparisons import ListedComparisons, n_pairs, pair_members
from ordlink.errors import OrdlinkError
from ordlink.hierarchy import Hierarchy
from ordlink.linkage import initial_partition
from ordlink.methods import METHODS

SHARE = "share of random questions"
AT_ONCE = "random: no other question was ready"
TOO_FEW = "few answers yet: at random"
PASSIVE = "random passive sampling"
RANDOM_REASONS = (SHARE, AT_ONCE, TOO_FEW, PASSIVE)  # reasons of random questions
PLANS = ("SL", "CL", "4K-AL-act")  # the samplers that are plans
N_TREES = 8  # bootstrap trees
ANSWERS_PER_OBJECT = 8  # until there are so many, questions are random: the tree means little
LEAST_DOUBT = 0.05  # weight of a question on whose side all trees agree: they may all be wrong
GROUPS_PER_ROOT = 2.0  # number of groups, in units of the square root of the number of objects


@dataclass(frozen=True)
class DrawnQuestion:
    """Objects to ask about, and why."""

    objects: tuple[int, ...]  # in the order of the type; sides are drawn when it is shown
    reason: str
    n_people: int | None = None  # answers that a plan still needs; None: as the study says


@dataclass(frozen=True)
class Draw:
    """Questions that were drawn together, and the last answer and draw the sampler knew."""

    sampler: str
    seed: int
    last_answer: int
    last_draw: int
    questions: tuple[DrawnQuestion, ...]


@dataclass(frozen=True)
class SamplerInput:
    """The state of a study, as a sampler sees it."""

    kind: QuestionType
    n_objects: int
    comparisons: ListedComparisons
    answers: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = ()  # shown, choice
    n_people: int = 1  # to whom each question is shown
    waiting: set[tuple[int, ...]] = field(default_factory=set)  # drawn and not answered
    method: str = "tSTE-AL"
    plan_seed: int = 0  # of 4K-AL-act, the same for all draws of a study


def random_questions(
    kind: QuestionType, n_objects: int, n_questions: int, rng: np.random.Generator, reason: str
) -> tuple[DrawnQuestion, ...]:
    """Return random questions, all for the same reason."""
    rows = random_objects(kind, n_objects, n_questions, rng).tolist()
    return tuple(DrawnQuestion(tuple(row), reason) for row in rows)


def random_objects(
    kind: QuestionType, n_objects: int, n_questions: int, rng: np.random.Generator
) -> Int32Array:
    """Return the objects of random questions, one per row; pairs of a quadruplet may share one."""
    if kind.form == "quadruplet":
        first = rng.integers(0, n_pairs(n_objects), n_questions)
        second = rng.integers(0, n_pairs(n_objects) - 1, n_questions)
        second += second >= first
        pairs = [*pair_members(first, n_objects), *pair_members(second, n_objects)]
        return np.stack(pairs, axis=1).astype(np.int32)
    order = rng.random((n_questions, n_objects)).argpartition(kind.n_objects - 1, axis=1)
    rows = order[:, : kind.n_objects]
    return rng.permuted(rows, axis=1).astype(np.int32)


def read_waiting(connection: sa.Connection) -> set[tuple[int, ...]]:
    """Return the objects of questions that wait for participants or for an answer."""
    is_open = sa.select(serving.c.question_id).where(
        serving.c.status == "open", serving.c.question_id.is_not(None)
    )
    rows = connection.scalars(
        sa.select(question.c.objects).where(
            sa.or_(question.c.n_served < question.c.n_wanted, question.c.id.in_(is_open))
        )
    )
    return set(map(read_objects, rows))


def read_last_draw(connection: sa.Connection, sampler: str | None = None) -> int:
    """Return the id of the last draw, of one sampler or of any; 0 if there is none."""
    query = sa.select(sa.func.max(draw.c.id))
    if sampler is not None:
        query = query.where(draw.c.sampler == sampler)
    return int(connection.scalar(query) or 0)


def draw_questions(
    sampler: str, known: SamplerInput, n_questions: int, *, seed: int, random_share: float
) -> tuple[DrawnQuestion, ...]:
    """Return questions; the same arguments give the same questions."""
    rng = np.random.default_rng(seed)
    kind, n_objects = known.kind, known.n_objects
    if sampler == "random":
        return random_questions(kind, n_objects, n_questions, rng, PASSIVE)
    if sampler == "adaptive" and len(known.answers) < ANSWERS_PER_OBJECT * n_objects:
        return random_questions(kind, n_objects, n_questions, rng, TOO_FEW)
    if sampler in PLANS:
        return _draw_plan(sampler, known, n_questions, seed, random_share)
    is_random = rng.random(n_questions) < random_share
    own = sample_adaptively(known, int((~is_random).sum()), rng)
    mixed = [*own, *random_questions(kind, n_objects, n_questions - len(own), rng, SHARE)]
    return tuple(mixed[place] for place in rng.permutation(len(mixed)))


def _draw_plan(
    method: str, known: SamplerInput, n_questions: int, seed: int, random_share: float
) -> tuple[DrawnQuestion, ...]:
    """Return what a plan asks, mixed with random questions, until the plan has to wait."""
    places, rng = (np.random.default_rng([seed, part]) for part in range(2))
    is_random = places.random(n_questions) < random_share
    own = _plan_questions(method, known, int((~is_random).sum()))
    if not own:
        return ()
    too_many = np.cumsum(~is_random) > len(own)
    is_random = is_random[: int(too_many.argmax())] if too_many.any() else is_random
    n_shared = int(is_random.sum())
    shared = iter(random_questions(known.kind, known.n_objects, n_shared, rng, SHARE))
    asked = iter(own)
    return tuple(next(shared) if one else next(asked) for one in is_random)


def _plan_questions(method: str, known: SamplerInput, n_questions: int) -> list[DrawnQuestion]:
    """Return what an active method asks next; nothing once it is done."""
    options = {"seed": known.plan_seed} if method == "4K-AL-act" else {}
    oracle = KnownAnswers(known)
    try:
        METHODS[method].run(oracle, initial_partition(known.n_objects), **options)
    except _AnswersNeeded as stopped:
        missing = [tuple(row) for row in stopped.questions.tolist()]
        new = [row for row in missing if row not in known.waiting]
        reason = f"{method} needs this answer, one of {len(missing)} at this point"
        return [
            DrawnQuestion(row, reason, known.n_people - oracle.n_votes(row))
            for row in new[:n_questions]
        ]
    return []


class _AnswersNeeded(OrdlinkError):
    """The method cannot continue without answers to these questions."""

    def __init__(self, questions: Int32Array) -> None:
        super().__init__(f"{len(questions)} answers are needed")
        self.questions = questions


class KnownAnswers:
    """An oracle that answers by majority vote, once enough participants have answered."""

    def __init__(self, known: SamplerInput) -> None:
        self.n_objects = known.n_objects
        self._n_people = known.n_people
        self._votes: dict[tuple[int, ...], list[int]] = {}
        for shown, choice in known.answers:
            key, sign = standard_order(shown)
            vote = 0 if not choice else (sign if choice[0] == 0 else -sign)
            self._votes.setdefault(key, []).append(vote)

    def n_votes(self, question: tuple[int, ...]) -> int:
        """Return how many participants answered a question in standard order."""
        return len(self._votes.get(question, ()))

    def compare(self, quadruplets: AnyArray, /) -> Int8Array:
        """Return the known answers, or stop if one is missing."""
        keys = [standard_order(tuple(row)) for row in quadruplets.tolist()]
        missing = {key: None for key, _ in keys if self.n_votes(key) < self._n_people}
        if missing:
            raise _AnswersNeeded(np.array(list(missing), dtype=np.int32))
        return np.sign([sum(self._votes[key]) * sign for key, sign in keys]).astype(np.int8)


def standard_order(row: tuple[int, ...]) -> tuple[tuple[int, ...], int]:
    """Return two pairs in standard order, and -1 if this swapped them."""
    first, second = tuple(sorted(row[:2])), tuple(sorted(row[2:]))
    return (first + second, 1) if first < second else (second + first, -1)


@dataclass(frozen=True)
class Place:
    """An object, two groups that a merge joins, and how uncertain the object's side is."""

    item: int
    first: Int32Array  # without the object, as `second`
    second: Int32Array
    doubt: float  # 0 where all trees agree on the side, 1 where they are split evenly
    weight: float  # how often it is asked about


def sample_adaptively(
    known: SamplerInput, n_questions: int, rng: np.random.Generator
) -> list[DrawnQuestion]:
    """Return questions about objects whose position in the tree is uncertain."""
    places = _places_of(known)
    weights = np.array([place.weight for place in places])
    chosen = rng.choice(len(places), size=n_questions, p=weights / weights.sum())
    questions = []
    for place in (places[one] for one in chosen.tolist()):
        size = len(place.first) + len(place.second) + 1
        reason = f"uncertain side in a group of {size} (uncertainty {place.doubt:.2f})"
        questions.append(DrawnQuestion(_objects(known.kind, known.n_objects, place, rng), reason))
    return questions


# The last result: trees take seconds, and several draws may know the same answers.
_latest: list[tuple[ListedComparisons, str, list[Place]]] = []


def _places_of(known: SamplerInput) -> list[Place]:
    """Return the places in the tree of the known answers."""
    if _latest and _latest[0][0] is known.comparisons and _latest[0][1] == known.method:
        return _latest[0][2]
    rng = np.random.default_rng(len(known.answers))
    others = bootstrap_trees(known.comparisons, known.method, N_TREES, rng)
    n_shown = np.bincount(
        [one for shown, _ in known.answers for one in set(shown)], minlength=known.n_objects
    )
    new = np.flatnonzero(n_shown < ANSWERS_PER_OBJECT)
    places = find_places(build_tree(known.comparisons, known.method), others, new)
    _latest[:] = [(known.comparisons, known.method, places)]
    return places


def find_places(
    tree: Hierarchy, others: list[Hierarchy], new: AnyArray | tuple[()] = ()
) -> list[Place]:
    """Return every object with every merge above it that joins two groups of some size.

    `new` are objects with few answers so far, such as stimuli added to a running study: their
    positions in the trees mean little, so they are asked about at every merge.
    """
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
        for item in np.setdiff1d(np.concatenate([first, second]), new).tolist():
            places.append(_place(item, first, second, ranks, weight))
        for item in new:
            sides = first[first != item], second[second != item]
            places.append(Place(int(item), *sides, 1.0, weight * (LEAST_DOUBT + 1.0)))
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
