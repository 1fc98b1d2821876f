"""Replicates and support on planted hierarchies, where it is known which branches are right."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ordlink as ol
from ordlink.errors import InputError
from ordlink.validation import branch_support
from ordlink.validation._bootstrap import Bootstrap, Votes, pools_of, replace_by_donors
from ordlink.validation._support import _units, members_of
from tests.strategies import hierarchies
from tests.validation.growing import grow_in_order


def planted(gap, *, noise=1.0, depth=2, leaf_size=8, seed=0):
    return ol.datasets.planted_hierarchy(
        depth=depth, leaf_size=leaf_size, gap=gap, noise=noise, seed=seed
    )


def planted_merges(tree, truth):
    sets = {frozenset(cluster) for cluster in truth.clusters if len(cluster) < tree.n_objects}
    return np.array([frozenset(members.tolist()) in sets for _, members in tree.clusters()])


@given(hierarchies(2, 14))
def test_pairs_are_redrawn_from_their_merge_or_from_merges_of_about_the_same_size(tree):
    ranks = tree.lca_ranks()[np.triu_indices(tree.n_objects, 1)]
    n_met = np.bincount(ranks)[ranks]  # pairs in the merge of each pair

    pools = pools_of(tree)

    for e, few in enumerate(n_met.tolist()):
        pool = pools.pairs[pools.starts[e] : pools.starts[e] + pools.sizes[e]]
        expected = np.flatnonzero(ranks == ranks[e])
        if few < 10:
            expected = np.flatnonzero((few <= n_met) & (n_met <= 2 * few))
            distance = np.abs(n_met - few)
            for most in np.unique(distance):
                if len(expected) < 10:
                    expected = np.flatnonzero(distance <= most)
        assert sorted(pool) == expected.tolist()


def small_groups(size, gap):
    """Return all comparisons of groups of so many objects, and the groups."""
    truth = ol.datasets.planted_tree([size] * (24 // size), mean=0.0, gap=gap, noise=1.0, seed=0)
    return ol.Comparisons.from_similarities(truth.similarities), truth


@pytest.mark.parametrize("size", [2, 3, 4])
def test_small_branches_are_supported_where_they_are_clear(size):
    comparisons, truth = small_groups(size, gap=6.0)

    result = branch_support(comparisons, "4-AL", n_bootstrap=40)

    true = planted_merges(result.tree, truth)
    assert true.sum() == 24 // size
    assert result.support[true].min() > 0.9


def test_small_branches_are_not_firm_where_there_are_none():
    comparisons, _ = small_groups(2, gap=0.0)

    result = branch_support(comparisons, n_bootstrap=40)

    small = result.tree.sizes[24:] <= 4
    assert small.sum() > 10
    assert result.support[small].max() < 0.9
    assert result.support[small].mean() < 0.5


@given(st.integers(3, 6), st.integers(0, 10**6))
def test_each_pair_takes_over_what_was_said_about_its_donor(n_objects, seed):
    rng = np.random.default_rng(seed)
    n_pairs = n_objects * (n_objects - 1) // 2
    winners = rng.integers(0, n_pairs, 20).astype(np.int32)
    losers = ((winners + rng.integers(1, n_pairs, 20)) % n_pairs).astype(np.int32)
    donors = rng.integers(0, n_pairs, n_pairs).astype(np.int32)

    rows, new_winners, new_losers = replace_by_donors(winners, losers, donors)

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

    replicate = Bootstrap(comparisons, None, pools).sample(np.random.default_rng(3), order)

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

    replicate = Bootstrap(comparisons, units, None).sample(
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

    result = branch_support(comparisons, n_bootstrap=40)

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

    result = branch_support(comparisons, n_bootstrap=40)

    assert result.support[:-1].max() < 0.7


def test_answers_alone_call_accidents_certain_and_pairs_do_not():
    upper = np.triu(np.random.default_rng(0).normal(size=(12, 12)), 1)
    once = ol.Comparisons.from_similarities(upper + upper.T).listed()
    comparisons = ol.concatenate([once] * 10)

    asked = branch_support(comparisons, "4-AL", n_bootstrap=40, resample="answers")
    redrawn = branch_support(comparisons, "4-AL", n_bootstrap=40, resample="pairs")

    assert asked.support[:-1].mean() > redrawn.support[:-1].mean() + 0.3


@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
def test_ties_are_decided_anew_in_each_replicate():
    nothing = ol.Comparisons.from_similarities(np.ones((12, 12)))

    result = branch_support(nothing, n_bootstrap=40)

    assert result.shares[:-1].max() < 0.5


def test_the_same_seed_gives_the_same_support_on_any_number_of_threads(monkeypatch):
    comparisons = ol.Comparisons.from_similarities(planted(1.0).similarities, 0.02, seed=0)
    calls = []

    monkeypatch.setenv("ORDLINK_THREADS", "1")
    one = branch_support(
        comparisons, "4-AL", n_bootstrap=6, seed=3, progress=lambda done, n: calls.append((done, n))
    )
    monkeypatch.setenv("ORDLINK_THREADS", "3")
    three = branch_support(comparisons, "4-AL", n_bootstrap=6, seed=3)
    other = branch_support(comparisons, "4-AL", n_bootstrap=6, seed=4)

    assert one.tree == three.tree
    assert one.bootstrap_trees == three.bootstrap_trees
    assert one.bootstrap_trees != other.bootstrap_trees
    assert calls == [(k, 6) for k in range(1, 7)]


def test_initial_clusters_and_options_hold_in_every_replicate():
    comparisons = ol.Comparisons.from_similarities(planted(1.0).similarities, 0.05, seed=0)
    start = [[0, 9, 30], [4, 5]]

    result = branch_support(
        comparisons, "4-AL", n_bootstrap=5, initial_clusters=start, repeats="net"
    )

    assert result.tree.parameters["repeats"] == "net"
    for tree in (result.tree, *result.bootstrap_trees):
        clusters = {frozenset(members.tolist()) for _, members in tree.clusters()}
        assert {frozenset(cluster) for cluster in start} <= clusters


def test_the_consensus_of_replicates_has_the_planted_clusters():
    truth = planted(3.0)
    result = branch_support(ol.Comparisons.from_similarities(truth.similarities), n_bootstrap=30)

    consensus = result.consensus()

    assert planted_merges(consensus, truth).sum() == 6


def test_bad_options_are_refused():
    ranked = ol.Comparisons.from_similarities(planted(1.0).similarities)

    with pytest.raises(InputError, match="expected 'pairs' or 'both'"):
        branch_support(ranked, resample="answers")
    with pytest.raises(InputError, match="expected 'both', 'answers' or 'pairs'"):
        branch_support(ranked, resample="objects")
    with pytest.raises(InputError, match="n_bootstrap: expected a whole number of at least 1"):
        branch_support(ranked, n_bootstrap=0)


# --- who is drawn several times counts several times --------------------------------------------


def people_of_their_own(n_people):
    """Return answers of people who see two clusters, each person with noise of their own."""
    rows, people = [], []
    for person in range(n_people):
        planted = ol.datasets.planted_hierarchy(
            depth=1, leaf_size=3, gap=2.0, noise=0.3, seed=person
        )
        own = ol.datasets.simulate_answers(planted.similarities, 12, seed=person)
        rows += own.tolist()
        people += [f"p{person}"] * 12
    return rows, people


def distinct(rows, people):
    """Leave out all but the first answer to each question."""
    seen, kept = set(), []
    for number, (i, j, k) in enumerate(rows):
        question = i, frozenset((j, k))
        if question not in seen:
            kept.append(number)
        seen.add(question)
    return [rows[n] for n in kept], [people[n] for n in kept]


def literal_replicate(rows, people, seeds, number, n_objects):
    """Return the answers of a replicate, each listed as often as drawn, and the objects' order."""
    rng = np.random.default_rng(seeds[number])
    order = rng.permutation(n_objects)
    names = sorted(set(people))
    drawn = [names[k] for k in rng.integers(0, len(names), len(names))]
    listed = [row for name in drawn for row, who in zip(rows, people, strict=True) if who == name]
    return ol.Comparisons.from_triplets(listed, n_objects=n_objects), order


