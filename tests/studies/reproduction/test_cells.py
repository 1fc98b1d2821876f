"""The cells of the paper's experiments: what methods see, and what is measured."""

from __future__ import annotations

import numpy as np
import pytest

import ordlink as ol
from ordlink.linkage import average_linkage
from ordlink.methods.kernel_al import active_features, active_kernel, plan_active_kernel
from studies import entrants as _entrants
from studies.entrants import (
    PASSIVE,
    PLANTED_ONLY,
    KnownSimilarities,
    Material,
    known_features,
    run_entrants,
)
from studies.reproduction import planted, standard, theory
from studies.running import cell_key


@pytest.fixture(scope="module")
def material() -> Material:
    similarities, levels = planted.draw_planted(0, delta=0.2, depth=2, leaf_size=8)
    comparisons = ol.Comparisons.from_similarities(similarities, 0.2, seed=0)
    return Material(
        similarities, comparisons, 0, lambda size: planted.draw_groups(levels[-1], size, 0)
    )


def test_the_full_planted_grid_is_the_papers() -> None:
    cells = planted.planted_experiment().cells
    with_answers = [cell for cell in cells if cell["group"] == "with answers"]

    assert len(with_answers) == 10 * 11 * 10
    assert len([cell for cell in cells if cell["group"] == "without answers"]) == 10 * 10
    assert sorted({cell["delta"] for cell in cells})[::9] == [0.02, 0.2]
    assert sorted({cell["proportion"] for cell in with_answers})[-2:] == [0.1, 1.0]
    assert len({cell_key(cell) for cell in cells}) == len(cells)


def test_objects_are_shuffled_with_their_levels() -> None:
    similarities, levels = planted.draw_planted(1, delta=0.5, noise=0.0, depth=2, leaf_size=3)

    assert levels[-1].tolist() != sorted(levels[-1].tolist())
    same = levels[-1][:, None] == levels[-1][None, :]
    assert (similarities[same] == 0.8).all() and (similarities[~same] < 0.8).all()


def test_initial_clusters_are_pure_and_cover_all_objects() -> None:
    labels = np.random.default_rng(0).permutation(np.repeat(np.arange(3), 7))

    groups = planted.draw_groups(labels, 3, seed=0)

    assert sorted(member for group in groups for member in group) == list(range(21))
    assert sorted(len(group) for group in groups) == [1, 1, 1, 3, 3, 3, 3, 3, 3]
    assert all(len(set(labels[group])) == 1 for group in groups)


@pytest.mark.parametrize("entrant", PASSIVE, ids=lambda entrant: entrant.name)
@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
def test_shared_matrices_give_the_trees_of_the_methods_themselves(material, entrant) -> None:
    options = {"self_comparisons": False} if entrant.name == _entrants.NO_SELF else {}

    tree, _ = entrant.run(material)

    expected = ol.cluster(material.answers, entrant.name.removesuffix(", no self"), **options)
    assert tree.merges.tolist() == expected.merges.tolist()


def test_features_looked_up_at_once_are_those_that_are_asked_for(material) -> None:
    plan = plan_active_kernel(32, n_references=50, seed=3)

    looked_up = known_features(material.similarities, plan)

    asked = active_features(KnownSimilarities(material.similarities), plan)
    assert np.array_equal(looked_up, asked)


def test_the_active_method_asks_at_most_as_many_questions_as_there_are_answers(material) -> None:
    active = next(entrant for entrant in PLANTED_ONLY if entrant.name == "4K-AL-act")

    _, n_asked = active.run(material)

    plan = plan_active_kernel(32, budget=material.answers.n_comparisons, seed=0)
    assert n_asked <= material.answers.n_comparisons < n_asked + plan.n_landmark_pairs


def test_records_name_method_measure_and_number_of_comparisons(material) -> None:
    records = run_entrants((*PASSIVE, *PLANTED_ONLY), material, lambda tree: {"size": 32.0})

    assert [record["method"] for record in records] == [
        "4K-AL",
        "4K-AL, no self",
        "4-AL",
        "AddS-AL",
        "4K-AL-act",
        "4-AL-I3",
        "4-AL-I5",
    ]
    passive = {r["n_comparisons"] for r in records if r["method"] != "4K-AL-act"}
    assert passive == {material.answers.n_comparisons}


def test_groups_of_a_repetition_see_the_same_similarities_and_comparisons(monkeypatch) -> None:
    seen = []
    monkeypatch.setattr(planted, "run_entrants", lambda _, material, __: seen.append(material))

    for group, p, repetition in (
        ("with answers", 0.001, 0),
        ("with answers", 0.001, 0),
        ("without answers", None, 0),
        ("with answers", 0.001, 1),
    ):
        planted.planted_cell(group=group, delta=0.2, proportion=p, repetition=repetition)

    first, second, third, other = seen
    assert np.array_equal(first.similarities, second.similarities)
    assert np.array_equal(first.similarities, third.similarities)
    assert first.comparisons == second.comparisons
    assert not np.array_equal(first.similarities, other.similarities)


