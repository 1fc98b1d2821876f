"""The calibration of trust: branches against literal sets, the bars on made-up rows, tiny cells."""

from __future__ import annotations

import math
from dataclasses import asdict
from itertools import product

import numpy as np
import pytest

import ordlink as ol
from ordlink.datasets import planted_tree, random_structure
from ordlink.hierarchy import Hierarchy
from ordlink.metrics import aari
from studies.calibration.__main__ import main
from studies.calibration.bars import (
    BARS,
    advantage,
    auto_beats_each_method,
    auto_is_near_the_best,
    best_method,
    by_answers,
    firm_branches_rarely_conflict,
    level_is_kept,
    support_separates,
)
from studies.calibration.branches import kinds_of_branches, separation
from studies.calibration.cells import (
    auto_cell,
    calibration_experiments,
    chance_cell,
    default_cell,
    support_cell,
)
from studies.calibration.grid import SETTINGS, Setting, draw_data
from studies.calibration.page import calibration_page, classes_of
from studies.quality.bars import MET, NOT_MET, NOT_RUN, UNDECIDED
from studies.running import Experiment, load_results, run_cell, seed_of
from tests.candidates import FAST, only_candidates

pytestmark = pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")

TINY = asdict(Setting("uneven", 2.0, 3, "quadruplet", 0.1))


def random_tree(n_objects: int, rng: np.random.Generator) -> Hierarchy:
    nodes, merges = list(range(n_objects)), []
    while len(nodes) > 1:
        pair = [nodes.pop(int(rng.integers(len(nodes)))) for _ in range(2)]
        merges.append(pair)
        nodes.append(n_objects + len(merges) - 1)
    return Hierarchy(merges)


def literal_kind(branch: set[int], clusters: list[set[int]], pure: list[set[int]]) -> str:
    for cluster in clusters:
        if not (branch <= cluster or cluster <= branch or not branch & cluster):
            return "conflicts"
    if branch in clusters:
        return "planted"
    return "inside" if any(branch < cluster for cluster in pure) else "joins"


def literal_branches(tree: Hierarchy) -> list[set[int]]:
    sets = [{i} for i in range(tree.n_objects)]
    for left, right in tree.merges.tolist():
        sets.append(sets[left] | sets[right])
    return sets[tree.n_objects : -1]


def indicator(clusters: list[set[int]], n_objects: int) -> np.ndarray:
    return np.array([[i in cluster for i in range(n_objects)] for cluster in clusters])


@pytest.mark.parametrize("seed", range(30))
def test_kinds_are_those_of_literal_sets(seed) -> None:
    rng = np.random.default_rng(seed)
    structure = random_structure(
        int(rng.integers(1, 6)), smallest=1, largest=4, max_children=3, seed=rng
    )
    planted = planted_tree(structure, seed=rng)
    n = planted.n_objects
    clusters = [set(cluster) for cluster in planted.clusters]
    pure = [set(np.flatnonzero(planted.labels == label)) for label in set(planted.labels.tolist())]
    noisy = ol.cluster(np.abs(planted.similarities), "AL") if n > 1 else planted.tree

    for tree in (planted.tree, random_tree(n, rng), noisy):
        expected = [literal_kind(branch, clusters, pure) for branch in literal_branches(tree)]
        assert kinds_of_branches(tree, indicator(clusters, n)) == expected


def test_all_kinds_occur_among_the_trees_that_are_compared() -> None:
    clusters = [set(range(9)), {0, 1, 2}, {3, 4, 5}, {6, 7, 8}]
    merges = [[0, 1], [2, 9], [3, 4], [5, 11], [10, 12], [6, 7], [8, 14], [13, 15]]

    found = kinds_of_branches(Hierarchy(merges), indicator(clusters, 9))

    assert found == ["inside", "planted", "inside", "planted", "joins", "inside", "planted"]


