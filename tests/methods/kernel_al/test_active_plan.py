"""Which questions the active kernel asks."""

from __future__ import annotations

import numpy as np
import pytest

from ordlink.errors import InputError
from ordlink.methods.kernel_al import active_features, plan_active_kernel
from ordlink.oracles import NoisyOracle, SimilarityOracle


class OnceOnly:
    """An oracle that fails when asked the same question again."""

    def __init__(self, matrix: np.ndarray) -> None:
        self.inner = SimilarityOracle(matrix)
        self.n_objects = len(matrix)
        self.asked: set[frozenset[frozenset[int]]] = set()

    def compare(self, quadruplets: np.ndarray) -> np.ndarray:
        for i, j, k, l in quadruplets.tolist():  # noqa: E741 - the paper's letters
            question = frozenset([frozenset([i, j]), frozenset([k, l])])
            assert question not in self.asked
            self.asked.add(question)
        return self.inner.compare(quadruplets)


def _matrix(n: int, seed: int = 0) -> np.ndarray:
    upper = np.triu(np.random.default_rng(seed).normal(size=(n, n)), 1)
    return upper + upper.T


def test_no_question_is_asked_twice() -> None:
    oracle = OnceOnly(_matrix(12))
    plan = plan_active_kernel(12, landmark_probability=0.6, n_references=20, seed=1)

    active_features(oracle, plan)

    assert len(oracle.asked) <= plan.n_landmark_pairs * 20


def test_a_question_about_two_reference_pairs_has_one_answer() -> None:
    """Even if the oracle tosses a coin: what was answered one way round holds the other way."""
    n_used = 0
    for seed in range(20):
        coin = NoisyOracle(SimilarityOracle(_matrix(7)), 0.5, seed=seed)
        plan = plan_active_kernel(7, landmark_probability=0.5, n_references=12, seed=seed)
        signs = active_features(coin, plan).reshape(7, len(plan.landmarks), 12)
        for a, pair in enumerate(plan.reference_pairs.tolist()):
            for b, other in enumerate(plan.reference_pairs.tolist()):
                for i, k in (pair, pair[::-1]):
                    for j, m in (other, other[::-1]):
                        if k in plan.landmarks and m in plan.landmarks:
                            here = signs[i, plan.landmarks.tolist().index(k), b]
                            there = signs[j, plan.landmarks.tolist().index(m), a]
                            assert here == -there
                            assert (here == 0) == (a == b)
                            n_used += 1

    assert n_used > 100


def test_the_budget_is_kept_and_used() -> None:
    oracle = OnceOnly(_matrix(40))
    plan = plan_active_kernel(40, budget=2_000, seed=3)

    active_features(oracle, plan)

    assert len(oracle.asked) <= 2_000 < plan.n_landmark_pairs * (len(plan.reference_pairs) + 1)


def test_landmarks_come_with_the_given_probability() -> None:
    drawn = [
        len(plan_active_kernel(200, landmark_probability=0.1, seed=seed).landmarks)
        for seed in range(50)
    ]

    assert 18 < np.mean(drawn) < 22


def test_reference_pairs_are_different_pairs() -> None:
    plan = plan_active_kernel(6, n_references=15, seed=0)

    assert len({frozenset(pair) for pair in plan.reference_pairs.tolist()}) == 15


def test_progress_reaches_the_end() -> None:
    seen = []
    plan = plan_active_kernel(10, n_references=3, seed=0)

    active_features(SimilarityOracle(_matrix(10)), plan, progress=lambda *step: seen.append(step))

    assert seen[-1][0] == seen[-1][1] > 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_references": 2, "budget": 100}, "only one of"),
        ({"landmarks": [0], "landmark_probability": 0.5}, "either landmarks"),
        ({"landmark_probability": 0.0}, "above 0"),
        ({"landmark_probability": 1.5}, "from 0 to 1"),
        ({"n_references": 0}, "from 1 to 45"),
        ({"n_references": 46}, "from 1 to 45"),
        ({"budget": 3, "landmarks": [0]}, "needs 9 comparisons with 1 landmark, got 3"),
        ({"landmarks": []}, "at least one"),
        ({"landmarks": [10]}, "out of range"),
        ({"landmarks": [0.5]}, "object number"),
        ({"reference_pairs": [[0, 0]]}, "two different"),
        ({"reference_pairs": [[0, 1], [1, 0]]}, "given twice"),
        ({"reference_pairs": [[0, 10]]}, "from 0 to 9"),
        ({"reference_pairs": [0, 1]}, "rows of two"),
    ],
)
def test_wrong_options_are_refused(options: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        plan_active_kernel(10, seed=0, **options)
