"""The method for many objects: what it finds, and what must not change its tree."""

from __future__ import annotations

import numpy as np
import pytest

import ordlink as ol
from ordlink._threads import limit_threads
from ordlink.errors import InputKindError
from ordlink.methods.blocks import _blocks, _splits

pytestmark = pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")


def _planted(
    n_objects: int, n_answers: int, *, depth: int = 2, wrong: float = 0.1, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Return triplets about a balanced tree, the gap equal to the noise, and its levels."""
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.arange(n_objects) * 2**depth // n_objects)
    levels = np.array([labels >> (depth - 1 - level) for level in range(depth)])
    anchor, one, other = rng.permuted(np.tile(np.arange(n_objects), (n_answers, 1)), axis=1)[
        :, :3
    ].T
    apart = [(levels[:, anchor] != levels[:, item]).sum(axis=0) for item in (one, other)]
    nearer = apart[1] - apart[0] + np.sqrt(2) * rng.standard_normal(n_answers) > 0
    nearer ^= rng.random(n_answers) < wrong
    first, second = np.where(nearer, one, other), np.where(nearer, other, one)
    return np.stack([anchor, first, second], axis=1), levels


def test_planted_hierarchies_are_found() -> None:
    rows, levels = _planted(120, 24_000)

    tree = ol.cluster(ol.Comparisons.from_triplets(rows), "blocks")

    assert ol.metrics.aari(levels, tree) > 0.97
    assert (~tree.tied).sum() == 3


def test_planted_hierarchies_are_found_from_quadruplets() -> None:
    planted = ol.datasets.planted_hierarchy(depth=2, leaf_size=20, gap=0.2, noise=0.1, seed=0)
    comparisons = ol.Comparisons.from_similarities(planted.similarities, 0.006, seed=0)

    tree = ol.cluster(comparisons, "blocks")

    assert ol.metrics.aari(planted.levels, tree) > 0.97


def test_answers_about_nothing_split_nothing() -> None:
    rows, _ = _planted(100, 20_000, wrong=0.5)

    tree = ol.cluster(ol.Comparisons.from_triplets(rows), "blocks")

    assert tree.tied.all()


def test_blocks_beyond_the_limit_are_split_on_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    rows, levels = _planted(120, 40_000)
    for module in (_blocks, _splits):
        monkeypatch.setattr(module, "MAX_BLOCKS", 2)

    tree = ol.cluster(ol.Comparisons.from_triplets(rows), "blocks")

    assert ol.metrics.aari(levels, tree) > 0.95


def test_relabelling_objects_relabels_the_tree() -> None:
    rows, _ = _planted(80, 8_000)
    order = np.random.default_rng(1).permutation(80)

    tree = ol.cluster(ol.Comparisons.from_triplets(rows), "blocks")

    other = ol.cluster(ol.Comparisons.from_triplets(order[rows]), "blocks")
    for n_clusters in (2, 4):
        found, expected = other.cut(n_clusters)[order], tree.cut(n_clusters)
        assert len(set(zip(found.tolist(), expected.tolist(), strict=True))) == n_clusters


def test_the_number_of_threads_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ordlink.methods.blocks._passes._OBJECTS_PER_THREAD", 1)
    comparisons = ol.Comparisons.from_triplets(_planted(60, 3_000)[0])

    with limit_threads(1):
        alone = ol.cluster(comparisons, "blocks")
    with limit_threads(3):
        together = ol.cluster(comparisons, "blocks")

    assert together == alone


def test_initial_clusters_stay_together() -> None:
    rows, levels = _planted(80, 8_000)
    groups = [np.flatnonzero(levels[1] == label)[:5].tolist() for label in range(4)]

    tree = ol.cluster(ol.Comparisons.from_triplets(rows), "blocks", initial_clusters=groups)

    assert all(len(set(tree.cut(4)[group])) == 1 for group in groups)


def test_counts_are_repeated_answers() -> None:
    rows, _ = _planted(40, 2_000)
    counts = np.random.default_rng(0).integers(1, 4, len(rows))
    counted = ol.Comparisons.from_triplets(rows, counts=counts)

    repeated = ol.Comparisons.from_triplets(np.repeat(rows, counts, axis=0))
    trees = [ol.cluster(comparisons, "blocks") for comparisons in (counted, repeated)]

    assert (trees[0].cut(2) == trees[1].cut(2)).mean() in (0.0, 1.0)


def test_more_than_65_535_objects() -> None:
    n_objects = 70_000
    rows = _planted(100, 20_000, depth=1)[0] * 700
    comparisons = ol.Comparisons.from_triplets(rows, n_objects=n_objects)

    tree = ol.cluster(comparisons, "blocks")

    assert comparisons.winners.dtype == np.int64
    assert (np.sort(comparisons.quadruplets[0]) == np.sort([rows[0][0], *rows[0]])).all()
    assert tree.n_objects == n_objects
    assert sorted(np.bincount(tree.cut(2)[::700])) == [50, 50]


def test_parts_that_no_answer_compares_are_found_without_a_copy_of_the_answers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of two planted parts, three objects on their own, and two that no answer names."""
    rows, levels = _planted(80, 8_000, depth=1)
    monkeypatch.setattr(ol.ListedComparisons, "subset", None)
    every = np.concatenate([rows, 80 + rows, [[160, 161, 162]]])
    comparisons = ol.Comparisons.from_triplets(every, n_objects=165)

    tree = ol.cluster(comparisons, "blocks")

    for first in (0, 80):
        part = tree.restrict(range(first, first + 80))
        assert ol.metrics.aari(levels, part) > 0.97
    assert len(set(tree.cut(3)[160:163])) == 1


def test_auto_is_blocks_for_many_objects() -> None:
    rows = _planted(100, 500)[0] * 25
    comparisons = ol.Comparisons.from_triplets(rows, n_objects=2_500)

    assert ol.cluster(comparisons, seed=3).method == "blocks"


def test_ranked_comparisons_are_refused() -> None:
    with pytest.raises(InputKindError, match="listed one by one"):
        ol.cluster(ol.Comparisons.from_similarities(np.eye(5)), "blocks")
