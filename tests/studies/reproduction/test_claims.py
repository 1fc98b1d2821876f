"""Verdicts on made-up tables: each claim can hold, fail, and be without results."""

from __future__ import annotations

import math

import pytest

from studies.reproduction import claims
from studies.reproduction.claims import (
    CLAIMS,
    DEPENDS,
    DID_NOT_HOLD,
    HELD,
    NOT_RUN,
    Claim,
    judge,
    questions_needed,
)
from studies.reproduction.theory import N_LEAVES, necessary_ratio, sufficient_ratio

DELTAS = (0.05, 0.1, 0.15, 0.2)


def verdict_on(settings, **results) -> str:
    return judge(Claim("", "", settings), results).verdict


def planted(curves: dict) -> list[dict]:
    """Rows of AARI: {method or (method, p): one value per delta}, two repetitions around each."""
    rows = []
    for key, values in curves.items():
        method, proportion = key if isinstance(key, tuple) else (key, None)
        for delta, value in zip(DELTAS, values, strict=True):
            for offset in (-0.01, 0.01):
                rows.append(
                    {
                        "method": method,
                        "proportion": proportion,
                        "delta": delta,
                        "measure": "aari",
                        "value": value + offset,
                    }
                )
    return rows


def costs(values: dict) -> list[dict]:
    """Rows of normalised cost: {(dataset, method, dimension): one value per p}."""
    return [
        {
            "dataset": dataset,
            "method": method,
            "dimension": dimension,
            "proportion": 0.01 * (i + 1),
            "measure": "dasgupta_normalised",
            "value": value,
        }
        for (dataset, method, dimension), by_p in values.items()
        for i, value in enumerate(by_p)
    ]


@pytest.mark.parametrize(
    ("values", "verdict"),
    [((0, 0.1, 0.2, 0.4), HELD), ((0.6, 0.7, 0.8, 1), DID_NOT_HOLD), ((0, 0.1, 0.6, 1), DEPENDS)],
)
def test_single_linkage_hardly_recovers(values, verdict) -> None:
    rows = planted({"SL": values})

    assert verdict_on(claims.single_linkage_hardly_recovers, planted=rows) == verdict


@pytest.mark.parametrize(
    ("single", "complete", "verdict"),
    [
        ((0, 0.1, 0.2, 1), (0.1, 0.5, 0.9, 0.995), HELD),
        ((0.2, 0.3, 0.4, 0.5), (0.1, 0.2, 0.3, 0.4), DID_NOT_HOLD),
        ((0.2, 0.3, 0.2, 0.3), (0.1, 0.2, 0.3, 0.4), DEPENDS),
    ],
)
def test_complete_linkage_beats_single_linkage(single, complete, verdict) -> None:
    rows = planted({"SL": single, "CL": complete})

    assert verdict_on(claims.complete_beats_single, planted=rows) == verdict


@pytest.mark.parametrize(
    ("ours", "verdict"),
    [
        ((0.2, 0.95, 0.95, 1), HELD),
        ((0.2, 0.3, 0.4, 0.5), DID_NOT_HOLD),
        ((0.95, 0.1, 0.95, 1), DEPENDS),  # earlier than SL, not than CL
    ],
)
def test_average_linkage_recovers_at_a_smaller_delta(ours, verdict) -> None:
    rows = planted(
        {
            "SL": (0, 0.1, 0.2, 0.4),
            "CL": (0.1, 0.2, 0.95, 1),
            ("4K-AL", 0.1): ours,
            ("4K-AL-act", 0.1): ours,
            ("4-AL", 0.1): ours,
        }
    )

    assert verdict_on(claims.average_linkage_recovers_earlier, planted=rows) == verdict


@pytest.mark.parametrize(
    ("few", "verdict"),
    [((0.1, 0.5, 0.9, 1), HELD), ((0, 0.1, 0.2, 0.3), DID_NOT_HOLD), ((0, 0.1, 0.9, 1), DEPENDS)],
)
def test_little_is_lost_at_small_proportions(few, verdict) -> None:
    many = (0.15, 0.55, 0.95, 1)
    rows = planted(
        {
            (method, p): values
            for method in ("4K-AL", "4K-AL-act", "4-AL")
            for p, values in ((0.01, few), (1.0, many))
        }
    )

    assert verdict_on(claims.little_is_lost_at_small_proportions, planted=rows) == verdict


