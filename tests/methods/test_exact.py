"""Average linkage and 4-AL equal their literal equations: same merges, scores and tie marks."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ordlink as ol
from ordlink import Comparisons
from ordlink._threads import limit_threads
from ordlink._typing import FloatArray
from ordlink.comparisons import ListedComparisons
from ordlink.linkage import average_linkage
from ordlink.methods.adds import adds_similarity
from ordlink.methods.four_al import _ranks, _slots
from ordlink.methods.four_al import _scores as _four_al_scores
from ordlink.methods.kernel_al import passive_kernel
from tests.checks import assert_same_tree
from tests.instances import Instance, instances, partitions, similarity_matrices
from tests.reference import kernels
from tests.reference.four_al import four_al, four_al_unit
from tests.reference.linkage import agglomerate, average, largest

pytestmark = pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
quadruplets_average_linkage = partial(ol.cluster, method="4-AL")


@settings(max_examples=250)
@given(instance=instances())
def test_4al_equals_the_literal_equation(instance: Instance) -> None:
    tree = quadruplets_average_linkage(
        instance.comparisons,
        repeats=instance.repeats,
        initial_clusters=instance.initial_clusters,
    )

    relation = instance.relation
    assert_same_tree(
        tree,
        agglomerate(
            instance.n_objects,
            four_al(relation),
            instance.initial_clusters,
            unit=four_al_unit(relation),
        ),
    )
    assert abs(tree.scores[-1]) < 1e-12 or np.isnan(tree.scores[-1])


@settings(max_examples=250)
@given(matrix=similarity_matrices(), data=st.data())
def test_average_linkage_equals_the_literal_equation(matrix, data: st.DataObject) -> None:
    initial_clusters = data.draw(partitions(len(matrix)))

    tree = average_linkage(matrix, initial_clusters=initial_clusters)

    assert_same_tree(
        tree, agglomerate(len(matrix), average(matrix), initial_clusters, unit=largest(matrix))
    )


@settings(max_examples=200)
@given(instance=instances(max_objects=9), self_comparisons=st.booleans())
def test_4kal_equals_the_literal_equation(instance: Instance, self_comparisons: bool) -> None:
    kernel = passive_kernel(
        instance.comparisons, self_comparisons=self_comparisons, repeats=instance.repeats
    )
    tree = average_linkage(kernel, initial_clusters=instance.initial_clusters)

    literal = kernels.passive_kernel(instance.relation, instance.n_objects, self_comparisons)
    assert_same_tree(
        tree,
        agglomerate(
            instance.n_objects, average(literal), instance.initial_clusters, unit=largest(literal)
        ),
    )


@settings(max_examples=200)
@given(instance=instances())
def test_adds_al_equals_the_literal_equation(instance: Instance) -> None:
    similarity = adds_similarity(instance.comparisons, repeats=instance.repeats)
    tree = average_linkage(similarity, initial_clusters=instance.initial_clusters)

    literal = kernels.adds(instance.relation, instance.n_objects)
    assert_same_tree(
        tree,
        agglomerate(
            instance.n_objects, average(literal), instance.initial_clusters, unit=largest(literal)
        ),
    )


@pytest.mark.parametrize("seed", range(5))
def test_4al_is_the_same_with_and_without_contraction(seed: int, monkeypatch) -> None:
    upper = np.triu(np.random.default_rng(seed).normal(size=(50, 50)), 1)
    comparisons = Comparisons.from_similarities(upper + upper.T, 0.05, seed=seed)
    contracted = quadruplets_average_linkage(comparisons)

    monkeypatch.setattr(_four_al_scores, "DENSE_ENTRIES", 0)
    monkeypatch.setattr(_four_al_scores, "DENSE_SHARE", 0)
    for share in (0.0, 0.1, 2.0):  # columns are contracted at each look, now and then, never
        monkeypatch.setattr(_four_al_scores, "LARGE_SHARE", share)
        plain = quadruplets_average_linkage(comparisons)

        np.testing.assert_array_equal(contracted.merges, plain.merges)
        np.testing.assert_allclose(contracted.scores, plain.scores, rtol=1e-9, atol=1e-12)


def test_4al_with_contracted_columns_equals_the_literal_equation(monkeypatch) -> None:
    monkeypatch.setattr(_four_al_scores, "DENSE_ENTRIES", 0)
    monkeypatch.setattr(_four_al_scores, "DENSE_SHARE", 0)
    monkeypatch.setattr(_four_al_scores, "LARGE_SHARE", 0.0)
    monkeypatch.setattr("ordlink.methods.four_al._four_al.AT_ONCE", 0)

    test_4al_equals_the_literal_equation()


def _list_by_slot(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all columns count as short, and no contraction make them a matrix soon."""
    monkeypatch.setattr(_slots, "FEWEST_SLOTS", 0)
    monkeypatch.setattr(_slots, "LONGEST", 1_000_000)
    monkeypatch.setattr(_four_al_scores, "DENSE_ENTRIES", 0)
    monkeypatch.setattr(_four_al_scores, "DENSE_SHARE", 0)


