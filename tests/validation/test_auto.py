"""`method="auto"` is the recommended method, and the tree says so."""

import numpy as np
import pytest

import ordlink as ol
from ordlink.errors import InputError, InputKindError, OrdlinkWarning
from ordlink.validation import _candidates, auto_linkage, compare_methods

pytestmark = pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")


def _answers(n_answers, **options):
    planted = ol.datasets.planted_hierarchy(depth=1, leaf_size=4, gap=1.0, seed=0)
    rows = ol.datasets.simulate_answers(planted.similarities, n_answers, error_rate=0.1, seed=0)
    return ol.Comparisons.from_triplets(rows, n_objects=8, **options)


@pytest.fixture
def only_fast_candidates():
    """Leave out spectral, the slow one, and some others."""
    table = _candidates.CANDIDATES
    every = dict(table)
    for label in every:
        if label not in ("4-AL", "AddS-AL", "4K-AL no self", "SOE-AL 2-D"):
            del table[label]
    yield
    table.clear()
    table.update(every)  # in the same order: it is that of preference


def test_auto_is_the_recommended_tree_and_keeps_the_table() -> None:
    answers = _answers(60)
    found = compare_methods(answers, n_folds=2, seed=3)

    tree = ol.cluster(answers, "auto", n_folds=2, seed=3)

    recommended = found[found.recommended]
    np.testing.assert_array_equal(tree.merges, recommended.tree.merges)
    np.testing.assert_array_equal(tree.scores, recommended.tree.scores)
    assert tree.method == "auto"
    assert (tree.parameters["n_folds"], tree.parameters["seed"]) == (2, 3)
    assert tree.parameters["chosen"] == {
        "candidate": recommended.label,
        "method": recommended.method,
        "options": dict(recommended.options),
    }
    assert tree.parameters["reason"] == found.reason
    rows = [scores.as_row() for scores in found.scores]
    for row in rows:
        del row["seconds"]
    assert tree.parameters["scores"] == rows
    assert {row["candidate"] for row in rows} == set(_candidates.CANDIDATES)


@pytest.mark.parametrize("seed", range(4))
def test_auto_follows_the_recommendation(only_fast_candidates, seed) -> None:
    """On coin flips any method may be ahead: whichever it is, auto takes it."""
    rows = ol.datasets.simulate_answers(np.eye(9), 40, seed=seed)
    answers = ol.Comparisons.from_triplets(rows, n_objects=9)

    tree = ol.cluster(answers, "auto", seed=seed)

    found = compare_methods(answers, seed=seed)
    assert tree.parameters["chosen"]["candidate"] == found.recommended
    np.testing.assert_array_equal(tree.merges, found.tree.merges)


def test_the_table_survives_a_file(only_fast_candidates, tmp_path) -> None:
    tree = ol.cluster(_answers(60, names=list("abcdefgh")), "auto")

    tree.save(tmp_path / "tree.json")

    loaded = ol.Hierarchy.load(tmp_path / "tree.json")
    assert loaded.parameters == tree.parameters
    assert loaded.parameters["scores"]
    assert loaded.names == tuple("abcdefgh")


def test_the_same_answers_give_the_same_file(only_fast_candidates) -> None:
    first, second = (ol.cluster(_answers(60), "auto").to_json() for _ in range(2))

    assert first == second


def test_initial_clusters_are_kept(only_fast_candidates) -> None:
    tree = ol.cluster(_answers(60), "auto", initial_clusters=[[0, 7]])

    assert tree.merges[0].tolist() == [0, 7]
    assert tree.parameters["initial_clusters"] == [[0, 7]]
    assert tree.parameters["scores"]


@pytest.mark.parametrize("n_answers", [0, 1, 19])
def test_few_answers_are_not_compared(n_answers) -> None:
    answers = _answers(n_answers)

    tree = ol.cluster(answers, "auto")

    np.testing.assert_array_equal(tree.merges, ol.cluster(answers, "spectral").merges)
    assert tree.parameters["chosen"]["method"] == "spectral"
    assert "fewer than 20 answers" in tree.parameters["reason"]
    assert tree.parameters["scores"] == []


def test_fewer_answers_than_folds_are_not_compared() -> None:
    tree = ol.cluster(_answers(25), "auto", n_folds=30)

    assert "fewer than 30 answers" in tree.parameters["reason"]


def test_twenty_answers_are_compared(only_fast_candidates) -> None:
    assert ol.cluster(_answers(20), "auto").parameters["scores"]


def test_answers_of_one_annotator_are_compared(only_fast_candidates) -> None:
    answers = _answers(30, annotators=["ann"] * 30)

    assert ol.cluster(answers, "auto").parameters["scores"]


def test_where_all_comparisons_are_known_none_is_held_out() -> None:
    planted = ol.datasets.planted_hierarchy(depth=2, leaf_size=4, gap=1.0, seed=0)
    everything = ol.Comparisons.from_similarities(planted.similarities)

    tree = ol.cluster(everything, "auto")

    np.testing.assert_array_equal(tree.merges, ol.cluster(everything, "spectral").merges)
    assert tree.parameters["reason"].startswith("all comparisons are known")


@pytest.mark.parametrize("n_objects", [2, 3])
def test_two_and_three_objects_have_a_tree(n_objects) -> None:
    rows = [[0, 1, 2]] * (30 if n_objects == 3 else 0)

    tree = ol.cluster(ol.Comparisons.from_triplets(rows, n_objects=n_objects), "auto")

    assert tree.n_objects == n_objects


def test_auto_is_a_method_like_others(only_fast_candidates) -> None:
    answers = _answers(60)

    model = ol.OrdinalClustering(method="auto", n_clusters=2).fit(answers)
    scores = ol.validation.cross_validate(answers, "auto", n_folds=2)

    np.testing.assert_array_equal(model.hierarchy_.merges, ol.cluster(answers, "auto").merges)
    assert scores.method == "auto"
    assert ol.METHODS["auto"].needs == "comparisons"


def test_the_answers_are_warned_about_once(only_fast_candidates) -> None:
    answers = ol.Comparisons.from_triplets([[0, 1, 2], [0, 2, 1]] * 20, n_objects=5)

    with pytest.warns(OrdlinkWarning) as caught:
        ol.cluster(answers, "auto")

    texts = [str(one.message) for one in caught]
    assert len(texts) == len(set(texts))
    assert texts[: len(answers.warnings())] == answers.warnings()


def test_bad_options_are_refused_however_few_the_answers() -> None:
    for n_answers in (5, 60):
        answers = _answers(n_answers)
        with pytest.raises(InputError, match="n_folds: expected a whole number of at least 2"):
            ol.cluster(answers, "auto", n_folds=1)
        with pytest.raises(InputKindError, match="seed: expected a whole number"):
            auto_linkage(answers, seed="x")
        with pytest.raises(InputError, match="n_repetitions: expected a whole number"):
            ol.cluster(answers, "auto", n_repetitions=0)
    with pytest.raises(InputError, match="auto has no option 'repeats'"):
        ol.cluster(answers, "auto", repeats="net")
    with pytest.raises(InputKindError, match="works on answers collected beforehand"):
        ol.cluster(np.eye(3), "auto")
