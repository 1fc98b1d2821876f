"""Repeated and contradicting answers, against a plain sort of all rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordlink import Comparisons, cluster
from ordlink.comparisons import ListedComparisons, net_comparisons
from ordlink.errors import InputError


def sorted_votes(winners, losers, counts):
    """Sort the rows by (low, high) and add up runs."""
    low, high = np.minimum(winners, losers).astype(np.int64), np.maximum(winners, losers)
    order = np.lexsort((high, low))
    keys = np.stack([low, high], axis=1)[order]
    counts = np.ones(len(low), np.int64) if counts is None else counts.astype(np.int64)
    signed = np.where(winners == low, counts, -counts)[order]
    starts = np.flatnonzero(np.any(np.diff(keys, axis=0, prepend=-1) != 0, axis=1))
    if not len(starts):
        return keys, np.empty(0, np.int64), 0
    for_low = np.add.reduceat(np.maximum(signed, 0), starts)
    for_high = np.add.reduceat(np.maximum(-signed, 0), starts)
    return keys[starts], for_low - for_high, int(((for_low > 0) & (for_high > 0)).sum())


@st.composite
def listed_rows(draw):
    """Draw rows with repetitions: few pairs, or buckets of many rows."""
    n_objects, n_rows = draw(st.sampled_from([(3, 0), (3, 6), (5, 40), (9, 60), (9, 2000)]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n_pairs = n_objects * (n_objects - 1) // 2
    winners = rng.integers(0, min(n_pairs - 1, draw(st.sampled_from([2, 40]))), n_rows)
    losers = rng.integers(0, n_pairs - 1, n_rows)
    losers += losers >= winners
    counts = draw(st.sampled_from([None, 3, 2**31 - 1]))
    if counts is not None:
        counts = rng.integers(1, counts, n_rows, endpoint=True).astype(np.int32)
    return ListedComparisons(
        n_objects=n_objects,
        winners=winners.astype(np.int32),
        losers=losers.astype(np.int32),
        counts=counts,
    )


@given(comparisons=listed_rows())
def test_votes_are_those_of_a_plain_sort(comparisons) -> None:
    keys, difference, n_contradictions = sorted_votes(
        comparisons.winners, comparisons.losers, comparisons.counts
    )
    tally, net = comparisons.tally, net_comparisons(comparisons)

    assert (tally.n_distinct, tally.n_contradictions) == (len(keys), n_contradictions)
    rows = np.stack([net.winners, net.losers], axis=1)
    decided = difference != 0
    expected = np.where(difference[:, None] > 0, keys, keys[:, ::-1])[decided]
    order = np.lexsort((np.maximum(*rows.T), np.minimum(*rows.T)))
    np.testing.assert_array_equal(rows[order], expected)
    assert net.weights is None
    if np.abs(difference).max(initial=0) <= 2**20:
        weights = net_comparisons(comparisons, "net").weights
        weights = np.ones(len(rows)) if weights is None else weights
        np.testing.assert_array_equal(weights[order], np.abs(difference)[decided])


@pytest.mark.parametrize("n_threads", ["1", "2", "3"])
def test_many_rows_on_several_threads(monkeypatch, n_threads: str) -> None:
    monkeypatch.setenv("ORDLINK_THREADS", n_threads)
    monkeypatch.setattr("ordlink.comparisons._listed.ROWS_PER_THREAD", 100)
    rng = np.random.default_rng(0)
    winners = rng.integers(0, 700, 30_000).astype(np.int32)
    losers = ((winners + rng.integers(1, 30, 30_000)) % 780).astype(np.int32)
    comparisons = ListedComparisons(n_objects=40, winners=winners, losers=losers)

    keys, difference, n_contradictions = sorted_votes(winners, losers, None)

    net = net_comparisons(comparisons, "net")
    decided = difference != 0
    np.testing.assert_array_equal(net.weights, np.abs(difference)[decided])
    np.testing.assert_array_equal(np.minimum(net.winners, net.losers), keys[decided, 0])
    assert comparisons.tally.n_contradictions == n_contradictions


def test_decided_pairs_come_in_order_however_many_a_pair_was_compared_with() -> None:
    """Fifty others for each pair, in no order: too many to be put in place one by one."""
    rng = np.random.default_rng(0)
    lower = np.repeat(np.arange(20), 50)
    higher = np.concatenate([30 + rng.permutation(1700)[:50] for _ in range(20)])
    rows = np.stack([lower, higher], axis=1)
    swapped = rng.random(len(rows)) < 0.5
    rows[swapped] = rows[swapped, ::-1]
    rows = np.concatenate([rows, rows])[rng.permutation(2 * len(rows))].astype(np.int32)
    winners, losers = np.ascontiguousarray(rows.T)

    majority = ListedComparisons(n_objects=60, winners=winners, losers=losers).tally.majority

    keys, difference, _ = sorted_votes(winners, losers, None)
    expected = np.where(difference[:, None] > 0, keys, keys[:, ::-1])
    np.testing.assert_array_equal(np.stack([majority.winners, majority.losers], axis=1), expected)


def test_rows_that_do_not_repeat_are_entries_as_they_are() -> None:
    comparisons = Comparisons.from_quadruplets([[2, 3, 0, 1], [0, 1, 0, 2]], counts=[1, 5])

    net = net_comparisons(comparisons, "net")

    np.testing.assert_array_equal(net.winners, comparisons.winners)
    assert net.weights.tolist() == [1, 5]
    assert net_comparisons(comparisons).weights is None


def test_votes_are_counted_once(monkeypatch) -> None:
    comparisons = Comparisons.from_quadruplets([[0, 1, 2, 3], [2, 3, 0, 1], [0, 1, 0, 2]])
    first = comparisons.tally

    monkeypatch.delattr("ordlink.comparisons._listed.tally_votes")

    assert comparisons.tally is first
    assert comparisons.summary().n_contradictions == 1
    assert len(net_comparisons(comparisons).winners) == 1


@pytest.mark.parametrize("method", ["4-AL", "4K-AL", "AddS-AL"])
@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
def test_net_counts_that_could_not_be_added_up_are_refused(method: str) -> None:
    rows = [[0, 1, 2, 3], [0, 1, 2, 3], [0, 2, 1, 3]]
    huge = Comparisons.from_quadruplets(rows, counts=[2**31 - 1, 2**31 - 1, 1])

    with pytest.raises(InputError, match=r"\(0, 1, 2, 3\) has a net count of 4,294,967,294"):
        cluster(huge, method, repeats="net")

    assert cluster(huge, method).merges[0].tolist() == [0, 1]


def test_net_counts_are_refused_from_their_bounds_on() -> None:
    rows = [[0, 1, 2, 3], [0, 2, 1, 3]]

    def weights(counts):
        answers = Comparisons.from_quadruplets(rows, counts=counts)
        return net_comparisons(answers, "net").weights.tolist()

    assert weights([2**20, 1]) == [2**20, 1]
    with pytest.raises(InputError, match="net count of 1,048,577"):
        weights([2**20 + 1, 1])


def test_the_total_of_net_counts_is_bounded() -> None:
    rows = np.random.default_rng(0).integers(0, 700, (2050, 2)).astype(np.int32)
    rows = np.unique(rows[rows[:, 0] < rows[:, 1]], axis=0)
    rows = np.concatenate([rows, rows + 10_000, rows + 20_000])[:2049]
    answers = ListedComparisons(
        n_objects=300,
        winners=rows[:, 0].copy(),
        losers=rows[:, 1].copy(),
        counts=np.full(2049, 2**20, dtype=np.int32),
    )

    with pytest.raises(InputError, match="add up to 2,148,532,224"):
        net_comparisons(answers, "net")
    assert net_comparisons(answers.take(np.arange(2047)), "net").largest_weight == 2**20
