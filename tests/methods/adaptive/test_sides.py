"""The two-class model: kernels against the literal sums, splits that are there and that are not."""

from __future__ import annotations

import numpy as np
import pytest

from ordlink.methods.adaptive import _kernels
from ordlink.methods.adaptive._sides import find_sides, split_score
from tests.reference import sides as reference


def _answers(n: int, n_rows: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.array([rng.permutation(n)[:3] for _ in range(n_rows)], dtype=np.int32)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("compiled", [True, False])
def test_kernels_are_the_literal_sums(seed: int, compiled: bool) -> None:
    rows = _answers(7, 20, seed)
    belief = np.random.default_rng(seed).uniform(-1, 1, 7)
    nodes, rates = np.zeros(20, dtype=np.int32), np.array([[0.8, 0.6]])
    evidence, counts = np.zeros(7), np.zeros((1, 2, 2))
    add_evidence, count_choices, log_likelihood = (
        one if compiled else one.py_func
        for one in (_kernels.add_evidence, _kernels.count_choices, _kernels.log_likelihood)
    )

    add_evidence(rows, nodes, belief, rates, evidence)
    count_choices(rows, nodes, belief, counts)

    answers = [tuple(row) for row in rows.tolist()]
    np.testing.assert_allclose(evidence, reference.evidence(answers, belief, (0.8, 0.6)))
    np.testing.assert_allclose(counts[0], reference.choices(answers, belief))
    np.testing.assert_allclose(
        log_likelihood(rows, nodes, belief, rates),
        reference.log_likelihood(answers, belief, (0.8, 0.6)),
    )


def _answered(rows: np.ndarray, similarities: np.ndarray) -> np.ndarray:
    i, a, b = rows.T
    closer = (similarities[i, a] > similarities[i, b])[:, None]
    return np.where(closer, rows, rows[:, [0, 2, 1]]).astype(np.int32)


def _symmetric(n: int, seed: int) -> np.ndarray:
    upper = np.triu(np.random.default_rng(seed).normal(size=(n, n)), 1)
    return upper + upper.T


def test_two_groups_are_two_sides_beyond_chance() -> None:
    side = np.repeat([1, -1], 20)
    rows = _answered(_answers(40, 400, 0), np.multiply.outer(side, side) + _symmetric(40, 1))
    colours = np.random.default_rng(2).integers(0, 4, len(rows))[:, None].repeat(2, axis=1)

    found = find_sides(rows, 40).belief

    assert abs((np.sign(found) * side).mean()) > 0.9
    assert split_score(rows, colours, 40, 4) > 5


def test_a_few_objects_far_from_all_others_are_a_side() -> None:
    similarities = _symmetric(40, 3)
    similarities[:3] -= 6
    similarities[:, :3] -= 6
    rows = _answered(_answers(40, 1200, 4), similarities)

    plus = find_sides(rows, 40).evidence > 0

    assert np.flatnonzero(plus != plus[-1]).tolist() == [0, 1, 2]


def test_pairs_alike_by_chance_do_not_make_a_split() -> None:
    """Answers about the same pairs agree with each other; only other pairs can confirm sides."""
    scores = []
    for seed in range(10):
        similarities = _symmetric(12, seed)
        rows = _answered(_answers(12, 200, seed), similarities)
        colour = np.random.default_rng(seed).integers(0, 4, (12, 12))
        colour = np.triu(colour) + np.triu(colour, 1).T
        i, a, b = rows.T
        scores.append(split_score(rows, np.stack([colour[i, a], colour[i, b]], axis=1), 12, 4))

    assert max(scores) < 3.5
