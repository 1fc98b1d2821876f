"""The oracle that stops after a number of questions."""

import contextlib

import numpy as np
import pytest

from ordlink.datasets import planted_hierarchy
from ordlink.errors import BudgetExhaustedError, InputError, InputKindError, OrdlinkWarning
from ordlink.linkage import initial_partition
from ordlink.methods import METHODS, cluster
from ordlink.oracles import (
    AskOnce,
    BudgetedOracle,
    FeatureOracle,
    FunctionOracle,
    RepeatedOracle,
    SimilarityOracle,
)

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


@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
def test_a_budget_that_runs_out_leaves_a_tree_of_more_than_65_535_objects():
    n_objects = 70_000
    positions = np.arange(n_objects, dtype=float)[:, None]
    oracle = BudgetedOracle(FeatureOracle(positions, "euclidean"), 1)
    oracle.compare([[n_objects - 1, n_objects - 2, 0, n_objects - 3]])

    tree = cluster(oracle, "4K-AL-act", seed=0)

    last = n_objects - 1
    assert oracle.comparisons().quadruplets.tolist() == [[last - 1, last, 0, last - 2]]
    assert (tree.method, tree.n_objects) == ("blocks", n_objects)


def test_known_questions_are_answered_after_the_budget_ran_out():
    oracle = BudgetedOracle(SimilarityOracle(W), 1)
    with pytest.raises(BudgetExhaustedError):
        oracle.compare([[0, 1, 0, 2], [0, 1, 0, 3]])

    assert oracle.compare([[0, 2, 0, 1]]).tolist() == [-1]
    with pytest.raises(BudgetExhaustedError):
        oracle.compare([[0, 1, 0, 3]])


def test_a_budget_that_runs_out_leaves_the_tree_of_the_answers_so_far():
    planted = planted_hierarchy(depth=2, leaf_size=5, gap=0.5, seed=0)
    w = planted.similarities
    inner = SimilarityOracle(w, names=planted.names)

    with pytest.warns(OrdlinkWarning, match="ran out after 300 questions, before CL was complete"):
        tree = cluster(BudgetedOracle(inner, 300), "CL")

    assert inner.n_questions == 300
    assert (tree.method, tree.names) == ("spectral", planted.names)
    assert (tree.parameters["asked_by"], tree.parameters["n_questions"]) == ("CL", 300)
    learnt = AskOnce(SimilarityOracle(w, names=planted.names))
    with contextlib.suppress(BudgetExhaustedError):
        METHODS["CL"].run(BudgetedOracle(learnt, 300), initial_partition(20, None))
    assert np.array_equal(tree.merges, cluster(learnt.comparisons(), "spectral").merges)


def test_a_budget_of_nothing_leaves_no_tree():
    with pytest.raises(BudgetExhaustedError, match="budget of 0 questions"):
        cluster(BudgetedOracle(SimilarityOracle(W), 0), "SL")


def test_each_vote_is_paid_for():
    calls = []
    inner = FunctionOracle(lambda *question: calls.append(question) or True, 4)
    oracle = BudgetedOracle(RepeatedOracle(inner, 3), 7)

    with pytest.raises(BudgetExhaustedError):
        oracle.compare([[0, 1, 0, 2], [0, 1, 0, 3], [0, 1, 1, 2]])

    assert (len(calls), oracle.n_questions, oracle.n_questions_left) == (6, 2, 0)


@pytest.mark.parametrize("budget", [-1, 1.5, None])
def test_a_wrong_budget_is_refused(budget):
    with pytest.raises((InputError, InputKindError), match="budget"):
        BudgetedOracle(SimilarityOracle(W), budget)