def test_triplets_agree_with_the_similarities_and_leave_ties_out() -> None:
    similarities = ol.datasets.load_zoo().similarities()

    triplets = standard.sample_triplets(similarities, 0.02, seed=0)

    i, closer, anchor, farther = triplets.quadruplets.T
    assert (similarities[i, closer] > similarities[anchor, farther]).all()
    untied = sum(
        int((np.subtract.outer(row, row)[np.triu_indices(99, 1)] != 0).sum())
        for row in (np.delete(similarities[i], i) for i in range(100))
    )
    n = triplets.n_comparisons
    assert abs(n - 0.02 * untied) < 5 * (0.02 * untied) ** 0.5


@pytest.mark.parametrize(
    ("group", "dimension", "methods"),
    [
        ("known similarities", None, {"AL"}),
        ("with answers", None, {"4K-AL", "4K-AL, no self", "4-AL", "AddS-AL"}),
        ("tSTE-AL", 2, {"tSTE-AL", "tSTE-AL, Euclidean"}),
        ("FORTE-AL", 3, {"FORTE-AL", "FORTE-AL, Euclidean"}),
    ],
)
def test_a_cell_of_zoo_beats_an_uninformed_tree(group, dimension, methods) -> None:
    proportion = None if group == "known similarities" else 0.01

    records = standard.standard_cell(
        dataset="Zoo", group=group, dimension=dimension, proportion=proportion, repetition=0
    )

    assert {record["method"] for record in records} == methods
    normalised = [r["value"] for r in records if r["measure"] == "dasgupta_normalised"]
    assert all(0.5 < value < 2 / 3 for value in normalised)
    assert {r["measure"] for r in records} == {"dasgupta", "dasgupta_normalised", "class_ari"}


def test_recovery_means_that_every_true_cluster_is_in_the_tree() -> None:
    levels = np.array([[0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 1, 1, 2, 2, 3, 3]])
    right = ol.Hierarchy([[0, 1], [2, 3], [8, 9], [4, 5], [6, 7], [11, 12], [10, 13]])
    wrong = ol.Hierarchy([[0, 1], [2, 4], [8, 9], [3, 5], [6, 7], [11, 12], [10, 13]])

    assert theory.recovers(levels, right)
    assert not theory.recovers(levels, wrong)


def test_single_linkage_recovers_at_the_sufficient_condition_only() -> None:
    ratios = {name: ratio(10) for name, ratio in _conditions().items()}
    found = {
        name: [
            record["value"]
            for repetition in range(5)
            for record in theory.linkage_cell(leaf_size=10, ratio=ratio, repetition=repetition)
            if record["measure"] == "recovered" and record["method"] == "SL"
        ]
        for name, ratio in ratios.items()
    }

    assert found["sufficient"] == [1.0] * 5
    assert sum(found["necessary"]) <= 2


def _conditions() -> dict:
    return {"sufficient": theory.sufficient_ratio, "necessary": theory.necessary_ratio}


def test_more_landmarks_recover_more() -> None:
    quality = {}
    for multiplier in (1.0, 16.0):
        records = theory.questions_cell(leaf_size=32, multiplier=multiplier, repetition=0)
        quality[multiplier] = next(r["value"] for r in records if r["measure"] == "aari")

    assert quality[16.0] > quality[1.0] + 0.1


def test_broken_ties_leave_nothing_tied_and_change_nothing_else() -> None:
    tied, classes = standard.shuffled_similarities("Zoo", 1)
    broken, _ = standard.shuffled_similarities("Zoo, ties broken", 1)

    pairs = np.triu_indices(len(classes), 1)
    original = ol.datasets.load_zoo().similarities()[pairs]
    assert len(np.unique(tied[pairs])) < 1000
    assert len(np.unique(broken[pairs])) == len(original)
    assert np.array_equal(broken, broken.T)
    assert np.allclose(np.sort(broken[pairs]), np.sort(original), rtol=0, atol=1e-8)


def test_variants_and_spectral_run_on_fewer_proportions() -> None:
    cells = standard.standard_experiment().cells

    def proportions(**where: str) -> set[float | None]:
        chosen = (cell for cell in cells if where.items() <= cell.items())
        return {cell["proportion"] for cell in chosen}

    assert proportions(dataset="Glass", group="tSTE-AL") == set(standard.PROPORTIONS)
    assert proportions(dataset="Glass, standardised", group="tSTE-AL") == {0.01, 0.05, 0.1}
    assert proportions(dataset="20news", group="spectral") == {0.01}
    assert proportions(dataset="20news, counts", group="spectral") == set()
    assert proportions(dataset="20news, counts", group="known similarities") == {None}


def test_all_objects_as_landmarks_ask_at_most_as_much_in_parts_as_at_once(
    material, monkeypatch
) -> None:
    (entrant,) = _entrants.MANY_LANDMARKS

    whole, n_asked = entrant.run(material)
    monkeypatch.setattr(_entrants, "REFERENCES_AT_ONCE", 1)
    in_parts, _ = entrant.run(material)

    assert in_parts == whole
    assert 0 < n_asked <= material.answers.n_comparisons
    plan = plan_active_kernel(
        32, landmark_probability=1.0, budget=material.answers.n_comparisons, seed=material.seed
    )
    assert len(plan.landmarks) == 32
    assert whole == average_linkage(active_kernel(known_features(material.similarities, plan)))
