"""Weights of people: recovered where they are planted, and counted as they say."""

from __future__ import annotations

import numpy as np
import pytest

import ordlink as ol
from ordlink.errors import InputError, InputKindError
from ordlink.validation import (
    annotator_weights,
    crowd_quality,
    weighted_comparisons,
    weighting_effect,
    without_annotators,
)

pytestmark = pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")

ERRORS = {"a": 0.0, "b": 0.1, "c": 0.2, "d": 0.3, "eve": 0.5, "f": 0.1, "g": 0.2}


def answers_of(errors: dict[str, float], n_each: int, seed: int = 0) -> ol.ListedComparisons:
    planted = ol.datasets.planted_hierarchy(depth=2, leaf_size=4, gap=2.0, noise=0.3, seed=1)
    rng = np.random.default_rng(seed)
    rows = ol.datasets.simulate_answers(planted.similarities, n_each * len(errors), seed=seed)
    people = np.repeat(list(errors), n_each)
    wrong = rng.random(len(rows)) < np.repeat(list(errors.values()), n_each)
    rows = np.where(wrong[:, None], rows[:, [0, 2, 1]], rows)
    return ol.Comparisons.from_triplets(rows, n_objects=16, annotators=people)


@pytest.fixture(scope="module")
def crowd() -> ol.ListedComparisons:
    return answers_of(ERRORS, 400)


def test_weights_are_the_surplus_of_right_answers_over_wrong_ones(crowd) -> None:
    weights = annotator_weights(crowd)

    surplus = np.array([1 - 2 * error for error in ERRORS.values()])
    found = np.array([weights[name] for name in ERRORS])
    assert list(weights) == sorted(ERRORS)
    assert found / found.mean() == pytest.approx(surplus / surplus.mean(), abs=0.25)
    assert weights["eve"] < 0.15


def test_weights_come_from_accuracies_drawn_to_their_mean(crowd) -> None:
    """DerSimonian and Laird's estimate written out, person by person."""
    people = crowd_quality(crowd).annotators
    values = [person.accuracy for person in people]
    variances = []
    for person, value in zip(people, values, strict=True):
        squares = person.accuracy_error**2 * 400 * 399
        moved = (400 * value + 1) / 402
        squares += 400 * (value - moved) ** 2 + (1 - moved) ** 2 + moved**2
        variances.append(max(person.accuracy_error**2, squares / 401 / 400))
    fixed = sum(v / s for v, s in zip(values, variances, strict=True)) / sum(
        1 / s for s in variances
    )
    excess = sum((v - fixed) ** 2 / s for v, s in zip(values, variances, strict=True)) - 6
    scale = sum(1 / s for s in variances) - sum(s**-2 for s in variances) / sum(
        1 / s for s in variances
    )
    spread = excess / scale
    mean = sum(v / (s + spread) for v, s in zip(values, variances, strict=True)) / sum(
        1 / (s + spread) for s in variances
    )
    expected = [
        max(0, 2 * (mean + spread / (spread + s) * (v - mean)) - 1) / (2 * mean - 1)
        for v, s in zip(values, variances, strict=True)
    ]

    assert spread > 0
    assert list(annotator_weights(crowd).values()) == pytest.approx(expected)


def test_people_who_cannot_be_told_apart_have_weight_one() -> None:
    alike = answers_of(dict.fromkeys("abcdef", 0.1), 60)
    few = ol.concatenate([answers_of(ERRORS, 300), answers_of({"x": 0.0}, 1, seed=5)])

    assert list(annotator_weights(alike).values()) == pytest.approx([1] * 6, abs=0.3)
    assert annotator_weights(few)["x"] == pytest.approx(1)  # one answer tells nothing