@pytest.mark.parametrize(
    ("best", "verdict"),
    [((0.9, 1, 1, 1), HELD), ((0, 0.1, 0.2, 0.3), DID_NOT_HOLD), ((0.1, 0.3, 1, 1), DEPENDS)],
)
def test_large_initial_clusters_are_best(best, verdict) -> None:
    rows = planted(
        {"SL": (0, 0, 0, 0.5), ("4-AL", 0.1): (0.3, 0.6, 0.9, 1), ("4-AL-I5", 0.1): best}
    )

    assert verdict_on(claims.large_initial_clusters_are_best, planted=rows) == verdict


@pytest.mark.parametrize(
    ("by_p", "verdict"), [((0.55, 0.551, 0.549), HELD), ((0.6, 0.55, 0.5), DID_NOT_HOLD)]
)
def test_proportion_matters_little(by_p, verdict) -> None:
    rows = costs({("Zoo", "4-AL", None): by_p, ("Glass", "4K-AL", None): by_p})

    assert verdict_on(claims.proportion_matters_little, standard=rows) == verdict


@pytest.mark.parametrize(
    ("ours", "verdict"), [(0.50, HELD), (0.504, HELD), (0.6, DID_NOT_HOLD), (0.553, DEPENDS)]
)
def test_comparable_to_embeddings(ours, verdict) -> None:
    rows = costs(
        {
            ("Zoo", "4K-AL", None): (ours, ours),
            ("Zoo", "4-AL", None): (ours, ours),
            ("Zoo", "tSTE-AL", 2): (0.50, 0.50),
            ("Zoo", "FORTE-AL", 2): (0.55, 0.55),
            ("Zoo", "FORTE-AL, Euclidean", 2): (0.2, 0.2),
        }
    )

    assert verdict_on(claims.as_good_as_embeddings, standard=rows) == verdict
    assert verdict_on(claims.as_good_as_euclidean_embeddings, standard=rows) == DID_NOT_HOLD


@pytest.mark.parametrize(("other", "verdict"), [(0.6, HELD), (0.551, DID_NOT_HOLD)])
def test_dimension_matters(other, verdict) -> None:
    rows = costs({("Zoo", "tSTE-AL", 2): (0.55, 0.55), ("Zoo", "tSTE-AL", 5): (other, other)})
    rows += costs({("Zoo", "tSTE-AL, Euclidean", d): (0.4 + d / 20,) for d in (2, 5)})

    assert verdict_on(claims.dimension_matters, standard=rows) == verdict


def linkage_rows(recovered: float, *, ratio) -> list[dict]:
    return [
        {
            "leaf_size": leaf_size,
            "ratio": round(ratio(leaf_size), 6),
            "method": method,
            "measure": "recovered",
            "value": recovered,
            "n_comparisons": 2 * (leaf_size * N_LEAVES) ** 2 // 2,
        }
        for leaf_size in (5, 10)
        for method in ("SL", "CL")
    ]


@pytest.mark.parametrize(("recovered", "verdict"), [(0.95, HELD), (0.5, DID_NOT_HOLD)])
def test_sufficient_condition(recovered, verdict) -> None:
    rows = {"theory-linkage": linkage_rows(recovered, ratio=sufficient_ratio)}

    assert judge(Claim("", "", claims.sufficient_condition), rows).verdict == verdict


@pytest.mark.parametrize(("recovered", "verdict"), [(0.1, HELD), (0.9, DID_NOT_HOLD)])
def test_necessary_condition(recovered, verdict) -> None:
    rows = {"theory-linkage": linkage_rows(recovered, ratio=necessary_ratio)}

    assert judge(Claim("", "", claims.necessary_condition), rows).verdict == verdict


@pytest.mark.parametrize(("factor", "verdict"), [(1, HELD), (100, DID_NOT_HOLD)])
def test_questions_of_single_and_complete_linkage(factor, verdict) -> None:
    rows = linkage_rows(1.0, ratio=sufficient_ratio)
    for row in rows:
        row["n_comparisons"] *= factor

    results = {"theory-linkage": rows}
    assert judge(Claim("", "", claims.questions_of_linkage), results).verdict == verdict


