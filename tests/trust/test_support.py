"""Replicates and support on planted hierarchies, where it is known which branches are right."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ordlink as ol
from ordlink.errors import InputError
from ordlink.trust import branch_support
from ordlink.trust._replicates import Draw, hand_over, pools_of
from ordlink.trust._support import _units
from tests.strategies import hierarchies


def planted(gap, *, noise=1.0, depth=2, leaf_size=8, seed=0):
    return ol.datasets.planted_hierarchy(
        depth=depth, leaf_size=leaf_size, gap=gap, noise=noise, seed=seed
    )


def planted_merges(tree, truth):
    sets = {frozenset(cluster) for cluster in truth.clusters if len(cluster) < tree.n_objects}
    return np.array([frozenset(members.tolist()) in sets for _, members in tree.clusters()])


@given(hierarchies(2, 14))
def test_pairs_are_redrawn_from_their_merge_or_from_a_cluster_with_enough_pairs(tree):
    n = tree.n_objects
    ranks = tree.lca_ranks()[np.triu_indices(n, 1)]
    members = dict(tree.clusters())

    pools = pools_of(tree)

    low, high = np.triu_indices(n, 1)
    for e, t in enumerate(ranks.tolist()):
        pool = pools.pairs[pools.starts[e] : pools.starts[e] + pools.sizes[e]]
        block = np.flatnonzero(ranks == t)
        if len(block) >= 10:
            assert sorted(pool) == block.tolist()
            continue
        around = [set(m.tolist()) for m in members.values() if {low[e], high[e]} <= set(m.tolist())]
        enough = [m for m in around if len(m) * (len(m) - 1) // 2 >= 10] or [set(range(n))]
        smallest = min(enough, key=len)
        inside = [f for f in range(len(low)) if {low[f], high[f]} <= smallest]
        assert sorted(pool) == inside


@given(st.integers(3, 6), st.integers(0, 10**6))
def test_each_pair_takes_over_what_was_said_about_its_donor(n_objects, seed):
    rng = np.random.default_rng(seed)
    n_pairs = n_objects * (n_objects - 1) // 2
    winners = rng.integers(0, n_pairs, 20).astype(np.int32)
    losers = ((winners + rng.integers(1, n_pairs, 20)) % n_pairs).astype(np.int32)
    donors = rng.integers(0, n_pairs, n_pairs).astype(np.int32)

    rows, new_winners, new_losers = hand_over(winners, losers, donors)

    expected = [
        (row, e, f)
        for row in range(20)
        for e in range(n_pairs)
        for f in range(n_pairs)
        if donors[e] == winners[row] and donors[f] == losers[row]
    ]
    assert sorted(zip(rows, new_winners, new_losers, strict=True)) == expected


@pytest.mark.parametrize("proportion", [1.0, 0.05])
def test_a_replicate_is_the_data_with_pairs_handed_over_and_objects_renumbered(proportion):
    truth = planted(1.0, leaf_size=3)
    comparisons = ol.Comparisons.from_similarities(truth.similarities, proportion, seed=1)
    pools = pools_of(truth.tree)
    order = np.random.default_rng(2).permutation(12).astype(np.int32)

    replicate = Draw(comparisons, None, pools).replicate(np.random.default_rng(3), order)

    donors = pools.draw(np.random.default_rng(3))
    matrix = np.zeros((12, 12), dtype=int)
    upper = np.triu_indices(12, 1)
    matrix[upper] = matrix.T[upper] = donors
    donor_of_new = matrix[order[:, None], order][upper]
    if proportion == 1:
        expected = comparisons.ranks[donor_of_new]
        assert np.array_equal(np.unique(expected, return_inverse=True)[1], replicate.ranks)
    else:
        said = set(zip(comparisons.winners.tolist(), comparisons.losers.tolist(), strict=True))
        new = zip(replicate.winners.tolist(), replicate.losers.tolist(), strict=True)
        assert {(donor_of_new[e], donor_of_new[f]) for e, f in new} <= said


def test_people_are_drawn_with_all_their_answers():
    rows = np.array([[0, 1, 2], [1, 2, 3], [2, 3, 0], [3, 0, 1]] * 3)
    people = np.repeat(["a", "b", "c"], 4)
    comparisons = ol.Comparisons.from_triplets(rows, annotators=people, counts=[2] * 12)
    units = np.repeat([0, 1, 2], 4)

    replicate = Draw(comparisons, units, None).replicate(
        np.random.default_rng(0), np.arange(4, dtype=np.int32)
    )

    assert replicate.n_comparisons == 24  # three people of eight comparisons
    assert set(replicate.counts.tolist()) <= {2, 4, 6}
    assert replicate.n_rows % 4 == 0


@pytest.mark.parametrize(
    ("n_people", "resample", "n_units"),
    [(6, "both", 6), (6, "answers", 6), (6, "pairs", None), (3, "both", None), (3, "answers", 24)],
)
def test_people_are_drawn_where_there_are_enough_and_answers_only_alone(
    n_people, resample, n_units
):
    people = [f"p{k % n_people}" for k in range(24)]
    rows = np.array([[0, 1, 2], [1, 2, 3]] * 12)
    comparisons = ol.Comparisons.from_odd_one_out(rows, annotators=people)

    units = _units(comparisons, resample)

    assert n_units == (None if units is None else len(set(units.tolist())))


def test_planted_clusters_are_supported_and_noise_within_them_is_not():
    truth = planted(3.0)
    comparisons = ol.Comparisons.from_similarities(truth.similarities)

    result = branch_support(comparisons, n_replicates=40)

    true = planted_merges(result.tree, truth)
    assert true.sum() == 6
    assert result.support[true].min() > 0.9
    assert result.support[:-1][~true[:-1]].max() < 0.9
    assert result.support[-1] == result.shares[-1] == result.transfers[-1] == 1
    kept = result.tree.to_newick(min_support=0.9)
    assert kept.count("(") == 7  # the six planted clusters and the root


def test_all_answers_of_noise_support_nothing():
    upper = np.triu(np.random.default_rng(0).normal(size=(24, 24)), 1)
    comparisons = ol.Comparisons.from_similarities(upper + upper.T)

    result = branch_support(comparisons, n_replicates=40)

    assert result.support[:-1].max() < 0.7


def test_answers_alone_call_accidents_certain_and_pairs_do_not():
    upper = np.triu(np.random.default_rng(0).normal(size=(12, 12)), 1)
    comparisons = ol.Comparisons.from_similarities(upper + upper.T).listed()

    asked = branch_support(comparisons, n_replicates=40, resample="answers")
    redrawn = branch_support(comparisons, n_replicates=40, resample="pairs")

    assert asked.support[:-1].mean() > redrawn.support[:-1].mean() + 0.3


@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
def test_ties_are_decided_anew_in_each_replicate():
    nothing = ol.Comparisons.from_similarities(np.ones((12, 12)))

    result = branch_support(nothing, n_replicates=40)

    assert result.shares[:-1].max() < 0.5


def test_the_same_seed_gives_the_same_support_on_any_number_of_threads(monkeypatch):
    comparisons = ol.Comparisons.from_similarities(planted(1.0).similarities, 0.02, seed=0)
    calls = []

    monkeypatch.setenv("ORDLINK_THREADS", "1")
    one = branch_support(
        comparisons, n_replicates=6, seed=3, progress=lambda done, n: calls.append((done, n))
    )
    monkeypatch.setenv("ORDLINK_THREADS", "3")
    three = branch_support(comparisons, n_replicates=6, seed=3)
    other = branch_support(comparisons, n_replicates=6, seed=4)

    assert one.tree == three.tree
    assert one.replicates == three.replicates
    assert one.replicates != other.replicates
    assert calls == [(k, 6) for k in range(1, 7)]


def test_initial_clusters_and_options_hold_in_every_replicate():
    comparisons = ol.Comparisons.from_similarities(planted(1.0).similarities, 0.05, seed=0)
    start = [[0, 9, 30], [4, 5]]

    result = branch_support(
        comparisons, "4-AL", n_replicates=5, initial_clusters=start, repeats="net"
    )

    assert result.tree.parameters["repeats"] == "net"
    for tree in (result.tree, *result.replicates):
        clusters = {frozenset(members.tolist()) for _, members in tree.clusters()}
        assert {frozenset(cluster) for cluster in start} <= clusters


def test_the_consensus_of_replicates_has_the_planted_clusters():
    truth = planted(3.0)
    result = branch_support(ol.Comparisons.from_similarities(truth.similarities), n_replicates=30)

    consensus = result.consensus()

    assert planted_merges(consensus, truth).sum() == 6


def test_bad_options_are_refused():
    ranked = ol.Comparisons.from_similarities(planted(1.0).similarities)

    with pytest.raises(InputError, match="expected 'pairs' or 'both'"):
        branch_support(ranked, resample="answers")
    with pytest.raises(InputError, match="expected one of both, answers, pairs"):
        branch_support(ranked, resample="objects")
    with pytest.raises(InputError, match="n_replicates: expected at least 1"):
        branch_support(ranked, n_replicates=0)
