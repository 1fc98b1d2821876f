"""Margins, answers needed and standard errors, from made-up rows."""

from __future__ import annotations

import pytest

from studies.quality.methods import OURS
from studies.quality.tables import (
    Needed,
    answers_needed,
    cells_of,
    margins,
    median_seconds,
    standard_error,
)


def rows_of(method: str, values: dict, measure: str = "aari", **parameters) -> list[dict]:
    """Rows of a method: {number of answers: mean}, two repetitions around each."""
    return [
        {
            "shape": "balanced",
            "delta": 0.1,
            **parameters,
            "method": method,
            "measure": measure,
            "n_answers": n_answers,
            "repetition": repetition,
            "value": value + offset,
            "seconds": value,
        }
        for n_answers, value in values.items()
        for repetition, offset in enumerate((-0.01, 0.01))
    ]


def test_a_cell_has_one_setting_and_number_of_answers() -> None:
    rows = rows_of("4-AL", {100: 0.2, 200: 0.4}) + rows_of("4-AL", {100: 0.3}, delta=0.2)

    cells = cells_of(rows, "aari")

    assert [(cell.setting, cell.n_answers) for cell in cells] == [
        ("balanced, delta 0.1", 100),
        ("balanced, delta 0.1", 200),
        ("balanced, delta 0.2", 100),
    ]
    assert cells[1].methods["4-AL"].mean == pytest.approx(0.4)
    assert cells[1].methods["4-AL"].n == 2


@pytest.mark.parametrize(
    ("parameter", "value"),
    [("form", "triplet"), ("error_rate", 0.1), ("popularity_sd", 1.5), ("shape", "star")],
)
def test_settings_that_differ_in_anything_are_different_cells(parameter, value) -> None:
    rows = rows_of("4-AL", {100: 0.2}) + rows_of("4-AL", {100: 0.2}, **{parameter: value})

    assert len(cells_of(rows, "aari")) == 2


def test_margins_are_against_the_best_other_with_the_worst_cell_first() -> None:
    rows = rows_of(OURS, {100: 0.5, 200: 0.9})
    rows += rows_of("4-AL", {100: 0.4, 200: 0.95}) + rows_of("AddS-AL", {100: 0.3, 200: 0.8})

    worst, best = margins(rows, "aari")

    assert (worst.cell.n_answers, worst.rival) == (200, "4-AL")
    assert worst.difference == pytest.approx(-0.05)
    assert best.difference == pytest.approx(0.1)
    assert (worst.ours.mean, worst.best.mean) == pytest.approx((0.9, 0.95))


def test_a_lower_cost_is_better() -> None:
    rows = rows_of(OURS, {100: 0.5}, "dasgupta") + rows_of("4-AL", {100: 0.6}, "dasgupta")
    rows += rows_of("AddS-AL", {100: 0.55}, "dasgupta")

    (margin,) = margins(rows, "dasgupta")

    assert margin.rival == "AddS-AL"
    assert margin.difference == pytest.approx(0.05)


def test_cells_without_our_method_or_without_others_have_no_margin() -> None:
    assert margins(rows_of(OURS, {100: 0.5}) + rows_of("4-AL", {200: 0.5}), "aari") == []


def test_answers_needed_are_interpolated_in_the_logarithm() -> None:
    rows = rows_of("4-AL", {10_000: 1.1, 100: 0.7, 50: 0.1})

    needed = answers_needed(rows)["balanced, delta 0.1"]["4-AL"]

    assert needed.reached and needed.n == pytest.approx(1000)
    assert str(needed) == "1,000"


@pytest.mark.parametrize(
    ("values", "needed", "words"),
    [
        ({100: 0.2, 9000: 0.8}, Needed(9000, reached=False), "more than 9,000"),
        ({100: 0.95, 9000: 1.0}, Needed(100, reached=True, at_once=True), "at most 100"),
    ],
)
def test_answers_needed_beyond_the_numbers_tried_are_bounds(values, needed, words) -> None:
    found = answers_needed(rows_of("4-AL", values))["balanced, delta 0.1"]["4-AL"]

    assert found == needed
    assert str(found) == words


def test_a_method_that_skips_large_cells_is_judged_by_those_it_ran() -> None:
    rows = rows_of("4-AL", {100: 0.2, 9000: 0.95}) + rows_of(OURS, {100: 0.3})

    needed = answers_needed(rows)["balanced, delta 0.1"]

    assert needed[OURS] == Needed(100, reached=False)
    assert needed["4-AL"].reached


def test_the_standard_error_goes_by_folds_not_by_repetitions() -> None:
    once = [{"repetition": 0, "value": value} for value in (0.5, 0.6, 0.7)]
    again = once + [{**row, "repetition": 1} for row in once]

    assert standard_error(once) == pytest.approx(0.1 / 3**0.5)
    assert standard_error(again) == standard_error(once)


def test_seconds_are_medians() -> None:
    rows = [{"method": "4-AL", "n_answers": 10, "seconds": seconds} for seconds in (1.0, 2.0, 60.0)]

    assert median_seconds(rows) == {"4-AL": {10: 2.0}}
