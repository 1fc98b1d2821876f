"""The benchmark suite on tiny input: that every row comes out, not how fast it is."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest

from benchmarks import __main__ as suite
from benchmarks.growth import exponent
from benchmarks.machine import describe
from benchmarks.page import PAGE, rewrite
from benchmarks.peer import measure_peer
from benchmarks.rows import Row, doubt_slow_passes, summary, text_table
from benchmarks.run import Benchmark, MeasurementFailedError, Run
from benchmarks.timing import is_steady

pytestmark = pytest.mark.slow

ROWS = [
    Row("a", "sort", 1.5, "one pass", 0.5, 3.0, "passes", 100, "4 passes", True),
    Row("b", "search in |Q|", 2, bar="1 s", met=False, figures={"phases": {"look": 1, "find": 3}}),
    Row("c", "only told", 0.01),
    Row("d", "peer", note="cblearn is not installed"),
    Row(
        "e",
        "4-AL, p=1: growth with N",
        ratio=2.5,
        bar="N^3.2",
        met=True,
        figures={"of": "N", "sizes": [1000, 2000], "seconds": [1.0, 5.7]},
    ),
]
FACTS = dict.fromkeys(suite.machine_facts(), "?")


@pytest.fixture(scope="module")
def run() -> Run:
    return Run(quick=True, here=True, peer_python=Path("/no/such/python"))


@pytest.mark.parametrize("benchmark", suite.BENCHMARKS, ids=lambda benchmark: benchmark.name)
def test_every_benchmark_gives_rows_on_tiny_input(benchmark: Benchmark, run: Run) -> None:
    with warnings.catch_warnings():
        rows = benchmark.rows(run)

    for row in rows:
        assert row.seconds > 0
        assert Row.from_dict(json.loads(json.dumps(row.to_dict()))).work == row.work
        assert row.met is None or row.bar


def test_a_row_is_measured_in_a_process_of_its_own(tmp_path, capsys) -> None:
    results = tmp_path / "results.json"

    code = suite.main(["--quick", "--only", "AddS-AL-p0.1", "--results", str(results)])

    assert code == 0
    assert "AddS-AL, N=32, p=0.1" in capsys.readouterr().out
    assert not results.exists()


def test_a_measurement_that_fails_becomes_a_row_and_the_run_goes_on() -> None:
    def fail(run: Run) -> list[Row]:
        raise MeasurementFailedError("out of memory")

    (row,) = suite.measured_rows(Benchmark("big", fail), Run())

    assert row.met is False
    assert row.note == "out of memory"


def test_without_cblearn_the_rows_of_the_peer_say_so() -> None:
    with pytest.raises(MeasurementFailedError, match="cblearn is not installed"):
        measure_peer(Path("/no/such/python"), [])


def test_a_name_that_does_not_exist_is_refused(capsys) -> None:
    assert suite.main(["--only", "nonsense"]) == 2
    assert "4-AL-p0.1" in capsys.readouterr().err


def test_the_page_without_results_is_refused(tmp_path, capsys) -> None:
    assert suite.main(["--page", "--results", str(tmp_path / "results.json")]) == 2
    assert "results.json yet; python -m benchmarks writes it" in capsys.readouterr().err


def test_rows_measured_again_take_the_place_of_the_earlier_ones(tmp_path) -> None:
    path = tmp_path / "results.json"
    path.write_text(json.dumps({"machine": FACTS, "rows": [row.to_dict() for row in ROWS]}))

    merged = suite._merged(FACTS, [Row("b", "search", 0.5, bar="1 s", met=True)], path)

    assert [row["name"] for row in merged["rows"]] == ["a", "b", "c", "d", "e"]
    assert merged["summary"] == "3 of 3 bars met; not measured: d"
    assert describe(merged["machine"]).endswith("Measured again later: b.")


def test_the_table_is_aligned_and_the_summary_names_what_was_missed() -> None:
    lines = text_table(ROWS).splitlines()

    assert lines[1].index("one pass") == lines[0].index("baseline")
    assert lines[2].endswith("NO")
    assert summary(ROWS) == "2 of 3 bars met; not met: b; not measured: d"


def test_a_row_whose_pass_was_disturbed_is_marked() -> None:
    fine, slow, other = (
        Row(name, name, 1.0, "one pass", one_pass, figures={"n_comparisons": size})
        for name, one_pass, size in (("fine", 0.34, 41), ("slow", 1.25, 41), ("other", 9.0, 7))
    )

    rows = doubt_slow_passes([fine, slow, other, ROWS[2]])

    assert [row.name for row in rows if not row.steady] == ["slow"]
    assert summary(rows).endswith("unsteady, measure again: slow")
    assert "(unsteady)" in text_table(rows)


def test_times_are_steady_when_the_two_shortest_agree() -> None:
    assert is_steady([3.0, 1.0, 1.05])
    assert not is_steady([3.0, 1.0, 1.5])


def test_the_exponent_of_a_power_law_is_found() -> None:
    sizes = [10, 20, 50, 400]

    assert exponent(sizes, [3 * size**1.7 for size in sizes]) == pytest.approx(1.7)


def test_the_page_is_rewritten_between_its_marks_alone() -> None:
    results = {"machine": FACTS, "rows": [row.to_dict() for row in ROWS]}
    text = "before\n<!-- measured: bars -->\nstale\n<!-- /measured -->\nafter\n"

    page = rewrite(text, results)

    assert page.startswith("before\n<!-- measured: bars -->\n| work |")
    assert page.endswith("<!-- /measured -->\nafter\n")
    assert "stale" not in page
    assert "search in \\|Q\\|" in page
    assert rewrite(page, results) == page


def test_every_measured_part_of_the_real_page_is_known() -> None:
    page = rewrite(PAGE.read_text(), {"machine": FACTS, "rows": [row.to_dict() for row in ROWS]})

    assert "find 75%, look 25%" in page
    assert "N^2.50" in page


def test_an_unknown_part_of_the_page_is_refused() -> None:
    with pytest.raises(ValueError, match="'moon'"):
        rewrite("<!-- measured: moon -->\n<!-- /measured -->", {"machine": FACTS, "rows": []})
