"""The page of the calibration: verdicts, tables by setting, and the reliability curve."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from studies.calibration.bars import (
    BARS,
    FIRM,
    MOST_CONFLICTS,
    auc_of,
    best_method,
    by_answers,
    by_setting,
    firm_branches,
    share_conflicting,
    share_rejected,
)
from studies.calibration.branches import CONFLICTS, INSIDE, JOINS, PLANTED
from studies.calibration.cells import AUTO, SUPPORTED
from studies.panels import finish, make_panels
from studies.quality.bars import Results
from studies.running._experiment import Record
from studies.statistics import mean, select

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EDGES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, FIRM)
"""Lower edges of the classes of support; the last one holds the firm branches."""
KINDS = (PLANTED, INSIDE, JOINS, CONFLICTS)
_COLOURS = ("#D55E00", "#E69F00", "#117733", "#332288", "#AA4499")


def calibration_page(results: Results, figure: str = "") -> str:
    """Return the page as Markdown.

    Parameters
    ----------
    results : mapping of str to rows
        The rows of the parts "support", "default", "auto" and "chance".
    figure : str
        Address of the figure; none is shown without it.
    """
    parts = ["# Calibration of trust", verdicts_table(results)]
    if figure:
        parts.append(f"![Share of conflicting branches against their support]({figure})")
    parts += sections(results)
    return "\n\n".join(parts) + "\n"


def verdicts_table(results: Results) -> str:
    """Return the table of the bars."""
    header = ("Bar", "Verdict", "Measured", "Rule")
    return table(header, [(bar.text, *bar.judge(results), bar.rule) for bar in BARS])


def sections(results: Results) -> Iterator[str]:
    """Yield the headings and tables of all that was run."""
    rows = results.get("support", ())
    branches = select(rows, measure="support")
    if branches:
        yield "## Branches by support"
        yield table(("Support", "Branches", *KINDS), _by_support(branches))
        yield "## Support and hierarchy test by setting"
        yield (
            "Tree; delta / sigma; questions. Rejected is the share of runs in which the hierarchy "
            f"test finds structure; conflicting, the share of branches with support of at least "
            f"{FIRM:g}."
        )
        header = ("Setting", "Runs", f"Support >= {FIRM:g}", "Conflicting", "AUC", "Rejected")
        yield table(header, _support_rows(rows))
    default = select(results.get("default", ()), measure="support")
    if default:
        yield "## Branches of the default method by support"
        n_runs = len({row["run"] for row in default})
        firm = firm_branches(default)
        wrong = sum(row["kind"] == CONFLICTS for row in firm)
        yield (
            f"A smaller check, {n_runs} runs of each setting: AUC {auc_of(default):.3f}; of "
            f"{len(firm):,} branches with support of at least {FIRM:g}, {wrong:,} conflict with "
            "the planted tree."
        )
        yield table(("Support", "Branches", *KINDS), _by_support(default))
    choices = select(results.get("auto", ()), measure="aari")
    if choices:
        yield "## AARI by setting"
        header = ("Setting", "Runs", "auto", "Best method", "its AARI", "Chosen")
        yield table(header, _auto_rows(choices))
    chance = select(results.get("chance", ()), measure="p_value")
    if chance:
        yield "## The hierarchy test without structure"
        header = ("Objects", "Answers per object", "Question", "Wrong", "Data sets", "Rejected")
        yield table(header, _chance_rows(chance))


def _by_support(branches: Sequence[Record]) -> Iterator[tuple[Any, ...]]:
    for low, high, own in classes_of(branches):
        counts = Counter(row["kind"] for row in own)
        shares = (f"{counts[kind] / len(own):.1%}" if own else "" for kind in KINDS)
        yield f"{low:g} to {high:g}", f"{len(own):,}", *shares


def _support_rows(rows: Sequence[Record]) -> Iterator[tuple[Any, ...]]:
    for setting, own in by_setting(rows).items():
        branches = select(own, measure="support")
        firm = firm_branches(branches)
        yield (
            setting,
            len({row["run"] for row in own}),
            f"{len(firm):,} of {len(branches):,}",
            _percent(share_conflicting(firm)),
            _number(auc_of(branches)),
            _percent(share_rejected(select(own, measure="p_value"))),
        )


def _auto_rows(rows: Sequence[Record]) -> Iterator[tuple[Any, ...]]:
    for setting, own in by_setting(rows).items():
        auto = select(own, method=AUTO)
        best, best_mean = best_method(own)
        chosen = Counter(row["chosen"] for row in auto).most_common()
        yield (
            setting,
            len(auto),
            _number(mean(auto)),
            best,
            _number(best_mean),
            ", ".join(f"{label} {count}" for label, count in chosen),
        )


def _chance_rows(rows: Sequence[Record]) -> Iterator[tuple[Any, ...]]:
    names = ("n_objects", "per_object", "form", "error_rate")
    for kind in dict.fromkeys(tuple(row[name] for name in names) for row in rows):
        own = select(rows, **dict(zip(names, kind, strict=True)))
        n_objects, per_object, form, error_rate = kind
        number = "all" if per_object is None else per_object
        yield n_objects, number, form, error_rate, len(own), _percent(share_rejected(own))


def classes_of(branches: Sequence[Record]) -> Iterator[tuple[float, float, list[Record]]]:
    """Yield the lower and upper edge of each class of support, and its branches."""
    for low, high in zip(EDGES, (*EDGES[1:], 1.0), strict=True):
        is_last = low == EDGES[-1]
        own = [row for row in branches if low <= row["value"] and (is_last or row["value"] < high)]
        yield low, high, own


def reliability_figure(branches: Sequence[Record]) -> Figure:
    """Draw the share of conflicting branches against support, one panel per method."""
    figure, panels = make_panels(len(SUPPORTED))
    for panel, method in zip(panels, SUPPORTED, strict=True):
        groups = by_answers(select(branches, method=method))
        for (name, own), colour in zip(groups.items(), _COLOURS, strict=False):
            points = [
                (np.mean([row["value"] for row in held]), share_conflicting(held))
                for _, _, held in classes_of(own)
                if held
            ]
            label = "all comparisons" if name == "all" else f"{name} answers per object"
            panel.plot(*np.transpose(points), "o-", color=colour, linewidth=1.4, ms=3, label=label)
        panel.axhline(MOST_CONFLICTS, color="#666666", linewidth=0.8, linestyle=":")
        panel.axvline(FIRM, color="#666666", linewidth=0.8, linestyle=":")
        panel.set(title=method, xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    finish(figure, panels, x="support", y="share of conflicting branches")
    return figure


def table(header: Iterable[Any], rows: Iterable[Iterable[Any]]) -> str:
    """Return a table in Markdown.

    Examples
    --------
    >>> print(table(["a", "b"], [[1, 2]]))
    | a | b |
    | --- | --- |
    | 1 | 2 |
    """
    header = list(header)
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(str(cell) for cell in line)} |" for line in lines)


def _percent(share: float) -> str:
    return "" if np.isnan(share) else f"{share:.1%}"


def _number(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.3f}"
