"""What must not change the tree: order, orientation, duplicates, threads, names of objects."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import ordlink as ol
from ordlink.errors import OrdlinkWarning
from tests.checks import relabelled

PASSIVE = ["4-AL", "4K-AL", "AddS-AL"]
pytestmark = pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")


def _answers(n: int = 20, seed: int = 0) -> np.ndarray:
    upper = np.triu(np.random.default_rng(seed).normal(size=(n, n)), 1)
    return ol.Comparisons.from_similarities(upper + upper.T, 0.2, seed=seed).quadruplets


@pytest.mark.parametrize("method", PASSIVE)
@pytest.mark.parametrize("seed", range(5))
def test_order_orientation_and_duplicates_do_not_matter(method: str, seed: int) -> None:
    rows = _answers(seed=seed)
    rng = np.random.default_rng(seed)
    changed = np.concatenate([rows, rows[: len(rows) // 3]])
    swap = rng.random(len(changed)) < 0.5
    changed[swap] = changed[swap][:, [1, 0, 2, 3]]
    swap = rng.random(len(changed)) < 0.5
    changed[swap] = changed[swap][:, [0, 1, 3, 2]]
    changed = rng.permutation(changed)

    tree = ol.cluster(ol.Comparisons.from_quadruplets(rows), method)

    other = ol.cluster(ol.Comparisons.from_quadruplets(changed), method)
    np.testing.assert_array_equal(other.merges, tree.merges)
    np.testing.assert_allclose(other.scores, tree.scores, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("method", [*PASSIVE, "SL", "CL", "AL"])
def test_relabelling_objects_relabels_the_tree_where_no_tie_decides(method: str) -> None:
    untied = 0
    for seed in range(20):
        n = 15
        rng = np.random.default_rng(seed)
        upper = np.triu(rng.normal(size=(n, n)), 1)
        matrix = upper + upper.T
        order = rng.permutation(n)
        new_number = np.argsort(order)
        if method in PASSIVE:
            rows = ol.Comparisons.from_similarities(matrix, 0.7, seed=seed).quadruplets
            data = ol.Comparisons.from_quadruplets(rows)
            moved = ol.Comparisons.from_quadruplets(new_number[rows])
        else:
            data, moved = matrix, matrix[np.ix_(order, order)]
        tree = ol.cluster(data, method)
        if not tree.n_tied_merges:
            untied += 1
            other = ol.cluster(moved, method)
            assert relabelled(tree, new_number) == relabelled(other, np.arange(n))

    assert untied >= 5


@pytest.fixture(scope="module")
def trees_by_threads() -> list[dict[str, list]]:
    """Return merges and scores by method, on one, two and three threads."""
    program = (
        "import sys, json, warnings, numpy as np, ordlink as ol\n"
        "warnings.simplefilter('ignore')\n"
        "u = np.triu(np.random.default_rng(1).normal(size=(100, 100)), 1)\n"
        "c = ol.Comparisons.from_similarities(u + u.T, 0.1, seed=1)\n"
        f"trees = {{method: ol.cluster(c, method) for method in {PASSIVE}}}\n"
        "print(json.dumps({method: [t.merges.tolist(), [s.hex() for s in t.scores.tolist()]]\n"
        "                  for method, t in trees.items()}))\n"
    )
    return [
        json.loads(
            subprocess.run(
                [sys.executable, "-c", program],
                env={**os.environ, "ORDLINK_THREADS": threads, "OMP_NUM_THREADS": threads},
                capture_output=True,
                text=True,
                check=True,
            ).stdout
        )
        for threads in ("1", "2", "3")
    ]


@pytest.mark.parametrize("method", PASSIVE)
def test_number_of_threads_does_not_matter(method: str, trees_by_threads) -> None:
    """1.2 million comparisons: enough for every kernel to use several threads, bit for bit."""
    one, two, three = (trees[method] for trees in trees_by_threads)

    assert one == two == three


def test_ties_are_counted_and_warned_about() -> None:
    with pytest.warns(OrdlinkWarning, match="2 of 3 merges were decided by a tie"):
        tree = ol.cluster(np.ones((4, 4)), "AL")

    assert tree.n_tied_merges == 2
