"""Which questions about three objects were asked, and how often each answer was given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ordlink._typing import AnyArray, BoolArray, FloatArray, Int32Array, Int64Array
from ordlink.comparisons import Comparisons, ListedComparisons, pair_members

_WIDEST = 10.0  # the largest variance of G, see `expected_rates`


class Asked(NamedTuple):
    """Questions of one form."""

    questions: Int32Array  # (n_questions, 3): three objects
    votes: Int64Array  # (n_questions, 2 or 3): how often each answer was given
    rates: FloatArray  # (n_questions, 2): how often each is expected: if unasked, as it was asked
    unasked: float  # the part of the expected rate that is left of questions that were not asked


@dataclass(frozen=True)
class Questions:
    """The answers by form; comparisons of four objects are in none."""

    shares: FloatArray  # (3,): of triplets, odd-one-out and most-central comparisons
    rates: FloatArray  # (N,): how often each object is asked about, 1 on average
    triplets: Asked  # rows (a, b, c) with b < c; votes for b, for c
    closest: Asked  # rows a < b < c; votes that ab, ac, bc is closest
    farthest: Asked  # the same for the farthest pair: most central


def count_questions(comparisons: Comparisons) -> Questions:
    """Return the votes on each question about three objects.

    Two comparisons of one answer that share the winner are an odd one out, two that share the loser
    a most central one. All others count as triplets, those of four objects without votes.

    >>> asked = count_questions(Comparisons.from_most_central([[1, 0, 2], [1, 0, 2], [2, 0, 1]]))
    >>> asked.shares, asked.farthest.questions, asked.farthest.votes
    (array([0., 0., 1.]), array([[0, 1, 2]], dtype=int32), array([[1, 2, 0]]))
    """
    n = comparisons.n_objects
    if not isinstance(comparisons, ListedComparisons):
        no_rows = np.empty((0, 3), dtype=np.int32), np.empty((0, 2), dtype=np.int64)
        none = Asked(*no_rows, np.empty((0, 2)), 1.0)
        return Questions(np.array([1.0, 0.0, 0.0]), np.ones(n), none, none, none)
    rows = comparisons.n_rows
    counts = np.ones(rows, np.int64) if comparisons.counts is None else comparisons.counts
    won, lost = comparisons.winners, comparisons.losers
    odd, central, first = _choices(comparisons)
    winners, losers = (np.stack(pair_members(pairs, n), axis=1) for pairs in (won, lost))
    anchor = np.full(rows, -1, dtype=np.int64)
    near, far = anchor.copy(), anchor.copy()
    for x in (0, 1):
        for y in (0, 1):
            same = (winners[:, x] == losers[:, y]) & (anchor < 0)
            anchor[same] = winners[same, x]
            near[same], far[same] = winners[same, 1 - x], losers[same, 1 - y]
    plain = ~odd & ~central & (anchor >= 0)
    named = np.zeros(n)
    for objects in (anchor, near, far):
        named += np.bincount(objects[anchor >= 0], counts[anchor >= 0], n)
    for objects in (*winners[anchor < 0].T, *losers[anchor < 0].T):
        named += np.bincount(objects, counts[anchor < 0], n)
    rates = expected_rates(named, named.mean(), named.mean() ** 2, n)[0]
    a, b, c = anchor[plain], np.minimum(near, far)[plain], np.maximum(near, far)[plain]
    outcome = (near[plain] > far[plain]).astype(np.int64)
    triplets = _ask(*_count((a, b, c), outcome, counts[plain], 2, n), rates, 3)
    total = float(max(counts.sum(), 1))
    shares = [float(counts[one].sum()) / total for one in (odd, central)]
    choices = []
    for chosen, pairs in ((odd & first, winners), (central & first, losers)):
        triples = np.sort(np.stack([anchor, near, far], axis=1)[chosen], axis=1)
        pair = pairs[chosen].sum(axis=1)
        # ab, ac or bc by what is left of the sum: c, b or a
        outcome = np.argmax(triples[:, ::-1] == (triples.sum(axis=1) - pair)[:, None], axis=1)
        choices.append(_ask(*_count(tuple(triples.T), outcome, counts[chosen], 3, n), rates, 1))
    return Questions(np.array([1.0 - sum(shares), *shares]), rates, triplets, *choices)


def expected_rates(
    counts: FloatArray, mean: float, mean_square: float, n_possible: int
) -> tuple[FloatArray, float]:
    """Return the rate of each thing that came up so often, and of one that never did.

    Counts are Poisson numbers. Their rates are gamma variables with mean 1, as spread out as the
    counts are beyond Poisson numbers with this mean and mean square of what was expected; rates
    given the counts come back. Things that never came up are among the `n_possible` only.

    >>> rates, unseen = expected_rates(np.array([10.0, 10.0]), 5.0, 25.0, 4)
    >>> rates.round(1), round(unseen, 1)
    (array([1.8, 1.8]), 0.2)
    """
    pairs = float((counts * (counts - 1.0)).sum()) / max(n_possible, 1)
    spread = min(max(pairs / mean_square - 1.0, 0.0), _WIDEST) if mean_square > 0.0 else 0.0
    unseen = 1.0 / (1.0 + spread * mean)
    return (1.0 + spread * counts) * unseen, unseen


def _ask(questions: Int32Array, votes: Int64Array, rates: FloatArray, n_heads: int) -> Asked:
    """Return the questions with how often each is expected; three objects have `n_heads`."""
    n = len(rates)
    n_possible = n_heads * n * (n - 1) * (n - 2) // 6
    asked = votes.sum(axis=1).astype(np.float64)
    mean = float(asked.sum()) / max(n_possible, 1)
    by_objects = float(np.mean(rates**2)) ** 3
    found, unasked = expected_rates(asked, mean, mean**2 * by_objects, n_possible)
    both = np.stack([np.full(len(found), unasked), found], axis=1)
    return Asked(questions, votes, rates[questions].prod(axis=1)[:, None] * both, unasked)


def _choices(comparisons: ListedComparisons) -> tuple[BoolArray, BoolArray, BoolArray]:
    """Return which rows belong to an odd one out, to a most central one, and are its first row."""
    answers = np.unique(comparisons.answer_ids, return_inverse=True)[1].ravel()
    order = np.argsort(answers, kind="stable")
    sizes = np.bincount(answers)
    two = np.flatnonzero(sizes == 2)
    one, other = order[(np.cumsum(sizes) - sizes)[two]], order[(np.cumsum(sizes) - 1)[two]]
    odd, central, first = (np.zeros(comparisons.n_rows, dtype=bool) for _ in range(3))
    for marks, shared, rest in (
        (odd, comparisons.winners, comparisons.losers),
        (central, comparisons.losers, comparisons.winners),
    ):
        alike = (shared[one] == shared[other]) & (rest[one] != rest[other])
        alike &= _about_three(comparisons, one, other)
        marks[one[alike]] = marks[other[alike]] = True
        first[one[alike]] = True
    return odd, central, first


def _about_three(comparisons: ListedComparisons, one: AnyArray, other: AnyArray) -> BoolArray:
    """Return whether the comparisons of two rows are about three objects in all."""
    rows = comparisons.quadruplets
    both = np.sort(np.concatenate([rows[one], rows[other]], axis=1), axis=1)
    return np.asarray((np.diff(both, axis=1) > 0).sum(axis=1) == 2)


def _count(
    columns: tuple[AnyArray, ...], outcome: AnyArray, counts: AnyArray, n_outcomes: int, n: int
) -> tuple[Int32Array, Int64Array]:
    """Return the distinct rows (a, b, c) and the votes for each outcome."""
    a, b, c = columns
    keys = (a.astype(np.int64) * n + b) * n + c
    distinct, question = np.unique(keys, return_inverse=True)
    places = question.ravel() * n_outcomes + outcome
    votes = np.bincount(places, counts, len(distinct) * n_outcomes).astype(np.int64)
    rows = np.stack([distinct // (n * n), distinct // n % n, distinct % n], axis=1)
    return rows.astype(np.int32), votes.reshape(-1, n_outcomes)
