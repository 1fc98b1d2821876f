"""The methods of the bench of quality: all passive ones, on the same answers."""

from __future__ import annotations

import numpy as np
import pytest

import ordlink as ol
from studies.quality import methods as quality_methods
from studies.quality.figures import LINES
from studies.quality.methods import (
    EMBEDDINGS,
    METHOD_SETS,
    OURS,
    PLAIN,
    SLOW_UP_TO,
    make_experiments,
    other_trees,
    run_methods,
)

pytestmark = pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")


@pytest.fixture(scope="module")
def answers() -> ol.Comparisons:
    planted = ol.datasets.planted_hierarchy(depth=2, leaf_size=6, gap=0.2, seed=0)
    return ol.Comparisons.from_similarities(planted.similarities, 0.05, seed=0)


def test_every_passive_method_of_the_table_takes_part() -> None:
    passive = {name for name, method in ol.METHODS.items() if method.needs == "comparisons"}

    compared = {method for method, _ in PLAIN.values()} | set(EMBEDDINGS) | {OURS}
    assert passive - {"auto", "search", "blocks"} == compared  # of the default, and of many objects


@pytest.mark.parametrize(
    ("name", "method", "options"),
    [
        ("4-AL", "4-AL", {}),
        ("4K-AL, no self", "4K-AL", {"self_comparisons": False}),
        ("tSTE-AL 2-D, cosine", "tSTE-AL", {"n_components": 2, "metric": "cosine"}),
        ("FORTE-AL 5-D, Euclidean", "FORTE-AL", {"n_components": 5, "metric": "euclidean"}),
    ],
)
def test_trees_are_those_of_the_methods_themselves(answers, name, method, options) -> None:
    if "n_components" in options:
        options = {**options, "n_init": 1, "seed": 3}

    tree = next(outcome.tree for outcome in other_trees(answers, 3) if outcome.method == name)

    assert np.array_equal(tree.merges, ol.cluster(answers, method, **options).merges)


def test_embeddings_are_run_once_from_the_given_seed(answers, monkeypatch) -> None:
    made = []

    def embed(comparisons, **options):
        made.append(options)
        return ol.methods.embedding.soe_embedding(comparisons, **options)

    monkeypatch.setattr(quality_methods, "EMBEDDINGS", {"SOE-AL": embed})
    list(quality_methods.embedding_trees(answers, 7, names=["SOE-AL"]))

    assert made == [{"n_components": d, "n_init": 1, "seed": 7} for d in (2, 5)]


def test_every_method_has_its_own_name_and_line(answers) -> None:
    names = [outcome.method for outcome in other_trees(answers, 0)]

    assert len(names) == 4 + 3 * 2 * 2
    assert {*names, OURS} == set(LINES)
    assert len(set(LINES.values())) == len(LINES)


def test_records_name_method_measure_time_and_number_of_comparisons(answers) -> None:
    records = run_methods("others, no embeddings", answers, 0, lambda tree: {"a": 1, "b": 2})

    assert [record["method"] for record in records] == [name for name in PLAIN for _ in "ab"]
    assert {record["n_comparisons"] for record in records} == {answers.n_comparisons}
    assert all(record["seconds"] >= 0 for record in records)


def test_the_run_of_an_embedding_counts_for_both_of_its_trees(answers, monkeypatch) -> None:
    ticks = iter(range(1000))
    monkeypatch.setattr(quality_methods.time, "process_time", lambda: next(ticks))

    seconds = [outcome.seconds for outcome in quality_methods.embedding_trees(answers, 0)]

    assert seconds == [2.0] * 12  # one tick for the points and one for the tree


def test_embeddings_leave_the_largest_cells_out() -> None:
    cells = [{"n_answers": SLOW_UP_TO}, {"n_answers": SLOW_UP_TO + 1}]

    others, ours = make_experiments("sample", print, cells, len)

    assert [cell["methods"] for cell in others.cells] == ["others", "others, no embeddings"]
    assert ours.cells == tuple({**cell, "methods": "ours"} for cell in cells)
    assert others.name != ours.name
    assert {cell["methods"] for cell in others.cells + ours.cells} <= set(METHOD_SETS)
