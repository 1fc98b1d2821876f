"""The page of the bench of quality: bars, answers needed, and every group with its margins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from ordlink._atomic import write_text
from studies import html
from studies.quality.bars import BARS, MET, NOT_MET, UNDECIDED
from studies.quality.figures import LINES, needed_figure, quality_figure
from studies.quality.groups import Group
from studies.quality.methods import OURS
from studies.quality.tables import (
    MEASURES,
    TARGET,
    Margin,
    answers_needed,
    cells_of,
    margins,
    median_seconds,
    standard_error,
)
from studies.running._command import Section
from studies.running._experiment import Record
from studies.statistics import select, values_of

TITLE = "Quality for a given number of answers"
N_SHOWN = 12
"""Margins shown at once; the others unfold."""


def write_page(sections: Sequence[Section[Group]], folder: Path, *, grid: str) -> Path:
    """Write the figures and the page, and return the path of the page.

    Parameters
    ----------
    sections : sequence of Section
        What was run.
    folder : Path
        Where ``quality.html`` and the folder ``figures`` go.
    grid : str
        Which grid was run, for the heading.
    """
    figures = folder / "figures"
    figures.mkdir(parents=True, exist_ok=True)
    parts = [_heading(grid), _bars_html(sections)]
    planted = [section.rows for section in sections if section.subject.name == "planted"]
    if any(planted):
        parts.append(_needed_html(planted[0], figures))
    parts += ["\n".join(_section_html(section, figures)) for section in sections]
    page = folder / "quality.html"
    write_text(page, html.page(TITLE, "\n".join(parts)))
    return page


def _heading(grid: str) -> str:
    return (
        f"<h1>{TITLE}</h1>\n"
        f"<p>Every method that works on answers alone, {html.escape(grid)}. All methods of a "
        "repetition see the same answers, and objects are shuffled. AARI compares the tree with "
        "the planted one, level by level (1: all levels right, 0: nothing known). The held-out "
        "accuracy of planted data is the share of fresh answers of the same kind that the tree "
        "agrees with. Embeddings are one run in 2 or 5 dimensions, linked by Euclidean distance "
        "or cosine.</p>"
    )


def _bars_html(sections: Sequence[Section[Group]]) -> str:
    results = {section.subject.name: section.rows for section in sections}
    kinds = {MET: "held", NOT_MET: "not", UNDECIDED: "depends"}
    rows = []
    for bar in BARS:
        verdict, measured = bar.judge(results)
        rows.append(
            f"<tr><td>{html.escape(bar.text)}</td><td>{html.escape(bar.rule)}</td>"
            f"<td>{html.escape(measured)}</td>"
            f'<td class="verdict {kinds.get(verdict, "")}">{verdict}</td></tr>'
        )
    return (
        f"<h2>Bars for {OURS}</h2>\n<table><thead><tr><th>Bar</th><th>Rule</th><th>Measured</th>"
        f"<th>Verdict</th></tr></thead><tbody>{''.join(rows)}</tbody></table>"
    )


def _needed_html(rows: Sequence[Record], figures: Path) -> str:
    caption = f"Planted grid: answers needed for a mean AARI of {TARGET:g}."
    svg = html.save_figure(needed_figure(rows), figures / "quality-needed")
    table = []
    deltas = values_of(rows, "delta")
    by_delta = [
        next(iter(answers_needed(select(rows, delta=delta)).values()), {}) for delta in deltas
    ]
    for method in LINES:
        if any(method in found for found in by_delta):
            table.append((method, *(str(found.get(method, "")) for found in by_delta)))
    header = ("Method", *(f"delta {delta:g}" for delta in deltas))
    return (
        f"<h2>Answers needed for AARI {TARGET:g}</h2>\n"
        + html.image(svg, "image/svg+xml", caption)
        + html.table(header, table)
    )


def _section_html(section: Section[Group], figures: Path) -> Iterator[str]:
    group, rows = section.subject, section.rows
    yield f'<h2 id="{group.name}">{html.escape(group.title)}</h2>\n<p>{html.escape(group.text)}</p>'
    yield f"<p>Run here: {html.describe_run(rows)}.</p>"
    yield from (f"<p><strong>Note:</strong> {html.escape(note)}</p>" for note in section.notes)
    for measure, (words, _) in MEASURES.items():
        found = select(rows, measure=measure)
        if not found:
            continue
        if values_of(found, "n_answers"):
            name = f"quality-{group.name}-{measure}"
            caption = f"{group.title}: {words} against the number of answers."
            svg = html.save_figure(quality_figure(found, measure), figures / name)
            yield html.image(svg, "image/svg+xml", caption)
        else:
            yield _people_html(found, words)
        yield _margins_html(margins(found, measure), words)
    if values_of(rows, "n_answers") and group.name == "planted":
        yield _seconds_html(rows)


def _margins_html(found: Sequence[Margin], words: str) -> str:
    if not found:
        return ""
    header = ("Cell", OURS, "best other", "which", "difference", "repetitions")
    table = [
        (
            margin.cell.name,
            f"{margin.ours.mean:.3f}",
            f"{margin.best.mean:.3f}",
            margin.rival,
            f"{margin.difference:+.3f}",
            margin.ours.n,
        )
        for margin in found
    ]
    shown = f"<h3>{html.escape(words)}: {OURS} minus the best other, the worst first</h3>"
    shown += html.table(header, table[:N_SHOWN])
    if len(table) > N_SHOWN:
        rest = html.table(header, table[N_SHOWN:])
        shown += f"<details><summary>{len(table) - N_SHOWN} more</summary>{rest}</details>"
    return shown


def _people_html(rows: Sequence[Record], words: str) -> str:
    """Return a table of methods and data sets: the mean, and the standard error over folds."""
    cells = cells_of(rows, rows[0]["measure"])
    table = []
    for method in LINES:
        own = [select(rows, dataset=cell.setting, method=method) for cell in cells]
        if any(own):
            values = (
                f"{cell.methods[method].mean:.3f} ± {standard_error(found):.3f}" if found else ""
                for cell, found in zip(cells, own, strict=True)
            )
            table.append((method, *values))
    header = ("Method", *(cell.setting for cell in cells))
    wide = f'<div style="overflow-x: auto">{html.table(header, table)}</div>'
    return f"<h3>{html.escape(words)}</h3>{wide}"


def _seconds_html(rows: Sequence[Record]) -> str:
    seconds = median_seconds(rows)
    numbers = values_of(rows, "n_answers")
    table = [
        (method, *(f"{seconds[method][n]:.2f}" if n in seconds[method] else "" for n in numbers))
        for method in LINES
        if method in seconds
    ]
    header = ("Method", *(f"{n:,}" for n in numbers))
    return "<h3>Seconds of one core, medians</h3>" + html.table(header, table)
