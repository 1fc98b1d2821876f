"""Which questions about three objects were asked, and how often each answer was given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ordlink._typing import AnyArray, BoolArray, FloatArray, Int32Array, Int64Array
from ordlink.comparisons import Comparisons, ListedComparisons, pair_members

_WIDEST = 50.0  # the largest variance of rates, see `expected_rates`


class Asked(NamedTuple):
    """Questions of one form."""

    questions: Int32Array  # (n_questions, 3): three objects
    votes: Int64Array  # (n_questions, 2 or 3): how often each answer was given
    rates: FloatArray  # (n_questions,): how often each is expected, 1 on average


@dataclass(frozen=True)
class Questions:
    """The answers by form; comparisons of four objects are in none."""

    shares: FloatArray  # (3,): of triplets, odd-one-out and most-central comparisons
    rates: FloatArray  # (N,): how often each object is asked about, 1 on average
    heads: FloatArray
    """(N, N): question (a, b, c), is a closer to b or to c, is expected at a rate of
    heads[a, b] x heads[a, c], 1 on average."""
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
        none = Asked(*no_rows, np.empty(0))
        return Questions(np.array([1.0, 0.0, 0.0]), np.ones(n), np.ones((n, n)), none, none, none)
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
    rates = expected_rates(named)
    a, b, c = anchor[plain], np.minimum(near, far)[plain], np.maximum(near, far)[plain]
    outcome = (near[plain] > far[plain]).astype(np.int64)
    triplets, heads = _ask_triplets(*_count((a, b, c), outcome, counts[plain], 2, n), rates)
    total = float(max(counts.sum(), 1))
    shares = [float(counts[one].sum()) / total for one in (odd, central)]
    choices = []
    for chosen, pairs in ((odd & first, winners), (central & first, losers)):
        triples = np.sort(np.stack([anchor, near, far], axis=1)[chosen], axis=1)
        pair = pairs[chosen].sum(axis=1)
        # ab, ac or bc by what is left of the sum: c, b or a
        outcome = np.argmax(triples[:, ::-1] == (triples.sum(axis=1) - pair)[:, None], axis=1)
        asked, votes = _count(tuple(triples.T), outcome, counts[chosen], 3, n)
        choices.append(Asked(asked, votes, rates[asked].prod(axis=1)))
    return Questions(np.array([1.0 - sum(shares), *shares]), rates, heads, triplets, *choices)


def expected_rates(counts: FloatArray) -> FloatArray:
    """Return the posterior mean rates of events, 1 on average, given their counts.

    Counts are Poisson variables. Their rates are gamma variables with mean 1, whose variance is the
    overdispersion of the counts.

    >>> expected_rates(np.array([10.0, 10.0, 0.0, 0.0])).round(1)
    array([1.8, 1.8, 0.2, 0.2])
    """
    mean = float(counts.mean())
    spread = _spread(counts, mean**2 * len(counts))
    return np.asarray((1.0 + spread * counts) / (1.0 + spread * mean))


def _ask_triplets(
    questions: Int32Array, votes: Int64Array, rates: FloatArray
) -> tuple[Asked, FloatArray]:
    """Return the triplets with their expected frequencies, and `Questions.heads`.

    People are often asked about objects that go together. How often b is shown with head a is a
    gamma variable, as in `expected_rates`, around what a as a head and b as an option make likely.
    """
    n = len(rates)
    asked = votes.sum(axis=1).astype(np.float64)
    total = float(asked.sum())
    if not total:
        return Asked(questions, votes, np.empty(0)), np.outer(np.sqrt(rates), rates)
    shown = np.zeros((n, n))  # how often an option came with a head
    for option in (1, 2):
        np.add.at(shown, (questions[:, 0], questions[:, option]), asked)
    as_head, as_option = shown.sum(axis=1) / 2, shown.sum(axis=0)
    of_heads, of_options = expected_rates(as_head), expected_rates(as_option)
    expected = np.outer(of_heads, of_options) * 2 * total / (n * (n - 1))
    np.fill_diagonal(expected, 0.0)
    spread = _spread(shown, (expected**2).sum())
    heads = expected * (1 + spread * shown) / (1 + spread * expected)
    # Over all pairs of options, the questions of a head add up to how often it is expected.
    pairs = (heads.sum(axis=1) ** 2 - (heads**2).sum(axis=1)) / 2
    heads *= np.sqrt(of_heads * total / n / np.maximum(pairs, 1e-300))[:, None]
    heads /= np.sqrt(total / (n * (n - 1) * (n - 2) / 2))
    head, one, other = questions.T
    return Asked(questions, votes, heads[head, one] * heads[head, other]), heads


def _spread(counts: FloatArray, sum_of_squares: float) -> float:
    """Return the variance of the rates of Poisson counts, in units of what was expected."""
    pairs = float((counts * (counts - 1.0)).sum())
    return min(max(pairs / sum_of_squares - 1.0, 0.0), _WIDEST) if sum_of_squares > 0.0 else 0.0


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
