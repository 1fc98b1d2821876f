"""What a method needs at its peak, and how too little memory is said."""

from __future__ import annotations

import dataclasses
import tracemalloc
from functools import partial

import numpy as np
import pytest

import ordlink as ol
from ordlink.methods._memory import SEARCH_BYTES, estimate_memory

EMBEDDING = {"max_iter": 3, "n_init": 1}  # what more takes time alone


@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
@pytest.mark.parametrize(
    ("method", "message"),
    [
        ("tSTE-AL", "tSTE-AL of 100,000 objects .* takes 80 GB; use method=blocks"),
        ("blocks", "blocks of 100,000 objects needs more memory than there is; use fewer objects"),
    ],
)
def test_too_little_memory_is_said_with_a_remedy(
    monkeypatch: pytest.MonkeyPatch, method: str, message: str
) -> None:
    def run_out(*_: object, **__: object) -> None:
        raise MemoryError("Unable to allocate 37.3 GiB for an array")

    chosen = ol.METHODS[method]
    monkeypatch.setattr(
        "ordlink.methods._table.METHODS", {method: dataclasses.replace(chosen, run=run_out)}
    )
    comparisons = ol.Comparisons.from_triplets([[0, 1, 2]], n_objects=100_000)

    with pytest.raises(ol.errors.NotEnoughMemoryError, match=message):
        ol.cluster(comparisons, method)


@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
def test_too_little_memory_is_said_before_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ordlink.methods._memory.available_memory", lambda: 9e9)
    comparisons = ol.Comparisons.from_triplets([[0, 1, 2]], n_objects=20_000)
    message = "4K-AL of 20,000 objects needs about 18 GB of memory, but only 9.0 GB are available"

    with pytest.raises(ol.errors.NotEnoughMemoryError, match=message):
        ol.cluster(comparisons, "4K-AL")


