"""What all oracles do: checks, standard form, counting."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordlink.errors import InputError, InputKindError
from ordlink.oracles import (
    AskOnce,
    BudgetedOracle,
    FunctionOracle,
    NoisyOracle,
    Oracle,
    SimilarityOracle,
)

W = np.array([[0, 9, 5, 1], [9, 0, 6, 2], [5, 6, 0, 9], [1, 2, 9, 0]], dtype=float)


@st.composite
def questions(draw, n_objects=4):
    pairs = st.lists(st.integers(0, n_objects - 1), min_size=2, max_size=2, unique=True)
    first = draw(pairs)
    second = draw(pairs.filter(lambda pair: set(pair) != set(first)))
    return [*first, *second]


@given(st.lists(questions(), min_size=1, max_size=20))
def test_a_question_turned_round_gets_the_opposite_answer(rows):
    oracle = SimilarityOracle(W)
    turned = [[*row[2:], row[1], row[0]] for row in rows]

    answers = oracle.compare(np.array(rows))

    assert np.array_equal(oracle.compare(np.array(turned)), -answers)
    assert answers.dtype == np.int8
    assert answers.tolist() == [np.sign(W[row[0], row[1]] - W[row[2], row[3]]) for row in rows]
    assert oracle.n_questions == len(
        {frozenset([frozenset(row[:2]), frozenset(row[2:])]) for row in rows}
    )


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[0, 1, 2, 3], [0, 4, 1, 2]], r"row 1: \(0, 4, 1, 2\) names an unknown object; there are"),
        ([[0, 1, 2, -1]], r"row 0: .* unknown object"),
        ([[0, 1, 2, 3], [0, 1, 2, 2]], r"row 1: .* pairs an object with itself"),
        ([[0, 1, 1, 0]], r"row 0: .* compares a pair with itself"),
        ([[0, 1, 2]], r"shape \(m, 4\), got shape \(1, 3\)"),
        ([0, 1, 2, 3], r"got shape \(4,\)"),
    ],
)
def test_what_is_no_question_is_refused(rows, message):
    with pytest.raises(InputError, match=message):
        SimilarityOracle(W).compare(np.array(rows))


def test_fractions_are_no_objects():
    with pytest.raises(InputKindError, match="whole numbers, got dtype float64"):
        SimilarityOracle(W).compare([[0.0, 1.0, 2.0, 3.0]])


def test_an_empty_batch_gets_no_answer():
    assert SimilarityOracle(W).compare(np.empty((0, 4), dtype=int)).shape == (0,)
    assert AskOnce(SimilarityOracle(W)).compare(np.empty((0, 4), dtype=int)).shape == (0,)


def test_anything_with_two_members_is_an_oracle():
    class Mine:
        n_objects = 3

        def compare(self, quadruplets):
            return np.zeros(len(quadruplets))

    assert isinstance(Mine(), Oracle)
    assert isinstance(SimilarityOracle(W), Oracle)
    assert not isinstance(W, Oracle)


@pytest.mark.parametrize(
    ("n_objects", "error"), [(0, InputError), (2.5, InputError), (True, InputKindError)]
)
def test_a_wrong_number_of_objects_is_refused(n_objects, error):
    with pytest.raises(error, match="n_objects"):
        FunctionOracle(lambda *question: 0, n_objects)


def test_a_wrapper_refuses_what_is_no_oracle_and_keeps_names():
    named = SimilarityOracle(W, names=["ant", "bee", "cat", "dog"])

    assert NoisyOracle(named, 0.1).names == ("ant", "bee", "cat", "dog")
    with pytest.raises(InputKindError, match="expected an oracle"):
        NoisyOracle(W, 0.1)


def test_asking_once_asks_distinct_new_questions_in_order():
    heard = []

    class Mine:
        n_objects = 4

        def compare(self, quadruplets):
            heard.append(quadruplets.tolist())
            return np.ones(len(quadruplets), dtype=np.int8)

    once = AskOnce(Mine())
    first = once.compare([[2, 3, 0, 1], [0, 1, 0, 2], [1, 0, 3, 2]])
    second = once.compare([[0, 2, 0, 1], [1, 2, 1, 3]])

    assert heard == [[[0, 1, 2, 3], [0, 1, 0, 2]], [[1, 2, 1, 3]]]
    assert first.tolist() == [-1, 1, 1]
    assert second.tolist() == [-1, 1]
    assert once.n_questions == 3
    assert once.comparisons().quadruplets.tolist() == [[0, 1, 0, 2], [0, 1, 2, 3], [1, 2, 1, 3]]


def test_the_number_of_objects_and_the_budget_cannot_be_changed() -> None:
    oracle = BudgetedOracle(SimilarityOracle(np.eye(4)), 5)

    for name in ("n_objects", "names", "budget"):
        with pytest.raises(AttributeError):
            setattr(oracle, name, 7)
