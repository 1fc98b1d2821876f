"""Held-out answers of the search: what belongs together stays on one side."""

from __future__ import annotations

import numpy as np
import pytest

import ordlink as ol
from ordlink.linkage import initial_partition
from ordlink.methods import spectral
from ordlink.methods.search import run_auto
from ordlink.methods.search._folds import N_FOLDS, _split, fit_pool


def _questions(comparisons: ol.ListedComparisons) -> set[frozenset[int]]:
    both = np.stack([comparisons.winners, comparisons.losers], axis=1).tolist()
    return {frozenset(pair) for pair in both}


def _voted(form: str, *, by_question: bool) -> ol.ListedComparisons:
    """Eight votes on each of 60 questions, some of them against the others."""
    rng = np.random.default_rng(0)
    rows = []
    for _ in range(60):
        a, b, c = rng.choice(12, 3, replace=False)
        rows += [(a, b, c) if rng.random() < 0.7 else (a, c, b) for _ in range(8)]
    rows = sorted(rows, key=lambda r: (r[0], *sorted(r[1:]), r[1])) if by_question else rows
    order = np.arange(len(rows)) if by_question else rng.permutation(len(rows))
    make = getattr(ol.Comparisons, f"from_{form}")
    return make(np.array(rows)[order], n_objects=12)


@pytest.mark.parametrize("form", ["triplets", "odd_one_out", "most_central"])
@pytest.mark.parametrize("by_question", [True, False])
def test_answers_to_one_question_are_on_one_side(form: str, by_question: bool) -> None:
    for train, test, _ in _split(_voted(form, by_question=by_question)):
        assert not _questions(train) & _questions(test)


def test_choices_among_many_are_on_one_side() -> None:
    rng = np.random.default_rng(1)
    rows, screens = [], []
    for screen in range(100):
        shown = rng.choice(60, 10, replace=False)
        rows += [(shown[0], shown[1], other) for other in shown[2:]]
        screens += [screen] * 8
    answers = ol.Comparisons.from_triplets(rows, n_objects=60)

    for _, test, units in _split(answers):
        assert len(test) == 8 * len(np.unique(units))


def test_the_kind_of_the_spectral_tree_is_chosen_once(monkeypatch) -> None:
    kinds = []
    run_kind = spectral.run_kind

    def listen(comparisons, partition, *, kind):
        kinds.append(kind)
        return run_kind(comparisons, partition, kind=kind)

    monkeypatch.setattr(spectral, "run_kind", listen)
    answers = _voted("triplets", by_question=False)

    fits = fit_pool(answers, initial_partition(12), seed=0)

    whole = spectral.run(answers, initial_partition(12))
    assert kinds == whole.parameters["kinds"] * N_FOLDS
    found = fits.pool.models.trees["spectral"]
    np.testing.assert_array_equal(found.merges, whole.merges)


@pytest.mark.filterwarnings("error")
def test_models_of_few_answers_warn_of_nothing() -> None:
    """Nothing has to be silenced, which would not be safe on several threads."""
    answers = _voted("triplets", by_question=True).take(np.arange(41))

    run_auto(answers, initial_partition(12))
