"""Folds: whole answers, whole people, the same for everybody."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordlink import Comparisons
from ordlink.errors import InputError, InputKindError
from ordlink.validation import assign_folds


def answers(n, **options):
    rng = np.random.default_rng(0)
    rows = np.array([rng.permutation(8)[:3] for _ in range(n)])
    return Comparisons.from_most_central(rows, n_objects=8, **options)


@given(st.integers(2, 7), st.integers(7, 40), st.integers(0, 5))
def test_answers_stay_whole_and_folds_are_equally_large(n_folds, n_answers, seed):
    comparisons = answers(n_answers)

    folds = assign_folds(comparisons, n_folds, seed=seed)

    ids = comparisons.answer_ids
    assert all(len(set(folds[ids == answer])) == 1 for answer in set(ids.tolist()))
    sizes = np.bincount(folds, minlength=n_folds)
    assert sizes.max() - sizes.min() <= 2  # one answer, two comparisons


def test_people_stay_whole_where_they_are_known():
    people = [f"p{k % 10}" for k in range(60)]
    comparisons = answers(60, annotators=people)

    folds = assign_folds(comparisons, 5)

    who = comparisons.details.annotators
    assert all(len(set(folds[who == person])) == 1 for person in set(people))
    assert np.bincount(folds).tolist() == [24] * 5


def test_answers_of_nobody_in_particular_go_by_themselves():
    people = ["", *[f"p{k % 5}" for k in range(20)], *[""] * 9]
    comparisons = answers(30, annotators=people)

    folds = assign_folds(comparisons, 2, by_annotator=True)

    assert len(set(folds[comparisons.details.annotators == ""].tolist())) == 2


def test_few_people_do_not_make_folds():
    comparisons = answers(30, annotators=["p1", "p2", "p3"] * 10)

    by_answers = assign_folds(comparisons, 5)

    np.testing.assert_array_equal(by_answers, assign_folds(comparisons, 5, by_annotator=False))
    with pytest.raises(InputError, match="at most 3, the number of annotators"):
        assign_folds(comparisons, 5, by_annotator=True)


def test_large_people_are_spread_over_the_folds():
    people = np.repeat(["a", "b", "c", "d"], [20, 10, 5, 5])
    comparisons = answers(40, annotators=people)

    folds = assign_folds(comparisons, 2)

    assert np.bincount(folds).tolist() == [40, 40]


def test_seeds_give_different_folds_and_the_same_seed_the_same():
    comparisons = answers(40)

    first, again, other = (assign_folds(comparisons, seed=seed) for seed in (0, 0, 1))

    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_what_cannot_be_split_is_refused():
    with pytest.raises(InputKindError, match=r"comparisons\.sample"):
        assign_folds(Comparisons.from_similarities(np.eye(4)))
    with pytest.raises(InputKindError, match="got list"):
        assign_folds([[0, 1, 2]])
    with pytest.raises(InputError, match="at least 2, got 1"):
        assign_folds(answers(10), 1)
    with pytest.raises(InputError, match="whole number"):
        assign_folds(answers(10), 2.5)
    with pytest.raises(InputError, match="at most 3, the number of answers"):
        assign_folds(answers(3), 4)
    with pytest.raises(InputError, match="got none"):
        assign_folds(answers(10), by_annotator=True)