@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
@pytest.mark.parametrize("method", ["AddS-AL", "4-AL", "4K-AL"])
def test_replicates_of_questions_asked_once_count_every_answer_as_often_as_drawn(method):
    rows, people = distinct(*people_of_their_own(7))
    comparisons = ol.Comparisons.from_triplets(rows, annotators=people, n_objects=6)
    assert comparisons.tally.majority is None

    found = branch_support(comparisons, method, n_bootstrap=12, resample="answers", seed=3)

    seeds = np.random.SeedSequence(3).spawn(12)
    once = 0
    for number, tree in enumerate(found.bootstrap_trees):
        answers, order = literal_replicate(rows, people, seeds, number, 6)
        assert tree == grow_in_order(answers, method, order, repeats="net")
        once += tree == grow_in_order(answers, method, order)
    assert once < 12  # counting each question once would give other trees


@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
def test_net_counts_count_every_answer_as_often_as_drawn():
    rows, people = people_of_their_own(7)
    comparisons = ol.Comparisons.from_triplets(rows, annotators=people, n_objects=6)
    assert comparisons.tally.majority is not None

    found = branch_support(
        comparisons, "AddS-AL", n_bootstrap=8, resample="answers", seed=1, repeats="net"
    )

    seeds = np.random.SeedSequence(1).spawn(8)
    for number, tree in enumerate(found.bootstrap_trees):
        answers, order = literal_replicate(rows, people, seeds, number, 6)
        assert tree == grow_in_order(answers, "AddS-AL", order, repeats="net")


