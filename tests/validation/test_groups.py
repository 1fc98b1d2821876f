"""Groups of people: the permutation test keeps its level, finds differences, and says where."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

import ordlink as ol
from ordlink.validation import GroupComparison, compare_groups
from studies.groups import two_groups

SIZE = {"n_people": 12, "n_triplets": 40}


def compare(seed: int, *, n_moved: int, n_permutations: int = 199) -> GroupComparison:
    answers, groups = two_groups(seed, n_moved=n_moved, **SIZE)
    return compare_groups(answers, groups, "AddS-AL", n_permutations=n_permutations, seed=seed)


@pytest.mark.slow
def test_groups_that_are_alike_are_rarely_told_apart() -> None:
    found = [compare(seed, n_moved=0, n_permutations=99) for seed in range(30)]

    p_values = np.array([one.p_value for one in found])
    assert (p_values <= 0.05).sum() <= 5  # 1.5 expected; more have a chance of 1 in 500
    assert 0.3 < p_values.mean() < 0.7
    of_branches = np.array([min(branch.p_value for branch in one.branches) for one in found])
    assert (of_branches <= 0.05).sum() <= 5


@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
def test_groups_that_differ_are_told_apart_and_branches_say_where() -> None:
    found = [compare(seed, n_moved=12) for seed in range(5)]

    assert all(one.p_value <= 0.05 for one in found)
    lowest = [min(one.branches, key=lambda branch: branch.p_value) for one in found]
    assert sum(branch.p_value <= 0.05 for branch in lowest) >= 4
    assert all(abs(branch.shares[0] - branch.shares[1]) > 0.1 for branch in lowest)
    for one in found:
        is_own = np.array([[int(name[1:]) % 2 == g for g in (0, 1)] for name in one.people])
        assert one.follows[is_own].mean() > one.follows[~is_own].mean()


def test_p_values_are_the_share_of_permutations_that_reach_the_statistic() -> None:
    answers, groups = two_groups(3, n_moved=2, **SIZE)
    once = compare_groups(answers, groups, "AddS-AL", n_permutations=50, seed=1)
    again = compare_groups(answers, groups, "AddS-AL", n_permutations=50, seed=1)

    assert once.p_value == again.p_value
    assert (once.p_value * 51) == pytest.approx(round(once.p_value * 51))
    assert [b.p_value for b in once.branches] == [b.p_value for b in again.branches]
    assert len(once.branches) == 22
    ordered = sorted(once.branches, key=lambda b: b.p_value)
    assert all(one.p_value <= other.p_value for one, other in pairwise(ordered))


def test_the_order_of_answers_and_the_names_of_groups_do_not_matter() -> None:
    answers, groups = two_groups(4, n_moved=4, **SIZE)
    order = np.random.default_rng(0).permutation(answers.n_rows)

    plain = compare_groups(answers, groups, "AddS-AL", seed=0)
    mixed = compare_groups(answers.take(order), groups[order], "AddS-AL", seed=0)

    assert plain.p_value == mixed.p_value
    assert np.allclose(plain.follows, mixed.follows)


@pytest.mark.parametrize("why", ["one person", "in both", "unknown"])
def test_what_cannot_be_tested_is_not(why: str) -> None:
    rows = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0]]
    people = {"one person": list("abbc"), "in both": list("abab"), "unknown": None}[why]
    groups = ["x", "y", "y", "y"] if why == "one person" else ["x", "x", "y", "y"]
    answers = ol.Comparisons.from_triplets(rows, annotators=people)

    found = compare_groups(answers, groups, "AddS-AL")

    assert math.isnan(found.p_value) and found.branches == ()
    assert found.warnings[-1].startswith("not tested: a test needs at least two people")


@pytest.mark.parametrize(
    ("sizes", "smallest"), [((2, 2), "0.33"), ((2, 3), "0.1"), ((3, 3), "0.1"), ((4, 4), None)]
)
def test_groups_that_are_too_small_for_a_difference_are_told(
    sizes: tuple[int, int], smallest: str | None
) -> None:
    rows, people, groups = [], [], []
    for group, size in zip("xy", sizes, strict=True):
        for number in range(size):
            rows += [[0, 1, 2], [1, 0, 2]] if group == "x" else [[0, 2, 1], [1, 2, 0]]
            people += [f"{group}{number}"] * 2
            groups += [group] * 2
    answers = ol.Comparisons.from_triplets(rows, annotators=people)

    found = compare_groups(answers, groups, "AddS-AL")

    told = [one for one in found.warnings if one.startswith("too few people to find a difference")]
    assert [one.split("below ")[1].split(";")[0] for one in told] == (
        [smallest] if smallest else []
    )
    assert (found.p_value <= 0.05) == (smallest is None)


def test_people_are_scored_by_trees_without_them() -> None:
    agreed = [[0, 1, 2], [1, 0, 2]] * 3
    answers = ol.Comparisons.from_triplets(
        [*agreed, [0, 2, 1], [1, 2, 0]], annotators=[*"aabbcc", "z", "z"]
    )

    found = compare_groups(answers, ["x"] * 4 + ["y"] * 2 + ["x"] * 2, "AddS-AL")

    assert found.people == ("a", "b", "c", "z")
    assert found.follows[3, 0] == 0  # without z, everybody in x says otherwise
    assert found.follows[0, 1] == 1
    assert math.isnan(found.follows[2, 1])  # y has nobody else
