"""tSTE-AL, FORTE-AL and SOE-AL: through `cluster`, the estimator and the command line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ordlink as ol
from ordlink.cli import run
from ordlink.errors import InputError, OrdlinkWarning
from ordlink.linkage import average_linkage
from ordlink.methods.embedding import (
    embedding_similarity,
    forte_embedding,
    soe_embedding,
    tste_embedding,
)

METHODS = {"tSTE-AL": tste_embedding, "FORTE-AL": forte_embedding, "SOE-AL": soe_embedding}
# Clusters that nothing tells apart within collapse to a point, so ties are common.
pytestmark = pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
every_method = pytest.mark.parametrize("method", METHODS)


@pytest.fixture(scope="module")
def planted():
    return ol.datasets.planted_hierarchy(depth=2, leaf_size=6, gap=0.5, seed=0)


@pytest.fixture(scope="module")
def triplets(planted) -> np.ndarray:
    return ol.datasets.simulate_answers(planted.similarities, 4000, seed=0)


@every_method
@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_the_planted_clusters_are_recovered(planted, triplets, method: str, metric: str) -> None:
    comparisons = ol.Comparisons.from_triplets(triplets, names=planted.names)

    tree = ol.cluster(comparisons, method, n_components=3, metric=metric)

    assert ol.metrics.aari(planted.levels, tree) > 0.9
    assert tree.names == planted.names
    assert (tree.method, tree.parameters) == (method, {"n_components": 3, "metric": metric})


@every_method
def test_the_tree_is_average_linkage_of_the_embedding(triplets, method: str) -> None:
    comparisons = ol.Comparisons.from_triplets(triplets)
    options = {"n_components": 3, "seed": 4, "n_init": 2, "repeats": "net", "max_iter": 50}
    embedding = METHODS[method](comparisons, **options)
    initial = [[0, 23]]

    for metric in ("cosine", "euclidean"):
        similarity = embedding_similarity(embedding.points, metric=metric)
        expected = average_linkage(similarity, initial_clusters=initial)
        tree = ol.cluster(comparisons, method, metric=metric, initial_clusters=initial, **options)
        np.testing.assert_array_equal(tree.merges, expected.merges)


def test_the_cosine_is_the_default(triplets) -> None:
    comparisons = ol.Comparisons.from_triplets(triplets)

    trees = [ol.cluster(comparisons, "tSTE-AL", **metric) for metric in ({}, {"metric": "cosine"})]

    np.testing.assert_array_equal(trees[0].merges, trees[1].merges)


@every_method
def test_no_answers_still_give_a_tree(method: str) -> None:
    for metric in ("cosine", "euclidean"):
        for n_objects in (2, 4):
            comparisons = ol.Comparisons.from_triplets([], n_objects=n_objects)
            assert ol.cluster(comparisons, method, metric=metric).n_objects == n_objects


def test_options_are_refused_before_the_embedding() -> None:
    comparisons = ol.Comparisons.from_triplets([[0, 1, 2]])

    with pytest.raises(InputError, match="metric: expected"):
        ol.cluster(comparisons, "tSTE-AL", metric="city")
    with pytest.raises(InputError, match="FORTE-AL has no option 'alpha'"):
        ol.cluster(comparisons, "FORTE-AL", alpha=1.0)


def test_an_embedding_that_did_not_converge_is_warned_about(triplets) -> None:
    comparisons = ol.Comparisons.from_triplets(triplets)

    with pytest.warns(OrdlinkWarning, match="t-STE embedding did not converge in 2 iter"):
        ol.cluster(comparisons, "tSTE-AL", max_iter=2)


@every_method
def test_the_estimator_takes_the_method(planted, triplets, method: str) -> None:
    estimator = ol.OrdinalClustering(
        method, n_clusters=4, form="triplet", n_components=3, metric="euclidean"
    )

    np.testing.assert_array_equal(estimator.fit_predict(triplets), planted.labels)


@every_method
def test_the_command_line_takes_the_method(tmp_path: Path, triplets, capsys, method: str) -> None:
    answers = tmp_path / "answers.csv"
    np.savetxt(answers, triplets, fmt="%d", delimiter=",")
    words = ["cluster", str(answers), "--form", "triplet", "--method", method]

    options = ["--dimension", "3", "--metric", "euclidean", "--seed", "7"]
    assert run([*words, *options, "--out", str(tmp_path / "out")]) == 0

    tree = ol.Hierarchy.load(tmp_path / "out" / "tree.json")
    assert tree.parameters == {"n_components": 3, "metric": "euclidean", "seed": 7}
    assert f"24 objects, 4,000 comparisons, {method}" in capsys.readouterr().out


@pytest.mark.parametrize("option", [["--dimension", "2"], ["--metric", "cosine"]])
def test_the_command_line_refuses_options_of_other_methods(
    tmp_path: Path, capsys, option: list[str]
) -> None:
    (tmp_path / "answers.csv").write_text("0,1,2\n")

    code = run(["cluster", str(tmp_path / "answers.csv"), "--form", "triplet", *option])

    assert code == 2
    expected = f"{option[0]} works with tSTE-AL, FORTE-AL, SOE-AL, not auto"
    assert expected in " ".join(capsys.readouterr().err.split())
