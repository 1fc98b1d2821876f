"""SL and CL that repeat their questions."""

from __future__ import annotations

import numpy as np
import pytest

import ordlink as ol
from ordlink.errors import InputKindError
from ordlink.methods.active._votes import AskUntilLead
from ordlink.oracles import FunctionOracle, NoisyOracle, SimilarityOracle

pytestmark = pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")


class Counting:
    def __init__(self, answers) -> None:
        self.n_objects, self._answers, self.n_asked = 3, iter(answers), 0

    def compare(self, quadruplets):
        self.n_asked += len(quadruplets)
        return np.array([next(self._answers) for _ in quadruplets], dtype=np.int8)


@pytest.mark.parametrize(
    ("answers", "votes", "expected"),
    [
        ([1], 1, 1),
        ([1, -1, 1, 1], 2, 1),
        ([-1, 1, -1, -1], 2, -1),
        ([0, 0, 0], 3, 0),
        ([0, 1, 0, 1], 2, 1),
        ([1, -1] * 25, 2, 0),
    ],
)
def test_a_question_is_repeated_until_an_answer_leads(answers, votes, expected) -> None:
    oracle = Counting(answers)

    answer = AskUntilLead(oracle, votes).compare(np.array([[0, 1, 0, 2]]))

    assert answer.tolist() == [expected]
    assert oracle.n_asked == len(answers)


@pytest.mark.parametrize("method", ["SL", "CL"])
def test_votes_bear_wrong_answers(method: str) -> None:
    planted = ol.datasets.planted_hierarchy(depth=3, leaf_size=8, gap=1.0, noise=0.1, seed=0)
    quality = []
    for votes in (1, 3):
        oracle = NoisyOracle(SimilarityOracle(planted.similarities), 0.05, seed=1)
        tree = ol.cluster(oracle, method, votes=votes)
        quality.append(ol.metrics.aari(planted.levels, tree))

    assert quality[0] < 0.95 <= quality[1]


@pytest.mark.parametrize("method", ["SL", "CL"])
def test_votes_change_nothing_where_answers_are_right(method: str) -> None:
    upper = np.triu(np.random.default_rng(0).normal(size=(12, 12)), 1)
    similarities = upper + upper.T

    assert ol.cluster(similarities, method, votes=3) == ol.cluster(similarities, method)


def test_the_number_of_votes_is_checked() -> None:
    with pytest.raises(ol.errors.InputError, match="votes"):
        ol.cluster(FunctionOracle(lambda *_: 1, 3), "SL", votes=0)


@pytest.mark.parametrize("method", ["SL", "CL"])
def test_an_oracle_that_remembers_is_refused(method: str) -> None:
    memory = ol.oracles.AskOnce(ol.oracles.SimilarityOracle(np.eye(4)))

    with pytest.raises(InputKindError, match="votes: AskOnce caches its answers"):
        ol.cluster(memory, method, votes=3)
    assert ol.cluster(memory, method).n_objects == 4
