"""AddS and the quadruplet kernels equal their literal equations."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ordlink import Comparisons
from ordlink.comparisons import net_comparisons
from ordlink.comparisons._columns import compress
from ordlink.oracles import SimilarityOracle
from ordlink.similarity import (
    _passive_kernel,
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
    ranked = Comparisons.from_similarities(matrix)

    np.testing.assert_array_equal(passive_kernel(ranked), passive_kernel(ranked.listed()))
    np.testing.assert_array_equal(adds_similarity(ranked), adds_similarity(ranked.listed()))


@settings(max_examples=100)
@given(instance=instances())
def test_bits_and_groups_give_the_same_kernel(instance: Instance) -> None:
    listed = instance.comparisons
    listed = listed if hasattr(listed, "winners") else listed.listed()
    columns = compress(net_comparisons(listed))

    by_bits = _passive_kernel._kernel_by_bits(columns, instance.n_objects, None)
    by_groups = _passive_kernel._kernel_by_groups(columns, instance.n_objects, None)
    np.testing.assert_array_equal(by_bits + by_bits.T, by_groups + by_groups.T)


def test_many_comparisons_are_multiplied_as_bits_and_few_as_groups() -> None:
    matrix = np.random.default_rng(0).random((40, 40))
    for proportion, expected in ((0.6, True), (0.01, False)):
        comparisons = Comparisons.from_similarities(matrix + matrix.T, proportion, seed=0)

        assert _passive_kernel._bits_pay(compress(net_comparisons(comparisons)), 40) is expected


def test_the_kernel_is_the_same_on_any_number_of_threads(monkeypatch) -> None:
    matrix = np.random.default_rng(0).random((80, 80))
    kernels = []
    for proportion in (0.02, 0.5):
        comparisons = Comparisons.from_similarities(matrix + matrix.T, proportion, seed=0)
        for threads in ("1", "2", "3"):
            monkeypatch.setenv("ORDLINK_THREADS", threads)
            kernels.append(passive_kernel(comparisons))

        np.testing.assert_array_equal(kernels[-1], kernels[-2])
        np.testing.assert_array_equal(kernels[-1], kernels[-3])
