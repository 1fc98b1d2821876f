"""The test for any hierarchy: its level on noise, its power on planted structure."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ordlink as ol
from ordlink.errors import InputError, InputKindError
from ordlink.metrics import comparison_revenue
from ordlink.validation import hierarchy_test
from ordlink.validation._hierarchy_test import keep_pairs, wins_among
from tests.instances import similarity_matrices


def noise(n, seed):
    upper = np.triu(np.random.default_rng(seed).normal(size=(n, n)), 1)
    return upper + upper.T


@given(similarity_matrices(min_objects=3, max_objects=8), st.integers(0, 10**6))
def test_wins_among_the_pairs_of_a_half_are_those_of_its_comparisons(matrix, seed):
    ranked = ol.Comparisons.from_similarities(matrix)
    listed = ranked.listed()
    kept = np.random.default_rng(seed).random(len(ranked.ranks)) < 0.5

    of_ranked, n_ranked = wins_among(ranked, kept)
    of_listed, n_listed = wins_among(listed, kept)

    both_kept = kept[listed.winners] & kept[listed.losers]
    assert n_ranked == n_listed == both_kept.sum()
    np.testing.assert_array_equal(of_ranked, of_listed)


@given(similarity_matrices(min_objects=3, max_objects=8), st.integers(0, 10**6))
def test_a_ranking_keeps_the_order_of_kept_pairs_and_ties_the_others_in_the_middle(matrix, seed):
    ranked = ol.Comparisons.from_similarities(matrix)
    kept = np.random.default_rng(seed).random(len(ranked.ranks)) < 0.5

    part = keep_pairs(ranked, kept)

    old, new = ranked.ranks[kept], part.ranks[kept]
    order_of_old, order_of_new = (np.sign(np.subtract.outer(r, r)) for r in (old, new))
    np.testing.assert_array_equal(order_of_old, order_of_new)
    left_out = part.ranks[~kept]
    assert len(set(left_out.tolist())) <= 1
    if left_out.size and new.size:
        assert (new < left_out[0]).sum() <= len(new) / 2
        assert (new > left_out[0]).sum() >= len(new) / 2


def test_answers_are_kept_whole_or_not_at_all():
    answers = ol.Comparisons.from_odd_one_out([[0, 1, 2], [1, 2, 3], [0, 2, 3]])
    kept = np.array([True, True, False, True, False, True])  # without {0, 3} and {1, 3}

    part = keep_pairs(answers, kept)

    assert part.quadruplets.tolist() == [[0, 1, 0, 2], [0, 1, 1, 2]]


@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
def test_the_revenue_is_the_mean_over_the_halves_of_all_splits():
    comparisons = ol.Comparisons.from_similarities(noise(9, 0)).listed()
    result = hierarchy_test(comparisons, "AddS-AL", n_splits=2, n_relabellings=3, seed=8)

    rng = np.random.default_rng(8)
    revenues = []
    for in_first in (rng.permutation(36) < 18, rng.permutation(36) < 18):
        halves = [keep_pairs(comparisons, kept) for kept in (in_first, ~in_first)]
        trees = [ol.cluster(half, "AddS-AL") for half in halves]
        revenues += [
            comparison_revenue(half, tree) / (7 * half.n_comparisons)
            for tree, half in zip(trees, halves[::-1], strict=True)
        ]
    assert result.revenue == pytest.approx(np.mean(revenues))
    assert len(result.null_statistics) == 3
    assert result.p_value in (0.25, 0.5, 0.75, 1)


def test_noise_is_rejected_about_as_often_as_the_level_says():
    p_values = [
        hierarchy_test(
            ol.Comparisons.from_similarities(noise(16, seed)), "AddS-AL", n_relabellings=39, seed=1
        ).p_value
        for seed in range(80)
    ]

    assert np.mean(np.array(p_values) <= 0.05) < 0.15
    assert 0.4 < np.mean(p_values) < 0.62


def test_the_p_value_hardly_depends_on_the_seed():
    planted = ol.datasets.planted_hierarchy(depth=2, leaf_size=3, gap=0.7, seed=4)
    rows = ol.datasets.simulate_answers(planted.similarities, 240, seed=4)
    comparisons = ol.Comparisons.from_triplets(rows, n_objects=12)

    p_values = [
        hierarchy_test(comparisons, "AddS-AL", n_relabellings=99, seed=seed).p_value
        for seed in range(8)
    ]

    assert max(p_values) <= 0.05


def test_splits_without_comparisons_do_not_count():
    few = ol.Comparisons.from_triplets([[0, 1, 2], [1, 0, 2], [3, 1, 0], [2, 3, 1]])

    result = hierarchy_test(few, "AddS-AL", n_relabellings=9)

    assert np.isfinite(result.null_statistics).all()
    with pytest.raises(InputError, match="too few to test"):
        hierarchy_test(few, "AddS-AL", n_splits=1, n_relabellings=9, seed=0)


def test_the_test_is_shown_without_the_statistics_of_chance():
    shown = repr(hierarchy_test(ol.Comparisons.from_similarities(noise(9, 0)), n_relabellings=9))

    assert "p_value=" in shown
    assert "null_statistics" not in shown


@pytest.mark.parametrize("proportion", [1.0, 0.05])
def test_a_planted_hierarchy_is_found(proportion):
    planted = ol.datasets.planted_hierarchy(depth=2, leaf_size=6, gap=1.0, seed=0)
    comparisons = ol.Comparisons.from_similarities(planted.similarities, proportion, seed=0)

    result = hierarchy_test(comparisons, "4-AL", n_relabellings=99)

    assert result.p_value == 0.01
    assert result.revenue > 0.1


def test_the_same_seed_gives_the_same_p_value():
    comparisons = ol.Comparisons.from_similarities(noise(10, 0))

    values = [
        hierarchy_test(comparisons, "4-AL", n_relabellings=19, seed=seed).revenue
        for seed in (0, 0, 1)
    ]

    assert values[0] == values[1] != values[2]


def test_too_little_is_refused():
    with pytest.raises(InputError, match="too few to test"):
        hierarchy_test(ol.Comparisons.from_triplets([[0, 1, 2]]))
    with pytest.raises(InputKindError, match="expected Comparisons, got ndarray"):
        hierarchy_test(noise(5, 0))


def test_progress_counts_the_splits():
    calls: list[tuple[int, int]] = []
    comparisons = ol.Comparisons.from_similarities(noise(9, 0))

    hierarchy_test(comparisons, "AddS-AL", n_splits=3, progress=lambda *call: calls.append(call))

    assert calls == [(0, 3), (1, 3), (2, 3), (3, 3)]


def test_processes_give_the_same_test():
    comparisons = ol.Comparisons.from_similarities(noise(9, 0))

    one, two = (
        hierarchy_test(comparisons, "AddS-AL", n_relabellings=19, n_jobs=n_jobs)
        for n_jobs in (1, 2)
    )

    assert (one.revenue, one.p_value) == (two.revenue, two.p_value)
    assert np.array_equal(one.null_statistics, two.null_statistics)
