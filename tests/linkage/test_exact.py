"""Average linkage and 4-AL equal their literal equations: same merges, scores and tie marks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordlink.linkage import average_linkage, quadruplets_average_linkage
from ordlink.similarity import adds_similarity, passive_kernel
from tests.checks import assert_same_tree
from tests.instances import Instance, instances, partitions, similarity_matrices
from tests.reference import kernels
from tests.reference.four_al import four_al, four_al_unit
from tests.reference.linkage import agglomerate, average, largest


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
    from ordlink import Comparisons

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
