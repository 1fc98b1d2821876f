"""Held-out scores, against folds held out by hand."""

import numpy as np
import pytest

import ordlink as ol
from ordlink.errors import InputError
from ordlink.metrics import comparison_accuracy, normalised_comparison_revenue
from ordlink.validation import assign_folds, compare_methods, cross_validate, learning_curve
from tests.validation.growing import grow_without_fold


@pytest.fixture(scope="module")
def comparisons():
    planted = ol.datasets.planted_hierarchy(depth=2, leaf_size=4, gap=1.0, seed=0)
    rows = ol.datasets.simulate_answers(planted.similarities, 400, error_rate=0.1, seed=0)
    return ol.Comparisons.from_triplets(rows, n_objects=16)


@pytest.mark.parametrize("method", ["4-AL", "AddS-AL"])
def test_each_fold_is_judged_by_the_tree_of_the_others(comparisons, method):
    scores = cross_validate(comparisons, method, n_folds=3, n_repetitions=2, seed=5, repeats="net")

    for repetition in range(2):
        folds = assign_folds(comparisons, 3, seed=5 + repetition)  # the same for all methods
        for fold in range(3):
            held_out = comparisons[folds == fold]
            tree = grow_without_fold(
                comparisons, method, folds, fold, 5 + repetition, repeats="net"
            )
            place = repetition, fold
            assert scores.accuracies[place] == comparison_accuracy(held_out, tree)
            assert scores.revenues[place] == normalised_comparison_revenue(held_out, tree)
    assert scores.method == method


def test_means_and_standard_errors_are_those_of_the_folds(comparisons):
    scores = cross_validate(comparisons, "4-AL", n_folds=4, n_repetitions=3)

    assert scores.accuracies.shape == scores.revenues.shape == (3, 4)
    assert scores.accuracy == pytest.approx(scores.accuracies.mean())
    assert scores.revenue == pytest.approx(scores.revenues.mean())
    errors = [np.std(row, ddof=1) / 2 for row in scores.accuracies]
    assert scores.accuracy_error == pytest.approx(np.mean(errors))
    errors = [np.std(row, ddof=1) / 2 for row in scores.revenues]
    assert scores.revenue_error == pytest.approx(np.mean(errors))


def test_a_planted_hierarchy_foretells_answers_and_coins_do_not(comparisons):
    coins = ol.datasets.simulate_answers(np.eye(16), 4000, seed=0)

    planted = cross_validate(comparisons, "4-AL")
    nothing = cross_validate(ol.Comparisons.from_triplets(coins, n_objects=16), "4-AL")

    assert planted.accuracy > 0.7
    assert planted.revenue > 10 * planted.revenue_error > 0
    assert abs(nothing.accuracy - 0.5) < 0.05
    assert abs(nothing.revenue) < 0.05


def test_bad_options_are_refused(comparisons):
    with pytest.raises(InputError, match="unknown method"):
        cross_validate(comparisons, "5-AL")
    with pytest.raises(InputError, match="n_repetitions: expected a whole number of at least 1"):
        cross_validate(comparisons, n_repetitions=0)
    with pytest.raises(InputError, match="no option 'colour'"):
        cross_validate(comparisons, colour="red")


@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
@pytest.mark.parametrize(
    ("n_people", "by_annotator", "expected"),
    [
        (0, None, "answers"),
        (4, None, "answers"),
        (5, None, "people"),
        (9, None, "people"),
        (9, False, "answers"),
    ],
)
def test_results_say_what_folds_keep_together(n_people, by_annotator, expected):
    people = [f"p{k % n_people}" if n_people else "" for k in range(60)]
    rows = ol.datasets.simulate_answers(np.eye(6), 60, seed=0)
    answers = ol.Comparisons.from_triplets(rows, annotators=people)

    scores = cross_validate(answers, "AddS-AL", by_annotator=by_annotator)
    compared = compare_methods(answers, ["AddS-AL"], by_annotator=by_annotator)

    assert scores.folds_by == compared.folds_by == expected
    folds = assign_folds(answers, 5, by_annotator=by_annotator)
    whole = all(len(set(folds[answers.details.annotators == p])) == 1 for p in set(people))
    assert whole == (expected == "people")
    if by_annotator is None:
        assert learning_curve(answers, "AddS-AL", n_repetitions=1).folds_by == expected