def test_the_planted_tree_never_conflicts_however_objects_are_shuffled() -> None:
    setting = Setting("uneven", 50.0)
    data = draw_data(setting, run=0)

    tree = ol.cluster(data.comparisons, "4-AL")

    kinds = kinds_of_branches(tree, data.clusters)
    assert aari(data.levels, tree) == 1
    assert "conflicts" not in kinds
    assert kinds.count("planted") == len(data.clusters) - 1
    assert not (np.diff(data.levels[0]) >= 0).all()


@pytest.mark.parametrize("seed", range(10))
def test_separation_is_a_literal_count_of_pairs(seed) -> None:
    rng = np.random.default_rng(seed)
    higher = rng.integers(0, 6, rng.integers(1, 20)) / 5
    lower = rng.integers(0, 6, rng.integers(1, 20)) / 5

    count = sum((a > b) + (a == b) / 2 for a, b in product(higher, lower))

    assert separation(higher, lower) == pytest.approx(count / (len(higher) * len(lower)))


def test_separation_needs_both_kinds() -> None:
    assert math.isnan(separation([], [0.5]))
    assert math.isnan(separation([0.5], []))


def rows_of_grid(rows: list[dict], *, n_settings: int = 24, n_runs: int = 20) -> list[dict]:
    """The same rows in every run of so many settings."""
    return [
        {**asdict(setting), "run": run, **row}
        for setting in SETTINGS[:n_settings]
        for run in range(n_runs)
        for row in rows
    ]


def branch(kind: str, value: float, method: str = "4-AL") -> dict:
    return {"measure": "support", "method": method, "kind": kind, "value": value}


def aari_row(method: str, value: float) -> dict:
    chosen = "4-AL" if method == "auto" else None
    return {"measure": "aari", "method": method, "value": value, "chosen": chosen}


@pytest.mark.parametrize("bar", BARS, ids=lambda bar: bar.text)
def test_a_bar_without_results_is_not_run(bar) -> None:
    assert bar.judge({}) == (NOT_RUN, "")


@pytest.mark.parametrize(("n_fitting", "verdict"), [(9, MET), (8, NOT_MET)])
def test_a_tenth_of_the_firm_branches_may_conflict(n_fitting, verdict) -> None:
    kinds = ["inside", "planted", "joins"] * 3
    rows = [branch(kind, 0.95, "AddS-AL") for kind in kinds[:n_fitting]]
    rows += [branch("conflicts", 1.0), branch("conflicts", 0.94)]

    found, text = firm_branches_rarely_conflict({"support": rows_of_grid(rows)})

    assert found == verdict
    assert text.startswith(f"{1 / (n_fitting + 1):.1%} of {480 * (n_fitting + 1):,} branches")
    assert "4-AL 100.0%; AddS-AL 0.0%" in text


def test_nothing_is_decided_where_no_branch_is_firm_or_planted() -> None:
    results = {"support": rows_of_grid([branch("conflicts", 0.9)])}

    assert firm_branches_rarely_conflict(results)[0] == UNDECIDED
    assert support_separates(results)[0] == UNDECIDED


def test_a_p_value_is_no_branch() -> None:
    rows = [branch("inside", 1.0), {"measure": "p_value", "method": "4-AL", "value": 1.0}]

    assert "of 480 branches" in firm_branches_rarely_conflict({"support": rows_of_grid(rows)})[1]


@pytest.mark.parametrize(("n_below", "verdict"), [(9, MET), (8, NOT_MET)])
def test_support_must_order_nine_of_ten_pairs(n_below, verdict) -> None:
    rows = [branch("planted", 0.5)] + [branch("conflicts", 0.2)] * n_below
    rows += [branch("conflicts", 0.8)] * (10 - n_below) + [branch("inside", 0.0)]

    found, text = support_separates({"support": rows_of_grid(rows)})

    assert found == verdict
    assert text.startswith(f"{n_below / 10:.3f} (10 {n_below / 10:.3f}; 40")


def test_numbers_of_answers_are_listed_the_fewest_first() -> None:
    rows = rows_of_grid([branch("planted", 1.0)], n_runs=1)

    assert list(by_answers(rows)) == ["10", "40", "80", "all"]


