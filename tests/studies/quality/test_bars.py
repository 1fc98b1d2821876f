"""The bars on made-up tables: each can be met, missed, and be without results."""

from __future__ import annotations

import pytest

from studies.quality.bars import (
    BARS,
    MET,
    NOT_MET,
    NOT_RUN,
    REACH,
    UNDECIDED,
    errors_cost_little,
    needs_a_fraction,
    never_far_below,
    predicts,
    reaches,
    within_one_error,
)
from studies.quality.methods import OURS
from tests.studies.quality.test_tables import rows_of


def people(values: dict) -> list[dict]:
    """Rows of held-out accuracy: {(dataset, method): mean}, folds at 0.02 to both sides."""
    return [
        {
            "dataset": dataset,
            "method": method,
            "measure": "held_out",
            "repetition": repetition,
            "fold": fold,
            "value": value + offset,
        }
        for (dataset, method), value in values.items()
        for repetition in range(3)
        for fold, offset in enumerate((-0.02, 0.0, 0.02))
    ]


@pytest.mark.parametrize("bar", BARS, ids=lambda bar: bar.text)
def test_a_bar_without_results_is_not_run(bar) -> None:
    assert bar.judge({})[0] == NOT_RUN


@pytest.mark.parametrize(("value", "verdict"), [(0.911, MET), (0.909, NOT_MET)])
def test_a_figure_must_be_reached(value, verdict) -> None:
    rows = rows_of(OURS, {205_000: value, 41_000: 0.5}, delta=0.04)
    rows += rows_of("4-AL", {205_000: 0.5}, delta=0.04) + rows_of(OURS, {205_000: 0.1}, delta=0.02)

    found = reaches({"planted": rows}, delta=0.04, n_answers=205_000, least=0.91)

    assert found == (verdict, f"{value:.3f} (repetitions: 2)")


def test_the_figures_are_those_of_the_five_cells() -> None:
    met = [row for delta, n, least in REACH for row in rows_of(OURS, {n: least}, delta=delta)]

    for bar in BARS[: len(REACH)]:
        assert bar.judge({"planted": met})[0] == MET
    assert len(REACH) == 5


@pytest.mark.parametrize(("value", "verdict"), [(0.585, MET), (0.575, NOT_MET)])
def test_one_cell_too_far_below_is_enough_to_miss(value, verdict) -> None:
    rows = rows_of(OURS, {100: 0.9, 200: 0.9}) + rows_of("4-AL", {100: 0.8, 200: 0.8})
    uneven = rows_of(OURS, {100: value}) + rows_of("4-AL", {100: 0.5}) + rows_of("x", {100: 0.6})

    found, measured = never_far_below({"planted": rows, "uneven": uneven}, measure="aari")

    assert found == verdict
    if verdict == NOT_MET:
        assert measured.startswith("in 2 of 3 cells; furthest below: uneven: balanced")
        assert "(-0.025, x)" in measured
    else:
        assert measured == "in 3 of 3 cells"


def test_data_without_a_planted_tree_is_no_planted_cell() -> None:
    rows = rows_of(OURS, {100: 0.1}, "held_out") + rows_of("4-AL", {100: 0.9}, "held_out")

    assert never_far_below({"features": rows}, measure="held_out")[0] == NOT_RUN


@pytest.mark.parametrize(
    ("ours", "other", "verdict"),
    [
        ({100: 0.85, 1000: 0.95}, {10_000: 0.85, 100_000: 0.95}, MET),
        ({100: 0.85, 1000: 0.95}, {1000: 0.85, 10_000: 0.95}, NOT_MET),
        ({100: 0.85, 1000: 0.95}, {1000: 0.1, 100_000: 0.2}, MET),
        ({100: 0.85, 1000: 0.95}, {1000: 0.1, 10_000: 0.2}, UNDECIDED),
        ({100: 0.1, 1000: 0.2}, {1000: 0.1, 10_000: 0.2}, NOT_MET),
        ({1000: 0.95}, {1000: 0.1, 10_000: 0.95}, UNDECIDED),
        ({100: 0.85, 1000: 0.95}, {100_000: 0.95}, UNDECIDED),
    ],
)
def test_a_fraction_of_the_answers_must_do(ours, other, verdict) -> None:
    rows = rows_of(OURS, ours) + rows_of("4-AL", other)

    found = needs_a_fraction({"planted": rows}, rival="4-AL", divisor=100, delta=0.1)

    assert found[0] == verdict


def test_the_measured_factor_is_said() -> None:
    rows = rows_of(OURS, {100: 0.8, 10_000: 1.0}) + rows_of("4-AL", {50_000: 0.5})

    _, measured = needs_a_fraction({"planted": rows}, rival="4-AL", divisor=40, delta=0.1)

    assert measured == "spectral 1,000, 4-AL more than 50,000: a factor of more than 50"


@pytest.mark.parametrize(("noisy", "verdict"), [(0.86, MET), (0.84, NOT_MET)])
def test_more_answers_must_make_up_for_wrong_ones_in_every_cell(noisy, verdict) -> None:
    rows = rows_of(OURS, {100: 0.9, 5000: 0.9}, error_rate=0.0)
    rows += rows_of(OURS, {300: noisy, 15_000: 0.9, 100: 0.2}, error_rate=0.2)
    rows += rows_of(OURS, {300: 0.1}, error_rate=0.3) + rows_of("4-AL", {300: 0.1}, error_rate=0.2)

    found, measured = errors_cost_little({"errors": rows}, error_rate=0.2, times=3)

    assert found == verdict
    assert f"delta 0.1, 100: 0.900, {noisy:.3f} with errors" in measured
    assert measured.count("with errors") == 2


@pytest.mark.parametrize(("value", "verdict"), [(0.69, MET), (0.68, NOT_MET)])
def test_people_must_be_predicted(value, verdict) -> None:
    rows = people({("Car", OURS): value, ("faces", OURS): 0.9, ("Car", "4-AL"): 0.9})

    found, measured = predicts({"people": rows}, dataset="Car", least=0.685)

    assert found == verdict
    assert measured == f"{value:.4f} (standard error 0.0115)"


@pytest.mark.parametrize(("value", "verdict"), [(0.69, MET), (0.688, NOT_MET)])
def test_ours_must_be_within_one_standard_error_of_the_best_on_all_data_but_car(
    value, verdict
) -> None:
    rows = people(
        {
            ("faces", OURS): 0.8,
            ("faces", "4-AL"): 0.7,
            ("color", OURS): value,
            ("color", "4-AL"): 0.7,
            ("color", "AddS-AL"): 0.6,
            ("Car", OURS): 0.1,
            ("Car", "4-AL"): 0.7,
        }
    )

    found, measured = within_one_error({"people": rows}, but="Car")

    assert found == verdict
    words = {
        MET: "on 2 of 2 data sets",
        NOT_MET: "on 1 of 2 data sets; further below: color (-0.0120, 4-AL, error 0.0115)",
    }
    assert measured == words[verdict]
