"""Which answers are used: one row per question, random shares, held-out answers.

Rows stay in the order in which the questions first came up, which does not depend on the objects'
numbers: whatever is drawn by row is the same for the same answers about renumbered objects.
"""

from __future__ import annotations

import numpy as np

from ordlink._threads import in_threads, map_threads
from ordlink._typing import BoolArray, Int64Array, PairIdArray
from ordlink.comparisons import AnswerDetails, ListedComparisons, Repeats, check_weights, n_pairs

ROWS_PER_PAIR = 100  # more comparisons of a pair than this hardly tell more about it
OFTEN, MOST = 6, 0.9  # in so many comparisons must so large a share of the pairs be
_SEED = 20190102
FEW_ROWS = 100_000  # of so many, looking for repeated ones saves no time
_ROWS_PER_THREAD = 500_000


def one_row_per_question(comparisons: ListedComparisons, repeats: Repeats) -> ListedComparisons:
    """Return the outcome of the votes on each pair of pairs; exact ties are left out.

    >>> from ordlink import Comparisons
    >>> rows = [[2, 1, 0], [0, 1, 2], [2, 1, 0], [2, 1, 0]]
    >>> one_row_per_question(Comparisons.from_triplets(rows), "majority").quadruplets
    array([[1, 2, 0, 2],
           [0, 1, 0, 2]], dtype=int32)
    """
    winners, losers, net = comparisons.winners, comparisons.losers, comparisons.counts
    answers = comparisons.answer_ids
    again = np.flatnonzero(may_repeat(comparisons))
    repeated = comparisons if len(again) == len(winners) else comparisons.take(again)
    majority = repeated.tally.majority
    if majority is not None:
        first = again[_first_rows(repeated, majority.winners, majority.losers)]
        is_kept = np.ones(len(winners), dtype=bool)
        is_kept[again] = False
        is_kept[first] = True
        kept = np.flatnonzero(is_kept)
        winners, losers = winners.copy(), losers.copy()
        winners[first], losers[first] = majority.winners, majority.losers
        if net is not None or majority.net is not None:
            net = np.ones(len(winners), dtype=np.int32) if net is None else net.copy()
            votes = 1 if majority.net is None else majority.net
            net[first] = np.minimum(votes, np.iinfo(np.int32).max)
            net = net[kept]
        arrays = (winners, losers, answers)
        winners, losers, answers = map_threads(lambda array: array[kept], arrays)
    return ListedComparisons(
        n_objects=comparisons.n_objects,
        winners=winners,
        losers=losers,
        names=comparisons.names,
        counts=net if repeats == "net" else None,
        details=AnswerDetails(answers=answers),
        distinct=True,
    )


def may_repeat(comparisons: ListedComparisons) -> BoolArray:
    """Mark all rows that compare the same two pairs as another row, and few others; all of few."""
    from ordlink.methods.spectral._kernels_rows import fill_slots, mark_repeated

    n_rows, n = comparisons.n_rows, n_pairs(comparisons.n_objects)
    winners, losers = comparisons.winners, comparisons.losers
    again = np.full(n_rows, not comparisons.distinct)
    if comparisons.distinct or n_rows <= FEW_ROWS:
        return again
    slots = np.zeros(1 << n_rows.bit_length(), dtype=np.uint8)
    fill_slots(winners, losers, n, slots)

    def mark(first: int, last: int) -> None:
        rows = slice(first, last)
        mark_repeated(winners[rows], losers[rows], n, slots, again[rows])

    in_threads(mark, n_rows, smallest=_ROWS_PER_THREAD)
    return again


def check_net_counts(comparisons: ListedComparisons) -> None:
    """Raise InputError if net counts are larger than the methods accept."""
    votes = comparisons.tally.majority
    winners, losers, net = (
        (comparisons.winners, comparisons.losers, comparisons.counts)
        if votes is None
        else (votes.winners, votes.losers, votes.net)
    )
    if net is not None:
        check_weights(net, winners, losers, comparisons.n_objects)


def _first_rows(
    comparisons: ListedComparisons, winners: PairIdArray, losers: PairIdArray
) -> Int64Array:
    """Return the first row about each of these questions, which all occur once."""
    from ordlink.methods.spectral._kernels_rows import find_first_rows

    low, high = np.minimum(winners, losers), np.maximum(winners, losers)
    order = np.argsort(low, kind="stable")  # quick: they are in order already
    counts = np.bincount(low, minlength=n_pairs(comparisons.n_objects))
    starts = np.concatenate([[0], np.cumsum(counts)])
    first = np.empty(len(low), dtype=np.int64)
    find_first_rows(comparisons.winners, comparisons.losers, starts, high[order], first)
    rows = np.empty_like(first)
    rows[order] = first
    return rows


def thin_out(comparisons: ListedComparisons, n_rows: int) -> ListedComparisons:
    """Return all comparisons, or about `n_rows` of them from a random share of the answers."""
    if comparisons.n_rows <= n_rows:
        return comparisons
    return comparisons.take(held_out_rows(comparisons, n_rows / comparisons.n_rows, _SEED))


def thin_out_pairs(
    comparisons: ListedComparisons, per_pair: int = ROWS_PER_PAIR
) -> ListedComparisons:
    """Thin out the comparisons so that few pairs occur in many more than `per_pair`.

    A comparison with a pair that occurs in fewer is always kept; the others are kept with a
    probability that leaves about `per_pair` for the rarer of the two pairs.
    """
    winners, losers = comparisons.winners, comparisons.losers
    n = n_pairs(comparisons.n_objects)
    counts = np.bincount(winners, minlength=n) + np.bincount(losers, minlength=n)
    if counts.max(initial=0) <= per_pair:
        return comparisons
    fewest = np.minimum(counts[winners], counts[losers])
    kept = np.random.default_rng(_SEED).random(comparisons.n_rows) * fewest < per_pair
    return comparisons if kept.all() else comparisons.take(kept)


def held_out_rows(comparisons: ListedComparisons, share: float, seed: int) -> BoolArray:
    """Return which rows to hold out: about `share` of the answers, chosen by their order alone."""
    answer_of_row, n_answers = number_answers(comparisons)
    chosen = np.random.default_rng(seed).random(n_answers) < share
    return np.asarray(chosen[answer_of_row], dtype=bool)


def number_answers(comparisons: ListedComparisons) -> tuple[Int64Array, int]:
    """Return the answer of each row, numbered 0, 1, ... without gaps in their order; how many."""
    ids = comparisons.answer_ids
    occurs = np.zeros(int(ids.max(initial=-1)) + 1, dtype=bool)
    occurs[ids] = True
    return (np.cumsum(occurs) - 1)[ids], int(occurs.sum())


def are_often_compared(comparisons: ListedComparisons) -> bool:
    """Return whether most pairs occur in several comparisons."""
    n = n_pairs(comparisons.n_objects)
    counts = np.bincount(comparisons.winners, minlength=n)
    counts += np.bincount(comparisons.losers, minlength=n)
    return bool(np.mean(counts >= OFTEN) >= MOST)
