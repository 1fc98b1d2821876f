"""The best partition that a tree holds: the most evidence of all, outliers set aside."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

import ordlink as ol
from ordlink.errors import InputError, InputKindError
from ordlink.hierarchy._partition import suggest
from ordlink.validation import best_partition

pytestmark = pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")


def _planted(depth=2, leaf_size=5, n_answers=2000, error_rate=0.05, seed=0):
    truth = ol.datasets.planted_hierarchy(
        depth=depth, leaf_size=leaf_size, gap=0.6, noise=0.1, seed=seed
    )
    n = truth.n_objects
    rows = ol.datasets.simulate_answers(
        truth.similarities, n_answers, error_rate=error_rate, seed=seed
    )
    return truth, ol.Comparisons.from_triplets(rows, n_objects=n)


def _partitions(tree: ol.Hierarchy, node: int) -> list[list[int]]:
    """All sets of nodes below a node whose leaves are all leaves."""
    if node < tree.n_objects:
        return [[node]]
    one, two = tree.merges[node - tree.n_objects].tolist()
    both = itertools.product(_partitions(tree, one), _partitions(tree, two))
    return [[node], *([*a, *b] for a, b in both)]


def test_evidence_compares_pairs_across_a_split_with_pairs_within_literally() -> None:
    _, answers = _planted(n_answers=300, error_rate=0.3)
    tree = ol.cluster(answers, "AddS-AL")
    n = tree.n_objects

    for node in range(n - 1):
        one, two = (set(tree.members(part).tolist()) for part in tree.merges[node])
        across, within = [], []
        for i, j, k, m in answers.quadruplets.tolist():
            for pair, outcome in (({i, j}, 1), ({k, m}, -1)):
                if pair <= one or pair <= two:
                    within.append(outcome)
                elif pair <= one | two:
                    across.append(outcome)
        expected = 0.0
        if across and within and np.mean(within) > np.mean(across):
            both = np.array(across + within, dtype=float)
            apart = len(across) * np.var(across) + len(within) * np.var(within)
            expected = (len(both) * np.var(both) - apart) / 2

        assert tree.evidence[node] == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("n_clusters", [1, 2, 3, 5, 7])
@pytest.mark.parametrize("seed", range(3))
def test_no_partition_of_the_tree_has_more_evidence(n_clusters: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 8  # too few objects to set any aside
    rows = np.array([rng.permutation(n)[:3] for _ in range(200)])
    answers = ol.Comparisons.from_triplets(rows, n_objects=n)
    tree = ol.cluster(answers, "4-AL")
    evidence = tree.evidence

    def total(nodes: list[int]) -> float:
        below = set().union(*(_below(tree, node) for node in nodes))
        return sum(evidence[merge] for merge in range(n - 1) if merge not in below)

    found = best_partition(answers, tree, n_clusters)

    every = [nodes for nodes in _partitions(tree, 2 * n - 2) if len(nodes) == n_clusters]
    best = max(map(total, every))
    mine = [nodes for nodes in every if _labels(tree, nodes) == _grouped(found.labels)]
    assert len(mine) == 1
    assert total(mine[0]) == pytest.approx(best)
    assert found.evidence[: n_clusters - 1].sum() == pytest.approx(best)


def _labels(tree: ol.Hierarchy, nodes: list[int]) -> set[frozenset[int]]:
    return {frozenset(tree.members(node).tolist()) for node in nodes}


def _grouped(labels: np.ndarray) -> set[frozenset[int]]:
    return {frozenset(np.flatnonzero(labels == label).tolist()) for label in np.unique(labels)}


def _below(tree: ol.Hierarchy, node: int) -> set[int]:
    if node < tree.n_objects:
        return set()
    merge = node - tree.n_objects
    one, two = tree.merges[merge].tolist()
    return {merge} | _below(tree, one) | _below(tree, two)


def test_clusters_of_a_planted_tree_are_found_and_their_number_is_suggested() -> None:
    truth, answers = _planted(depth=2, leaf_size=10, n_answers=4000)
    tree = ol.cluster(answers, "spectral")

    found = best_partition(answers, tree)

    assert found.n_clusters in (2, 4)
    labels = truth.levels[found.n_clusters // 2 - 1]
    assert adjusted_rand_score(labels, found.labels) == 1.0
    assert str(found.n_clusters) in found.reason
    assert found.set_aside == []


def test_an_object_like_no_other_is_set_aside_and_is_no_cluster() -> None:
    truth, _ = _planted(depth=1, leaf_size=15)
    near = np.zeros((31, 31))
    near[:30, :30] = truth.similarities
    near[30], near[:, 30] = -5.0, -5.0
    rows = ol.datasets.simulate_answers(near, 4000, error_rate=0.02, seed=0)
    answers = ol.Comparisons.from_triplets(rows, n_objects=31)
    tree = ol.cluster(answers, "AddS-AL")
    assert np.bincount(tree.cut(2)).min() == 1  # by merge order it is a cluster

    found = best_partition(answers, tree, 2)

    assert found.set_aside == [30]
    assert adjusted_rand_score(truth.labels, found.labels[:30]) == 1.0


def test_as_many_clusters_as_objects_and_one() -> None:
    _, answers = _planted()
    tree = ol.cluster(answers, "4-AL")

    assert len(np.unique(best_partition(answers, tree, 20).labels)) == 20
    assert best_partition(answers, tree, 1).labels.tolist() == [0] * 20


def test_answers_that_say_nothing_suggest_one_cluster() -> None:
    none = ol.Comparisons.from_triplets(np.empty((0, 3), dtype=int), n_objects=5)

    found = best_partition(none, ol.cluster(none, "AddS-AL"))

    assert (found.n_clusters, found.labels.tolist()) == (1, [0] * 5)
    assert "do not support any split" in found.reason


def test_other_objects_and_other_kinds_are_refused() -> None:
    _, answers = _planted()
    tree = ol.cluster(answers, "4-AL")

    with pytest.raises(InputError, match="tree: expected a tree of 20 objects, got one of 3"):
        best_partition(answers, ol.Hierarchy([[0, 1], [2, 3]]))
    with pytest.raises(InputKindError, match="listed one by one"):
        best_partition(ol.Comparisons.from_similarities(np.eye(4)), tree)
    with pytest.raises(InputError, match="n_clusters"):
        best_partition(answers, tree, 21)


def test_a_chain_is_not_set_aside() -> None:
    n = 40
    chain = ol.Hierarchy([[0, 1]] + [[n + k, 2 + k] for k in range(n - 2)])
    ranks, rng, rows = chain.lca_ranks(), np.random.default_rng(0), []
    while len(rows) < 1500:
        a, b, c = rng.choice(n, 3, replace=False)
        if ranks[a, b] != ranks[a, c]:
            rows.append((a, b, c) if ranks[a, b] < ranks[a, c] else (a, c, b))

    found = best_partition(ol.Comparisons.from_triplets(rows, n_objects=n), chain, 2)

    assert len(found.set_aside) <= n // 10


def test_at_most_twelve_clusters_are_suggested() -> None:
    assert suggest(np.full(12, 100.0))[0] <= 12
