"""Insertion: exact trees, few triplets, wrong answers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ordlink as ol
from ordlink.methods.active._insertion import GrowingTree
from ordlink.oracles import AskOnce, NoisyOracle, SimilarityOracle

quiet = pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")


def _tree(n: int, seed: int) -> tuple[np.ndarray, ol.Hierarchy]:
    """Return similarities of a random binary tree whose merges all differ, and the tree."""
    rng = np.random.default_rng(seed)
    similarities = np.zeros((n, n))
    sets = [[i] for i in range(n)]
    for step in range(n - 1):
        i, j = sorted(rng.choice(len(sets), 2, replace=False).tolist())
        similarities[np.ix_(sets[i], sets[j])] = similarities[np.ix_(sets[j], sets[i])] = -step
        sets[i] += sets.pop(j)
    return similarities, ol.cluster(similarities, "AL")


@given(n=st.integers(2, 12), seed=st.integers(0, 1000), tells_ties=st.booleans())
def test_without_wrong_answers_the_tree_is_exact(n: int, seed: int, tells_ties: bool) -> None:
    similarities, truth = _tree(n, seed)
    if not tells_ties:
        upper = np.triu(np.random.default_rng(seed).uniform(-1e-3, 1e-3, (n, n)), 1)
        similarities = similarities + upper + upper.T

    tree = ol.cluster(similarities, "insertion", seed=seed)

    assert ol.metrics.robinson_foulds(truth, tree) == 0


def test_about_log2_n_triplets_per_object_are_enough() -> None:
    n = 200
    similarities, truth = _tree(n, 0)
    upper = np.triu(np.random.default_rng(0).uniform(-1e-3, 1e-3, (n, n)), 1)
    oracle = AskOnce(SimilarityOracle(similarities + upper + upper.T))

    tree = ol.cluster(oracle, "insertion")

    assert ol.metrics.robinson_foulds(truth, tree) == 0
    assert oracle.n_questions <= 1.3 * n * np.log2(n)
    assert tree.parameters["n_questions"] == oracle.n_questions
    i, j, k, l = oracle.comparisons().quadruplets.T  # noqa: E741
    assert ((i == k) | (i == l) | (j == k) | (j == l)).all()


def test_wrong_answers_are_borne() -> None:
    similarities, truth = _tree(120, 1)
    oracle = NoisyOracle(SimilarityOracle(similarities), 0.05, seed=2)

    tree = ol.cluster(oracle, "insertion", error_rate=0.05)

    assert ol.metrics.normalised_robinson_foulds(truth, tree) < 0.05
    assert oracle.n_questions <= 6 * 120 * np.log2(120)


@quiet
@given(n=st.integers(2, 8), answer=st.sampled_from([-1, 0, 1]), seed=st.integers(0, 5))
def test_constant_answers_give_a_tree(n: int, answer: int, seed: int) -> None:
    oracle = ol.oracles.FunctionOracle(lambda *_: answer, n)

    assert ol.cluster(oracle, "insertion", seed=seed).n_objects == n


def test_initial_clusters_stay_together() -> None:
    similarities, truth = _tree(12, 3)
    pair = truth.merges[0].tolist()

    tree = ol.cluster(similarities, "insertion", initial_clusters=[pair])

    assert ol.metrics.robinson_foulds(truth, tree) == 0


def test_a_growing_tree_is_its_nodes_in_postorder() -> None:
    tree = GrowingTree(0)
    for slot, place in ((1, 0), (2, 0), (3, 4)):
        tree.insert(slot, place)

    # ((0, 2), 1), then 3 beside the root
    assert tree.slots.tolist() == [0, 2, -1, 1, -1, 3, -1]
    assert tree.sizes.tolist() == [1, 1, 3, 1, 5, 1, 7]
    assert tree.merges().tolist() == [[0, 2], [0, 1], [0, 3]]
