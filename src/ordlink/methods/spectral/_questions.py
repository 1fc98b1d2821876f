"""One row per question, in the order in which the questions first came up."""

from __future__ import annotations

import numpy as np

from ordlink._typing import Int32Array, Int64Array
from ordlink.comparisons import (
    AnswerDetails,
    ListedComparisons,
    Repeats,
    check_repeats,
    check_weights,
    n_pairs,
)


def one_row_per_question(comparisons: ListedComparisons, repeats: Repeats) -> ListedComparisons:
    """Return what the votes on each pair of pairs come to; exact ties are left out.

    The order does not depend on the objects' numbers, so that whatever is drawn by row is the same
    for the same answers about renumbered objects.

    Parameters
    ----------
    comparisons : ListedComparisons
        Answers, possibly repeated and contradicting each other.
    repeats : {"majority", "net"}
        Whether a question counts once, or as often as the winner has votes more than the loser.

    Examples
    --------
    >>> from ordlink import Comparisons
    >>> rows = [[2, 1, 0], [0, 1, 2], [2, 1, 0], [2, 1, 0]]
    >>> one_row_per_question(Comparisons.from_triplets(rows), "majority").quadruplets
    array([[1, 2, 0, 2],
           [0, 1, 0, 2]], dtype=int32)
    """
    check_repeats(repeats)
    majority = comparisons.tally.majority
    if majority is None:
        counts = None if repeats == "majority" else comparisons.counts
        return ListedComparisons(
            n_objects=comparisons.n_objects,
            winners=comparisons.winners,
            losers=comparisons.losers,
            names=comparisons.names,
            counts=counts,
            details=_answers_alone(comparisons.answer_ids),
            distinct=True,
        )
    n = n_pairs(comparisons.n_objects)
    keys, first = np.unique(_keys(comparisons.winners, comparisons.losers, n), return_index=True)
    first_row = first[np.searchsorted(keys, _keys(majority.winners, majority.losers, n))]
    order = np.argsort(first_row)
    counts = None
    if repeats == "net" and majority.net is not None:
        counts = np.minimum(majority.net[order], np.iinfo(np.int32).max).astype(np.int32)
    return ListedComparisons(
        n_objects=comparisons.n_objects,
        winners=majority.winners[order],
        losers=majority.losers[order],
        names=comparisons.names,
        counts=counts,
        details=_answers_alone(comparisons.answer_ids[first_row[order]]),
        distinct=True,
    )


def check_net_counts(comparisons: ListedComparisons) -> None:
    """Raise InputError if net counts are larger than any method takes them."""
    votes = comparisons.tally.majority
    winners, losers, net = (
        (comparisons.winners, comparisons.losers, comparisons.counts)
        if votes is None
        else (votes.winners, votes.losers, votes.net)
    )
    if net is not None:
        check_weights(net, winners, losers, comparisons.n_objects)


def _keys(winners: Int32Array, losers: Int32Array, n: int) -> Int64Array:
    """Return one number per pair of pairs, whoever won."""
    low, high = np.minimum(winners, losers), np.maximum(winners, losers)
    return low.astype(np.int64) * n + high


def _answers_alone(answer_ids: Int32Array) -> AnswerDetails:
    return AnswerDetails(answers=answer_ids)