def p_values(n_rejected: int, n: int) -> dict:
    values = [0.05] * n_rejected + [0.051] * (n - n_rejected)
    return {"chance": [{"measure": "p_value", "value": value} for value in values]}


@pytest.mark.parametrize(
    ("n_rejected", "n", "verdict"),
    [(12, 400, MET), (28, 400, MET), (11, 400, NOT_MET), (29, 400, NOT_MET), (20, 399, UNDECIDED)],
)
def test_the_test_may_reject_three_to_seven_percent(n_rejected, n, verdict) -> None:
    found, text = level_is_kept(p_values(n_rejected, n))

    assert found == verdict
    assert text.startswith(f"{n_rejected / n:.1%} of {n} data sets")


@pytest.mark.parametrize(("best", "verdict"), [(0.8, MET), (0.801, NOT_MET)])
def test_auto_may_not_be_below_any_method(best, verdict) -> None:
    rows = [aari_row("auto", 0.8), aari_row("4-AL", best), aari_row("AddS-AL", 0.1)]

    found, text = auto_beats_each_method({"auto": rows_of_grid(rows)})

    assert found == verdict
    assert f"4-AL {0.8 - best:+.4f} ± 0.0000; AddS-AL +0.7000" in text


def test_the_advantage_is_over_the_runs_that_have_the_method() -> None:
    rows = rows_of_grid([aari_row("auto", 0.8), aari_row("4-AL", 0.6)], n_settings=1, n_runs=2)
    rows += rows_of_grid([aari_row("auto", 0.1)], n_settings=3, n_runs=2)[2:]
    rows[3]["value"] = 0.4

    gain, error = advantage(rows, "4-AL")

    assert gain == pytest.approx(0.3)
    assert error == pytest.approx(0.1)


@pytest.mark.parametrize(("behind", "verdict"), [(0.02, MET), (0.021, NOT_MET)])
def test_auto_may_be_a_little_behind_the_best_of_each_setting(behind, verdict) -> None:
    rows = rows_of_grid([aari_row("auto", 0.5)])
    for setting in SETTINGS[:24]:
        far = setting in SETTINGS[:12]  # the best differs: 2 x behind in one half, 0 in the other
        for run in range(20):
            given = {**asdict(setting), "run": run}
            rows.append({**given, **aari_row("4-AL", 0.5 + 2 * behind if far else 0.2)})
            rows.append({**given, **aari_row("AddS-AL", 0.3 if far else 0.5)})

    found, text = auto_is_near_the_best({"auto": rows})

    assert found == verdict
    assert text.startswith(f"{behind:.4f} behind; most at {SETTINGS[0]} ({2 * behind:.3f})")


def test_the_best_method_of_a_setting_is_not_auto() -> None:
    rows = rows_of_grid([aari_row("auto", 0.9), aari_row("4-AL", 0.5), aari_row("AddS-AL", 0.6)])

    assert best_method(rows) == ("AddS-AL", pytest.approx(0.6))


@pytest.mark.parametrize("grid", [{"n_settings": 23}, {"n_runs": 19}])
def test_a_part_of_the_grid_decides_nothing(grid) -> None:
    branches = rows_of_grid([branch("planted", 1.0), branch("conflicts", 0.0)], **grid)
    choices = rows_of_grid([aari_row("auto", 0.9), aari_row("4-AL", 0.5)], **grid)

    results = {"support": branches, "auto": choices}

    judged = [bar.judge(results)[0] for bar in BARS]
    assert sorted(judged) == sorted([UNDECIDED] * 4 + [NOT_RUN])


def test_classes_of_support_hold_each_branch_once() -> None:
    values = [0.0, 0.05, 0.1, 0.899, 0.9, 0.949, 0.95, 1.0]

    found = list(classes_of([branch("inside", value) for value in values]))

    assert sum(len(own) for _, _, own in found) == len(values)
    assert all(low <= row["value"] <= high for low, high, own in found for row in own)
    assert [row["value"] for row in found[-1][2]] == [0.95, 1.0]


