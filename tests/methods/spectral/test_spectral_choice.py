"""Which spectral tree is grown: splits, unless another one predicts held-out answers better."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import ordlink as ol
from ordlink.linkage import initial_partition
from ordlink.methods import spectral
from ordlink.methods.spectral import _spectral
from ordlink.methods.spectral._spectral import _mean_and_error, choose_kind

pytestmark = pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
spectral_linkage = partial(ol.cluster, method="spectral")


def _answers(n_objects: int, n_answers: int = 400) -> ol.Comparisons:
    rng = np.random.default_rng(0)
    rows = [rng.permutation(n_objects)[:3] for _ in range(n_answers)]
    return ol.Comparisons.from_triplets(rows, n_objects=n_objects)


def _pretend(monkeypatch, *, gain: float, spread: float, best: str = "average") -> None:
    """Let one kind of tree agree with held-out answers so much more often."""

    def agreements(comparisons, partition, kinds, repeats, n_folds):
        found = np.zeros((len(kinds), 100))
        if best in kinds:
            found[kinds.index(best)] = gain + spread * np.tile([1.0, -1.0], 50)
        return found, np.ones(100)

    monkeypatch.setattr(_spectral, "_agreements", agreements)


@pytest.mark.parametrize(
    ("n_objects", "errors", "kind"),
    [
        (40, 1.1, "average"),
        (40, 0.9, "splits"),
        (70, 1.1, "splits"),
        (70, 2.1, "average"),
        (501, 9.0, "splits"),
    ],
)
def test_average_linkage_must_be_so_many_standard_errors_better(
    monkeypatch, n_objects, errors, kind
) -> None:
    _pretend(monkeypatch, gain=0.01 * errors, spread=0.1)  # a standard error is 0.1 / sqrt(100)

    assert choose_kind(_answers(n_objects), initial_partition(n_objects), "majority") == kind


@pytest.mark.parametrize("kind", ["average", "plain splits"])
def test_of_few_objects_that_were_compared_often_the_best_tree_is_taken(monkeypatch, kind) -> None:
    _pretend(monkeypatch, gain=0.001, spread=0.1, best=kind)

    assert choose_kind(_answers(10), initial_partition(10), "majority") == kind
    assert (
        choose_kind(_answers(40), initial_partition(40), "majority") == "splits"
    )  # hardly compared


def test_fewer_than_twenty_comparisons_choose_nothing(monkeypatch) -> None:
    _pretend(monkeypatch, gain=1.0, spread=0.0)

    assert choose_kind(_answers(20, 19), initial_partition(20), "majority") == "splits"
    assert choose_kind(_answers(20, 20), initial_partition(20), "majority") == "average"


def test_the_error_of_a_mean_is_that_of_independent_rows() -> None:
    numbers, weights = np.array([0.0, 0.5, 1.0, 1.0]), np.array([1.0, 2.0, 3.0, 4.0])

    mean, error = _mean_and_error(numbers, weights)

    assert mean == pytest.approx(np.average(numbers, weights=weights))
    squares = sum(w**2 * (number - mean) ** 2 for number, w in zip(numbers, weights, strict=True))
    assert error == pytest.approx(np.sqrt(squares) / 10)
    assert _mean_and_error(numbers, np.ones(4))[1] == pytest.approx(numbers.std() / 2)
    assert _mean_and_error(np.empty(0), np.empty(0)) == (0.0, 0.0)


@pytest.mark.slow
def test_points_on_a_line_are_joined_by_average_linkage() -> None:
    places = np.arange(30) ** 1.5
    similarities = -np.abs(places[:, None] - places)
    rows = ol.datasets.simulate_answers(similarities, 6000, seed=0)
    comparisons = ol.Comparisons.from_triplets(rows, n_objects=30)

    assert choose_kind(comparisons, initial_partition(30), "majority") == "average"


def test_net_counts_that_are_larger_within_a_fold_are_no_problem() -> None:
    rows = [[0, 1, 2], [0, 2, 1], [3, 1, 2]]
    comparisons = ol.Comparisons.from_triplets(rows, counts=[3 * 2**19, 2**20, 30])

    tree = spectral_linkage(comparisons, repeats="net")

    assert len(tree.merges) == 3


def test_counted_answers_count_as_often_as_they_were_given(monkeypatch) -> None:
    seen = []
    agreements = _spectral._agreements

    def listen(*arguments):
        seen.append(agreements(*arguments)[1])
        return agreements(*arguments)

    monkeypatch.setattr(_spectral, "_agreements", listen)
    rows = [[0, 1, 2], [1, 0, 2], [3, 0, 2], [3, 1, 2]]
    spectral_linkage(ol.Comparisons.from_triplets(rows, counts=[17, 1, 1, 1]))

    assert sorted(seen[0].tolist()) == [1.0, 1.0, 1.0, 17.0]


@pytest.mark.parametrize("kind", ["splits", "average"])
def test_new_answers_choose_the_tree_that_predicts_them(kind) -> None:
    planted = ol.datasets.planted_hierarchy(depth=2, leaf_size=4, gap=0.5, noise=0.5, seed=4)
    rows = ol.datasets.simulate_answers(planted.similarities, 120, seed=4)
    answers = ol.Comparisons.from_triplets(rows, n_objects=16)
    trees = {one: ol.cluster(answers, "spectral", kind=one) for one in ("splits", "average")}
    assert not np.array_equal(trees["splits"].merges, trees["average"].merges)
    ranks = -trees[kind].lca_ranks().astype(float)  # all new answers agree with this tree
    new = ol.Comparisons.from_similarities(ranks).sample(0.5, seed=0)

    found = spectral.run_by_new_answers(answers, new)

    assert np.array_equal(found.merges, trees[kind].merges)
