"""The five question types: what is shown, what an answer says."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordlink.collect.question_types import (
    QUESTION_TYPES,
    QuestionType,
    catch_objects,
    passes_catch,
    to_comparisons,
)
from ordlink.errors import InputError

NAMES = [f"thing {i}" for i in range(12)]
kinds = st.sampled_from(list(QUESTION_TYPES.values()))


def said(kind: QuestionType, shown: list[int], choice: list[int]) -> set[tuple[int, ...]]:
    """Return the literal meaning of an answer: winning pair, losing pair."""
    if kind.name == "quadruplet":
        left, right = sorted(shown[:2]), sorted(shown[2:])
        return {(*left, *right) if choice == [0] else (*right, *left)}
    if kind.name == "most-central":
        i = shown[choice[0]]
        j, k = (one for one in shown if one != i)
        return {(*sorted((j, i)), *sorted((j, k))), (*sorted((k, i)), *sorted((j, k)))}
    if kind.name == "odd-one-out":
        k = shown[choice[0]]
        i, j = (one for one in shown if one != k)
        return {(*sorted((i, j)), *sorted((i, k))), (*sorted((i, j)), *sorted((j, k)))}
    anchor, options = shown[0], shown[1:]
    chosen = [options[place] for place in choice]
    rest = [one for one in options if one not in chosen]
    return {
        (*sorted((anchor, near)), *sorted((anchor, far)))
        for place, near in enumerate(chosen)
        for far in [*chosen[place + 1 :], *rest]
    }


@given(kinds, st.randoms(use_true_random=False))
def test_an_answer_says_what_its_form_means(kind: QuestionType, rng: random.Random) -> None:
    shown = rng.sample(range(12), kind.n_objects)
    choice = rng.sample(range(kind.n_options), kind.n_chosen)

    found = to_comparisons(kind, [shown], [choice], names=NAMES)

    assert {tuple(row) for row in found.quadruplets.tolist()} == said(kind, shown, choice)
    assert found.n_rows == len(said(kind, shown, choice))


def test_rank_2_of_8_gives_13_comparisons_of_one_answer() -> None:
    kind = QUESTION_TYPES["rank-2-of-8"]

    found = to_comparisons(kind, [range(9), range(9)], [[0, 1], [7, 3]], names=NAMES)

    assert found.n_rows == 26
    assert found.n_answers == 2
    assert found.details.chose_first is None  # two are chosen: there is no one side


def test_cant_tell_says_nothing() -> None:
    kind = QUESTION_TYPES["triplet"]

    found = to_comparisons(
        kind, [[0, 1, 2], [3, 4, 5]], [[], [0]], names=NAMES, people=["P1", "P2"]
    )

    assert found.quadruplets.tolist() == [[3, 4, 3, 5]]
    assert found.details.annotators.tolist() == ["P2"]
    assert found.details.chose_first.tolist() == [1.0]
    assert to_comparisons(kind, [[0, 1, 2]], [[]], names=NAMES).n_rows == 0


@given(kinds, st.randoms(use_true_random=False))
def test_swapped_sides_mean_the_same_question(kind: QuestionType, rng: random.Random) -> None:
    shown = rng.sample(range(12), kind.n_objects)
    swapped = kind.swapped(shown)
    choice = rng.sample(range(kind.n_options), kind.n_chosen)
    mirrored = [kind.n_options - 1 - place for place in choice]

    assert kind.chosen_objects(shown, choice) == kind.chosen_objects(swapped, mirrored)
    assert said(kind, list(shown), choice) == said(kind, list(swapped), mirrored)
    assert swapped != tuple(shown)


@given(kinds, st.randoms(use_true_random=False))
def test_rearranging_keeps_the_question(kind: QuestionType, rng: random.Random) -> None:
    objects = tuple(rng.sample(range(12), kind.n_objects))

    shown = kind.rearrange(objects, rng)

    assert sorted(shown) == sorted(objects)
    if kind.has_anchor:
        assert shown[0] == objects[0]
    if kind.name == "quadruplet":
        pairs = {frozenset(objects[:2]), frozenset(objects[2:])}
        assert {frozenset(shown[:2]), frozenset(shown[2:])} == pairs


@pytest.mark.parametrize("kind", QUESTION_TYPES.values(), ids=str)
def test_sides_are_fair(kind: QuestionType) -> None:
    rng = random.Random(0)
    objects = tuple(range(kind.n_objects))
    last = [kind.rearrange(objects, rng)[-1] for _ in range(2000)]
    free = kind.n_objects - kind.has_anchor

    counts = np.bincount(last, minlength=kind.n_objects)[-free:]

    assert counts.min() > 0.8 * 2000 / free


@given(kinds, st.randoms(use_true_random=False))
def test_a_catch_trial_has_a_plain_answer(kind: QuestionType, rng: random.Random) -> None:
    shown = kind.rearrange(catch_objects(rng.sample(range(12), kind.n_objects)), rng)
    twice = next(one for one in shown if shown.count(one) == 2)
    choices = [[place] for place in range(kind.n_options)]
    if kind.n_chosen == 2:
        choices = [[place, (place + 1) % 8] for place in range(8)]

    passing = [choice for choice in choices if passes_catch(kind, shown, choice)]

    assert not passes_catch(kind, shown, [])
    assert 0 < len(passing) < len(choices)
    for choice in passing:
        chosen = kind.chosen_objects(shown, choice)
        assert (chosen[0] == twice) != (kind.name == "odd-one-out")


@pytest.mark.parametrize(
    ("kind", "choice"),
    [("triplet", [2]), ("triplet", [-1]), ("triplet", [0, 1]), ("rank-2-of-8", [3, 3]),
     ("rank-2-of-8", [3]), ("quadruplet", [2]), ("odd-one-out", [3])],
)  # fmt: skip
def test_a_choice_that_is_none_is_refused(kind: str, choice: list[int]) -> None:
    with pytest.raises(InputError, match="option"):
        QUESTION_TYPES[kind].check_choice(choice)
