"""`ordlink plan`: what it prints and writes, and what it refuses."""

from __future__ import annotations

import csv
import math
import re
from dataclasses import replace
from pathlib import Path

import pytest

import ordlink as ol
from ordlink.cli.plan import _target_line

FAST = ("--method", "AddS-AL", "--question", "quadruplet", "--difficulty", 3, "--processes", 1)


def test_the_first_line_is_the_answer_and_the_table_is_the_curve(ordlink, tmp_path: Path) -> None:
    table, drawing = tmp_path / "curve.csv", tmp_path / "curve.png"

    result = ordlink(
        "plan", "--objects", 10, "--clusters", 2, *FAST, "--seconds", 3.6, "--pay", 12,
        "--csv", table, "--png", drawing,
    )  # fmt: skip

    assert result.code == 0
    plan = ol.planning.plan_answers(
        10, n_clusters=2, method="AddS-AL", question="quadruplet", difficulty=3
    )
    first, second = result.out.splitlines()[:2]
    assert first.startswith(f"About {plan.n_answers:,} quadruplet answers (")
    assert first.endswith("for AARI 0.9 in 80% of studies like this.")
    hours = plan.n_answers / 1000
    assert (
        second == f"{hours:,.1f} hours at 3.6 seconds per answer, {12 * hours:.2f} at 12 per hour"
    )
    with table.open() as file:
        rows = list(csv.DictReader(file))
    assert [int(row["n_answers"]) for row in rows] == [point.n_answers for point in plan.curve]
    assert [float(row["mean"]) for row in rows] == [point.mean for point in plan.curve]
    assert drawing.read_bytes().startswith(b"\x89PNG")


def test_a_target_out_of_reach_is_told_with_the_ceiling(ordlink) -> None:
    result = ordlink(
        "plan", "--objects", 16, "--clusters", 8, "--method", "AddS-AL", "--difficulty", 0.3,
        "--target", 0.95, "--processes", 1,
    )  # fmt: skip

    assert result.code == 0
    assert result.out.startswith("No number of answers is enough for AARI 0.95")
    assert re.search(r"80% of studies reach 0\.\d\d", result.out.splitlines()[0])


def test_answers_at_hand_are_continued(ordlink, planted_answers: Path, tmp_path: Path) -> None:
    table, drawing = tmp_path / "curve.csv", tmp_path / "curve.svg"

    result = ordlink(
        "plan", "--answers", planted_answers, "--method", "AddS-AL", "--next", 500,
        "--target", 0.99, "--csv", table, "--png", drawing,
    )  # fmt: skip

    assert result.code == 0
    curve = ol.validation.learning_curve(
        ol.read_comparisons(planted_answers), "AddS-AL", n_repetitions=2
    )
    verdict = curve.verdict()
    assert result.out.splitlines()[0] == f"{verdict.advice.capitalize()}: {verdict.reason}."
    assert "next 500" in result.out
    for size in curve.sizes.tolist():
        assert f"\n{size:>9,} " in result.out
    assert f"    3,500 {curve.predict(3500).value:>18.3f}" in result.out
    assert "Accuracy 0.99 is" in result.out.splitlines()[-3]
    with table.open() as file:
        rows = list(csv.DictReader(file))
    assert [int(row["n_answers"]) for row in rows] == [*curve.sizes.tolist(), 3000, 3500]
    assert drawing.read_text().startswith("<?xml")


def test_an_upper_end_that_is_not_known_is_no_number(ordlink, monkeypatch) -> None:
    plan = ol.planning.plan_answers(
        10, n_clusters=2, method="AddS-AL", question="quadruplet", difficulty=3
    )
    open_plan = replace(plan, n_answers=2400, interval=(1999.0, math.inf))
    monkeypatch.setattr("ordlink.planning.plan_answers", lambda *_, **__: open_plan)

    result = ordlink("plan", "--objects", 10, *FAST)

    assert result.out.startswith(
        "About 2,400 quadruplet answers (at least 2,000, no upper bound) for AARI 0.9"
    )