def test_an_answer_counts_by_the_weight_of_who_gave_it() -> None:
    rows = [[0, 1, 2], [1, 2, 3], [2, 3, 0], [3, 0, 1], [0, 2, 3]]
    people = ["ann", "bob", "", "eve", "ann"]
    comparisons = ol.Comparisons.from_triplets(rows, annotators=people, counts=[1, 2, 3, 4, 5])

    weighted = weighted_comparisons(comparisons, {"ann": 0.338, "eve": 0.001, "bob": 2})

    kept = comparisons.take(np.array([0, 1, 2, 4]))
    assert weighted.counts.tolist() == [34, 400, 300, 169]
    np.testing.assert_array_equal(weighted.quadruplets, kept.quadruplets)
    assert weighted.details == kept.details


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("4-AL", {}),
        ("AddS-AL", {}),
        ("tSTE-AL", {"n_init": 1}),
        ("SOE-AL", {"n_init": 1}),
        ("FORTE-AL", {"n_init": 1}),
    ],
)
def test_equal_weights_change_nothing(crowd, method, options) -> None:
    part = crowd.take(np.arange(0, crowd.n_rows, 7))

    effect = weighting_effect(part, {}, method, **options)

    np.testing.assert_array_equal(effect.tree_with.merges, effect.tree_without.merges)
    assert effect.agreement == pytest.approx(effect.agreement_of_ties, abs=0.15)
    assert effect.accuracy_with == effect.accuracy_without


def test_weight_zero_is_leaving_out_and_weight_two_is_answering_twice(crowd) -> None:
    own = crowd.take(crowd.details.annotators == "a")

    without = weighting_effect(crowd, {"eve": 0}, "AddS-AL")
    twice = weighting_effect(crowd, {"a": 2}, "AddS-AL")

    kept = without_annotators(crowd, ["eve"])
    doubled = ol.concatenate([crowd, own])
    for effect, comparisons in ((without, kept), (twice, doubled)):
        expected = ol.cluster(comparisons, "AddS-AL", repeats="net")
        np.testing.assert_array_equal(effect.tree_with.merges, expected.merges)
        assert effect.accuracy_with == pytest.approx(
            ol.metrics.comparison_accuracy(comparisons, expected)
        )


def test_weights_show_the_tree_with_and_without_them() -> None:
    """Four know the planted tree, and six guess: with weights the tree comes nearer to it."""
    planted = ol.datasets.planted_hierarchy(depth=2, leaf_size=4, gap=2.0, noise=0.3, seed=1)
    errors = dict.fromkeys("abcd", 0.0) | dict.fromkeys("uvwxyz", 0.5)
    scores = []
    for seed in range(3):
        comparisons = answers_of(errors, 80, seed)

        effect = weighting_effect(comparisons)

        weighted = weighted_comparisons(comparisons, effect.weights)
        assert effect.weights == annotator_weights(comparisons)
        for tree, data in ((effect.tree_with, weighted), (effect.tree_without, comparisons)):
            assert tree == ol.cluster(data, "4-AL", repeats="net")
        assert effect.agreement < effect.agreement_of_ties
        trees = effect.tree_with, effect.tree_without
        scores.append([ol.metrics.aari(planted.levels, tree) for tree in trees])

    with_weights, without = np.mean(scores, axis=0)
    assert with_weights > without + 0.05


def test_wrong_input_is_refused_with_what_to_do(crowd) -> None:
    with pytest.raises(InputError, match="spectral cannot weight answers; use 4-AL, AddS-AL"):
        weighting_effect(crowd, {}, "spectral")
    with pytest.raises(InputError, match="auto cannot weight answers"):
        weighting_effect(crowd, {}, "auto")
    with pytest.raises(InputError, match="there is no annotator 'zoe'"):
        weighted_comparisons(crowd, {"zoe": 1})
    with pytest.raises(InputError, match=r"'eve'\]: expected .* of at least 0, got -1"):
        weighted_comparisons(crowd, {"eve": -1})
    with pytest.raises(InputError, match=r"'eve'\]: expected .* of at least 0, got nan"):
        weighted_comparisons(crowd, {"eve": float("nan")})
    with pytest.raises(InputKindError, match=r"'eve'\]: expected a number .* got 'much'"):
        weighted_comparisons(crowd, {"eve": "much"})
    with pytest.raises(InputKindError, match=r"such as {'eve': 0.5}"):
        weighted_comparisons(crowd, ["eve"])
    with pytest.raises(InputError, match="no answers are left"):
        weighted_comparisons(crowd, dict.fromkeys(ERRORS, 0))
    with pytest.raises(InputError, match=r"at least 3 annotators .* got 2"):
        annotator_weights(without_annotators(crowd, [*"cdfg", "eve"]))
    with pytest.raises(InputError, match="significantly more than half of the comparisons"):
        annotator_weights(answers_of({"for": 0.0, "against": 1.0, "guess": 0.5}, 80))
