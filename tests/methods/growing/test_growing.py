"""Trees that grow: new objects at their places, new answers, names, bad input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ordlink as ol
from ordlink.errors import InputError, InputKindError
from ordlink.oracles import SimilarityOracle


def random_tree(n: int, seed: int) -> ol.Hierarchy:
    rng = np.random.default_rng(seed)
    alive, merges = list(range(n)), []
    for t in range(n - 1):
        a, b = rng.choice(len(alive), 2, replace=False)
        merges.append([alive[a], alive[b]])
        alive = [v for k, v in enumerate(alive) if k not in (a, b)] + [n + t]
    return ol.Hierarchy(merges)


def all_triplets(tree: ol.Hierarchy) -> ol.Comparisons:
    """All triplets that the tree answers, which are those of an exact (ultrametric) tree."""
    ranks = tree.lca_ranks()
    n = tree.n_objects
    rows = [
        (i, j, k)
        for i in range(n)
        for j in range(n)
        for k in range(n)
        if len({i, j, k}) == 3 and ranks[i, j] < ranks[i, k]
    ]
    return ol.Comparisons.from_triplets(rows, n_objects=n)


def clusters(tree: ol.Hierarchy) -> set[frozenset[int]]:
    return {frozenset(members.tolist()) for _, members in tree.clusters()}


@settings(deadline=None, max_examples=30)
@given(st.integers(3, 9), st.integers(0, 10**6))
def test_an_object_taken_out_of_an_exact_tree_is_put_back(n, seed) -> None:
    tree = random_tree(n, seed)
    old = tree.restrict(np.arange(n - 1))

    grown = old.with_names(None).insert(all_triplets(tree))

    assert clusters(grown.tree) == clusters(tree)
    assert 0 < grown.probabilities[0] <= 1


@settings(deadline=None, max_examples=30)
@given(st.integers(2, 8), st.integers(1, 4), st.integers(0, 10**6))
def test_the_old_part_never_changes(n, m, seed) -> None:
    tree = random_tree(n, seed)
    rng = np.random.default_rng(seed)
    rows = [rng.permutation(n + m)[:3] for _ in range(20)]
    answers = ol.Comparisons.from_triplets(rows, n_objects=n + m)

    grown = tree.insert(answers).tree

    assert grown.n_objects == n + m
    assert np.array_equal(grown.restrict(np.arange(n)).merges, tree.merges)


def test_names_are_kept_and_objects_recognised_by_them() -> None:
    tree = ol.Hierarchy([[0, 1], [2, 3], [4, 5]], names=["ant", "bee", "cat", "dog"])
    rows = [
        ("eel", "dog", "ant"),
        ("dog", "eel", "cat"),
        ("eel", "dog", "cat"),
        ("fly", "ant", "dog"),
    ]

    found = tree.insert(ol.Comparisons.from_triplets(rows))

    assert found.tree.names == ("ant", "bee", "cat", "dog", "eel", "fly")
    assert [found.tree.names[i] for i in found.siblings[0]] == ["dog"]
    assert found.n_answers.tolist() == [3, 1]
    assert (found.probabilities > 0).all() and (found.probabilities <= 1).all()


@pytest.mark.parametrize("named", [False, True])
def test_few_questions_to_an_oracle_find_the_clusters_of_new_objects(named) -> None:
    planted = ol.datasets.planted_hierarchy(depth=3, leaf_size=15, gap=0.3, noise=0.1, seed=0)
    order = np.random.default_rng(1).permutation(120)
    tree = planted.tree.restrict(order[:100])
    oracle = SimilarityOracle(planted.similarities)
    if named:
        oracle = SimilarityOracle(planted.similarities, names=planted.names)
    else:
        tree = tree.with_names(None)
        oracle = SimilarityOracle(planted.similarities[np.ix_(order, order)])

    found = tree.insert(oracle, seed=0)

    numbers = [planted.names.index(name) for name in found.tree.names] if named else order
    assert ol.metrics.aari(planted.levels[:, numbers], found.tree) > 0.9
    assert oracle.n_questions <= 3 * np.log2(100) * 20 + 1


def test_answers_about_known_objects_move_what_they_contradict() -> None:
    right = random_tree(8, 3)
    wrong = right.restrict([1, 0, *range(2, 8)]).with_names(None)  # two objects exchanged

    updated = wrong.update(all_triplets(right))

    assert clusters(updated) == clusters(right)
    assert right.update(all_triplets(right)) == right


@pytest.mark.parametrize(
    ("rows", "names", "message"),
    [
        ([("x", "y", "z")], ["a", "b", "c"], "no object of the answers is in the tree"),
        ([("a", "b", "c")], ["a", "b", "c"], "there is no new object"),
        ([("a", "b", "d")], ["a", "a", "c"], "the tree has a name twice, 'a'"),
        ([(0, 1, 3)], ["a", "b", "c"], "the tree has names, and the new objects have none"),
        ([(0, 1, 2)], None, "there is no new object"),
    ],
)
def test_bad_input_is_refused(rows, names, message) -> None:
    tree = ol.Hierarchy([[0, 1], [2, 3]], names=names)

    with pytest.raises(InputError, match=message):
        tree.insert(ol.Comparisons.from_triplets(rows))


def test_similarities_are_not_answers() -> None:
    with pytest.raises(InputKindError, match="expected answers"):
        ol.Hierarchy([[0, 1]]).insert(np.eye(3))


def test_update_refuses_new_objects() -> None:
    with pytest.raises(InputError, match="1 object not in the tree"):
        ol.Hierarchy([[0, 1], [2, 3]]).update(ol.Comparisons.from_triplets([(0, 1, 3)]))


def test_the_estimator_predicts_the_clusters_of_objects_that_come_later() -> None:
    planted = ol.datasets.planted_hierarchy(depth=1, leaf_size=8, gap=1.0, noise=0.1, seed=0)
    order = np.array([*range(7), *range(8, 15), 7, 15])
    w = planted.similarities[np.ix_(order, order)]
    known = ol.Comparisons.from_similarities(w[:14, :14], 0.3, seed=0)
    new = ol.Comparisons.from_similarities(w, 0.3, seed=1)
    estimator = ol.OrdinalClustering("spectral", n_clusters=2).fit(known)

    labels = estimator.predict(new)

    assert labels.tolist() == [estimator.labels_[0], estimator.labels_[7]]
    assert not hasattr(ol.OrdinalClustering(), "predict")
