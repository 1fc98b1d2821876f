"""The cells of the bench of quality: what methods see, what is measured, and the grid."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ordlink as ol
from ordlink.errors import MissingDataError
from studies.quality import features as quality_features
from studies.quality import grid as quality_grid
from studies.quality import people as quality_people
from studies.quality import planted as quality_planted
from studies.quality.bars import REACH
from studies.quality.groups import GROUPS
from studies.quality.planted import SHAPES, n_objects, planted_cell
from studies.running import cell_key

CELL = {
    "shape": "depth 4, 2 per cluster",
    "delta": 0.2,
    "form": "triplet",
    "n_answers": 3000,
    "error_rate": 0.0,
    "popularity_sd": 0.0,
    "repetition": 0,
}


@pytest.fixture
def seen(monkeypatch) -> list:
    """Collect what methods would have seen: the set, the answers, the seed and the judge."""
    found: list = []
    for module in (quality_planted, quality_features, quality_people):
        monkeypatch.setattr(module, "run_methods", lambda *words: found.append(words) or [])
    return found


@pytest.fixture
def truth(monkeypatch) -> list:
    """Collect the true levels that trees are held against."""
    found: list = []
    monkeypatch.setattr(quality_planted, "aari", lambda levels, _: found.append(levels) or 0.0)
    return found


def any_tree(n: int) -> ol.Hierarchy:
    return ol.Hierarchy([[0, 1], *([i, n + i - 2] for i in range(2, n))])


def test_all_methods_of_a_repetition_see_the_same_answers_and_another_repetition_others(
    seen,
) -> None:
    for methods, repetition in (("others", 0), ("ours", 0), ("ours", 1)):
        planted_cell(**{**CELL, "methods": methods, "repetition": repetition})

    (_, first, seed, judge), (_, second, other_seed, other_judge), (_, third, _, _) = seen
    assert first == second and seed == other_seed
    assert judge(any_tree(32)) == other_judge(any_tree(32))
    assert first != third


def test_planted_objects_are_shuffled(seen, truth) -> None:
    planted_cell(**CELL, methods="ours")

    seen[0][3](any_tree(32))
    labels = truth[0][-1].tolist()
    assert sorted(labels) != labels
    assert sorted(set(labels)) == list(range(16))


def test_answers_agree_with_the_truth_as_often_as_they_are_right(seen, truth) -> None:
    accuracy = {}
    for error_rate in (0.0, 0.3):
        planted_cell(**{**CELL, "delta": 9.0, "error_rate": error_rate}, methods="ours")
        seen[-1][3](any_tree(32))
        levels, quadruplets = truth[-1], seen[-1][1].quadruplets
        apart = sum((level[:, None] != level[None, :]).astype(int) for level in levels)
        i, j, k, m = quadruplets.T
        untied = apart[i, j] != apart[k, m]
        accuracy[error_rate] = (apart[i, j] < apart[k, m])[untied].mean()

    assert accuracy[0.0] == 1.0
    assert abs(accuracy[0.3] - 0.7) < 0.05


@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
def test_the_held_out_accuracy_is_that_of_fresh_answers_as_often_wrong(seen) -> None:
    settings = {**CELL, "delta": 9.0, "error_rate": 0.3, "n_answers": 30_000}
    planted_cell(**settings, methods="ours")
    answers, judge = seen[0][1], seen[0][3]

    tree = ol.cluster(answers, "AddS-AL")

    measured = judge(tree)["held_out"]
    assert 0.58 < measured < 0.68  # it would be 0.81 on answers without errors
    assert measured != ol.metrics.comparison_accuracy(answers, tree)


def test_uneven_questions_are_about_some_objects_far_more_often(seen) -> None:
    shares = []
    for sd in (0.0, 1.5):
        planted_cell(**{**CELL, "popularity_sd": sd}, methods="ours")
        asked = np.bincount(seen[-1][1].quadruplets.ravel(), minlength=32)
        shares.append(asked.max() / asked.mean())

    assert shares[0] < 1.5 < 3 < shares[1]


def test_passive_sampling_compares_two_pairs_at_most_once(seen) -> None:
    planted_cell(**{**CELL, "form": "passive"}, methods="ours")

    answers = seen[0][1]
    assert abs(answers.n_comparisons - 3000) < 300
    assert answers.summary().n_repeated == 0


@pytest.mark.parametrize("shape", SHAPES)
def test_the_number_of_objects_is_that_of_the_planted_tree(shape) -> None:
    planted = ol.datasets.planted_tree(SHAPES[shape])

    assert n_objects(shape) == planted.n_objects
    assert 10 <= planted.n_objects <= 600


def test_a_cell_of_zoo_measures_cost_classes_and_held_out_accuracy() -> None:
    records = quality_features.features_cell(
        methods="others, no embeddings",
        dataset="Zoo",
        form="triplet",
        n_answers=6000,
        repetition=0,
    )

    good = {(r["method"], r["measure"]): r["value"] for r in records}
    assert good["AddS-AL", "held_out"] > 0.7
    assert 0.4 < good["AddS-AL", "dasgupta"] < 2 / 3
    assert good["AddS-AL", "class_ari"] > 0.2


def test_objects_of_zoo_are_shuffled_with_their_classes() -> None:
    similarities, classes = quality_features.shuffled_similarities("Zoo", 0)
    table = ol.datasets.load_zoo()

    assert classes.tolist() != table.classes.tolist()
    same = classes[:, None] == classes[None, :]
    same_before = table.classes[:, None] == table.classes[None, :]
    assert np.isclose(similarities[same].mean(), table.similarities()[same_before].mean())


def test_folds_of_people_share_no_answer_and_cover_all(seen, data_folder: Path) -> None:
    held_out = []
    for fold in range(quality_people.N_FOLDS):
        quality_people.people_cell(
            methods="ours", dataset="Car", repetition=0, fold=fold, data_home=str(data_folder)
        )
        train = set(seen[-1][1].answer_ids.tolist())
        held_out.append(set(range(6056)) - train)

    assert all(1200 < len(fold) < 1220 for fold in held_out)
    assert len(set().union(*held_out)) == 6056 == sum(map(len, held_out))


def test_people_are_judged_by_the_fold_that_was_left_out(data_folder: Path) -> None:
    records = quality_people.people_cell(
        methods="others, no embeddings",
        dataset="Car",
        repetition=0,
        fold=0,
        data_home=str(data_folder),
    )

    accuracy = {r["method"]: r["value"] for r in records if r["measure"] == "held_out"}
    assert 0.6 < accuracy["AddS-AL"] < 0.7  # on the answers it has seen it would be 0.70


def test_data_that_is_not_there_is_left_out_with_a_note(monkeypatch) -> None:
    def missing(**_):
        raise MissingDataError("no network")

    for name in quality_people.PEOPLE:
        monkeypatch.setitem(quality_people.PEOPLE, name, missing)

    experiments, notes = GROUPS["people"].make("full", None)

    assert experiments == ()
    assert notes[0] == "Car is left out: no network" and len(notes) == 14


@pytest.mark.parametrize("name", [name for name in GROUPS if name != "people"])
def test_the_quick_grid_is_a_small_part_of_the_full_one(name) -> None:
    for quick, full in zip(
        *(GROUPS[name].make(g, None)[0] for g in ("quick", "full")), strict=True
    ):
        assert (quick.name, quick.version) == (full.name, full.version)
        keys = {cell_key(cell) for cell in full.cells}
        assert {cell_key(cell) for cell in quick.cells} < keys
        assert len(keys) == len(full.cells) > 4 * len(quick.cells)


def test_the_bars_have_ten_repetitions_or_more_of_each_of_their_cells() -> None:
    planted = GROUPS["planted"].make("full", None)[0][0].cells
    errors = GROUPS["errors"].make("full", None)[0][0].cells

    for delta, n_answers, _ in REACH:
        found = [c for c in planted if (c["delta"], c["n_answers"]) == (delta, n_answers)]
        assert len(found) >= 10
    for delta, n_answers in quality_grid.ERROR_SIZES:
        for rate, n in ((0.0, n_answers), (0.2, 3 * n_answers)):
            found = [
                c
                for c in errors
                if (c["delta"], c["n_answers"], c["error_rate"]) == (delta, n, rate)
            ]
            assert len(found) == 10
