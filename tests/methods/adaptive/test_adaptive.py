"""The adaptive method: few questions, wrong answers, tiny and degenerate input, its budget."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ordlink as ol
from ordlink.errors import InputError, OrdlinkWarning
from ordlink.oracles import AskOnce, BudgetedOracle, NoisyOracle, SimilarityOracle

quiet = pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")


class Listening:
    """An oracle that notes what it is asked; it answers with a function of the two pairs."""

    def __init__(self, n_objects: int, answer) -> None:
        self.n_objects, self._answer, self.batches = n_objects, answer, []

    def compare(self, quadruplets):
        self.batches.append(np.array(quadruplets))
        return np.array([self._answer(*row) for row in quadruplets.tolist()], dtype=np.int8)


@pytest.fixture(scope="module")
def planted():
    return ol.datasets.planted_hierarchy(depth=3, leaf_size=20, gap=0.2, noise=0.1, seed=0)


@quiet
@pytest.mark.parametrize("question", ["quadruplet", "triplet"])
@pytest.mark.parametrize("error_rate", [0.0, 0.1])
def test_few_questions_recover_the_planted_hierarchy(planted, question, error_rate) -> None:
    oracle = NoisyOracle(SimilarityOracle(planted.similarities), error_rate, seed=1)
    budget = 60 * planted.n_objects

    tree = ol.cluster(oracle, "adaptive", budget=budget, question=question)

    assert ol.metrics.aari(planted.levels, tree) > 0.95
    assert oracle.n_questions <= budget
    assert tree.parameters["n_questions"] == oracle.n_questions
    assert tree.parameters["n_rounds"] <= 40


@quiet
def test_objects_need_not_come_in_order(planted) -> None:
    order = np.random.default_rng(5).permutation(planted.n_objects)
    moved = planted.similarities[np.ix_(order, order)]

    tree = ol.cluster(moved, "adaptive", budget=40 * len(order))

    assert ol.metrics.aari(planted.levels[:, order], tree) > 0.95


@quiet
def test_the_share_of_wrong_answers_is_estimated() -> None:
    planted = ol.datasets.planted_hierarchy(depth=3, leaf_size=20, gap=1.0, noise=0.1, seed=0)
    rates = []
    for rate in (0.0, 0.15):
        oracle = NoisyOracle(SimilarityOracle(planted.similarities), rate, seed=1)
        rates.append(ol.cluster(oracle, "adaptive", budget=12_000).parameters["error_rate"])

    assert rates == pytest.approx([0.0, 0.15], abs=0.04)


@quiet
@pytest.mark.parametrize("structure", [[[[60, 20], [4, 30]], [12, 6]], [30] * 5])
def test_clusters_of_very_different_sizes_and_stars_are_found(structure) -> None:
    planted = ol.datasets.planted_tree(structure, gap=0.3, noise=0.1, seed=0)

    tree = ol.cluster(planted.similarities, "adaptive", budget=40 * planted.n_objects)

    assert ol.metrics.aari(planted.levels, tree) > 0.95
    assert tree.parameters["chosen"] == "groups"
    assert tree.parameters["n_firm_splits"] == len(np.unique(planted.labels)) - 1
    assert tree.parameters["n_questions"] <= 40 * planted.n_objects
    assert np.isnan(tree.scores).sum() == planted.n_objects - len(np.unique(planted.labels))


@quiet
def test_a_star_takes_no_more_questions_than_random_ones_would() -> None:
    planted = ol.datasets.planted_tree([40] * 6, gap=0.2, noise=0.1, seed=77000)

    tree = ol.cluster(planted.similarities, "adaptive", budget=30 * 240, seed=900)

    assert ol.metrics.aari(planted.levels, tree) > 0.9


@quiet
def test_sides_that_are_likely_are_looked_for_longer() -> None:
    structure = [[[30, 30], [30, 30]], [[30, 30], [30, 30]]]
    planted = ol.datasets.planted_tree(structure, gap=0.05, noise=0.1, seed=77000)
    oracle = NoisyOracle(SimilarityOracle(planted.similarities), 0.1, seed=500)

    tree = ol.cluster(oracle, "adaptive", budget=15 * 240, seed=900)

    assert tree.parameters["chosen"] != "groups"
    assert tree.parameters["n_firm_splits"] == 1


@quiet
def test_small_unbalanced_trees_are_found_too() -> None:
    planted = ol.datasets.planted_tree([[[14, 6], [3, 8]], [4, 2]], gap=0.3, noise=0.1, seed=1)

    tree = ol.cluster(planted.similarities, "adaptive", budget=30 * 37, seed=0)

    assert tree.parameters["chosen"] == "groups"
    assert ol.metrics.aari(planted.levels, tree) > 0.9


@quiet
def test_nothing_is_kept_for_a_choice_that_too_few_answers_would_make() -> None:
    planted = ol.datasets.planted_hierarchy(depth=2, leaf_size=6, gap=0.5, noise=0.1, seed=0)

    for per_object, is_chosen in ((20, False), (40, True)):
        tree = ol.cluster(planted.similarities, "adaptive", budget=per_object * 24)
        assert ("held_out_accuracy" in tree.parameters) == is_chosen


@quiet
def test_the_better_of_two_trees_is_chosen_by_held_out_answers(planted) -> None:
    tree = ol.cluster(planted.similarities, "adaptive", budget=4000)

    accuracies = tree.parameters["held_out_accuracy"]
    assert accuracies.keys() == {"splits", "spectral"}
    assert tree.parameters["chosen"] == max(accuracies, key=accuracies.get)
    assert tree.parameters["n_questions"] <= 4000


@quiet
def test_flat_data_is_said_to_be_flat() -> None:
    planted = ol.datasets.planted_tree(100, seed=0)

    with pytest.warns(OrdlinkWarning, match="no split of the objects predicts answers"):
        tree = ol.cluster(planted.similarities, "adaptive")

    assert tree.parameters["n_firm_splits"] == 0
    assert tree.parameters["largest_unsplit"] == 100
    assert np.isnan(tree.scores).all()


@quiet
def test_the_same_seed_gives_the_same_tree_and_questions(planted) -> None:
    oracles = [AskOnce(SimilarityOracle(planted.similarities)) for _ in range(2)]

    trees = [ol.cluster(oracle, "adaptive", budget=3000, seed=3) for oracle in oracles]

    assert trees[0] == trees[1]
    answers = [oracle.comparisons().quadruplets for oracle in oracles]
    np.testing.assert_array_equal(*answers)
    assert 2800 < len(answers[0]) <= 3000


@quiet
def test_only_triplets_are_asked_if_the_oracle_takes_nothing_else(planted) -> None:
    for question, expected in (("triplet", True), ("quadruplet", False)):
        oracle = AskOnce(SimilarityOracle(planted.similarities))
        ol.cluster(oracle, "adaptive", budget=6000, question=question)
        i, j, k, l = oracle.comparisons().quadruplets.T  # noqa: E741
        shared = (i == k) | (i == l) | (j == k) | (j == l)

        assert shared.all() == expected


@quiet
def test_no_question_is_asked_twice(planted) -> None:
    inner = SimilarityOracle(planted.similarities)
    oracle = Listening(planted.n_objects, lambda *row: int(inner.compare(np.array([row]))[0]))

    tree = ol.cluster(oracle, "adaptive", budget=2000)

    assert sum(len(batch) for batch in oracle.batches) == inner.n_questions <= 2000
    assert len(oracle.batches) == tree.parameters["n_rounds"]


@quiet
def test_an_oracle_that_runs_out_still_yields_a_tree(planted) -> None:
    oracle = BudgetedOracle(SimilarityOracle(planted.similarities), 2500)

    tree = ol.cluster(oracle, "adaptive", budget=9000)

    assert tree.parameters["n_questions"] == oracle.n_questions == 2500
    assert ol.metrics.aari(planted.levels, tree) > 0.5


@quiet
def test_rounds_are_limited(planted) -> None:
    tree = ol.cluster(planted.similarities, "adaptive", max_rounds=8)

    assert tree.parameters["n_rounds"] <= 8


@quiet
def test_less_certainty_takes_fewer_questions(planted) -> None:
    asked = [
        ol.cluster(planted.similarities, "adaptive", budget=40_000, certainty=certainty)
        for certainty in (0.8, 0.95, 0.999999)
    ]

    counts = [tree.parameters["n_questions"] for tree in asked]
    assert counts == sorted(set(counts))


@quiet
def test_initial_clusters_stay_together(planted) -> None:
    clusters = planted.initial_clusters(4, 0)

    tree = ol.cluster(planted.similarities, "adaptive", initial_clusters=clusters, budget=4000)

    found = {frozenset(members.tolist()) for _, members in tree.clusters()}
    assert all(frozenset(some) in found for some in clusters if len(some) > 1)
    assert ol.metrics.aari(planted.levels, tree) > 0.9


@quiet
@given(
    n=st.integers(2, 9),
    answer=st.sampled_from(["zero", "one", "minus", "random", "line"]),
    budget=st.one_of(st.none(), st.integers(0, 60)),
    seed=st.integers(0, 5),
)
def test_tiny_and_degenerate_input_gives_a_tree_within_the_budget(n, answer, budget, seed) -> None:
    rng = np.random.default_rng(seed)
    answers = {
        "zero": lambda *_: 0,
        "one": lambda *_: 1,
        "minus": lambda *_: -1,
        "random": lambda *_: int(rng.integers(-1, 2)),
        "line": lambda *row: int(np.sign(abs(row[2] - row[3]) - abs(row[0] - row[1]))),
    }
    oracle = Listening(n, answers[answer])

    tree = ol.cluster(oracle, "adaptive", budget=budget, seed=seed)

    assert tree.n_objects == n
    asked = sum(len(batch) for batch in oracle.batches)
    assert asked == tree.parameters["n_questions"]
    assert budget is None or asked <= budget


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"budget": -1}, "budget"),
        ({"question": "odd"}, "question"),
        ({"certainty": 1.5}, "certainty"),
        ({"max_rounds": 1}, "max_rounds"),
    ],
)
def test_bad_options_are_refused(options, message) -> None:
    with pytest.raises(InputError, match=message):
        ol.cluster(np.ones((4, 4)), "adaptive", **options)
