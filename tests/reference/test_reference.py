"""The references checked against examples worked out by hand (the working is in the comments)."""

import random
from fractions import Fraction
from itertools import combinations
from math import isnan

import numpy as np
import pytest

from tests.reference.four_al import four_al, four_al_unit, preference
from tests.reference.kernels import active_kernel, adds, passive_kernel
from tests.reference.linkage import agglomerate, average, complete, largest, ranks, single
from tests.reference.metrics import aari, ari, cut, dasgupta_cost, leaves
from tests.reference.planted import planted_levels, planted_means
from tests.reference.quadruplets import from_similarities, known, pair, pairs, relation

CHAIN = [(0, 1, 5), (1, 2, 4), (2, 3, 3), (1, 3, 2), (0, 2, 1), (0, 3, 0)]


def matrix(n, entries, default=0.0):
    w = np.full((n, n), default)
    for i, j, value in entries:
        w[i, j] = w[j, i] = value
    w.setflags(write=False)
    return w


def random_relation(n, seed, proportion=0.5, repeats="majority"):
    generator = random.Random(seed)
    w = matrix(n, [(i, j, generator.randrange(8)) for i, j in pairs(n)])
    answers = from_similarities(w, proportion, seed)
    return relation(answers, [generator.randint(1, 3) for _ in answers], repeats)


# --- linkage ---


def test_single_linkage_of_a_chain():
    # 01 at 5. Then {01}-2: max(1, 4) = 4, {01}-3: max(0, 2) = 2, 2-3: 3. Then max(0, 2, 3) = 3.
    w = matrix(4, CHAIN)

    result = agglomerate(4, single(w), unit=largest(w))
    assert result == ([(0, 1), (4, 2), (5, 3)], [5, 4, 3], [False] * 3)


def test_complete_linkage_of_a_chain():
    # 01 at 5. Then {01}-2: min(1, 4) = 1, {01}-3: 0, 2-3: 3. Then min(1, 0, 4, 2) = 0.
    w = matrix(4, CHAIN)

    result = agglomerate(4, complete(w), unit=largest(w))
    assert result == ([(0, 1), (2, 3), (4, 5)], [5, 3, 0], [False] * 3)


def test_average_linkage_of_a_chain():
    # 01 at 5. Then {01}-2: (1 + 4)/2 = 2.5, {01}-3: 1, 2-3: 3. Then (1 + 0 + 4 + 2)/4 = 1.75.
    w = matrix(4, CHAIN)

    result = agglomerate(4, average(w), unit=largest(w))
    assert result == ([(0, 1), (2, 3), (4, 5)], [5, 3, 1.75], [False] * 3)


def test_the_child_with_the_smaller_smallest_object_is_on_the_left():
    # 23 first (node 4), then it meets 1 (node 5 = 1 | 4), then 0 | 5.
    w = matrix(4, [(2, 3, 9), (1, 2, 8), (0, 1, 7)])

    merges, _, _ = agglomerate(4, single(w))
    assert merges == [(2, 3), (1, 4), (0, 5)]


def test_ties_go_to_the_smallest_objects_first():
    # All equal. 01 of six candidates, then {01}-2 of three, then the only pair.
    merges, scores, tied = agglomerate(4, average(np.ones((4, 4))))

    assert merges == [(0, 1), (4, 2), (5, 3)]
    assert scores == [1, 1, 1]
    assert tied == [True, True, False]


def test_averages_of_whole_numbers_tie_exactly():
    # 01 of three at 9, then 2 at 9 (node 6). To 3: (3 + 0 + 0)/3 = 1; 3-4: 1 too. Last: 1/4.
    w = matrix(5, [(0, 1, 9), (0, 2, 9), (1, 2, 9), (0, 3, 3), (3, 4, 1)])

    merges, scores, tied = agglomerate(5, average(w), unit=0)
    assert merges[2] == (6, 3)
    assert scores == [9, 9, 1, 0.25]
    assert tied == [True, False, True, False]


