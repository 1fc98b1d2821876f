"""The rounds of the spectral method: lapses, many answers, clusters that converge."""

from __future__ import annotations

import numpy as np
import pytest

import ordlink as ol
from ordlink.comparisons import n_pairs
from ordlink.linkage import initial_partition
from ordlink.methods.spectral import _spectral
from ordlink.methods.spectral import _trees as _spectral_trees
from ordlink.methods.spectral._answers import PairAnswers
from ordlink.methods.spectral._pair_strengths import (
    KnownStrengths,
    PairStrengths,
    as_matrix,
)
from ordlink.methods.spectral._trees import (
    MAX_ROUNDS,
    _contract,
    _converge,
    _first_clusters,
    _known_clusters,
    _refine,
    build_tree,
    grow_trees,
)

pytestmark = pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")


def _answers(leaf_size: int, n_answers: int, error_rate: float = 0.0) -> ol.Comparisons:
    planted = ol.datasets.planted_hierarchy(depth=2, leaf_size=leaf_size, gap=0.4, seed=0)
    rows = ol.datasets.simulate_answers(
        planted.similarities, n_answers, form="quadruplet", error_rate=error_rate, seed=0
    )
    return ol.Comparisons.from_quadruplets(rows, n_objects=planted.n_objects)


@pytest.mark.parametrize(("leaf_size", "n_answers"), [(10, 6000), (20, 40_000)])
def test_lapses_are_part_of_the_model(leaf_size, n_answers) -> None:
    comparisons = _answers(leaf_size, n_answers, error_rate=0.2)

    model, _, _ = _first_clusters(comparisons, initial_partition(4 * leaf_size))

    assert model._answers.lapse_rate in (0.15, 0.2, 0.25)


def test_pairs_that_are_often_compared_need_no_first_guess(monkeypatch) -> None:
    def refuse(*_):
        raise AssertionError

    monkeypatch.setattr(_spectral_trees, "guess_strengths", refuse)

    _, _, labels = _first_clusters(_answers(20, 40_000), initial_partition(80))

    assert len(np.unique(labels)) == 4
    with pytest.raises(AssertionError):
        _first_clusters(_answers(20, 4000), initial_partition(80))


class _SlowModel:
    """Strengths that go only half of the way from the prior means to where they belong."""

    def __init__(self, target: np.ndarray) -> None:
        self._target = target

    def fit(self, prior_mean: np.ndarray) -> np.ndarray:
        return self._target

    def posterior(self, prior_mean: np.ndarray, *, calibrated: bool = True) -> PairStrengths:
        n = 6
        half = as_matrix(0.5 * (prior_mean + self._target), n)
        return PairStrengths(half, np.full((n, n), 50.0) - 50.0 * np.eye(n))


def _two_groups() -> tuple[np.ndarray, np.ndarray]:
    labels = np.array([0, 0, 0, 1, 1, 1])
    across = labels[:, None] != labels
    return labels, np.where(across, -8.0, 8.0)[np.triu_indices(6, 1)]


def test_prior_means_converge() -> None:
    labels, target = _two_groups()
    model = _SlowModel(target)

    observed = _converge(model, model.posterior(np.zeros(15)), labels, initial_partition(6))

    assert np.abs(observed.strengths[np.triu_indices(6, 1)] - target).max() < 0.2


class _LateModel(_SlowModel):
    """Strengths that show their groups only in the fourth look."""

    def __init__(self, target: np.ndarray) -> None:
        super().__init__(target)
        self.n_looks = 0

    def posterior(self, prior_mean: np.ndarray, *, calibrated: bool = True) -> PairStrengths:
        self.n_looks += 1
        shown = self._target if self.n_looks > 3 else np.tile([1.0, -1.0, 0.0], 5)
        return PairStrengths(as_matrix(shown, 6), np.full((6, 6), 50.0) - 50.0 * np.eye(6))


def test_rounds_go_on_until_no_object_moves() -> None:
    _, target = _two_groups()
    rounds = []

    _, found = _refine(
        _LateModel(target),
        PairStrengths(np.zeros((6, 6)), np.ones((6, 6)) - np.eye(6)),
        np.zeros(6, dtype=np.intp),
        initial_partition(6),
        lambda done, of: rounds.append((done, of)),
    )

    assert len(np.unique(found)) == 2
    assert (found[:3] == found[0]).all()
    assert rounds[:-1] == [(done, MAX_ROUNDS) for done in range(1, len(rounds))]
    assert rounds[-1] == (MAX_ROUNDS, MAX_ROUNDS)
    assert len(rounds) > 3


def test_strengths_between_initial_clusters_are_weighted_means() -> None:
    rng = np.random.default_rng(0)
    n, groups = 6, [[0, 3], [1, 4, 5]]
    strengths, precisions = (as_matrix(rng.random(n_pairs(n)), n) for _ in range(2))
    precisions[0, 2] = precisions[2, 0] = precisions[3, 2] = precisions[2, 3] = 0.0
    partition = initial_partition(n, groups)

    between = _contract(PairStrengths(strengths, precisions), partition)

    clusters = partition.clusters()
    for p, first in enumerate(clusters):
        for q, second in enumerate(clusters):
            weight = sum(precisions[i, j] for i in first for j in second) if p != q else 0.0
            total = sum(precisions[i, j] * strengths[i, j] for i in first for j in second)
            assert between.precisions[p, q] == pytest.approx(weight)
            if weight:
                assert between.strengths[p, q] == pytest.approx(total / weight)


def test_pairs_in_hundreds_of_comparisons_are_thinned_out(monkeypatch) -> None:
    seen = []
    grow = _spectral_trees.grow_trees

    def listen(comparisons, *arguments):
        seen.append(comparisons.n_rows)
        return grow(comparisons, *arguments)

    monkeypatch.setattr(_spectral, "grow_trees", listen)
    monkeypatch.setattr(_spectral, "choose_kind", lambda *_: "splits")
    planted = ol.datasets.planted_hierarchy(depth=1, leaf_size=11, gap=0.4, seed=0)
    comparisons = ol.Comparisons.from_similarities(planted.similarities, 0.99, seed=0)

    ol.cluster(comparisons, "spectral")

    assert comparisons.n_rows > 26_000
    assert seen[-1] == pytest.approx(100 / 228 * comparisons.n_rows, rel=0.1)


def test_the_kinds_of_trees_are_those_of_their_strengths() -> None:
    rng = np.random.default_rng(0)
    rows = [rng.permutation(12)[:4] for _ in range(400)]  # noise, which no two kinds read alike
    comparisons = ol.Comparisons.from_quadruplets(rows, n_objects=12)
    partition = initial_partition(12)

    found = grow_trees(comparisons, partition, ("splits", "plain splits", "average"))

    known = KnownStrengths.of_answers(PairAnswers.of(comparisons).by_object())
    plain = build_tree(*_refine(known, *_known_clusters(known, partition), partition, None))
    expected = partition.finish(*plain, names=None)
    assert found["plain splits"].merges.tolist() == expected.merges.tolist()
    assert (np.diff(found["average"].scores) <= 1e-9).all()  # no inversions
    assert len({str(tree.merges.tolist()) for tree in found.values()}) == 3
