"""Trees whose ties are decided by chance, in whatever order the objects are listed."""

import itertools

import numpy as np
import pytest

import ordlink as ol
from ordlink.errors import InputError
from ordlink.metrics import triplet_distance
from ordlink.validation import compare_methods, cross_validate, exclusion_effect, learning_curve
from ordlink.validation._cross_validation import grow_shuffled
from tests.validation.growing import grow_in_order

pytestmark = pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")


def planted_answers(n_answers, *, leaf_size=4, seed=0, **options):
    planted = ol.datasets.planted_hierarchy(depth=2, leaf_size=leaf_size, gap=1.0, seed=seed)
    rows = ol.datasets.simulate_answers(planted.similarities, n_answers, seed=seed)
    return ol.Comparisons.from_triplets(rows, n_objects=4 * leaf_size, **options)


def coin_flips(n_answers, n_objects=16, **options):
    rows = ol.datasets.simulate_answers(np.eye(n_objects), n_answers, seed=0)
    return ol.Comparisons.from_triplets(rows, n_objects=n_objects, **options)


@pytest.mark.parametrize("method", ["4-AL", "AddS-AL", "4K-AL"])
@pytest.mark.parametrize("n_answers", [12, 400])
def test_the_tree_is_that_of_the_objects_in_the_order_drawn(method, n_answers):
    answers = planted_answers(n_answers)

    tree = grow_shuffled(answers, method, np.random.default_rng(3), repeats="net")

    order = np.random.default_rng(3).permutation(16)
    assert tree == grow_in_order(answers, method, order, repeats="net")


@pytest.mark.parametrize("seed", range(3))
def test_without_ties_the_order_does_not_matter(seed):
    upper = np.triu(np.random.default_rng(0).normal(size=(11, 11)), 1)
    names = [f"o{k}" for k in range(11)]
    answers = ol.Comparisons.from_similarities(upper + upper.T, names=names).listed()
    plain = ol.cluster(answers, "4-AL")
    assert plain.n_tied_merges == 0

    tree = grow_shuffled(answers, "4-AL", np.random.default_rng(seed))

    np.testing.assert_array_equal(tree.merges, plain.merges)
    assert tree.names == plain.names


def test_trees_of_no_answers_have_nothing_in_common():
    nothing = coin_flips(0)
    rng = np.random.default_rng(0)

    trees = [grow_shuffled(nothing, "AddS-AL", rng) for _ in range(12)]

    agreements = [1 - triplet_distance(a, b) for a, b in itertools.combinations(trees, 2)]
    assert np.mean(agreements) < 0.5


def test_initial_clusters_are_kept_and_bad_ones_refused_by_their_own_numbers():
    answers = planted_answers(50)

    tree = grow_shuffled(
        answers, "4-AL", np.random.default_rng(1), initial_clusters=[[0, 9, 15], [2, 3]]
    )

    clusters = {frozenset(members.tolist()) for _, members in tree.clusters()}
    assert {frozenset({0, 9, 15}), frozenset({2, 3})} <= clusters
    for bad in ([[0, 99]], [[0, 1], [1, 2]]):
        with pytest.raises(InputError, match=str(bad[-1][0 if len(bad) > 1 else 1])):
            cross_validate(answers, initial_clusters=bad)


def test_trees_of_few_answers_are_not_stable():
    """Halves of coin flips agree by chance alone: 1/3, or a little more for uneven trees."""
    curve = learning_curve(
        coin_flips(100, 40), "AddS-AL", sizes=[5, 10, 20, 40], n_repetitions=5, n_folds=2
    )

    assert (curve.stability < 0.5).all()


@pytest.mark.parametrize("held_out", [cross_validate, learning_curve, compare_methods])
def test_the_order_of_the_file_does_not_predict(held_out):
    """Objects are listed as the truth joins them, as ties would; few answers know little of it."""
    places = np.arange(100)
    chain = -np.maximum(places[:, None], places).astype(float)
    answers = ol.Comparisons.from_triplets(
        ol.datasets.simulate_answers(chain, 40, seed=0), n_objects=100
    )
    methods = ["AddS-AL"] if held_out is compare_methods else "AddS-AL"

    def accuracy(comparisons):
        found = held_out(comparisons, methods, n_repetitions=8)
        return np.mean((found.best.held_out if held_out is compare_methods else found).accuracies)

    listed = accuracy(answers)
    mixed = [accuracy(answers.subset(np.random.default_rng(k).permutation(100))) for k in range(3)]
    assert listed == pytest.approx(np.mean(mixed), abs=0.05)


def test_methods_do_not_agree_by_their_ties():
    answers = coin_flips(20, 40)

    found = compare_methods(answers, ["4-AL", "AddS-AL", "4K-AL"], n_folds=2)

    assert all(scores.tree.n_tied_merges > 20 for scores in found.scores)
    plain = [
        1 - triplet_distance(a.tree, b.tree) for a, b in itertools.combinations(found.scores, 2)
    ]
    assert max(plain) > 0.7
    assert found.agreement[np.triu_indices(3, 1)].max() < 0.6


def test_the_trees_shown_are_those_of_cluster():
    answers = coin_flips(40, 20, annotators=[f"p{k % 4}" for k in range(40)])

    found = compare_methods(answers, ["4-AL", "AddS-AL"], n_folds=2)
    effect = exclusion_effect(answers, ["p1"], "AddS-AL")

    for scores in found.scores:
        assert scores.tree == ol.cluster(answers, scores.method)
    assert effect.tree_with == ol.cluster(answers, "AddS-AL")
    assert effect.tree_with.n_tied_merges


def test_the_same_seed_gives_the_same_and_another_seed_another_result():
    answers = coin_flips(60, 30)

    def results(seed):
        options = {"n_folds": 2, "seed": seed}
        return np.concatenate(
            [
                cross_validate(answers, "AddS-AL", **options).revenues.ravel(),
                learning_curve(answers, "AddS-AL", n_repetitions=1, **options).stability[:-1],
                compare_methods(answers, ["4-AL", "AddS-AL"], **options).agreement.ravel(),
            ]
        )

    np.testing.assert_array_equal(results(0), results(0))
    assert (results(0) != results(1)).mean() > 0.5
