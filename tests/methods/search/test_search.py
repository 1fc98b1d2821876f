"""The tree search: expected agreement as in the literal loops, the best of all trees, limits."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import ordlink as ol
from ordlink.errors import InputError, OrdlinkWarning
from ordlink.methods.search import _kernels as kernels
from ordlink.methods.search._models import Pool, mixture_weights
from ordlink.methods.search._questions import count_questions
from ordlink.methods.search._search import expected_gains, order_merges, search_tree
from tests.checks import relabelled
from tests.reference import search as reference

FORMS = ("triplet", "odd one out", "most central")
pytestmark = pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")


def _strengths(n: int, seed: int, n_models: int = 1) -> np.ndarray:
    drawn = np.random.default_rng(seed).normal(size=(n_models, n, n)) * 2
    return drawn + drawn.transpose(0, 2, 1)


def _gains(n: int, strengths: np.ndarray, weights, form: str) -> np.ndarray:
    shares = np.array([form == one for one in FORMS], dtype=float)
    gains = np.zeros((n, n, n), dtype=np.float32)
    kernels.fill_gains(strengths, np.asarray(weights, dtype=float), shares, np.ones(n), gains)
    return gains


def _clusters(tree: ol.Hierarchy) -> list[set[int]]:
    return [set(tree.members(node).tolist()) for node in range(2 * tree.n_objects - 1)]


def _found(gains: np.ndarray, strengths: np.ndarray, **effort: int) -> ol.Hierarchy:
    n = len(gains)
    children, root = search_tree(gains, strengths, **{"n_sweeps": 20, "seed": 0, **effort})
    parts = order_merges(gains, strengths, np.ones(n), children, root)
    return ol.linkage.initial_partition(n).finish(*parts, names=None)


@pytest.mark.parametrize("form", FORMS)
def test_gains_are_differences_of_the_expected_agreement(form: str) -> None:
    n, weights = 6, (0.5, 0.3)
    strengths = _strengths(n, 1, 2)

    gains = _gains(n, strengths, weights, form)

    def value(x: int, y: int, z: int) -> float:
        return sum(
            weight * reference.expected_agreement(form, x, y, z, lambda i, j, m=m: m[i, j])
            for weight, m in zip(weights, strengths, strict=True)
        )

    for s, j, k in itertools.permutations(range(n), 3):
        assert gains[s, j, k] == pytest.approx(value(s, j, k) - value(j, k, s), abs=1e-5)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", range(3))
def test_the_best_of_all_trees_is_found(form: str, seed: int) -> None:
    n = 6
    strengths = _strengths(n, seed)

    tree = _found(_gains(n, strengths, [1.0], form), strengths[0], n_init=5)

    def value(x: int, y: int, z: int) -> float:
        return reference.expected_agreement(form, x, y, z, lambda i, j: strengths[0, i, j])

    best = max(
        reference.total_agreement(reference.clusters(one), n, value)
        for one in reference.all_trees(tuple(range(n)))
    )
    assert reference.total_agreement(_clusters(tree), n, value) == pytest.approx(best, abs=1e-4)


@pytest.mark.parametrize("temperature", [0.0, 2.0])
def test_the_gain_of_a_sweep_is_what_the_tree_gained(temperature: float) -> None:
    n, gains = 9, _gains(9, _strengths(9, 4), [1.0], "triplet")
    tree = ol.cluster(np.random.default_rng(0).random((n, n)).round(3) * np.eye(n), "AL")
    children = np.full((2 * n, 2), -1, dtype=np.int32)
    parents = np.full(2 * n, -1, dtype=np.int32)
    children[n:-1] = tree.merges
    parents[tree.merges] = np.arange(n, 2 * n - 1, dtype=np.int32)[:, None]

    def gain_of(found: list[set[int]]) -> float:
        """The sum of V over triples, up to a constant: V(sj|k) - V(jk|s) from two sides."""
        return reference.total_agreement(
            found, n, lambda x, y, z: (float(gains[x, y, z]) + float(gains[y, x, z])) / 3
        )

    def clusters(root: int) -> list[set[int]]:
        if root < n:
            return [{root}]
        left, right = (clusters(int(child)) for child in children[root])
        return [*left, *right, left[-1] | right[-1]]

    before = gain_of(clusters(2 * n - 2))
    picks = np.arange(2 * n - 1, dtype=np.int32)
    heat = np.full(len(picks), temperature)

    root, gain = kernels.sweep(gains, 2 * n - 2, children, parents, picks, heat, np.array([7]))

    found = clusters(root)
    assert found[-1] == set(range(n))
    assert len(found) == 2 * n - 1
    assert gain == pytest.approx(gain_of(found) - before, abs=1e-3)
    assert gain >= 0 or temperature > 0


def test_kernels_equal_their_own_python() -> None:
    n, strengths, shares = 7, _strengths(7, 2, 2), np.array([0.5, 0.3, 0.2])
    weights, rates = np.array([0.6, 0.3]), np.linspace(0.5, 1.5, 7)
    questions = np.array([[0, 1, 2], [3, 4, 6]], dtype=np.int32)
    expected = np.array([[0.5, 2.0], [1.0, 1.5]])
    two, three = np.array([[3, 1], [0, 2]]), np.array([[3, 1, 0], [0, 2, 2]])
    made = []
    for python in (False, True):
        fill, triplets, choices = (
            one.py_func if python else one
            for one in (kernels.fill_gains, kernels.add_triplets, kernels.add_choices)
        )
        gains = np.zeros((n, n, n), dtype=np.float32)
        fill(strengths, weights, shares, rates, gains)
        triplets(strengths, weights, 0.5, questions, two, expected, gains)
        choices(strengths, weights, 1.0, 0.3, questions, three, expected, gains)
        made.append(gains)

    np.testing.assert_allclose(made[0], made[1], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("form", "rows"),
    [
        ("triplet", [[0, 1, 2]] * 30 + [[0, 2, 1]] * 10),
        ("odd one out", [[0, 1, 2]] * 30 + [[0, 2, 1]] * 10),
        ("most central", [[1, 0, 2]] * 30 + [[2, 0, 1]] * 10),
    ],
)
def test_many_answers_outweigh_the_models(form: str, rows: list[list[int]]) -> None:
    make = {
        "triplet": ol.Comparisons.from_triplets,
        "odd one out": ol.Comparisons.from_odd_one_out,
        "most central": ol.Comparisons.from_most_central,
    }[form]
    answers = make(np.array(rows))
    pool = Pool(np.zeros((1, 3, 3)), np.ones(1))

    gains = expected_gains(answers, pool)

    # V(01|2), V(02|1) and V(12|0): right minus wrong per comparison
    asked = count_questions(answers)
    agrees = {
        "triplet": np.array([1, -1, 0]) * (30 - 10) / 41 / 3 * asked.triplets.rates[:, 1].sum(),
        "odd one out": 1.5 * (np.array([30, 10, 0]) + 1 / 3) / 41 - 0.5,
        "most central": 0.5 - 1.5 * (np.array([10, 30, 0]) + 1 / 3) / 41,
    }[form]
    assert asked.shares[FORMS.index(form)] == 1.0
    assert gains[1, 0, 2] == pytest.approx(agrees[0] - agrees[1], rel=1e-5)
    assert gains[0, 1, 2] == pytest.approx(agrees[0] - agrees[2], rel=1e-5)


def test_weights_follow_the_model_that_predicts_and_leave_room_for_chance() -> None:
    rng = np.random.default_rng(0)
    good = np.where(rng.random(4000) < 0.8, 0.8, 0.2)
    bad = np.full(4000, 0.5) + rng.uniform(-0.4, 0.4, 4000)

    weights = mixture_weights(np.stack([good, bad], axis=1), np.ones(4000))

    assert weights[0] > 2 * weights[1]
    assert weights.sum() <= 1.0


def _planted(seed: int = 0) -> tuple[ol.datasets.PlantedHierarchy, ol.ListedComparisons]:
    truth = ol.datasets.planted_hierarchy(depth=2, leaf_size=5, gap=0.6, noise=0.1, seed=seed)
    rows = ol.datasets.simulate_answers(truth.similarities, 3000, error_rate=0.05, seed=seed)
    return truth, ol.Comparisons.from_triplets(rows, n_objects=20)


def test_a_clear_tree_is_found_and_told_how() -> None:
    truth, answers = _planted()

    tree = ol.cluster(answers, "search")

    assert ol.metrics.aari(truth.levels, tree) == 1.0
    assert len(tree.parameters["model_weights"][0]) == 5
    assert (np.diff(np.sort(tree.scores)[::-1]) <= 0).all()


def test_relabelling_objects_relabels_the_tree_and_a_seed_gives_one_tree() -> None:
    _, answers = _planted(1)
    order = np.random.default_rng(3).permutation(20)
    moved = ol.Comparisons.from_quadruplets(order[answers.quadruplets], n_objects=20)

    tree, again, other = (ol.cluster(data, "search", seed=4) for data in (answers, answers, moved))

    np.testing.assert_array_equal(tree.merges, again.merges)
    assert relabelled(tree, order) == relabelled(other, np.arange(20))


def test_initial_clusters_come_first_and_stay() -> None:
    _, answers = _planted()
    clusters = [[0, 7, 13], [4, 19]]

    tree = ol.cluster(answers, "search", initial_clusters=clusters)

    found = _clusters(tree)
    assert all(set(cluster) in found for cluster in clusters)
    assert {frozenset(found[20 + merge]) for merge in range(3)} >= {
        frozenset(cluster) for cluster in clusters
    }


@pytest.mark.parametrize(
    "rows",
    [[[0, 1, 2]], [[0, 1, 2], [3, 4, 5]], [[0, 1, 2], [0, 2, 1]], [[5, 1, 2]] * 3],
    ids=["one answer", "two parts", "a contradiction", "repeats"],
)
def test_few_answers_give_a_tree_of_all_objects(rows: list[list[int]]) -> None:
    tree = ol.cluster(ol.Comparisons.from_triplets(rows, n_objects=7), "search")

    assert tree.n_objects == 7


def test_two_objects_and_one_cluster_of_all() -> None:
    answers = ol.Comparisons.from_triplets([[0, 1, 2]])

    tree = ol.cluster(answers, "search", initial_clusters=[[0, 1], [2]])

    assert tree.merges.tolist() == [[0, 1], [3, 2]]
    assert ol.cluster(answers, "search", initial_clusters=[[0, 1, 2]]).n_objects == 3


def test_all_comparisons_of_a_matrix_give_its_tree() -> None:
    truth = ol.datasets.planted_hierarchy(depth=2, leaf_size=4, gap=1.0, noise=0.1, seed=0)

    tree = ol.cluster(ol.Comparisons.from_similarities(truth.similarities), "search")

    assert ol.metrics.aari(truth.levels, tree) == 1.0


def test_too_many_objects_are_refused_with_another_method() -> None:
    answers = ol.Comparisons.from_triplets([[0, 1, 2]], n_objects=501)

    with pytest.raises(InputError, match="at most 500 objects, got 501; use spectral"):
        ol.cluster(answers, "search")


def test_an_interrupted_search_returns_the_best_tree_so_far() -> None:
    truth, answers = _planted()

    def stop(done: int, of: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with pytest.warns(OrdlinkWarning, match="interrupted"):
        tree = ol.cluster(answers, "search", progress=stop)

    assert ol.metrics.aari(truth.levels, tree) > 0.5
