"""Average linkage of sign features equals average linkage of their kernel."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordlink.hierarchy import Hierarchy
from ordlink.linkage import (
    _average_features,
    average_linkage,
    initial_partition,
    link_features_by_average,
)
from ordlink.methods.kernel_al import active_kernel
from tests.checks import assert_same_tree
from tests.instances import partitions
from tests.reference.linkage import agglomerate, average


def _link(features, initial_clusters=None):
    return link_features_by_average(features, initial_partition(len(features), initial_clusters))


@st.composite
def sign_features(draw: st.DrawFn, max_objects: int = 60) -> np.ndarray:
    """Draw signs: few or many features, with 0s, with identical, opposite and zero rows."""
    n = draw(st.integers(2, max_objects))
    d = draw(st.sampled_from([0, 1, 2, 3, 5, 12, 63, 64, 65, 130]))
    n_kinds = draw(st.sampled_from([1, 2, 5, 60, 60]))
    share_of_zeros = draw(st.sampled_from([0.0, 0.1, 0.7, 1.0]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    signs = rng.choice(np.array([-1, 1], dtype=np.int8), (n_kinds, d))
    signs[rng.random(signs.shape) < share_of_zeros] = 0
    features = signs[rng.integers(0, n_kinds, n)]
    features[rng.random(n) < 0.1] *= -1
    features.flags.writeable = False
    return features


def _planted(n: int, *, n_landmarks: int = 6, n_references: int = 5, seed: int = 0) -> np.ndarray:
    """Return features as the active kernel makes them: a landmark's signs go up together."""
    rng = np.random.default_rng(seed)
    groups = rng.integers(0, 8, n)
    references = rng.normal(size=n_references)
    levels = rng.normal(size=(8, n_landmarks))[groups] + 0.7 * rng.normal(size=(n, n_landmarks))
    signs = np.sign(levels[:, :, None] - references).astype(np.int8)
    signs[np.arange(n_landmarks), np.arange(n_landmarks)] = 0
    features = signs.reshape(n, -1)
    features.flags.writeable = False
    return features