@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
def test_who_is_drawn_twice_changes_the_tree():
    rows = [[0, 1, 2], [1, 0, 3], [2, 3, 0], [0, 2, 3], [3, 0, 2], [1, 2, 3]]
    people = ["ann", "ann", "bob", "eve", "eve", "eve"]
    comparisons = ol.Comparisons.from_triplets(rows, annotators=people)
    units = np.array([0, 0, 1, 2, 2, 2])
    draw = Bootstrap(comparisons, units, None, Votes.of(comparisons))

    class Drawn:
        """Draws these people."""

        def __init__(self, people):
            self.people = people

        def integers(self, *_):
            return np.array(self.people)

    everybody, twice = (
        ol.cluster(draw.sample(Drawn(who), np.arange(4)), "AddS-AL", repeats="net")
        for who in ([0, 1, 2], [0, 1, 1, 2, 0, 0])
    )

    assert everybody == ol.cluster(comparisons, "AddS-AL")
    assert everybody != twice


@given(st.integers(0, 10**6), st.integers(1, 30))
def test_votes_decide_questions_as_counted_one_by_one(seed, n_rows):
    rng = np.random.default_rng(seed)
    rows = [rng.permutation(4)[:3].tolist() for _ in range(n_rows)]
    given_counts = rng.integers(1, 3, n_rows)
    comparisons = ol.Comparisons.from_triplets(rows, n_objects=4, counts=given_counts)
    drawn = given_counts * rng.integers(0, 4, n_rows)
    winners, losers = comparisons.winners.tolist(), comparisons.losers.tolist()

    found = Votes.of(comparisons).decide(drawn)

    expected = []
    for question in {frozenset(pairs) for pairs in zip(winners, losers, strict=True)}:
        own = [n for n in range(n_rows) if {winners[n], losers[n]} == question]
        ballots = {pair: sum(int(drawn[n]) for n in own if winners[n] == pair) for pair in question}
        loser, winner = sorted(question, key=ballots.__getitem__)
        if ballots[winner] > ballots[loser]:
            share = sum(ballots.values()) / sum(int(given_counts[n]) for n in own)
            expected.append((own[0], winner, loser, max(1, round(share))))
    assert sorted(zip(*(column.tolist() for column in found), strict=True)) == sorted(expected)