@pytest.mark.parametrize(
    ("excess", "first", "tied"), [(1e-12, (0, 1), True), (1e-6, (2, 3), False)]
)
def test_scores_within_the_relative_tolerance_tie(excess, first, tied):
    merges, _, flags = agglomerate(4, single(matrix(4, [(0, 1, 1.0), (2, 3, 1.0 + excess)])))

    assert merges[0] == first
    assert flags[0] is tied


@pytest.mark.parametrize(("unit", "first", "tied"), [(1, (2, 3), False), (100, (0, 1), True)])
@pytest.mark.parametrize("as_function", [False, True])
def test_near_zero_the_unit_sets_the_tolerance(unit, first, tied, as_function):
    # Best is 0 (pair 23), runner-up -1e-12 (pair 01): tolerance 1e-13 at unit 1, 1e-11 at unit 100.
    w = matrix(4, [(0, 1, -1e-12), (2, 3, 0.0)], default=-1.0)

    merges, _, flags = agglomerate(4, single(w), unit=(lambda _: unit) if as_function else unit)
    assert merges[0] == first
    assert flags[0] is tied


def test_merges_inside_initial_clusters_come_first_and_chained():
    # {0,2,4} before {1,3}: nodes 6 = 0|2, 7 = 6|4, 8 = 1|3. Left over: 7, 8, 5.
    # 3-5 is 2, so AL of 8-5 is 1; 0-1 is 3, so AL of 7-8 is 3/6; then 9 = 8|5, 10 = 7|9 at 3/9.
    w = matrix(6, [(3, 5, 2), (0, 1, 3), (0, 2, -50)])

    merges, scores, tied = agglomerate(6, average(w), initial_clusters=[[3, 1], [0, 4, 2], [5]])
    assert merges == [(0, 2), (6, 4), (1, 3), (8, 5), (7, 9)]
    assert [isnan(s) for s in scores] == [True, True, True, False, False]
    assert scores[3:] == [1, float(Fraction(1, 3))]
    assert tied == [False] * 5


def test_a_single_object_has_no_merges():
    assert agglomerate(1, average(np.ones((1, 1)))) == ([], [], [])


def test_ranks_keep_the_order_and_exact_ties():
    # Values 0 < 0.5 < 0.5 + 1e-15, hence ranks 0, 1, 2; both 0.5 have rank 1.
    w = matrix(4, [(0, 1, 0.5), (2, 3, 0.5), (1, 2, 0.5 + 1e-15)])

    assert ranks(w).tolist() == [[0, 1, 0, 0], [1, 0, 2, 0], [0, 2, 0, 1], [0, 0, 1, 0]]


def test_largest_is_by_size_and_ignores_the_diagonal():
    w = np.array([[99, 3, -7], [3, 99, 2], [-7, 2, 99]])

    assert largest(w) == 7
    assert largest(np.ones((1, 1))) == 0


# --- quadruplets ---


def test_orientation_of_pairs_does_not_matter():
    A = relation([(1, 0, 3, 2)])

    assert A == {((0, 1), (2, 3)): 1, ((2, 3), (0, 1)): -1}
    assert known(A, 0, 1, 2, 3) == known(A, 1, 0, 2, 3) == known(A, 0, 1, 3, 2) == 1
    assert known(A, 3, 2, 1, 0) == -1
    assert known(A, 0, 2, 1, 3) == 0


def test_repeated_answers_count_by_majority_or_net():
    # 01 over 23: three for, one against. 01 over 02: one for, one against.
    answers = [(0, 1, 2, 3), (3, 2, 0, 1), (0, 1, 0, 2), (2, 0, 1, 0)]
    counts = [3, 1, 1, 1]

    assert relation(answers, counts) == {((0, 1), (2, 3)): 1, ((2, 3), (0, 1)): -1}
    assert relation(answers, counts, "net") == {((0, 1), (2, 3)): 2, ((2, 3), (0, 1)): -2}


