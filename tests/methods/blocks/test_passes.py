"""Passes over the answers equal literal loops over the rows."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import ordlink as ol
from ordlink.methods.blocks import _passes
from ordlink.methods.blocks._model import BlockModel, fit_model, merge_counts, number_pairs
from ordlink.methods.blocks._passes import Answers

N_OBJECTS, N_BLOCKS = 9, 3


def _comparisons(form: str, *, counted: bool) -> ol.ListedComparisons:
    rng = np.random.default_rng(3)
    width = 3 if form == "triplet" else 4
    rows = np.array([rng.permutation(N_OBJECTS)[:width] for _ in range(60)])
    counts = rng.integers(1, 5, len(rows)) if counted else None
    make = ol.Comparisons.from_triplets if width == 3 else ol.Comparisons.from_quadruplets
    return make(rows, n_objects=N_OBJECTS, counts=counts)


def _model() -> BlockModel:
    strengths = np.random.default_rng(5).normal(size=(N_BLOCKS, N_BLOCKS))
    return BlockModel(strengths + strengths.T, 0.1)


def _rows(comparisons: ol.ListedComparisons) -> list[tuple[list[int], int]]:
    counts = np.ones(comparisons.n_rows, int) if comparisons.counts is None else comparisons.counts
    return list(zip(comparisons.quadruplets.tolist(), counts.tolist(), strict=True))


@pytest.fixture(params=itertools.product(["triplet", "quadruplet"], [False, True]), ids=str)
def comparisons(request: pytest.FixtureRequest) -> ol.ListedComparisons:
    form, counted = request.param
    return _comparisons(form, counted=counted)


LABELS = np.array([0, 1, 2, 0, 1, 2, 0, 0, 1], dtype=np.uint8)
SLOTS = np.arange(N_OBJECTS, dtype=np.int32)


def test_counts_of_block_pairs(comparisons: ol.ListedComparisons) -> None:
    pair_of = number_pairs(N_BLOCKS)
    expected = np.zeros((6, 6), dtype=int)
    for (i, j, k, m), count in _rows(comparisons):
        expected[pair_of[LABELS[i], LABELS[j]], pair_of[LABELS[k], LABELS[m]]] += count

    answers = Answers.of(comparisons, SLOTS, test_share=0.0)
    parted = Answers.of(comparisons, SLOTS, test_share=0.4)

    assert (answers.count(LABELS, N_BLOCKS) == expected).all()
    assert 0 < len(parted.tested) < comparisons.n_rows
    held_out = parted.count_tested(LABELS, N_BLOCKS)
    assert (parted.count(LABELS, N_BLOCKS) + held_out == expected).all()


def test_posteriors_of_single_objects(comparisons: ol.ListedComparisons) -> None:
    model = _model()
    x, q = model.strengths, model.lapse_rate
    sizes = np.bincount(LABELS) + 0.5
    expected = np.tile(np.log(sizes / sizes.sum()), (N_OBJECTS, 1))
    for item, block in itertools.product(range(N_OBJECTS), range(N_BLOCKS)):
        labels = LABELS.copy()
        labels[item] = block
        for row, count in _rows(comparisons):
            if item in row:
                a, b, c, d = labels[row]
                chance = q + (1 - 2 * q) / (1 + math.exp(x[c, d] - x[a, b]))
                expected[item, block] += count * math.log(chance)
    expected = np.exp(expected - expected.max(axis=1, keepdims=True))
    expected /= expected.sum(axis=1, keepdims=True)

    shares = np.zeros((N_OBJECTS, N_BLOCKS), dtype=np.float32)
    answers = Answers.of(comparisons, SLOTS, test_share=0.0)
    drawn = [answers.draw(LABELS, model, sweep, shares)[0] for sweep in range(2_000)]

    assert shares / 2_000 == pytest.approx(expected, abs=1e-4)
    drawn_shares = [np.mean(np.array(drawn) == block, axis=0) for block in range(N_BLOCKS)]
    assert np.transpose(drawn_shares) == pytest.approx(expected, abs=0.05)


def test_products_with_the_slopes_inside_blocks(comparisons: ol.ListedComparisons) -> None:
    model, pair_of = _model(), number_pairs(N_BLOCKS)
    matrix = np.zeros((N_OBJECTS, N_OBJECTS))
    for (i, j, k, m), count in _rows(comparisons):
        e, f = pair_of[LABELS[i], LABELS[j]], pair_of[LABELS[k], LABELS[m]]
        slope = count * model.slopes()[e, f]
        for one, other, sign in ((i, j, 1), (k, m, -1)):
            if LABELS[one] == LABELS[other]:
                matrix[one, other] += sign * slope
                matrix[other, one] += sign * slope
    vector = np.random.default_rng(0).normal(size=N_OBJECTS)

    blocks = np.array([True, True, False])
    expected = np.where(blocks[LABELS], matrix @ vector, 0.0)

    answers = Answers.of(comparisons, SLOTS, test_share=0.0)

    found = answers.multiply(LABELS, model.slopes(), vector, blocks)
    assert found == pytest.approx(expected, rel=1e-5, abs=1e-5)


def test_slots_take_the_place_of_their_objects(comparisons: ol.ListedComparisons) -> None:
    slots = np.array([0, 1, 2, -1, 1, 3, 0, 4, 4], dtype=np.int32)
    labels = np.array([0, 1, 2, 0, 1], dtype=np.uint8)
    pair_of, expected = number_pairs(N_BLOCKS), np.zeros((6, 6), dtype=int)
    for row, count in _rows(comparisons):
        i, j, k, m = slots[row]
        same = {i, j} == {k, m}
        if min(i, j, k, m) >= 0 and i != j and k != m and not same:
            expected[pair_of[labels[i], labels[j]], pair_of[labels[k], labels[m]]] += count

    answers = Answers.of(comparisons, slots, test_share=0.0)

    assert (answers.count(labels, N_BLOCKS) == expected).all()


def test_as_many_answers_are_held_out_of_a_part_as_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_passes, "MOST_TESTED", 200)
    rows = np.repeat([[0, 1, 2], [5, 6, 7]], [3_000, 27_000], axis=0)
    comparisons = ol.Comparisons.from_triplets(rows, n_objects=10)
    slots = np.arange(10, dtype=np.int32)
    in_part = np.where(slots < 5, slots, -1).astype(np.int32)

    of_part, of_all = (len(Answers.of(comparisons, given).tested) for given in (in_part, slots))

    assert 150 < of_all < 250
    assert 150 < of_part < 250


def test_slopes_are_derivatives_of_the_log_likelihood() -> None:
    model = _model()
    upper = np.triu_indices(N_BLOCKS)
    moved = model.strengths.copy()
    moved[upper[0][4], upper[1][4]] += 1e-6
    moved[upper[1][4], upper[0][4]] = moved[upper[0][4], upper[1][4]]

    difference = BlockModel(moved, 0.1).log_chances() - model.log_chances()

    assert difference[4, 2] / 1e-6 == pytest.approx(model.slopes()[4, 2], rel=1e-4)


def test_fits_recover_the_strengths() -> None:
    model = _model()
    chances = np.exp(model.log_chances())
    counts = np.rint(1e7 * chances).astype(np.int64)

    found = fit_model(counts, BlockModel(np.zeros((N_BLOCKS, N_BLOCKS)), 0.05))

    differences = found.strengths - model.strengths
    assert differences - differences[0, 0] == pytest.approx(0.0, abs=0.02)
    assert found.lapse_rate == pytest.approx(0.1, abs=0.005)


def test_counts_of_merged_blocks() -> None:
    comparisons = _comparisons("quadruplet", counted=False)
    answers = Answers.of(comparisons, SLOTS, test_share=0.0)
    new_block = np.array([0, 1, 0])

    merged = merge_counts(answers.count(LABELS, N_BLOCKS), new_block)

    assert (merged == answers.count(new_block[LABELS].astype(np.uint8), 2)).all()
