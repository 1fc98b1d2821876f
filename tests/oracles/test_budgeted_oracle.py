"""The oracle that stops after a number of questions."""

import numpy as np
import pytest

from ordlink.errors import BudgetExhaustedError, InputError, InputKindError
from ordlink.methods import cluster
from ordlink.oracles import BudgetedOracle, SimilarityOracle

W = np.array([[0, 9, 5, 1], [9, 0, 5, 2], [5, 5, 0, 7], [1, 2, 7, 0]], dtype=float)


def test_questions_within_the_budget_are_answered_and_repeats_are_free():
    inner = SimilarityOracle(W)
    oracle = BudgetedOracle(inner, 2)

    first = oracle.compare([[0, 1, 2, 3], [0, 2, 0, 1]])
    again = oracle.compare([[2, 3, 1, 0], [0, 1, 0, 2], [0, 1, 2, 3]])

    assert first.tolist() == [1, -1]
    assert again.tolist() == [-1, 1, 1]
    assert (oracle.n_questions, oracle.n_questions_left, inner.n_questions) == (2, 0, 2)


def test_what_fits_is_asked_and_the_error_gives_all_that_was_learnt():
    inner = SimilarityOracle(W, names=["ant", "bee", "cat", "dog"])
    oracle = BudgetedOracle(inner, 3)
    oracle.compare([[0, 3, 0, 1]])

    with pytest.raises(BudgetExhaustedError, match="budget of 3 questions") as caught:
        oracle.compare([[0, 1, 0, 3], [0, 2, 1, 2], [2, 3, 1, 3], [0, 1, 2, 3]])

    learnt = caught.value.comparisons
    # w_02 = w_12 is a tie: it was asked and says nothing.
    assert learnt.quadruplets.tolist() == [[0, 1, 0, 3], [2, 3, 1, 3]]
    assert learnt.names == ("ant", "bee", "cat", "dog")
    assert caught.value.n_questions == 3 == inner.n_questions


def test_known_questions_are_answered_after_the_budget_ran_out():
    oracle = BudgetedOracle(SimilarityOracle(W), 1)
    with pytest.raises(BudgetExhaustedError):
        oracle.compare([[0, 1, 0, 2], [0, 1, 0, 3]])

    assert oracle.compare([[0, 2, 0, 1]]).tolist() == [-1]
    with pytest.raises(BudgetExhaustedError):
        oracle.compare([[0, 1, 0, 3]])


def test_linkage_stops_with_what_was_learnt():
    w = np.random.default_rng(0).normal(size=(20, 20))
    inner = SimilarityOracle(w + w.T)

    with pytest.raises(BudgetExhaustedError) as caught:
        cluster(BudgetedOracle(inner, 100), "SL")

    i, j, k, l = caught.value.comparisons.quadruplets.T  # noqa: E741
    assert len(i) == 100 == inner.n_questions
    assert ((w + w.T)[i, j] > (w + w.T)[k, l]).all()


@pytest.mark.parametrize("budget", [-1, 1.5, None])
def test_a_wrong_budget_is_refused(budget):
    with pytest.raises((InputError, InputKindError), match="budget"):
        BudgetedOracle(SimilarityOracle(W), budget)
