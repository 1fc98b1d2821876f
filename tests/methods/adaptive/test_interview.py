"""What is asked: new questions only, within the budget, about slots."""

from __future__ import annotations

import numpy as np
import pytest

from ordlink.linkage import initial_partition
from ordlink.methods.adaptive._interview import Interview
from ordlink.oracles import AskOnce, SimilarityOracle

LINE = -np.abs(np.subtract.outer(np.arange(9.0), np.arange(9.0) ** 1.1))
ROWS = np.array([[0, 1, 2], [0, 2, 1], [4, 8, 3], [5, 5, 1], [7, 6, 0]])


@pytest.fixture
def oracle() -> AskOnce:
    return AskOnce(SimilarityOracle((LINE + LINE.T) / 2))


def _interview(oracle, budget: int, clusters=None) -> Interview:
    partition = initial_partition(9, clusters)
    return Interview(oracle, partition, budget, np.random.default_rng(0), None)


def test_answers_are_rows_whose_first_option_is_closer(oracle) -> None:
    interview = _interview(oracle, 100)

    assert interview.ask_triplets(ROWS)

    assert sorted(interview.triplets.tolist()) == [[0, 1, 2], [4, 3, 8], [7, 6, 0]]
    assert interview.n_questions == oracle.n_questions == 3
    assert interview.is_new_pair(np.array([0, 1, 3, 4]), np.array([1, 2, 3, 5])).tolist() == [
        False,
        True,
        False,
        True,
    ]


def test_nothing_is_asked_twice(oracle) -> None:
    interview = _interview(oracle, 100)
    interview.ask_triplets(ROWS)

    assert not interview.ask_triplets(ROWS[:, [0, 2, 1]])
    assert (interview.n_rounds, len(interview.triplets)) == (1, 3)


def test_the_budget_is_never_exceeded(oracle) -> None:
    interview = _interview(oracle, 2)

    interview.ask_triplets(ROWS)
    rows, answers = interview.ask(np.array([[0, 8, 1, 7]]))

    assert (len(rows), len(answers), interview.n_left) == (0, 0, 0)
    assert oracle.n_questions == 2


def test_a_slot_is_asked_about_by_one_of_its_objects(oracle) -> None:
    interview = _interview(oracle, 100, [[0, 1, 2], [3, 4, 5], [6, 7, 8]])

    interview.ask_triplets(np.array([[0, 1, 2]]))

    assert interview.triplets.tolist() == [[0, 1, 2]]
    assert oracle.n_questions == 1
