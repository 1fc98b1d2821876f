"""Revenue over comparisons, against literal sums and Dasgupta's cost."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordlink import Comparisons, Hierarchy
from ordlink.errors import InputError, InputKindError
from ordlink.methods.adds import adds_similarity
from ordlink.metrics import (
    comparison_revenue,
    dasgupta_cost,
    normalised_comparison_revenue,
)
from tests.instances import instances
from tests.reference.measures import revenue
from tests.strategies import hierarchies


def listed_rows(comparisons):
    listed = getattr(comparisons, "listed", lambda: comparisons)()
    rows = listed.quadruplets.tolist()
    counts = [1] * len(rows) if listed.counts is None else listed.counts.tolist()
    return [row for row, count in zip(rows, counts, strict=True) for _ in range(count)]


@settings(max_examples=200)
@given(instances(max_objects=9), st.data())
def test_revenue_is_the_literal_sum_and_minus_dasgupta_of_adds(instance, data):
    n, comparisons = instance.n_objects, instance.comparisons
    if not comparisons.n_comparisons:
        return
    tree = data.draw(hierarchies(n, n))

    net = comparison_revenue(comparisons, tree)
    majority = comparison_revenue(comparisons, tree, repeats="majority")

    assert net == revenue(tree.merges.tolist(), listed_rows(comparisons))
    for repeats, value in (("net", net), ("majority", majority)):
        assert value == -dasgupta_cost(adds_similarity(comparisons, repeats=repeats), tree)


@settings(max_examples=30)
@given(hierarchies(3, 5), st.data())
def test_the_mean_over_all_relabellings_is_exactly_0(tree, data):
    n = tree.n_objects
    numbers = st.integers(0, n - 1)
    rows = data.draw(
        st.lists(
            st.tuples(numbers, numbers, numbers, numbers).filter(
                lambda row: row[0] != row[1] and row[2] != row[3] and {*row[:2]} != {*row[2:]}
            ),
            min_size=1,
            max_size=8,
        )
    )

    revenues = [
        comparison_revenue(
            Comparisons.from_quadruplets(np.array(order)[np.array(rows)], n_objects=n), tree
        )
        for order in permutations(range(n))
    ]

    assert sum(revenues) == 0


@given(instances(max_objects=9), st.data())
def test_the_normalised_revenue_lies_between_minus_1_and_1_and_turns_with_the_answers(
    instance, data
):
    if not instance.comparisons.n_comparisons:
        return
    tree = data.draw(hierarchies(instance.n_objects, instance.n_objects))
    rows = np.array(listed_rows(instance.comparisons))
    given_, turned = (
        Comparisons.from_quadruplets(r, n_objects=instance.n_objects)
        for r in (rows, rows[:, [2, 3, 0, 1]])
    )

    for repeats in ("net", "majority"):
        value = normalised_comparison_revenue(given_, tree, repeats=repeats)
        assert -1 <= value <= 1
        assert value == -normalised_comparison_revenue(turned, tree, repeats=repeats)


def test_the_best_and_the_worst_are_1_and_minus_1():
    tree = Hierarchy([[0, 1], [2, 4], [3, 5]])

    best = Comparisons.from_quadruplets([[0, 1, 0, 3], [0, 1, 2, 3]])
    worst = Comparisons.from_quadruplets([[0, 3, 0, 1], [2, 3, 0, 1]])

    assert normalised_comparison_revenue(best, tree) == 1
    assert normalised_comparison_revenue(worst, tree) == -1


def test_repeated_answers_count_each_or_by_majority():
    tree = Hierarchy([[0, 1], [2, 4], [3, 5]])
    answers = Comparisons.from_triplets(
        [[0, 1, 2], [0, 2, 1], [0, 3, 2], [0, 2, 3]], counts=[3, 1, 1, 1]
    )

    assert comparison_revenue(answers, tree) == 2  # 2 net votes for 3 - 2, a tie about 4 - 3
    assert comparison_revenue(answers, tree, repeats="majority") == 1
    assert normalised_comparison_revenue(answers, tree) == 2 / (2 * 6)
    assert normalised_comparison_revenue(answers, tree, repeats="majority") == 1 / (2 * 1)


def test_votes_that_all_tie_have_revenue_0():
    tree = Hierarchy([[0, 1], [2, 3]])
    answers = Comparisons.from_triplets([[0, 1, 2], [0, 2, 1]])

    assert normalised_comparison_revenue(answers, tree, repeats="majority") == 0
    assert normalised_comparison_revenue(answers, tree) == 0


def test_bad_arguments_are_refused():
    tree = Hierarchy([[0, 1], [2, 3]])
    answers = Comparisons.from_triplets([[0, 1, 2]], n_objects=4)

    with pytest.raises(InputKindError, match="the truth comes first"):
        comparison_revenue(tree, answers)
    with pytest.raises(InputKindError, match="expected Comparisons, got list"):
        comparison_revenue([[0, 1, 2]], tree)
    with pytest.raises(InputError, match="expected 3 objects"):
        comparison_revenue(answers, tree)
    with pytest.raises(InputError, match="repeats: expected"):
        comparison_revenue(answers, Hierarchy([[0, 1], [2, 4], [3, 5]]), repeats="each")