def _assert_equal(tree: Hierarchy, expected: Hierarchy) -> None:
    np.testing.assert_array_equal(tree.merges, expected.merges)
    np.testing.assert_allclose(tree.scores, expected.scores, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(tree.tied, expected.tied)


@pytest.fixture(params=[(16, 1 << 23), (1, 50), (2, 1), (3, 700)], ids=str)
def sizes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run with usual and with tiny lists and blocks, so that lists are used up all the time."""
    length, products = request.param
    monkeypatch.setattr(_average_features, "LIST_LENGTH", length)
    monkeypatch.setattr(_average_features, "PRODUCTS_AT_ONCE", products)
    monkeypatch.setattr(_average_features, "_ROWS_AT_ONCE", 1024 if length == 16 else 7)


@pytest.mark.usefixtures("sizes")
def test_equals_average_linkage_of_the_kernel() -> None:
    @settings(max_examples=150)
    @given(features=sign_features(), data=st.data())
    def check(features: np.ndarray, data: st.DataObject) -> None:
        initial_clusters = data.draw(partitions(len(features)))

        tree = _link(features, initial_clusters)

        _assert_equal(
            tree, average_linkage(active_kernel(features), initial_clusters=initial_clusters)
        )

    check()


@settings(max_examples=60)
@given(features=sign_features(max_objects=11), data=st.data())
def test_equals_the_literal_equation(features: np.ndarray, data: st.DataObject) -> None:
    initial_clusters = data.draw(partitions(len(features)))

    tree = _link(features, initial_clusters)

    kernel = active_kernel(features)
    assert_same_tree(tree, agglomerate(len(kernel), average(kernel), initial_clusters, unit=0))


@pytest.mark.usefixtures("sizes")
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("n_landmarks", [2, 6, 26])
def test_equals_average_linkage_of_a_larger_kernel(seed: int, n_landmarks: int) -> None:
    features = _planted(300, n_landmarks=n_landmarks, seed=seed)
    rng = np.random.default_rng(seed)
    groups = None if seed % 2 else [part.tolist() for part in rng.permutation(240).reshape(60, 4)]

    tree = _link(features, groups)

    _assert_equal(tree, average_linkage(active_kernel(features), initial_clusters=groups))


def test_a_margin_of_infinity_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """With so many features that float32 says nothing, all scores come from whole numbers."""
    features = _planted(120)
    expected = _link(features)
    monkeypatch.setattr(
        _average_features, "_margins", lambda rows, means: np.full(len(rows), np.inf)
    )

    _assert_equal(_link(features), expected)


def test_products_are_within_their_margins() -> None:
    rng = np.random.default_rng(0)
    sizes = rng.integers(1, 40_000, 50)
    sums = (rng.uniform(-1, 1, (50, 400)) * sizes[:, None]).round().astype(np.int32)
    from ordlink.linkage._kernels_lists import Clusters

    clusters = Clusters(sums, sizes, np.arange(50, dtype=np.int32))
    means = _average_features._means(np.arange(50, dtype=np.int32), clusters)
    errors = np.abs(means @ means.T - (sums / sizes[:, None]) @ (sums / sizes[:, None]).T)

    margins = _average_features._margins(means, means)
    assert (errors <= margins[:, None]).all()
    assert margins.max() < 0.01


@pytest.mark.parametrize("seed", range(5))
def test_lists_are_right_whichever_way_products_are_off_within_their_margins(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scores so near to each other that the estimates alone would put them in another order."""
    monkeypatch.setattr(_average_features, "LIST_LENGTH", 3)
    from ordlink.linkage._kernels_lists import Clusters
    from ordlink.linkage._kernels_search import scan_products

    n = 80
    rng = np.random.default_rng(seed)
    sums = rng.choice(np.array([-1, 1], dtype=np.int32), (n, 30))
    slots = np.arange(n, dtype=np.int32)
    clusters = Clusters(sums, np.ones(n, dtype=np.int64), slots)
    scores = (sums @ sums.T).astype(np.float32)
    lists = _average_features._empty_lists(n)
    off = rng.choice(np.array([-5, 5], dtype=np.float32), (n, n))

    room = np.empty(5, dtype=np.float32)
    scan_products(scores + off, slots, slots, np.full(n, 5.0), clusters, lists, room)

    for r in range(n):
        others = np.delete(slots, r)
        order = others[np.lexsort((others, -scores[r, others]))][:4]
        assert lists.slots[r].tolist() == order.tolist()
        assert lists.scores[r].tolist() == scores[r, order].tolist()


def test_sums_of_large_clusters_do_not_overflow() -> None:
    from ordlink.linkage._kernels_lists import dot

    sums = np.array([[100_000, -90_000], [80_000, 70_000]], dtype=np.int32)

    assert dot(0, 1, sums) == 100_000 * 80_000 - 90_000 * 70_000


def test_equal_scores_of_float64_are_told_apart() -> None:
    """Scores whose quotients round to the same float64 are still put in their true order."""
    base = 2**30 + 1
    numbers = np.array([base - 1, base, 7, base + 1], dtype=np.int64)
    weights = np.array([base, base + 1, 3, base + 2], dtype=np.int64)
    shift = np.int64(2**29)
    pairs = np.array([[0, 3], [0, 1], [4, 5], [0, 2]], dtype=np.int32)
    numbers[[0, 1, 3]] += shift * weights[[0, 1, 3]]
    assert len(set((numbers / weights).tolist())) == 2

    order, same = _average_features._greedy_order(pairs, numbers, weights)

    assert order.tolist() == [3, 1, 0, 2]
    assert not same.any()


@settings(max_examples=300)
@given(
    a=st.integers(-(10**6), 10**6),
    b=st.integers(1, 10**6),
    c=st.integers(-(10**6), 10**6),
    d=st.integers(1, 10**6),
    near=st.booleans(),
)
def test_scores_are_compared_exactly(a: int, b: int, c: int, d: int, near: bool) -> None:
    from ordlink.linkage._kernels_lists import compare_scores

    if near:  # (a m + 1) / (b m) is so near to a / b that float64 often takes them for equal
        m = 10**9
        a, b, c, d = a * m, b * m, a * m + c % 3 - 1, b * m
    difference = Fraction(a, b) - Fraction(c, d)

    assert compare_scores(a, b, c, d) == (difference > 0) - (difference < 0)
    assert compare_scores.py_func(a, b, c, d) == (difference > 0) - (difference < 0)


@pytest.mark.parametrize("n_kinds", [1, 2, 50])
@pytest.mark.parametrize("value", [0, 1])
def test_identical_rows_end_soon(n_kinds: int, value: int) -> None:
    kinds = np.random.default_rng(0).choice(np.array([-1, 1], dtype=np.int8), (n_kinds, 40))
    features = np.repeat(kinds * np.int8(value), 2000 // n_kinds, axis=0)

    tree = _link(features)

    _assert_equal(tree, average_linkage(active_kernel(features)))


def test_number_of_threads_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    features = _planted(500)
    trees = []
    for n_threads in ("1", "2", "5"):
        monkeypatch.setenv("ORDLINK_THREADS", n_threads)
        trees.append(_link(features))

    for tree in trees[1:]:
        np.testing.assert_array_equal(tree.merges, trees[0].merges)
        np.testing.assert_array_equal(tree.scores, trees[0].scores)
        np.testing.assert_array_equal(tree.tied, trees[0].tied)


def test_names_and_progress() -> None:
    steps: list[tuple[int, int]] = []
    names = [f"object {i}" for i in range(100)]

    tree = link_features_by_average(
        _planted(100),
        initial_partition(100),
        names=names,
        progress=lambda *step: steps.append(step),
    )

    assert tree.names == tuple(names)
    assert steps[-1] == (199, 199)
    assert steps == sorted(steps)