def test_4al_by_slots_equals_the_literal_equation(monkeypatch) -> None:
    _list_by_slot(monkeypatch)

    test_4al_equals_the_literal_equation()


@pytest.mark.parametrize("proportion", [0.002, 0.05])
@pytest.mark.parametrize("rounded", [False, True])
def test_4al_by_slots_is_that_by_columns_to_the_bit(
    proportion: float, rounded: bool, monkeypatch
) -> None:
    upper = np.triu(np.random.default_rng(5).normal(size=(60, 60)), 1)
    matrix = upper + upper.T
    comparisons = Comparisons.from_similarities(
        np.round(matrix) if rounded else matrix, proportion, seed=5
    )
    given = {"initial_clusters": [[3, 9, 12], [40, 41]]}
    _list_by_slot(monkeypatch)
    by_slot = quadruplets_average_linkage(comparisons, **given)

    monkeypatch.setattr(_slots, "LONGEST", 0)
    by_column = quadruplets_average_linkage(comparisons, **given)

    for figures in ("merges", "scores", "tied"):
        np.testing.assert_array_equal(getattr(by_slot, figures), getattr(by_column, figures))


def test_4al_of_one_growing_cluster_contracts_columns(monkeypatch) -> None:
    """Every pair is compared with two pairs alone: one cluster takes in object after object."""
    monkeypatch.setattr(_four_al_scores, "DENSE_ENTRIES", 0)
    pairs = np.arange(780, dtype=np.int32)
    comparisons = ListedComparisons(
        n_objects=40,
        winners=np.concatenate([pairs[1:], pairs[1:-1]]),
        losers=np.repeat(np.array([0, 779], dtype=np.int32), [779, 778]),
    )
    contracted: list[int] = []
    to_columns = _four_al_scores._to_columns

    def watched(columns, contraction):
        contracted.append(contraction.n_clusters)
        return to_columns(columns, contraction)

    monkeypatch.setattr(_four_al_scores, "_to_columns", watched)
    tree = quadruplets_average_linkage(comparisons)

    assert contracted
    monkeypatch.setattr(_four_al_scores, "LARGE_SHARE", 2.0)
    plain = quadruplets_average_linkage(comparisons)
    np.testing.assert_array_equal(tree.merges, plain.merges)
    np.testing.assert_array_equal(tree.tied, plain.tied)
    np.testing.assert_allclose(tree.scores, plain.scores, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("n", "kind"), [(46_340, np.int32), (46_341, np.int64)])
def test_places_of_cluster_pairs_fit_their_type(n: int, kind: type) -> None:
    p, q = np.array([[n - 1, 3], [n - 2, 2]], dtype=np.int32)

    places = _four_al_scores._places(p, q, n)

    assert places.tolist() == [(n - 2) * n + n - 1, 2 * n + 3]
    assert places.dtype == kind


