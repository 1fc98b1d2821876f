"""Dissimilarities of merges: probabilities that rise to the root, whatever built the tree."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from scipy.cluster.hierarchy import is_monotonic, is_valid_linkage
from scipy.optimize import minimize

import ordlink as ol
from ordlink.errors import InputError
from ordlink.linkage._estimates import STEP, count_merges, merge_evidence, merge_heights
from ordlink.linkage._kernels_heights import add_steps, loss
from ordlink.methods import METHODS, build_tree
from tests.strategies import hierarchies

pytestmark = pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")


def _planted(n_answers: int = 3000, seed: int = 0):
    truth = ol.datasets.planted_hierarchy(depth=2, leaf_size=5, gap=1.0, noise=1.0, seed=seed)
    rows = ol.datasets.simulate_answers(truth.similarities, n_answers, seed=seed)
    return truth, ol.Comparisons.from_triplets(rows, n_objects=truth.n_objects)


@given(hierarchies())
def test_the_merge_that_joins_two_objects_is_that_of_the_matrix(tree) -> None:
    i, j = np.triu_indices(tree.n_objects, 1)

    assert np.array_equal(tree.lca_of(i, j), tree.lca_ranks()[i, j])
    assert np.array_equal(tree.lca_of(j, i), tree.lca_ranks()[i, j])


def test_heights_are_close_to_the_true_probabilities() -> None:
    truth, answers = _planted(10_000)
    tree = ol.cluster(answers, "spectral")
    upper = np.triu_indices(tree.n_objects, 1)
    similarities = truth.similarities[upper]
    less_alike = (similarities[None, :] > similarities[:, None]).mean(axis=1)
    merge = tree.lca_ranks()[upper]
    true = np.bincount(merge, less_alike) / np.bincount(merge)

    assert np.abs(tree.heights - true).max() < 0.1
    assert np.corrcoef(tree.heights, true)[0, 1] > 0.95


def test_heights_are_the_best_fit_of_the_model_literally() -> None:
    _, answers = _planted(200)
    tree = build_tree(answers, "AddS-AL")
    n, ranks = tree.n_objects, tree.lca_ranks()
    parents = tree.parents[n:] - n

    def dissimilarities(steps: np.ndarray) -> np.ndarray:
        found = np.zeros(n - 1)
        for t in range(n - 3, -1, -1):
            found[t] = found[parents[t]] - steps[t]
        return found

    def objective(steps: np.ndarray) -> float:
        strengths = dissimilarities(steps)
        total = float((steps**2).sum()) / (2 * STEP**2)
        for i, j, k, m in answers.quadruplets.tolist():
            if ranks[i, j] != ranks[k, m]:
                total += np.log1p(np.exp(strengths[ranks[i, j]] - strengths[ranks[k, m]]))
        return total

    bounds = [(0, None)] * (n - 2)
    strengths = dissimilarities(minimize(objective, np.full(n - 2, 0.2), bounds=bounds).x)
    of_pairs = strengths[ranks[np.triu_indices(n, 1)]]
    expected = (1 / (1 + np.exp(of_pairs[None, :] - strengths[:, None]))).mean(axis=1)

    found = merge_heights(tree, count_merges(tree, answers))

    assert found == pytest.approx(expected, abs=2e-3)


def test_the_kernel_and_its_gradient_equal_differences() -> None:
    parents = np.array([2, 3, 3, 3], dtype=np.int32)
    won, lost = np.array([0, 1, 3], dtype=np.int32), np.array([3, 2, 1], dtype=np.int32)
    counts, steps = np.array([3.0, 1.0, 2.0]), np.array([0.3, 0.0, 1.2])
    strengths, gradient, other = np.empty(4), np.empty(4), np.empty(4)
    data = parents, won, lost, counts, strengths

    value = loss(steps, *data, gradient)

    assert loss.py_func(steps, *data, other) == pytest.approx(value)
    assert other == pytest.approx(gradient)
    for t in range(3):
        moved = steps.copy()
        moved[t] += 1e-6
        assert (loss(moved, *data, other) - value) / 1e-6 == pytest.approx(gradient[t], abs=1e-4)
    add_steps.py_func(steps, parents, strengths)
    assert strengths.tolist() == pytest.approx([-1.5, 0.0, -1.2, 0.0])


@pytest.mark.parametrize(
    "method", [name for name, one in METHODS.items() if one.needs == "comparisons"]
)
def test_every_method_for_answers_has_heights_that_rise(method: str) -> None:
    _, answers = _planted(600)

    tree = ol.cluster(answers, method)

    assert tree.has_heights
    assert tree.has_evidence
    linkage = tree.to_linkage()
    assert is_valid_linkage(linkage)
    assert is_monotonic(linkage)
    assert 0 < tree.heights.min() < tree.heights.max() < 1


def test_ranked_comparisons_have_heights_and_similarities_have_none() -> None:
    truth, _ = _planted()

    ranked = ol.cluster(ol.Comparisons.from_similarities(truth.similarities), "4-AL")
    alone = ol.cluster(truth.similarities, "AL")

    assert ranked.has_heights
    assert ranked.partition(4).n_clusters == 4
    assert not alone.has_heights
    assert not alone.has_evidence
    assert sorted(np.bincount(alone.cut(4))) == sorted(alone.partition(4).sizes)
    with pytest.raises(InputError, match="n_clusters: this tree has no evidence"):
        alone.partition()
    with pytest.raises(InputError, match="heights: this tree has no dissimilarities"):
        alone.to_linkage(heights="dissimilarity")


def test_lengths_are_dissimilarities_or_on_request_ranks() -> None:
    tree = ol.Hierarchy([[0, 1], [2, 3], [4, 5]], heights=[0.1, 0.25, 0.75])

    assert tree.to_newick() == "((0:0.1,1:0.1):0.65,(2:0.25,3:0.25):0.5);"
    assert tree.to_newick(heights="rank") == "((0:1,1:1):2,(2:2,3:2):1);"
    assert tree.linkage[:, 2].tolist() == [1, 2, 3]
    assert tree.to_linkage(heights="rank").tolist() == tree.linkage.tolist()


def test_heights_and_evidence_survive_files_restriction_and_names(tmp_path) -> None:
    _, answers = _planted(600)
    tree = ol.cluster(answers, "4-AL")

    tree.save(tmp_path / "tree.json")
    read = ol.Hierarchy.load(tmp_path / "tree.json")
    part = tree.restrict([3, 1, 7, 12])

    assert read.heights.tolist() == tree.heights.tolist()
    assert read.evidence.tolist() == tree.evidence.tolist()
    assert set(part.heights.tolist()) <= set(tree.heights.tolist())
    assert tree.with_names([f"x{i}" for i in range(20)]).has_heights


def test_heights_that_fall_or_are_known_in_part_are_refused() -> None:
    for heights in ([0.3, 0.2], [np.nan, 0.2], [-0.1, 0.2]):
        with pytest.raises(InputError, match="heights: expected heights that rise"):
            ol.Hierarchy([[0, 1], [3, 2]], heights=heights)


def test_few_objects_and_no_answers_have_estimates_too() -> None:
    two = ol.Comparisons.from_triplets(np.empty((0, 3), dtype=int), n_objects=2)

    tree = ol.cluster(two, "AddS-AL")

    assert tree.heights.tolist() == [0.5]
    assert tree.partition().n_clusters == 1


@pytest.mark.parametrize(("triplet", "supported"), [([0, 1, 2], True), ([0, 2, 1], False)])
def test_a_split_has_evidence_only_if_pairs_across_it_are_less_alike(triplet, supported) -> None:
    tree = ol.Hierarchy([[0, 1], [2, 3]])
    answers = ol.Comparisons.from_triplets([triplet] * 5, n_objects=3)

    evidence = merge_evidence(tree, count_merges(tree, answers))

    assert (evidence[-1] > 0) == supported