def test_all_comparisons_of_similarities_leave_out_ties():
    # w01 = 2, w02 = w12 = 1: 01 over 02, 01 over 12, nothing about 02 and 12.
    w = matrix(3, [(0, 1, 2), (0, 2, 1), (1, 2, 1)])

    assert from_similarities(w) == [(0, 1, 0, 2), (0, 1, 1, 2)]


def test_all_comparisons_are_every_pair_of_pairs_once():
    # 5 objects, 10 pairs, 45 pairs of pairs; the larger similarity is always named first.
    w = matrix(5, [(i, j, 7 * i + j) for i, j in pairs(5)])

    answers = from_similarities(w)
    assert len(answers) == len({frozenset([(i, j), (k, m)]) for i, j, k, m in answers}) == 45
    assert all(w[i, j] > w[k, m] for i, j, k, m in answers)


def test_sampling_keeps_a_subset():
    w = matrix(8, [(i, j, 9 * i + j) for i, j in pairs(8)])

    some = from_similarities(w, 0.3, seed=1)
    assert set(some) < set(from_similarities(w))
    assert 60 < len(some) < 170  # 378 * 0.3 = 113, standard deviation 9
    assert from_similarities(w, 0.0) == []


# --- kernels ---


def test_active_kernel_by_hand():
    # Chain, reference 13 with w = 2. Signs against it, landmark 0: 1 +, 2 -, 3 -;
    # landmark 2: 0 -, 1 +, 3 +. K01: k=2: -+ = -1. K02: no k. K03: k=2: -+ = -1.
    # K12: k=0: +- = -1. K13: k=0: +- = -1, k=2: ++ = 1, so 0. K23: k=0: -- = 1.
    K = active_kernel(matrix(4, CHAIN), [0, 2], [(1, 3)])

    expected = matrix(4, [(0, 1, -1), (0, 3, -1), (1, 2, -1), (2, 3, 1)])
    assert (expected == K).all()


def test_active_kernel_is_zero_where_a_pair_is_the_reference_itself():
    # Landmark 3, reference 13: signs 0 -, 1 zero (w13 is the reference), 2 +. Only K02 = -1.
    K = active_kernel(matrix(4, CHAIN), [3], [(3, 1)])

    assert (matrix(4, [(0, 2, -1)]) == K).all()


def test_active_kernel_adds_up_over_references():
    w = matrix(4, CHAIN)

    both = active_kernel(w, [0, 2, 3], [(1, 3), (0, 1)])
    assert (
        both == active_kernel(w, [0, 2, 3], [(1, 3)]) + active_kernel(w, [0, 2, 3], [(0, 1)])
    ).all()


def test_passive_kernel_by_hand():
    # 01 > 02 > 12, all observed. r is the third object:
    # K01 = sum_f A[02,f] A[12,f]: f=01: (-1)(-1) = 1, f=02: 0, f=12: 0. So 1.
    # K02 = sum_f A[01,f] A[12,f]: f=02: (+1)(-1) = -1, others 0. So -1.
    # K12 = sum_f A[01,f] A[02,f]: f=12: (+1)(+1) = 1, others 0. So 1.
    A = relation([(0, 1, 0, 2), (0, 1, 1, 2), (0, 2, 1, 2)])

    expected = matrix(3, [(0, 1, 1), (0, 2, -1), (1, 2, 1)])
    assert (passive_kernel(A, 3, self_comparisons=False) == expected).all()


def test_passive_kernel_with_self_comparisons_by_hand():
    # As above; r = i adds sum_f 1 * A[ij,f] and r = j the same. Wins less losses: 01 has 2,
    # 02 has 0, 12 has -2. So K01 = 1 + 4, K02 = -1 + 0, K12 = 1 - 4.
    A = relation([(0, 1, 0, 2), (0, 1, 1, 2), (0, 2, 1, 2)])

    expected = matrix(3, [(0, 1, 5), (0, 2, -1), (1, 2, -3)])
    assert (passive_kernel(A, 3, self_comparisons=True) == expected).all()


