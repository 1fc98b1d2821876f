"""AddS and the quadruplet kernels equal their literal equations."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ordlink.oracles import SimilarityOracle
from ordlink.similarity import (
    active_features,
    active_kernel,
    adds_similarity,
    passive_kernel,
    plan_active_kernel,
)
from tests.instances import Instance, instances, similarity_matrices
from tests.reference import kernels as reference


@settings(max_examples=200)
@given(instance=instances())
def test_adds_is_wins_minus_losses(instance: Instance) -> None:
    similarity = adds_similarity(instance.comparisons, repeats=instance.repeats)

    expected = reference.adds(instance.relation, instance.n_objects)
    np.testing.assert_array_equal(similarity, expected)


@settings(max_examples=200)
@given(instance=instances(max_objects=9), self_comparisons=st.booleans())
def test_passive_kernel_is_the_literal_sum(instance: Instance, self_comparisons: bool) -> None:
    kernel = passive_kernel(
        instance.comparisons, self_comparisons=self_comparisons, repeats=instance.repeats
    )

    expected = reference.passive_kernel(instance.relation, instance.n_objects, self_comparisons)
    np.testing.assert_array_equal(kernel, expected)


@settings(max_examples=200)
@given(matrix=similarity_matrices(min_objects=3), seed=st.integers(0, 2**32), data=st.data())
def test_active_kernel_is_the_literal_sum(matrix, seed: int, data: st.DataObject) -> None:
    n = len(matrix)
    n_references = data.draw(st.integers(1, min(5, n * (n - 1) // 2)))
    probability = data.draw(st.sampled_from([None, 0.3, 1.0]))
    plan = plan_active_kernel(
        n, n_references=n_references, landmark_probability=probability, seed=seed
    )
    kernel = active_kernel(active_features(SimilarityOracle(matrix), plan))

    expected = reference.active_kernel(
        matrix, plan.landmarks.tolist(), [tuple(pair) for pair in plan.reference_pairs.tolist()]
    )
    np.testing.assert_array_equal(kernel, expected)


@given(matrix=similarity_matrices(min_objects=3), seed=st.integers(0, 2**32))
def test_ranks_and_listed_comparisons_give_the_same_kernel(matrix, seed: int) -> None:
    from ordlink import Comparisons

    ranked = Comparisons.from_similarities(matrix)

    np.testing.assert_array_equal(passive_kernel(ranked), passive_kernel(ranked.listed()))
    np.testing.assert_array_equal(adds_similarity(ranked), adds_similarity(ranked.listed()))