def test_the_grid_varies_what_it_should() -> None:
    parts = calibration_experiments()
    runs = dict.fromkeys(SETTINGS, 0)
    for cell in parts["auto"].cells:
        runs[Setting(**{name: cell[name] for name in TINY})] += 1

    assert len(runs) >= 24
    assert set(runs.values()) == {20}
    assert len(parts["support"].cells) == len(parts["auto"].cells)
    assert len(parts["default"].cells) == 5 * len(SETTINGS)
    for form, error_rate in product(("triplet", "quadruplet"), (0.0, 0.2)):
        assert any((s.form, s.error_rate) == (form, error_rate) for s in SETTINGS)
    assert sum(s.per_object is None for s in SETTINGS) >= 2
    assert {s.difficulty for s in SETTINGS} == {0.5, 1.0, 2.0}
    assert all(30 <= s.n_objects <= 60 for s in SETTINGS)
    assert sum(cell["n_sets"] for cell in parts["chance"].cells) >= 400


def test_a_support_cell_gives_every_branch_and_the_p_value() -> None:
    cell = {**TINY, "run": 0, "n_replicates": 5}

    rows = run_cell(Experiment("tiny", 1, support_cell, (cell,)), cell)

    branches = [row for row in rows if row["measure"] == "support"]
    data, n_objects = draw_data(Setting(**TINY), 0), Setting(**TINY).n_objects
    for method in ("4-AL", "AddS-AL"):
        own = [row for row in branches if row["method"] == method]
        assert len(own) == n_objects - 2
        assert {"size", "kind", "value", "share", "transfer"} <= set(own[0])
        tree = ol.cluster(data.comparisons, method)
        assert [row["size"] for row in own] == [len(b) for b in literal_branches(tree)]
        assert [row["kind"] for row in own] == kinds_of_branches(tree, data.clusters)
    assert len(rows) == len(branches) + 1
    assert 0 < rows[-1]["value"] <= 1
    assert rows == run_cell(Experiment("tiny", 1, support_cell, (cell,)), cell)
    other = run_cell(Experiment("tiny", 1, support_cell, ()), {**cell, "run": 1})
    assert [row["value"] for row in other] != [row["value"] for row in rows]


@pytest.fixture
def fast_candidates_only():
    with only_candidates(*FAST):
        yield


@pytest.mark.slow
@pytest.mark.usefixtures("fast_candidates_only")
def test_an_auto_cell_takes_what_auto_takes() -> None:
    cell = {**TINY, "run": 0}
    data = draw_data(Setting(**TINY), 0)
    tree = ol.cluster(data.comparisons, "auto")

    rows = run_cell(Experiment("tiny", 1, auto_cell, (cell,)), cell)

    auto, *others = rows
    assert (auto["method"], auto["chosen"]) == ("auto", tree.parameters["chosen"]["method"])
    assert auto["value"] == aari(data.levels, tree)
    assert {row["method"] for row in others} == {"4K-AL", "4K-AL no self", "4-AL", "AddS-AL"}
    for row in others:
        if row["method"] in ("4-AL", "AddS-AL"):
            own = ol.cluster(data.comparisons, row["method"])
            assert row["value"] == aari(data.levels, own)
        assert 0 < row["held_out"] < 1
    assert rows == run_cell(Experiment("tiny", 1, auto_cell, (cell,)), cell)


@pytest.mark.slow
def test_branches_of_the_default_are_those_of_the_library() -> None:
    rows = default_cell(**TINY, run=0, n_replicates=3)

    seed = seed_of("replicates", method="auto", run=0, **TINY)
    data = draw_data(Setting(**TINY), 0)
    found = ol.validation.branch_support(data.comparisons, "auto", n_bootstrap=3, seed=seed)
    branches = kinds_of_branches(found.tree, data.clusters)
    assert [row["value"] for row in rows] == found.support[:-1].tolist()  # without the root
    assert [row["kind"] for row in rows] == list(branches)
    assert {row["method"] for row in rows} == {"auto"}