@pytest.mark.parametrize("repeats", ["majority", "net"])
@pytest.mark.parametrize("seed", range(5))
def test_self_comparisons_add_exactly_twice_adds(seed, repeats):
    A = random_relation(6, seed, repeats=repeats)

    difference = passive_kernel(A, 6, True) - passive_kernel(A, 6, False)
    assert difference.any()
    assert (difference == 2 * adds(A, 6)).all()


def test_passive_kernel_of_all_comparisons_follows_from_ranks():
    # All E pairs compared, no ties: sum_f A[e,f] A[g,f] = E - 2d with d = |rank e - rank g|: the
    # d - 1 pairs between count -1, e and g themselves 0, the rest +1.
    values = random.Random(3).sample(range(100), 10)
    w = matrix(5, [(i, j, v) for (i, j), v in zip(pairs(5), values, strict=True)])
    R = ranks(w)

    K = passive_kernel(relation(from_similarities(w)), 5, self_comparisons=False)
    for i, j in pairs(5):
        assert K[i, j] == sum(10 - 2 * abs(R[i, r] - R[j, r]) for r in range(5) if r not in (i, j))


def test_adds_counts_wins_less_losses():
    # 01 beat 02 twice and lost to 23 once. Majority: 01 has 0, 02 -1, 23 +1.
    # Net: 01 +1, 02 -2, 23 +1.
    answers = [(0, 1, 0, 2), (0, 1, 0, 2), (2, 3, 0, 1)]

    majority = matrix(4, [(0, 2, -1), (2, 3, 1)])
    assert (adds(relation(answers), 4) == majority).all()
    net = matrix(4, [(0, 1, 1), (0, 2, -2), (2, 3, 1)])
    assert (adds(relation(answers, repeats="net"), 4) == net).all()


# --- 4-AL ---

# 01 over 02, 01 over 23, 23 over 13, 23 over 12, 02 over 12.
FIVE = [(0, 1, 0, 2), (0, 1, 2, 3), (2, 3, 1, 3), (2, 3, 1, 2), (0, 2, 1, 2)]


def test_preference_between_cluster_pairs_by_hand():
    # ({0,1}, {2} || {2}, {3}): A[02,23] = 0 and A[12,23] = -1, over 2*1*1*1.
    # ({2}, {3} || {0,1}, {2}): the same with the other sign. A pair against itself: 0, although
    # 02 beat 12, because 12 lost to 02.
    A = relation(FIVE)

    assert preference(A, (0, 1), (2,), (2,), (3,)) == Fraction(-1, 2)
    assert preference(A, (2,), (3,), (0, 1), (2,)) == Fraction(1, 2)
    assert preference(A, (0, 1), (2,), (0, 1), (2,)) == 0
    assert preference(A, (0,), (2,), (0, 1), (2,)) == Fraction(1, 2)


def test_four_al_scores_of_four_objects_by_hand():
    # K = 4, singletons: W(i,j) = (1/12) * sum over ordered (k,l) of A[ij,kl] = (wins - losses) / 6,
    # wins - losses being 01: 2, 02: 1 - 1 = 0, 03: 0, 12: -2, 13: -1, 23: 2 - 1 = 1.
    score = four_al(relation(FIVE))
    singletons = [(0,), (1,), (2,), (3,)]
    values = {pq: score(singletons, *pq) for pq in combinations(range(4), 2)}

    sixths = {(0, 1): 2, (0, 2): 0, (0, 3): 0, (1, 2): -2, (1, 3): -1, (2, 3): 1}
    assert values == {pq: Fraction(value, 6) for pq, value in sixths.items()}