@pytest.mark.parametrize(
    ("estimate", "said"),
    [
        ((900, 812, 1234), "is expected with about 900 answers in total (810 to 1,200)."),
        ((900, 812, math.inf), "900 answers in total (at least 810, no upper bound)."),
        ((900, 812, 2e9), "900 answers in total (at least 810, no upper bound)."),
        (
            (900, math.inf, math.inf),
            "with about 900 answers in total (or out of reach).",
        ),
        ((math.inf, 812, math.inf), "any number of answers; at best (1 case in 10) 810 are"),
        ((math.inf, 2e9, math.inf), "is not expected with any number of answers."),
    ],
)
def test_a_target_is_told_with_both_ends_of_its_interval(estimate, said: str) -> None:
    assert said in _target_line(0.7, *estimate)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "give --objects to plan a study, or --answers"),
        (("--objects", 2), "--objects"),
        (("--objects", 20, "--clusters", 30), "--clusters: expected"),
        (
            ("--objects", 20, "--clusters", 4, "--depth", 2),
            "expected either a depth or a number of clusters, got both",
        ),
        (("--objects", 20, "--errors", 0.5), "--errors: expected"),
        (("--objects", 20, "--target", 1.5), "--target: expected"),
        (("--objects", 20, "--difficulty", "tough"), "--difficulty: expected"),
        (("--objects", 20, "--method", "SL"), "needs an oracle"),
        (("--objects", 20, "--next", 5), "--next requires --answers"),
        (("--objects", 20, "--form", "triplet"), "--form requires --answers"),
        (("--answers", "no.csv", "--objects", 20), "--objects cannot be combined with --answers"),
        (("--answers", "no.csv", "--measure", "aari"), "--measure aari needs the true tree"),
        (("--answers", "no.csv"), "no.csv"),
        (("--answers", "no.csv", "--target", 0.3), "--target: expected"),
        (("--objects", 20, "--png", "curve.bmp"), "ends in .png, .svg or .pdf"),
        (("--objects", 20, "--seconds", "nan"), "--seconds: expected"),
        (("--objects", 20, "--pay", -1), "--pay: expected"),
    ],
)
def test_a_wrong_call_is_refused_in_one_line(ordlink, words, message) -> None:
    result = ordlink("plan", *words)

    assert result.code == 2
    assert message in result.err
    assert len(result.err.splitlines()) == 1


def test_a_handful_of_answers_is_told_to_be_too_few(ordlink, tmp_path: Path) -> None:
    (tmp_path / "few.csv").write_text("anchor,closer,farther\n0,1,2\n1,2,0\n2,1,3\n")
    (tmp_path / "some.csv").write_text("anchor,closer,farther\n" + "0,1,2\n1,2,3\n" * 3)

    few, some = (ordlink("plan", "--answers", tmp_path / f"{n}.csv") for n in ("few", "some"))

    assert (few.code, some.code) == (2, 2)
    assert "few.csv: expected enough answers for five folds and a learning curve" in few.err
    assert "got 6; collect more" in some.err


def test_ctrl_c_ends_it_cleanly(ordlink, monkeypatch, tmp_path: Path) -> None:
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("ordlink.planning._search.simulate_quality", interrupt)

    result = ordlink("plan", "--objects", 10, *FAST, "--csv", tmp_path / "curve.csv")

    assert result.code == 130
    assert result.err.strip() == "interrupted; no half-written file was left"
    assert not list(tmp_path.iterdir())


def test_difficulties_are_named_by_real_studies_and_numbers_are_for_experts(ordlink) -> None:
    words = ("plan", "--objects", 8, "--clusters", 2, "--method", "AddS-AL", "--most", 200)

    easy = ordlink(*words, "--difficulty", "easy", "--processes", 1)
    number = ordlink(*words, "--difficulty", 1.7, "--processes", 1)

    assert (easy.code, number.code) == (0, 0)
    assert f"difficulty: easy ({ol.planning.STUDIES['easy']})" in easy.out
    assert "delta / sigma" not in easy.out
    assert "difficulty: delta / sigma = 1.7" in number.out
    shown = " ".join(ordlink("plan", "--help").out.split())
    for name, study in ol.planning.STUDIES.items():
        assert f"{name}: {study}" in shown