def question_rows(power: float) -> list[dict]:
    return [
        {
            "leaf_size": leaf_size,
            "multiplier": multiplier,
            "measure": "aari",
            "value": quality,
            "n_comparisons": multiplier * (leaf_size * N_LEAVES) ** power,
        }
        for leaf_size in (32, 64, 128)
        for multiplier, quality in ((1.0, 0.5), (4.0, 1.0))
    ]


@pytest.mark.parametrize(("power", "verdict"), [(1.2, HELD), (2.0, DID_NOT_HOLD)])
def test_questions_grow_slowly(power, verdict) -> None:
    results = {"theory-questions": question_rows(power)}

    assert judge(Claim("", "", claims.questions_grow_slowly), results).verdict == verdict


def test_questions_needed_are_interpolated_on_a_logarithmic_scale() -> None:
    needed = questions_needed(question_rows(1.0))

    assert needed[128] == pytest.approx(128 * 4**0.8)  # 0.9 is 80 % of the way from 0.5 to 1
    never = [{**row, "value": 0.2} for row in question_rows(1.0)]
    assert questions_needed(never)[128] == math.inf


def test_without_results_no_claim_is_judged() -> None:
    verdicts = [judge(claim, {}) for claim in CLAIMS]

    assert {verdict.verdict for verdict in verdicts} == {NOT_RUN}
    assert {verdict.measured for verdict in verdicts} == {"no results"}


def made_up(n_true: int, n_false: int):
    """Return a judge of settings that are true or not as wanted."""
    return lambda _: (
        [(f"a{i}", True) for i in range(n_true)] + [(f"b{i}", False) for i in range(n_false)]
    )


@pytest.mark.parametrize(
    ("n_true", "n_false", "verdict"),
    [
        (9, 1, HELD),
        (18, 2, HELD),
        (8, 2, DEPENDS),
        (2, 8, DEPENDS),
        (1, 9, DID_NOT_HOLD),
        (3, 27, DID_NOT_HOLD),
        (11, 99, DID_NOT_HOLD),
    ],
)
def test_nine_of_ten_and_one_of_ten_decide(n_true, n_false, verdict) -> None:
    assert verdict_on(made_up(n_true, n_false)) == verdict


def test_few_settings_are_all_named_and_of_many_the_minority() -> None:
    few = judge(Claim("", "", made_up(1, 2)), {})
    many = judge(Claim("", "", made_up(11, 1)), {})

    assert few.measured == "true in 1 of 3 settings; true: a0; not true: b0; b1"
    assert many.measured == "true in 11 of 12 settings; not true: b0"


def test_single_linkage_is_judged_where_the_hierarchy_can_be_recovered() -> None:
    rows = planted({"SL": (0, 0.1, 0.6, 0.8), "AL": (0.2, 0.8, 0.95, 1.0)})

    assert verdict_on(claims.single_linkage_hardly_recovers, planted=rows) == DID_NOT_HOLD


def test_variants_and_our_own_methods_say_nothing_about_the_papers_claims() -> None:
    steady, wild = (0.55, 0.551, 0.549), (0.6, 0.55, 0.5)
    rows = costs(
        {
            ("Zoo", "4-AL", None): steady,
            ("Zoo", "spectral", None): wild,
            ("Zoo", "tSTE-AL, Euclidean", 2): wild,
            ("Zoo, ties broken", "4-AL", None): wild,
            ("Zoo, ties broken", "tSTE-AL", 2): (0.2, 0.2, 0.2),
            ("Zoo", "tSTE-AL", 2): steady,
        }
    )

    assert verdict_on(claims.proportion_matters_little, standard=rows) == HELD
    assert verdict_on(claims.as_good_as_embeddings, standard=rows) == HELD


def test_a_size_that_never_recovers_speaks_against_slow_growth() -> None:
    rows = question_rows(1.0)
    for row in rows:
        if row["leaf_size"] == 128:
            row["value"] = 0.5

    results = {"theory-questions": rows}
    assert judge(Claim("", "", claims.questions_grow_slowly), results).verdict == DID_NOT_HOLD


def test_a_missing_rival_is_not_beaten() -> None:
    rows = planted({("4-AL", 0.1): (0.9, 0.95, 1, 1)})

    assert verdict_on(claims.average_linkage_recovers_earlier, planted=rows) == NOT_RUN