def test_four_al_scores_of_three_clusters_by_hand():
    # {0,1}, {2}, {3}; K(K-1) = 6, each cluster pair counted twice: W = (1/3) sum of W_Q over three.
    # ({01},2): against itself 0; against ({01},3): 02,12 never met 03,13: 0; against (2,3): -1/2.
    # ({01},3): against ({01},2): 0; against (2,3): A[03,23] = 0, A[13,23] = -1, so -1/2.
    # (2,3): against ({01},2): 1/2; against ({01},3): 1/2.
    score = four_al(relation(FIVE))
    clusters = [(0, 1), (2,), (3,)]

    assert score(clusters, 0, 1) == Fraction(-1, 6)
    assert score(clusters, 0, 2) == Fraction(-1, 6)
    assert score(clusters, 1, 2) == Fraction(1, 3)


def test_four_al_of_four_objects_by_hand():
    # From the two tests above: 01 at 2/6, then 23 at 1/3, then the last two at 0.
    A = relation(FIVE)

    result = agglomerate(4, four_al(A), unit=four_al_unit(A))
    assert result == ([(0, 1), (2, 3), (4, 5)], [1 / 3, 1 / 3, 0], [False] * 3)


def test_four_al_from_an_initial_cluster_goes_on_from_there():
    A = relation(FIVE)

    merges, scores, tied = agglomerate(4, four_al(A), [[1, 0]], unit=four_al_unit(A))
    assert merges == [(0, 1), (2, 3), (4, 5)]
    assert isnan(scores[0])
    assert scores[1:] == [1 / 3, 0]
    assert tied == [False] * 3


def test_four_al_unit_by_hand():
    # Largest |A| is 3, K = 4: 2 * 3 / 12 = 1/2; K = 2: 2 * 3 / 2 = 3. No answers: 0.
    A = relation([(0, 1, 2, 3)], [3], "net")

    assert four_al_unit(A)([(0,), (1,), (2,), (3,)]) == Fraction(1, 2)
    assert four_al_unit(A)([(0, 1), (2, 3)]) == 3
    assert four_al_unit({})([(0, 1), (2, 3)]) == 0


@pytest.mark.parametrize("repeats", ["majority", "net"])
@pytest.mark.parametrize("seed", range(5))
def test_four_al_scores_add_up_to_zero_so_the_last_is_zero(seed, repeats):
    # By antisymmetry of W_Q, the W of all cluster pairs add up to 0; two clusters are one pair.
    A = random_relation(7, seed, repeats=repeats)
    score = four_al(A)

    clusters = [(0, 4), (1,), (2, 3, 6), (5,)]
    assert sum(score(clusters, p, q) for p, q in combinations(range(4), 2)) == 0
    assert any(score(clusters, p, q) != 0 for p, q in combinations(range(4), 2))
    _, scores, _ = agglomerate(7, score, unit=four_al_unit(A))
    assert scores[-1] == 0
    assert min(scores) >= 0


@pytest.mark.parametrize("seed", range(5))
def test_four_al_is_a_mean_over_pair_sums(seed):
    # The same in another form: u_f = 1/(|r||s|) for f across clusters r and s, 0 inside one;
    # s = A u; W(p, q) = 2 / (K(K-1)) * mean of s over p x q.
    A = random_relation(7, seed, repeats="net")
    clusters = [(0, 4), (1,), (2, 3, 6), (5,)]
    holder = {i: c for c in clusters for i in c}

    def u(f):
        r, s = holder[f[0]], holder[f[1]]
        return Fraction(0) if r == s else Fraction(1, len(r) * len(s))

    for p, q in combinations(range(4), 2):
        s = [
            sum(A.get((pair(i, j), f), 0) * u(f) for f in pairs(7))
            for i in clusters[p]
            for j in clusters[q]
        ]
        assert four_al(A)(clusters, p, q) == Fraction(2, 4 * 3) * sum(s) / len(s)


# --- metrics ---

