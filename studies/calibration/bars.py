"""The bars of trust, judged by stated rules from the saved rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from studies.calibration.branches import CONFLICTS, PLANTED, separation
from studies.calibration.cells import AUTO, SUPPORTED
from studies.calibration.grid import Setting, setting_of
from studies.quality.bars import MET, NOT_MET, NOT_RUN, UNDECIDED, Bar, Finding, Results
from studies.running._experiment import Record
from studies.statistics import mean, select

FIRM = 0.95
"""Support from which on a branch counts as firm."""
MOST_CONFLICTS = 0.1
"""Share of the firm branches that may conflict with the planted tree."""
LEAST_AUC = 0.9
LEVEL, LEVEL_SLACK = 0.05, 0.02
"""Level of the hierarchy test, and how far its rate of rejections may be off."""
MOST_BEHIND = 0.02
"""How far `auto` may be behind the best method of each setting, on average."""
FEWEST_SETTINGS, FEWEST_RUNS, FEWEST_STRUCTURELESS = 24, 20, 400
"""With fewer of these nothing is decided."""
_ROUNDING = 1e-9


def firm_branches_rarely_conflict(results: Results) -> Finding:
    """Judge the share of conflicting ones among branches with support of at least 0.95."""
    rows = select(results.get("support", ()), measure="support")
    if not rows:
        return NOT_RUN, ""
    firm = firm_branches(rows)
    if not firm:
        return UNDECIDED, "no branch has that support"
    share = share_conflicting(firm)
    parts = "; ".join(
        f"{method} {share_conflicting(select(firm, method=method)):.1%}"
        for method in SUPPORTED
        if select(firm, method=method)
    )
    text = f"{share:.1%} of {len(firm):,} branches ({parts})"
    return _verdict(rows, share <= MOST_CONFLICTS), text


def support_separates(results: Results) -> Finding:
    """Judge the AUC of support between planted and conflicting branches."""
    rows = select(results.get("support", ()), measure="support")
    if not rows:
        return NOT_RUN, ""
    auc = auc_of(rows)
    if np.isnan(auc):
        return UNDECIDED, "no branch is planted, or none conflicts"
    parts = "; ".join(f"{name} {auc_of(own):.3f}" for name, own in by_answers(rows).items())
    return _verdict(rows, auc >= LEAST_AUC), f"{auc:.3f} ({parts})"


def level_is_kept(results: Results) -> Finding:
    """Judge how often the hierarchy test rejects where there is no structure."""
    rows = select(results.get("chance", ()), measure="p_value")
    if not rows:
        return NOT_RUN, ""
    rate = share_rejected(rows)
    error = float(np.sqrt(rate * (1 - rate) / len(rows)))
    text = f"{rate:.1%} of {len(rows):,} data sets (standard error {error:.1%})"
    if len(rows) < FEWEST_STRUCTURELESS:
        return UNDECIDED, text
    met = abs(rate - LEVEL) <= LEVEL_SLACK + _ROUNDING
    return (MET if met else NOT_MET), text


def auto_beats_each_method(results: Results) -> Finding:
    """Judge whether the mean AARI of `auto` is at least that of every method."""
    rows = select(results.get("auto", ()), measure="aari")
    found = [(method, *advantage(rows, method)) for method in methods_of(rows)]
    if not found:
        return NOT_RUN, ""
    parts = "; ".join(f"{method} {gain:+.4f} ± {error:.4f}" for method, gain, error in found)
    text = f"auto {mean(select(rows, method=AUTO)):.4f}; auto minus {parts}"
    return _verdict(rows, all(gain >= -_ROUNDING for _, gain, _ in found)), text


def auto_is_near_the_best(results: Results) -> Finding:
    """Judge how far `auto` is behind the best method of each setting, on average."""
    rows = select(results.get("auto", ()), measure="aari")
    behind = {}
    for setting, own in by_setting(rows).items():
        behind[setting] = best_method(own)[1] - mean(select(own, method=AUTO))
    if not behind:
        return NOT_RUN, ""
    average = float(np.mean(list(behind.values())))
    worst = max(behind, key=behind.__getitem__)
    text = f"{average:.4f} behind; most at {worst} ({behind[worst]:.3f})"
    return _verdict(rows, average <= MOST_BEHIND + _ROUNDING), text


def firm_branches(rows: Iterable[Record]) -> list[Record]:
    """Return the branches with support of at least 0.95."""
    return [row for row in rows if row["value"] >= FIRM]


def share_conflicting(rows: Sequence[Record]) -> float:
    """Return the share of branches that conflict with the planted tree; NaN for none."""
    return len(select(rows, kind=CONFLICTS)) / len(rows) if rows else float("nan")


def auc_of(rows: Iterable[Record]) -> float:
    """Return how well support tells planted from conflicting branches."""
    rows = list(rows)
    planted, conflicting = (
        [row["value"] for row in select(rows, kind=kind)] for kind in (PLANTED, CONFLICTS)
    )
    return separation(planted, conflicting)


def share_rejected(rows: Sequence[Record]) -> float:
    """Return the share of p-values of at most 0.05; NaN for none."""
    return mean([{"value": row["value"] <= LEVEL} for row in rows])


def advantage(rows: Sequence[Record], method: str) -> tuple[float, float]:
    """Return the mean AARI of `auto` minus that of a method, and its standard error.

    In pairs, over the runs of all settings that have the method.
    """
    of_auto = {_run_of(row): row["value"] for row in select(rows, method=AUTO)}
    gains = [of_auto[_run_of(row)] - row["value"] for row in select(rows, method=method)]
    error = float(np.std(gains, ddof=1) / np.sqrt(len(gains))) if len(gains) > 1 else float("nan")
    return float(np.mean(gains)), error


def best_method(rows: Sequence[Record]) -> tuple[str, float]:
    """Return the method of the highest mean AARI in a setting, `auto` apart, and that mean."""
    means = {method: mean(select(rows, method=method)) for method in methods_of(rows)}
    best = max(means, key=means.__getitem__)
    return best, means[best]


def methods_of(rows: Iterable[Record]) -> list[str]:
    """Return the methods, `auto` apart, in the order in which they come."""
    return [method for method in dict.fromkeys(row["method"] for row in rows) if method != AUTO]


def by_setting(rows: Iterable[Record]) -> dict[Setting, list[Record]]:
    """Return the rows of each planted setting."""
    return _grouped(rows, setting_of)


def by_answers(rows: Iterable[Record]) -> dict[str, list[Record]]:
    """Return the rows of each number of answers per object, the fewest first."""
    found = _grouped(rows, lambda row: row["per_object"])
    numbers = sorted(found, key=lambda number: (number is None, number))
    return {"all" if number is None else str(number): found[number] for number in numbers}


def _grouped(rows: Iterable[Record], key: Callable[[Record], Any]) -> dict[Any, list[Record]]:
    found: dict[Any, list[Record]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return found


def _run_of(row: Record) -> tuple[Setting, int]:
    return setting_of(row), row["run"]


def _verdict(rows: Iterable[Record], met: bool) -> str:  # noqa: FBT001 - said in one word
    """Return the verdict; nothing is decided by a part of the grid."""
    runs = [len({row["run"] for row in own}) for own in by_setting(rows).values()]
    if len(runs) < FEWEST_SETTINGS or min(runs) < FEWEST_RUNS:
        return UNDECIDED
    return MET if met else NOT_MET


BARS: tuple[Bar, ...] = (
    Bar(
        f"Branches with support of at least {FIRM:g}: at most {MOST_CONFLICTS:.0%} conflict with "
        "the planted tree",
        "conflicting branches / all branches with that support, neither root nor object, of all "
        f"runs and of {' and '.join(SUPPORTED)}",
        firm_branches_rarely_conflict,
    ),
    Bar(
        f"Support tells planted from conflicting branches: AUC at least {LEAST_AUC:g}",
        "over all pairs of one planted and one conflicting branch, of all runs and both methods "
        "together; ties count one half; in brackets by answers per object",
        support_separates,
    ),
    Bar(
        f"Without structure the hierarchy test rejects at {LEVEL:.0%} in {LEVEL:.0%} ± "
        f"{LEVEL_SLACK:.0%} of data sets",
        f"share of p-values of at most {LEVEL:g}",
        level_is_kept,
    ),
    Bar(
        "Mean AARI of auto at least that of every single method",
        "over the runs of all settings, in pairs; ± one standard error, which does not decide",
        auto_beats_each_method,
    ),
    Bar(
        f"auto within {MOST_BEHIND:g} of the best method per setting, on average",
        "highest mean AARI of a method in the setting minus that of auto, averaged over settings",
        auto_is_near_the_best,
    ),
)
"""The bars, in the order of the page."""