@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
@pytest.mark.parametrize("method", ["auto", "search"])
def test_a_search_that_would_not_fit_is_said_with_its_table(
    monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    monkeypatch.setattr("ordlink.methods._memory.available_memory", lambda: 1e8)
    chain = np.arange(398)[:, None] + [0, 1, 2]
    comparisons = ol.Comparisons.from_triplets(chain)

    with pytest.raises(ol.errors.NotEnoughMemoryError, match=r"triples takes 0\.26 GB; .*spectral"):
        ol.cluster(comparisons, method)


@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
@pytest.mark.parametrize("method", ["auto", "search", "spectral"])
def test_memory_is_for_the_largest_compared_part(
    monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    monkeypatch.setattr("ordlink.methods._memory.available_memory", lambda: 1e7)
    comparisons = ol.Comparisons.from_triplets([[0, 1, 2]], n_objects=400)

    tree = ol.cluster(comparisons, method)

    assert tree.n_objects == 400


@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
def test_memory_of_auto_is_that_of_spectral_if_answers_are_few(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    comparisons = ol.Comparisons.from_triplets([[0, 300, 301]], n_objects=400)
    clusters = [range(300)]  # one part with the answer

    monkeypatch.setattr("ordlink.methods._memory.available_memory", lambda: 1e8)
    with pytest.raises(ol.errors.NotEnoughMemoryError, match=r"triples takes 0\.11 GB; .*spectral"):
        ol.cluster(comparisons, "search", initial_clusters=clusters)
    assert ol.cluster(comparisons, "auto", initial_clusters=clusters).n_objects == 400

    monkeypatch.setattr("ordlink.methods._memory.available_memory", lambda: 1e7)
    with pytest.raises(ol.errors.NotEnoughMemoryError, match=r"auto of 400 .* pairs .*; .*blocks"):
        ol.cluster(comparisons, "auto", initial_clusters=clusters)


def test_memory_of_folds_at_once_is_added(monkeypatch: pytest.MonkeyPatch) -> None:
    per_triple, _, per_row = SEARCH_BYTES
    tables, rows = per_triple * 120**3, per_row * 8_000

    for threads, more in ((1, 0), (3, 2), (4, 3), (64, 3)):  # there are four folds
        for method, each in (("search", rows), ("auto", tables + rows)):
            monkeypatch.setenv("ORDLINK_THREADS", "1")
            alone = estimate_memory(method, 120, 8_000)
            monkeypatch.setenv("ORDLINK_THREADS", str(threads))

            assert estimate_memory(method, 120, 8_000) == alone + more * each


@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
@pytest.mark.parametrize(
    ("method", "n_objects", "n_rows", "options"),
    [
        ("AddS-AL", 400, 2_000, {}),
        ("AddS-AL", 200, 100_000, {}),
        ("4K-AL", 400, 2_000, {}),
        ("4K-AL", 200, 100_000, {}),
        ("4-AL", 1_000, 8_000, {}),  # its smaller tables have sizes of their own
        ("4-AL", 900, 1_000_000, {}),
        ("spectral", 300, 8_000, {}),
        ("spectral", 90, 300_000, {}),
        ("blocks", 3_000, 100_000, {}),
        ("blocks", 12_000, 12_000, {}),  # some are never compared
        ("tSTE-AL", 900, 8_000, EMBEDDING),
        ("SOE-AL", 300, 200_000, EMBEDDING),
        ("FORTE-AL", 800, 8_000, EMBEDDING),
        ("search", 120, 8_000, {"max_iter": 0, "n_init": 1}),
        ("auto", 100, 3_000, {}),
    ],
)
def test_estimates_of_memory_are_right_within_a_factor(
    monkeypatch: pytest.MonkeyPatch,
    method: str,
    n_objects: int,
    n_rows: int,
    options: dict[str, int],
) -> None:
    if method in ("search", "auto"):  # how many folds overlap depends on the machine
        monkeypatch.setenv("ORDLINK_THREADS", "1")
    rng = np.random.default_rng(0)
    if n_objects <= 1_000 and n_rows < 9e3:
        rows = np.argsort(rng.random((n_rows, n_objects)), axis=1)[:, :3]
    else:
        rows = rng.integers(0, n_objects // 3, (n_rows, 3)) * 3 + [0, 1, 2]
    comparisons = ol.Comparisons.from_triplets(rows, n_objects=n_objects)
    ol.methods.build_tree(comparisons[:2_000], method, **options)  # compiles

    tracemalloc.start()
    ol.methods.build_tree(comparisons, method, **options)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert 1 / 1.5 < estimate_memory(method, n_objects, n_rows) / peak < 1.5


@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
@pytest.mark.parametrize(
    ("method", "n_objects"),
    [
        ("AL", 300),
        ("4-AL", 300),
        ("AddS-AL", 400),
        ("4K-AL", 300),
        ("spectral", 200),
        ("auto", 200),
        ("search", 150),
    ],
)
def test_estimates_of_memory_of_all_comparisons_are_right_within_a_factor(
    method: str, n_objects: int
) -> None:
    half = np.random.default_rng(0).random((n_objects, n_objects))
    similarities = half + half.T
    build = partial(ol.methods.build_tree, method=method)
    known = [similarities[:20, :20], similarities]
    if method != "AL":
        known = [ol.Comparisons.from_similarities(one) for one in known]
    build(known[0])  # compiles

    tracemalloc.start()
    build(known[1])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert 1 / 1.5 < estimate_memory(method, n_objects, None) / peak < 1.5


def test_too_large_a_similarity_matrix_is_said_before_the_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ordlink.methods._memory.available_memory", lambda: 1e6)
    similarities = np.add.outer(np.arange(200.0), np.arange(200.0))
    ranked = ol.Comparisons.from_similarities(similarities)

    cases = (similarities, "AL", "13"), (ranked, "4K-AL", "19"), (ranked, "auto", "42")
    for data, method, needed in cases:
        message = rf"{method} of 200 objects needs about 0\.00{needed} GB .*; use fewer objects"
        with pytest.raises(ol.errors.NotEnoughMemoryError, match=message):
            ol.cluster(data, method)