def test_with_all_comparisons_auto_needs_no_folds() -> None:
    cell = {**asdict(Setting("uneven", 2.0)), "run": 0}
    data = draw_data(Setting("uneven", 2.0), 0)

    auto, *others = auto_cell(**cell)

    assert auto["chosen"] == "spectral"
    assert auto["value"] == aari(data.levels, ol.cluster(data.comparisons, "auto"))
    assert {row["method"] for row in others} == set(ol.validation.CANDIDATES) - {"auto"}
    assert all(row["held_out"] is None for row in others)


@pytest.mark.slow
def test_batches_of_structureless_data_do_not_overlap() -> None:
    given = {"n_objects": 8, "per_object": 20, "form": "triplet", "error_rate": 0.0}

    both = chance_cell(batch=0, n_sets=4, **given)
    parts = [chance_cell(batch=batch, n_sets=2, **given) for batch in (0, 1)]

    assert both == parts[0] + parts[1]
    assert len({row["value"] for row in both}) > 1


@pytest.mark.slow
def test_the_command_runs_goes_on_and_writes_its_page(tmp_path, monkeypatch, capsys) -> None:
    cell = {**TINY, "run": 0, "n_replicates": 5}
    chance = {"n_objects": 8, "per_object": 20, "form": "triplet", "error_rate": 0.0}
    parts = {
        "support": Experiment("trust-support", 1, support_cell, (cell,)),
        "default": Experiment("trust-support-default", 1, default_cell, (cell,)),
        "auto": Experiment("trust-auto", 1, auto_cell, ()),
        "chance": Experiment(
            "trust-chance", 1, chance_cell, ({**chance, "batch": 0, "n_sets": 3},)
        ),
    }
    monkeypatch.setattr("studies.calibration.__main__.calibration_experiments", lambda **_: parts)

    codes = [main(["--out", str(tmp_path), "--processes", "1"]) for _ in range(2)]

    assert codes == [0, 0]
    printed = capsys.readouterr().out
    assert printed.count("undecided") == 2 * 3
    assert printed.count("not run") == 2 * 2
    page = (tmp_path / "calibration.md").read_text(encoding="utf-8")
    assert "uneven; 2; 3 quadruplets per object, 10% wrong" in page
    assert "(calibration.svg)" in page
    assert "A smaller check, 1 runs of each setting: AUC" in page
    assert (tmp_path / "calibration.svg").read_bytes().startswith(b"<?xml")
    assert len(load_results(parts["chance"], tmp_path)) == 3


def test_the_page_shows_all_parts() -> None:
    results = {
        "support": rows_of_grid([branch("planted", 1.0), branch("conflicts", 0.0)]),
        "auto": rows_of_grid([aari_row("auto", 0.9), aari_row("4-AL", 0.5)]),
        "chance": [
            {"n_objects": 20, "per_object": None, "form": "all", "error_rate": 0.0, **row}
            for row in p_values(5, 100)["chance"]
        ],
    }

    page = calibration_page(results)

    assert "| 0.95 to 1 | 480 | 100.0% | 0.0% | 0.0% | 0.0% |" in page
    assert f"| {SETTINGS[0]} | 20 | 20 of 40 | 0.0% | 1.000 |  |" in page
    assert f"| {SETTINGS[0]} | 20 | 0.900 | 4-AL | 0.500 | 4-AL 20 |" in page
    assert "| 20 | all | all | 0.0 | 100 | 5.0% |" in page


@pytest.mark.parametrize("option", [["--processes", "0"], ["--parts", "none"]])
def test_bad_options_end_with_code_2(tmp_path, option, capsys) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--out", str(tmp_path), *option])

    assert stopped.value.code == 2
    assert "Traceback" not in capsys.readouterr().err


def test_a_folder_that_is_a_file_ends_with_code_2(tmp_path, capsys) -> None:
    (tmp_path / "taken").write_text("")

    assert main(["--out", str(tmp_path / "taken"), "--quick"]) == 2
    assert "cannot write into this folder" in capsys.readouterr().err