def test_everybody_drawn_once_is_the_majority_of_the_answers():
    rows, people = people_of_their_own(7)
    comparisons = ol.Comparisons.from_triplets(rows, annotators=people, n_objects=6)

    _, winners, losers, counts = Votes.of(comparisons).decide(np.ones(len(rows), dtype=int))

    majority = comparisons.tally.majority
    assert (counts == 1).all()
    assert set(zip(winners.tolist(), losers.tolist(), strict=True)) == set(
        zip(majority.winners.tolist(), majority.losers.tolist(), strict=True)
    )


@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
@pytest.mark.parametrize(("repeats", "voted"), [(None, True), ("majority", True), ("net", False)])
@pytest.mark.parametrize("method", ["spectral", "4-AL"])
def test_answers_are_decided_before_they_count_unless_the_tree_is_net(
    monkeypatch, method, repeats, voted
):
    """Replicates are always counted by what was drawn: of single answers, or of majorities."""
    rows, people = people_of_their_own(7)
    comparisons = ol.Comparisons.from_triplets(rows, annotators=people, n_objects=6)
    options = {} if repeats is None else {"repeats": repeats}
    asked, votes = [], []

    def note(data, method, **options):
        asked.append(options.get("repeats"))
        return ol.cluster(data, method, **options)

    def draw(comparisons, units, pools, own_votes):
        votes.append(own_votes)
        return Bootstrap(comparisons, units, pools, own_votes)

    monkeypatch.setattr("ordlink.validation._support.cluster", note)
    monkeypatch.setattr("ordlink.validation._bootstrap.build_tree", note)
    monkeypatch.setattr("ordlink.validation._support.Bootstrap", draw)
    branch_support(comparisons, method, n_bootstrap=2, resample="answers", **options)

    assert asked == [repeats, "net", "net"]
    assert [one is not None for one in votes] == [voted]


@pytest.mark.parametrize("people", [None, [f"p{k % 6}" for k in range(40)]])
def test_comparisons_of_one_answer_stay_together_in_a_replicate(people):
    truth = planted(1.0, leaf_size=3)
    rows = ol.datasets.simulate_answers(truth.similarities, 40, form="odd-one-out", seed=0)
    comparisons = ol.Comparisons.from_odd_one_out(rows, n_objects=12, annotators=people)
    pools = pools_of(truth.tree)
    units = _units(comparisons, "both")
    votes = None if units is None else Votes.of(comparisons)

    class NoPeopleDrawn:
        """Draws everybody once, and donors as ever."""

        def __init__(self):
            self.random = np.random.default_rng(3).random

        def integers(self, _, n_units, size):
            return np.arange(size)

    order = np.arange(12, dtype=np.int32)
    replicate = Bootstrap(comparisons, units, pools, votes).sample(NoPeopleDrawn(), order)

    donors = pools.draw(np.random.default_rng(3))
    said = {}
    for answer, winner, loser in zip(
        comparisons.answer_ids.tolist(), comparisons.winners, comparisons.losers, strict=True
    ):
        said.setdefault(answer, set()).add((int(winner), int(loser)))
    assert replicate.n_rows > 40
    for answer, winner, loser in zip(
        replicate.answer_ids.tolist(), replicate.winners, replicate.losers, strict=True
    ):
        assert (int(donors[winner]), int(donors[loser])) in said[answer]


def test_the_consensus_has_the_names_of_the_objects():
    truth = planted(3.0, leaf_size=3)
    names = [f"object {k}" for k in range(12)]
    rows = ol.datasets.simulate_answers(truth.similarities, 300, seed=0)
    comparisons = ol.Comparisons.from_triplets(rows, names=names)

    result = branch_support(comparisons, n_bootstrap=5)

    assert result.consensus().names == result.tree.names == tuple(names)


