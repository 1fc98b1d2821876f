"""Comparisons stay as they are, and leave the caller's arrays alone."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from ordlink import Comparisons, Hierarchy, concatenate
from ordlink.comparisons import AnswerDetails, ListedComparisons, RankedComparisons
from ordlink.errors import BudgetExhaustedError, InputError, InputKindError


def test_the_callers_arrays_stay_writable() -> None:
    winners, losers = np.array([0], dtype=np.int32), np.array([1], dtype=np.int32)
    ranks, annotators = np.arange(3, dtype=np.int32), np.array(["ann"], dtype=object)

    listed = ListedComparisons(
        n_objects=3, winners=winners, losers=losers, details=AnswerDetails(annotators=annotators)
    )
    ranked = RankedComparisons(n_objects=3, ranks=ranks)

    winners[0] = losers[0] = ranks[0] = 2
    annotators[0] = "bob"
    for column in (listed.winners, listed.losers, listed.details.annotators, ranked.ranks):
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 2


@pytest.mark.parametrize("again", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_copies_are_frozen_too(again) -> None:
    listed = Comparisons.from_triplets([[0, 1, 2]] * 2, annotators=["a", "b"], counts=[1, 2])
    assert listed.tally.n_distinct == 1
    ranked = Comparisons.from_similarities(np.ones((3, 3)))
    tree = Hierarchy([[0, 1], [2, 3]])

    assert again(listed) == listed
    assert again(listed).tally.n_distinct == 1
    assert again(ranked) == ranked
    assert again(tree) == tree
    copied = again(listed)
    for column in (
        copied.winners,
        copied.counts,
        copied.details.annotators,
        again(ranked).ranks,
        again(tree).merges,
    ):
        assert not column.flags.writeable


def test_an_exhausted_budget_survives_pickling() -> None:
    comparisons = Comparisons.from_triplets([[0, 1, 2]])
    error = BudgetExhaustedError("too many", comparisons=comparisons, n_questions=7)

    again = pickle.loads(pickle.dumps(error))

    assert (str(again), again.comparisons, again.n_questions) == ("too many", comparisons, 7)


@pytest.mark.parametrize("n_objects", [np.uint8(60), np.int16(200), np.int32(60_000)])
def test_small_integers_as_number_of_objects_do_not_overflow(n_objects) -> None:
    last = int(n_objects) - 1

    answers = Comparisons.from_quadruplets([[0, 1, last - 1, last]], n_objects=n_objects)
    direct = ListedComparisons(n_objects=n_objects, winners=answers.winners, losers=answers.losers)

    for comparisons in (answers, direct):
        assert type(comparisons.n_objects) is int
        assert comparisons.quadruplets.tolist() == [[0, 1, last - 1, last]]


@pytest.mark.parametrize("n_objects", [3.5, "3", True, [3]])
def test_a_number_of_objects_that_is_none_is_refused(n_objects) -> None:
    with pytest.raises((InputError, InputKindError), match="n_objects: expected a whole number"):
        Comparisons.from_triplets([[0, 1, 2]], n_objects=n_objects)
    with pytest.raises((InputError, InputKindError), match="n_objects: expected a whole number"):
        RankedComparisons(n_objects=n_objects, ranks=np.arange(3, dtype=np.int32))


@pytest.mark.parametrize("objects", [[0, 0], [0, 9], [-1, 0], [0.0, 1.0], [[0, 1]], [], [[0], 1]])
def test_wrong_subsets_are_refused(objects) -> None:
    ranked = Comparisons.from_similarities(np.arange(16.0).reshape(4, 4) * 0)

    for comparisons in (ranked, ranked.listed()):
        with pytest.raises(InputError, match="objects: "):
            comparisons.subset(objects)


def test_ranked_comparisons_are_not_put_together() -> None:
    ranked = Comparisons.from_similarities(np.ones((3, 3)))

    for parts in ([ranked], [ranked.listed(), ranked]):
        with pytest.raises(InputKindError, match="listed one by one, got RankedComparisons"):
            concatenate(parts)


def test_rows_are_taken_by_slices_masks_and_numbers() -> None:
    rows = [[0, 1, 2], [1, 2, 0], [2, 0, 1]]
    comparisons = Comparisons.from_triplets(rows, annotators=["a", "b", "c"])
    assert comparisons.shape == (3,)

    for key in (slice(1, None), [1, 2], np.array([False, True, True]), (np.array([1, 2]), ...)):
        part = comparisons[key]
        assert part == Comparisons.from_triplets(rows[1:], annotators=["b", "c"])
    assert len(comparisons[[]]) == 0
    for wrong in (1, "a", [0.5], ([0], [1])):
        with pytest.raises(InputKindError, match="slice, a mask or an array"):
            comparisons[wrong]
