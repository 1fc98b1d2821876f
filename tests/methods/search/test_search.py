"""The tree search: expected agreement as in the literal loops, the best of all trees, limits."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import ordlink as ol
from ordlink.errors import InputError, InputKindError, OrdlinkWarning
from ordlink.methods.search import _kernels as kernels
from ordlink.methods.search._models import LABELS, Models, Pool, fit_models, mixture_weights
from ordlink.methods.search._questions import count_questions
from ordlink.methods.search._search import expected_gains, order_merges, search, search_tree
from tests.checks import relabelled
from tests.reference import search as reference

FORMS = ("triplet", "odd one out", "most central")
pytestmark = pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")


def _strengths(n: int, seed: int, n_models: int = 1) -> np.ndarray:
    drawn = np.random.default_rng(seed).normal(size=(n_models, n, n)) * 2
    return drawn + drawn.transpose(0, 2, 1)


def _gains(n: int, strengths: np.ndarray, weights, form: str, heads=None) -> np.ndarray:
    shares = np.array([form == one for one in FORMS], dtype=float)
    gains = np.zeros((n, n, n), dtype=np.float32)
    models = np.exp(strengths), np.empty((0, n, n), dtype=np.int32)
    heads = np.ones((n, n)) if heads is None else heads
    kernels.fill_gains(*models, np.asarray(weights, float), shares, np.ones(n), heads, gains, 0, 1)
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


def test_a_tree_is_a_model_that_is_always_sure_or_silent() -> None:
    n, tree = 6, ol.cluster(np.random.default_rng(0).random((6, 6)).round(3) * np.eye(6), "AL")
    ranks = tree.lca_ranks()
    none = np.empty((0, n, n))
    for form in FORMS:
        gains = np.zeros((n, n, n), dtype=np.float32)
        shares = np.array([form == one for one in FORMS], dtype=float)
        rest = np.ones(1), shares, np.ones(n), np.ones((n, n))
        kernels.fill_gains(none, ranks[None].astype(np.int32), *rest, gains, 0, 1)

        def value(x: int, y: int, z: int, form: str = form) -> float:
            sure = -60.0 * ranks
            return reference.expected_agreement(form, x, y, z, lambda *pair: sure[pair])

        for s, j, k in itertools.permutations(range(n), 3):
            assert gains[s, j, k] == pytest.approx(value(s, j, k) - value(j, k, s), abs=1e-5)


def test_triplets_count_as_often_as_their_heads_and_options_meet() -> None:
    n, strengths = 5, _strengths(5, 3)
    heads = np.random.default_rng(0).random((n, n))

    gains = _gains(n, strengths, [1.0], "triplet", heads)

    def value(x: int, y: int, z: int) -> float:
        rates = {a: heads[a, b] * heads[a, c] for a, b, c in ((x, y, z), (y, x, z), (z, x, y))}
        return sum(
            rates[comparison[0]] * chance * reference.agreement((x, y), comparison)
            for chance, (comparison,) in reference.answers(
                "triplet", (x, y, z), lambda i, j: strengths[0, i, j]
            )
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
    n, odds, shares = 7, np.exp(_strengths(7, 2, 2)), np.array([0.5, 0.3, 0.2])
    tree = ol.cluster(np.random.default_rng(0).random((n, n)).round(3) * np.eye(n), "AL")
    models = odds, tree.lca_ranks()[None].astype(np.int32), np.array([0.6, 0.2, 0.1])
    rates, heads = np.linspace(0.5, 1.5, 7), np.random.default_rng(1).random((n, n))
    questions = np.array([[0, 1, 2], [3, 4, 6]], dtype=np.int32)
    expected = np.array([0.5, 2.0])
    two, three = np.array([[3, 1], [0, 2]]), np.array([[3, 1, 0], [0, 2, 2]])
    made = []
    for python in (False, True):
        fill, triplets, choices = (
            one.py_func if python else one
            for one in (kernels.fill_gains, kernels.add_triplets, kernels.add_choices)
        )
        gains = np.zeros((n, n, n), dtype=np.float32)
        for first in range(2) if python else (0,):  # two threads, or one
            fill(*models, shares, rates, heads, gains, first, 2 if python else 1)
        triplets(*models, 0.5, questions, two, expected, gains)
        choices(*models, 1.0, 0.3, questions, three, expected, gains)
        choices(*models, -1.0, 0.2, questions, three, expected, gains)
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
    models = Models(np.ones((1, 3, 3)), np.empty((0, 3, 3), dtype=np.int32), {}, ("strengths",))
    pool = Pool(models, np.ones(1))

    gains = expected_gains(answers, pool)

    # V(01|2), V(02|1) and V(12|0): right minus wrong per comparison
    asked = count_questions(answers)
    agrees = {
        "triplet": np.array([1, -1, 0]) * (30 - 10) / 41 / 3 * asked.triplets.rates.sum(),
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
    assert set(tree.parameters["model_weights"]) <= set(LABELS)
    assert len(tree.parameters["model_weights"]) == 11
    assert (np.diff(np.sort(tree.scores)[::-1]) <= 0).all()


def test_relabelling_objects_relabels_the_tree_and_a_seed_gives_one_tree() -> None:
    truth = ol.datasets.planted_hierarchy(depth=1, leaf_size=5, gap=0.6, noise=0.1, seed=1)
    rows = ol.datasets.simulate_answers(truth.similarities, 400, error_rate=0.05, seed=1)
    order = np.random.default_rng(3).permutation(10)
    answers = ol.Comparisons.from_triplets(rows, n_objects=10)
    moved = ol.Comparisons.from_triplets(order[rows], n_objects=10)

    tree, again, other = (ol.cluster(data, "search", seed=4) for data in (answers, answers, moved))

    np.testing.assert_array_equal(tree.merges, again.merges)
    assert relabelled(tree, order) == relabelled(other, np.arange(10))


def test_initial_clusters_come_first_and_stay() -> None:
    _, answers = _planted()
    clusters = [[0, 7, 13], [4, 19]]

    weights = {"t-STE 2-D": 0.5, "4-AL": 0.5}
    tree = ol.cluster(answers, "search", initial_clusters=clusters, model_weights=weights)

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

    stops = iter([True])

    def stop(done: int, of: int) -> None:
        if done > 60 and next(stops, False):  # the models are fitted
            raise KeyboardInterrupt

    with pytest.warns(OrdlinkWarning, match="interrupted"):
        tree = ol.cluster(answers, "search", progress=stop)

    assert ol.metrics.aari(truth.levels, tree) > 0.5


def test_questions_are_expected_where_objects_were_shown_together() -> None:
    near = [[0, 1, 2], [0, 2, 1], [0, 1, 2]] * 40
    far = [[3, 4, 5], [3, 5, 4]] * 40
    asked = count_questions(ol.Comparisons.from_triplets(near + far, n_objects=6))

    heads = asked.heads

    assert heads[0, 1] * heads[0, 2] > 10 * heads[0, 4] * heads[0, 5]
    n_questions = 6 * 5 * 4 / 2
    rates = [heads[a, b] * heads[a, c] for a, b, c in itertools.permutations(range(6), 3) if b < c]
    assert sum(rates) == pytest.approx(n_questions)


def test_only_models_with_a_weight_are_fitted() -> None:
    _, answers = _planted()
    partition = ol.linkage.initial_partition(20)

    models = fit_models(answers, partition, 0, ["strengths", "tSTE-AL 2-D", "4-AL"])
    tree = ol.cluster(answers, "search", model_weights={"4-AL": 1.0})

    assert models.labels == ("strengths", "tSTE-AL 2-D", "4-AL")
    assert tree.parameters["model_weights"] == {"4-AL": 1.0}


def test_one_tree_alone_is_found_again() -> None:
    _, answers = _planted()
    partition = ol.linkage.initial_partition(20)
    wanted = ol.cluster(answers, "4-AL")
    models = Models(np.empty((0, 20, 20)), wanted.lca_ranks()[None].astype(np.int32), {}, ("x",))
    nothing = answers.take(np.zeros(len(answers), dtype=bool))

    tree = search(nothing, partition, Pool(models, np.ones(1)))

    assert ol.metrics.triplet_distance(tree, wanted) == 0.0


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"5-AL": 1.0}, "unknown model '5-AL'"),
        ({"4-AL": -1.0}, "expected weights of at least 0"),
        ({"4-AL": 0.0}, "expected a weight above 0"),
    ],
)
def test_bad_weights_are_refused(weights: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=f"model_weights: {message}"):
        ol.cluster(_planted()[1], "search", model_weights=weights)


def test_similarities_are_the_chances_to_beat_a_random_pair() -> None:
    n, strengths = 5, _strengths(5, 1)
    tree = ol.cluster(np.random.default_rng(0).random((n, n)).round(3) * np.eye(n), "AL")
    ranks = tree.lca_ranks()
    models = Models(np.exp(strengths), ranks[None].astype(np.int32), {}, ("strengths", "tree"))
    pairs = list(itertools.combinations(range(n), 2))

    found = Pool(models, np.array([0.5, 0.25])).similarities

    for e in pairs:
        of_odds = np.mean([1 / (1 + np.exp(strengths[0][f] - strengths[0][e])) for f in pairs])
        of_tree = np.mean([0.5 + 0.5 * np.sign(int(ranks[f]) - int(ranks[e])) for f in pairs])
        assert found[e] == pytest.approx((2 * of_odds + of_tree) / 3, abs=0.02)


@pytest.mark.parametrize("n_calls", [1, 5, 20])
def test_ctrl_c_after_any_sweep_leaves_a_whole_tree(monkeypatch, n_calls: int) -> None:
    rng = np.random.default_rng(6)
    rows = [rng.choice(9, 3, replace=False) for _ in range(60)]
    real, calls = kernels.sweep, itertools.count(1)

    def interrupted(*given):
        result = real(*given)
        if next(calls) == n_calls:
            raise KeyboardInterrupt
        return result

    monkeypatch.setattr(kernels, "sweep", interrupted)
    how = {"model_weights": {"strengths": 1.0}, "n_init": 1}

    for seed in range(5):
        answers = ol.Comparisons.from_triplets(rows, n_objects=9)
        assert ol.cluster(answers, "search", seed=seed, **how).n_objects == 9


def test_only_the_ratio_of_weights_counts_above_one() -> None:
    _, answers = _planted()
    trees = [
        ol.cluster(answers, "search", model_weights={"strengths": k, "AddS-AL": k}).to_json()
        for k in (0.5, 50.0)
    ]

    assert trees[0].replace("0.5", "x") == trees[1].replace("50.0", "x").replace("0.5", "x")


@pytest.mark.parametrize("weights", [5, {"strengths": "x"}, {"strengths": None}])
def test_weights_of_another_kind_are_refused(weights: object) -> None:
    with pytest.raises(InputKindError, match="model_weights: expected"):
        ol.cluster(_planted()[1], "search", model_weights=weights)