@pytest.mark.parametrize("n_values", [0, 7])
@pytest.mark.parametrize("large_share", [0.0, 0.5, 2.0])
def test_4al_of_ranks_is_that_of_all_comparisons_listed(
    n_values: int, large_share: float, monkeypatch
) -> None:
    """At a size where mean ranks leave most cluster pairs alone; sums made anew, and never."""
    monkeypatch.setattr(_ranks, "LARGE_SHARE", large_share)
    rng = np.random.default_rng(3)
    drawn = rng.integers(0, n_values, (60, 60)) if n_values else rng.normal(size=(60, 60))
    upper = np.triu(drawn, 1)
    ranked = Comparisons.from_similarities(upper + upper.T)

    by_rank = quadruplets_average_linkage(ranked)

    listed = quadruplets_average_linkage(ranked.listed())
    np.testing.assert_array_equal(by_rank.merges, listed.merges)
    np.testing.assert_allclose(by_rank.scores, listed.scores, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(by_rank.tied, listed.tied)


def test_4al_of_ranks_is_the_same_on_two_threads(monkeypatch) -> None:
    monkeypatch.setattr(_ranks, "BLOCKS_PER_THREAD", 1)
    upper = np.triu(np.random.default_rng(4).normal(size=(50, 50)), 1)
    ranked = Comparisons.from_similarities(upper + upper.T)
    trees = []
    for n_jobs in (1, 2):
        with limit_threads(n_jobs):
            trees.append(quadruplets_average_linkage(ranked))

    np.testing.assert_array_equal(trees[0].merges, trees[1].merges)
    np.testing.assert_array_equal(trees[0].scores, trees[1].scores)


def _sparse(n: int, share: float) -> FloatArray:
    upper = np.triu(np.random.default_rng(0).random((n, n)) < share, 1)
    return (upper + upper.T).astype(float)


def _one_cluster(n: int, size: int) -> FloatArray:
    inside = np.random.default_rng(0).permutation(n) < size
    return np.outer(inside, inside).astype(float)


@pytest.mark.parametrize(
    "similarities", [_sparse(320, 0.003), _one_cluster(400, 30)], ids=["sparse", "one cluster"]
)
def test_4al_of_two_ranks_is_average_linkage_with_all_its_ties(similarities: FloatArray) -> None:
    """s is then a line in the share of pairs of the upper rank; s' is far larger than s."""
    tree = quadruplets_average_linkage(Comparisons.from_similarities(similarities))

    expected = average_linkage(similarities)
    np.testing.assert_array_equal(tree.merges, expected.merges)
    np.testing.assert_array_equal(tree.tied, expected.tied)


def test_4al_of_equal_pairs_joins_objects_in_their_order() -> None:
    n = 400

    tree = quadruplets_average_linkage(Comparisons.from_similarities(np.zeros((n, n))))

    assert tree.merges.tolist() == [[0, 1], *([n + t, t + 2] for t in range(n - 2))]
    assert tree.tied.tolist() == [True] * (n - 2) + [False]  # two clusters make one pair


def test_few_cluster_pairs_are_computed_from_ranks(monkeypatch) -> None:
    from ordlink.methods.four_al import _kernels_ranks

    n, n_computed, best_by_rank = 120, 0, _kernels_ranks.best_by_rank

    def count(*arrays):
        nonlocal n_computed
        means = arrays[-1]
        means[:] = np.nan
        found = best_by_rank(*arrays)
        n_computed += int((~np.isnan(means)).sum())
        return found

    monkeypatch.setattr(_kernels_ranks, "best_by_rank", count)
    planted = ol.datasets.planted_hierarchy(depth=3, leaf_size=n // 8, seed=0)
    quadruplets_average_linkage(Comparisons.from_similarities(planted.similarities))

    assert n - 1 <= n_computed < 8 * n


def test_average_linkage_agrees_with_scipy_where_nothing_ties() -> None:
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform

    upper = np.triu(np.random.default_rng(0).random((60, 60)), 1)
    matrix = upper + upper.T
    tree = average_linkage(matrix)

    scipy_tree = linkage(squareform(1 - matrix, checks=False), method="average")
    np.testing.assert_allclose(tree.scores, 1 - scipy_tree[:, 2])
    np.testing.assert_array_equal(np.sort(tree.merges, axis=1), scipy_tree[:, :2])


def test_scores_exactly_zero_are_ties_however_long_the_sums() -> None:
    """Equal blocks whose cross pairs all tie: 4-AL joins the blocks in order, all by ties."""
    n, blocks = 60, 4
    inside = np.arange(n)[:, None] // (n // blocks) == np.arange(n) // (n // blocks)
    tree = quadruplets_average_linkage(
        Comparisons.from_similarities(inside.astype(float), 0.5, seed=0),
        initial_clusters=[list(range(b, b + n // blocks)) for b in range(0, n, n // blocks)],
    )

    assert tree.tied[-3:].tolist() == [True, True, False]
    np.testing.assert_array_equal(tree.cut(3)[:: n // blocks], [0, 0, 1, 2])


@pytest.mark.parametrize("clusters", [[[0, 1], [1, 2]], [[0, 9]], [[-1]], [[]], [[0.5]], [["a"]]])
def test_wrong_initial_clusters_are_refused(clusters: list) -> None:
    from ordlink.errors import InputError

    with pytest.raises(InputError, match="initial cluster"):
        average_linkage(np.ones((3, 3)), initial_clusters=clusters)
