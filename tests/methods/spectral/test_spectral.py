"""Spectral trees: what they find, and that they depend on nothing but the answers."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from sklearn.metrics import adjusted_rand_score

import ordlink as ol
from ordlink.errors import InputError
from tests.checks import relabelled
from tests.instances import instances

pytestmark = pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
spectral_linkage = partial(ol.cluster, method="spectral")


@settings(max_examples=60, deadline=None)
@given(instances(max_objects=9))
def test_any_answers_give_a_tree_that_keeps_initial_clusters(instance) -> None:
    tree = spectral_linkage(instance.comparisons, initial_clusters=instance.initial_clusters)

    assert tree.n_objects == instance.n_objects
    assert len(tree.merges) == instance.n_objects - 1
    groups = instance.initial_clusters or []
    n_slots = instance.n_objects - sum(len(group) - 1 for group in groups)
    labels = tree.cut(n_slots)
    for group in groups:
        assert len(set(labels[group])) == 1


@pytest.mark.parametrize("n", [2, 3, 10])
def test_no_answers_give_a_tree_that_says_it_is_blind(n) -> None:
    nothing = ol.Comparisons.from_triplets(np.empty((0, 3), dtype=int), n_objects=n)

    tree = spectral_linkage(nothing)

    assert len(tree.merges) == n - 1
    assert tree.tied.all()


def test_one_answer_is_followed() -> None:
    comparisons = ol.Comparisons.from_triplets([[3, 1, 2]], n_objects=4)

    tree = spectral_linkage(comparisons)

    assert tree.lca_sizes()[3, 1] <= tree.lca_sizes()[3, 2]


def test_objects_that_nobody_named_are_in_the_tree() -> None:
    planted = ol.datasets.planted_hierarchy(depth=1, leaf_size=8, gap=0.5, seed=0)
    rows = ol.datasets.simulate_answers(planted.similarities, 1000, seed=0)
    tree = spectral_linkage(ol.Comparisons.from_triplets(rows, n_objects=20))

    assert tree.n_objects == 20
    kept = tree.restrict(range(16))
    assert ol.metrics.aari(planted.levels, kept) == 1.0


def _shuffled(planted, seed: int):
    order = np.random.default_rng(seed).permutation(planted.n_objects)
    return planted.similarities[np.ix_(order, order)], planted.levels[:, order]


@pytest.mark.parametrize("form", ["quadruplet", "triplet", "most-central", "odd-one-out"])
def test_planted_trees_are_found_from_every_form_of_answer(form) -> None:
    planted = ol.datasets.planted_hierarchy(depth=2, leaf_size=12, gap=0.25, seed=1)
    similarities, levels = _shuffled(planted, 1)
    rows = ol.datasets.simulate_answers(similarities, 6000, form=form, seed=1)
    make = getattr(ol.Comparisons, f"from_{form.replace('-', '_')}".replace("let", "lets"))

    tree = ol.cluster(make(rows, n_objects=48), "spectral")

    assert ol.metrics.aari(levels, tree) > 0.97


def test_few_answers_tell_more_than_the_paper_methods_hear() -> None:
    planted = ol.datasets.planted_hierarchy(gap=0.2, seed=0)
    similarities, levels = _shuffled(planted, 0)
    rows = ol.datasets.simulate_answers(similarities, 8_300, form="quadruplet", seed=0)
    comparisons = ol.Comparisons.from_quadruplets(rows, n_objects=240)

    found = {
        method: ol.metrics.aari(levels, ol.cluster(comparisons, method))
        for method in ("spectral", "4-AL", "AddS-AL", "4K-AL")
    }

    assert found["spectral"] > 0.82
    assert found["spectral"] > max(found[m] for m in found if m != "spectral") + 0.25


@pytest.mark.parametrize(
    "structure", [[20] * 5, ol.datasets.caterpillar([40, 5, 10, 20, 25]), [[30, 4], [50, [6, 10]]]]
)
def test_stars_chains_and_uneven_trees_are_found(structure) -> None:
    planted = ol.datasets.planted_tree(structure, gap=0.3, seed=3)
    similarities, levels = _shuffled(planted, 3)
    rows = ol.datasets.simulate_answers(similarities, 20_000, form="quadruplet", seed=3)

    tree = ol.cluster(
        ol.Comparisons.from_quadruplets(rows, n_objects=planted.n_objects), "spectral"
    )

    assert ol.metrics.aari(levels, tree) > 0.95


def test_all_comparisons_need_not_be_listed() -> None:
    planted = ol.datasets.planted_hierarchy(depth=2, leaf_size=15, gap=0.15, seed=0)
    similarities, levels = _shuffled(planted, 0)

    tree = ol.cluster(ol.Comparisons.from_similarities(similarities), "spectral")

    assert ol.metrics.aari(levels, tree) > 0.97


@pytest.mark.slow
@pytest.mark.parametrize(("leaf_size", "n_answers"), [(6, 3000), (20, 6000), (20, 25_000)])
def test_relabelling_objects_relabels_the_tree(leaf_size, n_answers) -> None:
    for seed in range(8):
        planted = ol.datasets.planted_hierarchy(depth=2, leaf_size=leaf_size, gap=0.2, seed=seed)
        n = planted.n_objects
        rows = ol.datasets.simulate_answers(planted.similarities, n_answers, seed=seed)
        new_number = np.random.default_rng(seed).permutation(n)

        tree = ol.cluster(ol.Comparisons.from_triplets(rows, n_objects=n), "spectral")
        moved = ol.cluster(ol.Comparisons.from_triplets(new_number[rows], n_objects=n), "spectral")

        assert relabelled(tree, new_number) == relabelled(moved, np.arange(n))


@pytest.mark.slow
@pytest.mark.parametrize("leaf_size", [30, 75])  # every pair in 56 comparisons, and in 6
def test_the_tree_is_the_same_on_any_number_of_threads(leaf_size) -> None:
    code = (
        "import warnings; warnings.simplefilter('ignore')\n"
        "import ordlink as ol\n"
        f"p = ol.datasets.planted_hierarchy(depth=2, leaf_size={leaf_size}, gap=0.1, seed=0)\n"
        "rows = ol.datasets.simulate_answers(p.similarities, 140_000, seed=0)\n"
        "t = ol.cluster(ol.Comparisons.from_triplets(rows, n_objects=p.n_objects), 'spectral')\n"
        "print(t.merges.tolist(), t.scores.tolist())\n"
    )
    found = {
        threads: subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "ORDLINK_THREADS": threads, "OMP_NUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for threads in ("1", "2")
    }

    assert found["1"] == found["2"]


def test_clusters_that_were_never_compared_with_each_other_stay_apart() -> None:
    planted = ol.datasets.planted_tree([[10, 10], 10], gap=0.3, seed=0)
    labels = np.asarray(planted.labels)
    rows = ol.datasets.simulate_answers(planted.similarities, 8000, form="quadruplet", seed=0)
    pairs = np.sort(labels[rows].reshape(-1, 2, 2), axis=2)
    rows = rows[~(pairs == [0, 2]).all(axis=2).any(axis=1)]

    tree = spectral_linkage(ol.Comparisons.from_quadruplets(rows))

    assert adjusted_rand_score(labels, tree.cut(3)) == 1.0


def test_many_objects_and_answers_that_cancel_out_give_a_tree() -> None:
    cycle = ol.Comparisons.from_triplets([[0, 1, 2], [0, 2, 3], [0, 3, 1]], n_objects=450)

    assert len(spectral_linkage(cycle).merges) == 449


def test_counts_too_large_to_be_added_up_are_refused_unless_the_majority_counts() -> None:
    rows = [[0, 1, 2], [1, 0, 2], [0, 1, 2]]
    comparisons = ol.Comparisons.from_triplets(rows, counts=[2**30] * 3)

    with pytest.raises(InputError, match="net count"):
        spectral_linkage(comparisons, repeats="net")
    late = ol.Comparisons.from_triplets([[7, 5, 6]] * 3, counts=[2**30] * 3)
    with pytest.raises(InputError, match=r"\(5, 7, 6, 7\)"):  # in the objects' own numbers
        spectral_linkage(late, repeats="net")
    assert spectral_linkage(comparisons).merges[0].tolist() == [0, 1]


def test_objects_that_are_all_alike_are_tied() -> None:
    labels = np.repeat([0, 1, 2], [4, 4, 5])
    similarities = np.where(labels[:, None] == labels, 2.0, 0.0)
    similarities[labels == 2] = np.where(labels == 2, 3.0, 0.0)

    tree = spectral_linkage(ol.Comparisons.from_similarities(similarities))

    inside = [node for node in range(12) if len(set(labels[tree.members(13 + node)])) == 1]
    assert tree.tied[inside].all()
    assert len(inside) == 10


def test_relabelling_any_matrix_relabels_the_tree() -> None:
    for seed in range(30):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(4, 14))
        similarities = rng.normal(size=(n, n))
        similarities += similarities.T
        order = rng.permutation(n)

        tree = spectral_linkage(ol.Comparisons.from_similarities(similarities))
        moved = ol.Comparisons.from_similarities(similarities[np.ix_(order, order)])

        assert relabelled(spectral_linkage(moved), order) == relabelled(tree, np.arange(n))


def test_no_initial_clusters_are_none() -> None:
    rows = [[0, 1, 2], [0, 1, 3], [5, 4, 6], [4, 5, 6]]
    comparisons = ol.Comparisons.from_triplets(rows, n_objects=8)

    tree, same = (spectral_linkage(comparisons, initial_clusters=given) for given in (None, []))

    assert tree.merges.tolist() == same.merges.tolist()
    np.testing.assert_array_equal(tree.scores, same.scores)


def test_parts_stay_apart_whatever_initial_clusters_there_are() -> None:
    rng = np.random.default_rng(0)
    rows = [rng.permutation(6)[:3] + 6 * half for half in (0, 1) for _ in range(60)]
    comparisons = ol.Comparisons.from_triplets(rows, n_objects=12)

    apart = spectral_linkage(comparisons, initial_clusters=[[0, 3], [7, 8, 9]])
    linked = spectral_linkage(comparisons, initial_clusters=[[0, 7]])

    assert adjusted_rand_score(np.arange(12) // 6, apart.cut(2)) == 1.0
    assert np.isnan(apart.scores[-1])
    assert apart.tied[-1]
    assert len({apart.cut(9)[item] for item in (7, 8, 9)}) == 1
    assert linked.cut(11)[0] == linked.cut(11)[7]
    assert np.isfinite(linked.scores[1:]).all()


def test_relabelling_objects_relabels_the_tree_of_initial_clusters() -> None:
    for seed in range(2):
        planted = ol.datasets.planted_hierarchy(depth=2, leaf_size=5, gap=0.1, seed=seed)
        rows = ol.datasets.simulate_answers(planted.similarities, 600, seed=seed)
        new_number = np.random.default_rng(seed).permutation(20)
        clusters = [[0, 1], [5, 6, 7], [18, 3]]

        tree = spectral_linkage(
            ol.Comparisons.from_triplets(rows, n_objects=20), initial_clusters=clusters
        )
        moved = spectral_linkage(
            ol.Comparisons.from_triplets(new_number[rows], n_objects=20),
            initial_clusters=[new_number[cluster] for cluster in clusters],
        )

        inside = len([item for cluster in clusters for item in cluster[1:]])
        for k in range(2, 21 - inside):
            assert adjusted_rand_score(tree.cut(k), moved.cut(k)[new_number]) == 1.0


@pytest.mark.parametrize("seed", range(6))
def test_relabelling_objects_relabels_the_tree_of_all_comparisons(seed) -> None:
    planted = ol.datasets.planted_hierarchy(depth=1, leaf_size=6, gap=0.02, seed=seed)
    order = np.random.default_rng(seed).permutation(12)

    tree = spectral_linkage(ol.Comparisons.from_similarities(planted.similarities))
    moved = ol.Comparisons.from_similarities(planted.similarities[np.ix_(order, order)])

    assert relabelled(spectral_linkage(moved), order) == relabelled(tree, np.arange(12))


@pytest.mark.parametrize("kind", ["splits", "plain splits", "average"])
def test_the_tree_says_which_kind_was_taken_for_each_part(monkeypatch, kind) -> None:
    monkeypatch.setattr(
        "ordlink.methods.spectral._spectral.choose_kind",
        lambda comparisons, *_: kind if comparisons.n_objects == 5 else "splits",
    )
    rows = np.array([[0, 1, 2], [1, 2, 3], [3, 4, 0], [2, 4, 1]])
    apart = np.vstack([rows, [[5, 6, 7]]])

    tree = ol.cluster(ol.Comparisons.from_triplets(rows), "spectral")
    of_parts = ol.cluster(ol.Comparisons.from_triplets(apart), "spectral")
    of_ranks = ol.cluster(ol.Comparisons.from_similarities(np.eye(4)), "spectral")

    assert tree.parameters["kinds"] == [kind]
    assert of_parts.parameters["kinds"] == [kind, "splits"]
    assert of_ranks.parameters["kinds"] == ["splits"]


@pytest.mark.parametrize("kind", ["splits", "plain splits", "average"])
def test_a_given_kind_is_not_chosen_again(monkeypatch, kind) -> None:
    rows = np.array([[0, 1, 2], [1, 2, 3], [3, 4, 0], [2, 4, 1]])
    answers = ol.Comparisons.from_triplets(rows)
    monkeypatch.setattr("ordlink.methods.spectral._spectral.choose_kind", None)

    assert ol.cluster(answers, "spectral", kind=kind).parameters["kinds"] == [kind]
    with pytest.raises(InputError, match="kind: expected"):
        ol.cluster(answers, "spectral", kind="spits")
