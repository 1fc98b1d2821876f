"""AddS and the quadruplet kernels equal their literal equations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordlink import Comparisons
from ordlink.comparisons import ListedComparisons, net_comparisons
from ordlink.comparisons._net import compress
from ordlink.methods.adds import adds_similarity
from ordlink.methods.kernel_al import _passive as _passive_kernel
from ordlink.methods.kernel_al import (
    active_features,
    active_kernel,
    passive_kernel,
    plan_active_kernel,
)
from ordlink.oracles import SimilarityOracle
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


def _compared_with_hubs(n_objects: int, hubs: np.ndarray):
    """Return the columns when every pair is compared with each of a few pairs, and no other."""
    winners = np.tile(np.arange(n_objects * (n_objects - 1) // 2, dtype=np.int32), len(hubs))
    losers = np.repeat(hubs.astype(np.int32), len(winners) // len(hubs))
    once = ~np.isin(winners, hubs) | (winners < losers)
    once &= winners != losers
    listed = ListedComparisons(n_objects=n_objects, winners=winners[once], losers=losers[once])
    return compress(net_comparisons(listed))


@pytest.mark.parametrize("hubs", [[0, 4949], [0, 1], [2000, 3000]])
def test_a_few_pairs_compared_with_all_are_not_taken_for_many(hubs, monkeypatch) -> None:
    monkeypatch.setattr(_passive_kernel, "_BITS_TO_COLUMNS", np.inf)

    assert not _passive_kernel._bits_pay(_compared_with_hubs(100, np.array(hubs)), 100)


def test_bits_are_not_taken_where_they_would_fill_the_memory(monkeypatch) -> None:
    columns = _compared_with_hubs(100, np.arange(0, 4950, 150))
    assert not _passive_kernel._bits_pay(columns, 100)

    monkeypatch.setattr(_passive_kernel, "_BITS_TO_COLUMNS", np.inf)

    assert _passive_kernel._bits_pay(columns, 100)


def test_no_comparison_needs_no_bits() -> None:
    nothing = np.empty(0, dtype=np.int32)
    listed = ListedComparisons(n_objects=3, winners=nothing, losers=nothing)

    assert not _passive_kernel._bits_pay(compress(net_comparisons(listed)), 3)


@pytest.mark.parametrize("n_values", [30, None])
def test_the_kernel_of_ranks_is_that_of_all_signs_on_any_number_of_threads(
    n_values: int | None, monkeypatch
) -> None:
    """At a size where rows are computed in blocks."""
    n = 100
    rng = np.random.default_rng(0)
    drawn = rng.integers(0, n_values, (n, n)) if n_values else rng.random((n, n))
    upper = np.triu(drawn, 1)
    matrix = upper + upper.T
    levels, times = np.unique(matrix[np.triu_indices(n, 1)], return_counts=True)
    expected = np.zeros((n, n))
    for r in range(n):
        signs = np.sign(matrix[:, r, None] - levels).astype(np.float32)
        signs[r] = 0  # r is different from i and j
        expected += (signs * times.astype(np.float32)) @ signs.T
    np.fill_diagonal(expected, 0)
    monkeypatch.setattr(_passive_kernel, "_ROWS_PER_THREAD", 30)

    for threads in ("1", "2", "3"):
        monkeypatch.setenv("ORDLINK_THREADS", threads)
        kernel = passive_kernel(Comparisons.from_similarities(matrix), self_comparisons=False)
        np.testing.assert_array_equal(kernel, expected)


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