def _hardly_asked(leaf_size: int, rows_about: int, extra: list[list[int]]) -> ol.Comparisons:
    """Two clear clusters; of all objects after the first ones, only the extra rows speak."""
    truth = ol.datasets.planted_hierarchy(depth=1, leaf_size=leaf_size, gap=2, noise=0.5, seed=0)
    rows = ol.datasets.simulate_answers(truth.similarities[:rows_about, :rows_about], 1500, seed=0)
    rows = np.vstack([rows, np.array(extra, dtype=int).reshape(-1, 3)])
    return ol.Comparisons.from_triplets(rows, n_objects=2 * leaf_size)


@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
@pytest.mark.parametrize("method", ["AddS-AL", "4-AL"])
def test_one_wrong_answer_about_an_object_does_not_make_its_place_firm(method):
    """Object 15 belongs to the second eight; the only answer about it says otherwise."""
    comparisons = _hardly_asked(8, 15, [[0, 15, 9]])

    found = branch_support(comparisons, method, n_bootstrap=100)

    placed = members_of(found.tree)[:, 15] & (found.tree.sizes[16:] < 16)
    assert found.support[placed].max(initial=0.0) < 0.8


@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
@pytest.mark.parametrize(
    "method", ["AddS-AL", "4-AL", pytest.param("spectral", marks=pytest.mark.slow)]
)
def test_support_is_about_the_objects_that_answers_name(method):
    comparisons = _hardly_asked(7, 12, [])

    found = branch_support(comparisons, method, n_bootstrap=20)

    named = found.tree.restrict(range(12))
    first, second = (set(range(7)), set(range(7, 12)))
    firm = {
        frozenset(m.tolist())
        for (_, m), s in zip(named.clusters(), named.support, strict=True)
        if s > 0.9
    }
    assert first in firm
    assert second in firm
    joins_nothing = [
        t
        for t, (a, b) in enumerate(found.tree.merges.tolist())
        if {12, 13} & {a, b} or not set(found.tree.members(14 + t)) - {12, 13}
    ]
    assert all(found.support[t] == 0 for t in joins_nothing if t != 12)


def test_pairs_of_rare_objects_take_over_from_each_other_only():
    tree = ol.Hierarchy([[0, 1], [2, 3], [5, 6], [4, 7]])  # object 4 joins all others
    pools = pools_of(tree, np.array([0, 0, 0, 0, 2]))
    high = np.triu_indices(5, 1)[1]

    for seed in range(20):
        donors = pools.draw(np.random.default_rng(seed))
        for pair in range(10):
            assert (high[pair] == 4) == (high[donors[pair]] == 4)
    assert sorted(pools.pairs.tolist()) == list(range(10))
    assert pools.sizes[high == 4].tolist() == [4] * 4
    assert pools.sizes[high != 4].tolist() == [6] * 6


@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
@pytest.mark.slow
@pytest.mark.parametrize("method", ["4-AL", "spectral"])
def test_processes_give_the_same_support_as_threads(method):
    rows, people = people_of_their_own(8)
    answers = ol.Comparisons.from_triplets(rows, annotators=people, n_objects=6)
    settings = {"n_bootstrap": 6, "seed": 3, "initial_clusters": [[0, 1]]}
    calls: list[tuple[int, int]] = []

    threads = branch_support(answers, method, **settings)
    processes = branch_support(
        answers, method, n_jobs=2, progress=lambda *call: calls.append(call), **settings
    )

    assert processes.bootstrap_trees == threads.bootstrap_trees
    assert np.array_equal(processes.support, threads.support)
    assert [done for done, _ in calls] == list(range(7))
    with pytest.raises(InputError, match="n_jobs: expected at least 1"):
        branch_support(answers, method, n_jobs=0)
