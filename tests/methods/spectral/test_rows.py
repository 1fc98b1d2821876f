"""Which answers spectral uses, against literal loops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordlink import Comparisons
from ordlink.comparisons import AnswerDetails, ListedComparisons
from ordlink.methods.spectral import _rows
from ordlink.methods.spectral._rows import may_repeat, number_answers, one_row_per_question

pytestmark = pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
triplets = st.permutations(range(4)).map(lambda objects: objects[:3])


@pytest.mark.parametrize("few_rows", [0, 1000])
@given(rows=st.lists(triplets, min_size=1, max_size=40))
def test_questions_come_in_the_order_in_which_they_are_first_asked(
    rows: list, few_rows: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_rows, "FEW_ROWS", few_rows)
        _check_questions(rows)


def _check_questions(rows: list) -> None:
    comparisons = Comparisons.from_triplets(rows, n_objects=4)
    votes: dict[tuple[int, int], int] = {}
    first: dict[tuple[int, int], int] = {}
    for row in range(comparisons.n_rows):
        winner, loser = int(comparisons.winners[row]), int(comparisons.losers[row])
        question = min(winner, loser), max(winner, loser)
        votes[question] = votes.get(question, 0) + (1 if winner < loser else -1)
        first.setdefault(question, row)
    decided = [question for question in first if votes[question]]

    found = one_row_per_question(comparisons, "net")

    winners = [question[0 if votes[question] > 0 else 1] for question in decided]
    assert found.winners.tolist() == winners
    assert found.losers.tolist() == [
        sum(question) - winner for question, winner in zip(decided, winners, strict=True)
    ]
    assert found.answer_ids.tolist() == [first[question] for question in decided]
    counts = [1] * found.n_rows if found.counts is None else found.counts.tolist()
    assert counts == [abs(votes[question]) for question in decided]


def test_rows_that_are_repeated_are_marked_whoever_won_and_few_others(monkeypatch) -> None:
    monkeypatch.setattr(_rows, "FEW_ROWS", 0)
    rng = np.random.default_rng(0)
    winners, losers = rng.choice(10**6, (2, 2000), replace=False).astype(np.int32)
    again = rng.choice(2000, 100, replace=False)
    rows = np.concatenate([winners, losers[again]]), np.concatenate([losers, winners[again]])
    comparisons = ListedComparisons(n_objects=2000, winners=rows[0], losers=rows[1])

    marked = may_repeat(comparisons)

    assert marked[again].all()
    assert marked[2000:].all()
    assert marked.sum() < 1000


@given(answers=st.lists(st.integers(0, 9), max_size=20))
def test_answers_are_numbered_without_gaps(answers: list[int]) -> None:
    ids = np.array(answers, dtype=np.int32)
    pairs = np.zeros(len(ids), dtype=np.int32)
    comparisons = ListedComparisons(
        n_objects=3, winners=pairs, losers=pairs + 1, details=AnswerDetails(answers=ids)
    )

    numbers, n_answers = number_answers(comparisons)

    expected = np.unique(ids, return_inverse=True)
    np.testing.assert_array_equal(numbers, expected[1].ravel())
    assert n_answers == len(expected[0])