CHAIN_TREE = [(0, 1), (4, 2), (5, 3)]
BALANCED = [(0, 1), (2, 3), (4, 5)]


def test_leaves_and_cuts():
    assert leaves(CHAIN_TREE)[4:] == [{0, 1}, {0, 1, 2}, {0, 1, 2, 3}]
    assert cut(CHAIN_TREE, 1) == [0, 0, 0, 0]
    assert cut(CHAIN_TREE, 2) == [0, 0, 0, 1]
    assert cut(BALANCED, 2) == [0, 0, 1, 1]
    assert cut(BALANCED, 3) == [0, 0, 1, 2]
    assert cut([(2, 3), (0, 1), (4, 5)], 3) == [0, 1, 2, 2]
    assert cut([(1, 2), (0, 3), (5, 4)], 2) == [0, 1, 1, 0]


def test_ari_by_hand():
    # 0011 against 0111: table 1 1 / 0 2, so pairs together in both: 1. Rows: 1 + 1, columns: 0 + 3.
    # Expected 2 * 3 / 6 = 1, so 0. 0011 against 0101: (0 - 4/6) / (2 - 4/6) = -1/2.
    # 00011 against 00001: table 3 0 / 1 1: both 3, rows 3 + 1, columns 6, expected 24/10,
    # (3 - 2.4) / (5 - 2.4) = 3/13.
    assert ari([0, 0, 1, 1], [0, 1, 1, 1]) == 0
    assert ari([0, 0, 1, 1], [0, 1, 0, 1]) == Fraction(-1, 2)
    assert ari([0, 0, 0, 1, 1], [0, 0, 0, 0, 1]) == Fraction(3, 13)
    assert ari([0, 0, 1, 1], [7, 7, 3, 3]) == 1


def test_ari_of_equal_trivial_partitions_is_one():
    assert ari([0, 0, 0], [5, 5, 5]) == 1
    assert ari([0, 1, 2], [2, 0, 1]) == 1
    assert ari([0, 0, 0], [0, 1, 2]) == 0


def test_aari_averages_the_levels():
    # True levels 0011 and 0123. ((0,2),(1,3)) cut in two is 0101: ARI -1/2; cut in four: 1.
    levels = [[0, 0, 1, 1], [0, 1, 2, 3]]

    assert aari(levels, [(0, 2), (1, 3), (4, 5)]) == Fraction(1, 4)
    assert aari(levels, BALANCED) == 1


def test_dasgupta_cost_by_hand():
    # Chain tree: 2*5 + 3*(1 + 4) + 4*(0 + 2 + 3) = 45.
    # Balanced: 2*5 + 2*3 + 4*(1 + 0 + 4 + 2) = 44.
    w = matrix(4, CHAIN)

    assert dasgupta_cost(CHAIN_TREE, w) == 45
    assert dasgupta_cost(BALANCED, w) == 44


# --- planted model ---


def test_planted_model_by_hand():
    # L = 2, N0 = 2, mu = 8, delta = 1: step 0 parts 0123 from 4567 (6), step 1 parts 01 from 23 and
    # 45 from 67 (7), inside 01, 23, 45, 67 it is 8.
    M = planted_means(2, 2, mean=8, gap=1)

    assert planted_levels(2, 2) == [[0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 1, 1, 2, 2, 3, 3]]
    assert M[0].tolist() == [0, 8, 7, 7, 6, 6, 6, 6]
    assert M[5].tolist() == [6, 6, 6, 6, 8, 0, 7, 7]
    assert (M == M.T).all()


def test_methods_recover_the_noiseless_planted_hierarchy():
    w = planted_means(2, 2, mean=8, gap=1)
    A = relation(from_similarities(w))
    levels = planted_levels(2, 2)

    for score in (single(w), complete(w), average(w), average(adds(A, 8)), four_al(A)):
        merges, _, _ = agglomerate(8, score)
        assert aari(levels, merges) == 1
