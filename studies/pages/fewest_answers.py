"""`python -m studies.pages.fewest_answers FOLDER`: the measured parts of docs/fewest-answers.md.

FOLDER is what `python -m studies.quality --full --out FOLDER` has written. Tables of groups that
were run in full and the figures are copied to docs/fewest-answers, and from them are made the
measured parts of the page, and of the page beside it that goes through every cell.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from studies.html import describe_run
from studies.pages.kept import drop_tables, keep_figures, keep_tables
from studies.pages.measured import markdown_table, rewrite_parts
from studies.quality.bars import BARS
from studies.quality.figures import LINES
from studies.quality.groups import GROUPS, Group
from studies.quality.methods import OURS, make_experiments
from studies.quality.people import N_FOLDS, N_REPETITIONS, PEOPLE, people_cell
from studies.quality.tables import (
    MEASURES,
    TARGET,
    Cell,
    answers_needed,
    cells_of,
    margins,
    median_seconds,
    standard_error,
)
from studies.running import Experiment, Record, load_results
from studies.statistics import select, values_of

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "fewest-answers.md"
CELLS = DOCS / "fewest-answers-cells.md"
KEPT = DOCS / "fewest-answers"
"""Tables and figures that the pages show."""
PAPERS = ("4-AL", "4K-AL", "AddS-AL")
"""Methods that every cell is shown with, besides ours and the best other one."""
IMAGES = {
    "quality-planted-aari": "AARI against the number of answers, one panel per delta",
    "quality-needed": "Answers needed against delta",
    "quality-shapes-aari": "Trees of other shapes",
    "quality-forms-aari": "Forms of answers",
    "quality-errors-aari": "Wrong answers",
    "quality-uneven-aari": "Objects asked about unevenly",
    "quality-features-held_out": "Zoo and Glass: held-out accuracy",
}
"""Figure -> what it shows; the second word of its name is that of a group."""
FIGURE_OF = {"quality-needed": "planted"}
"""Figures whose group has another name."""
Rows = dict[str, list[Record]]
"""Name of a group -> its rows."""


def experiments(group: Group) -> tuple[Experiment, ...]:
    """Return the experiments of a group's full grid, with or without the data of people."""
    if group.name != "people":
        return group.make("full", None)[0]
    cells = [
        {"dataset": dataset, "repetition": repetition, "fold": fold}
        for dataset in PEOPLE
        for repetition in range(N_REPETITIONS)
        for fold in range(N_FOLDS)
    ]
    return make_experiments("people", people_cell, cells, lambda _: 1.0)


def load(folder: Path) -> Rows:
    """Return the rows of all groups."""
    return {
        name: [row for one in experiments(group) for row in load_results(one, folder)]
        for name, group in GROUPS.items()
    }


def is_complete(group: Group, rows: Sequence[Record]) -> bool:
    """Return whether every cell of a group's full grid was run, by all its methods."""
    wanted = sum(len(one.cells) for one in experiments(group))
    return len({(row["cell"], row["methods"]) for row in rows}) == wanted


def rewrite(text: str, rows: Rows) -> str:
    """Return a page with every measured part updated."""
    parts = {
        "run": partial(_run, rows),
        "bars": partial(_bars, rows),
        "planted": partial(_planted, rows["planted"]),
        "needed": partial(_needed, rows["planted"]),
        "people": partial(_people, rows["people"]),
        "margins": partial(_margins, rows),
        "seconds": partial(_seconds, rows["planted"]),
    }
    for name in GROUPS:
        parts[f"cells-{name}"] = partial(_cells, rows[name])
    for name, words in IMAGES.items():
        shown = rows[FIGURE_OF.get(name, name.split("-")[1])]
        image = f"![{words}](fewest-answers/{name}.svg)" if shown else ""
        parts[f"image-{name}"] = partial(str, image)
    return rewrite_parts(text, parts)


def _run(rows: Rows) -> str:
    return markdown_table(
        ("group", "what", "run"),
        [
            (name, GROUPS[name].title, describe_run(found) if found else "not run in full yet")
            for name, found in rows.items()
        ],
    )


def _bars(rows: Rows) -> str:
    lines = []
    for bar in BARS:
        verdict, measured = bar.judge(rows)
        lines.append((bar.text, measured, f"**{verdict}**"))
    return markdown_table(("bar", "measured", "verdict"), lines)


def _planted(rows: Sequence[Record]) -> str:
    """Return mean AARI of ours, the paper's methods and the best other one, by number and delta."""
    lines = []
    for margin in sorted(
        margins(rows, "aari"), key=lambda one: (one.cell.setting, one.cell.n_answers or 0)
    ):
        methods = margin.cell.methods
        lines.append(
            (
                margin.cell.setting.removeprefix("balanced, delta "),
                f"{margin.cell.n_answers:,}",
                f"**{margin.ours.mean:.2f}**"
                if margin.difference > 0
                else f"{margin.ours.mean:.2f}",
                *(f"{methods[name].mean:.2f}" for name in PAPERS),
                f"{margin.best.mean:.2f} ({margin.rival})",
            )
        )
    return markdown_table(("delta", "comparisons", OURS, *PAPERS, "best other"), lines)


def _needed(rows: Sequence[Record]) -> str:
    deltas = values_of(rows, "delta")
    by_delta = [
        next(iter(answers_needed(select(rows, delta=delta)).values()), {}) for delta in deltas
    ]
    lines = [
        (method, *(str(found.get(method, "")) for found in by_delta))
        for method in LINES
        if any(method in found and found[method].reached for found in by_delta)
    ]
    return markdown_table(
        (f"answers for AARI {TARGET:g}", *(f"delta {delta:g}" for delta in deltas)), lines
    )


def _people(rows: Sequence[Record]) -> str:
    """Return the held-out accuracy of ours and the best other method, data set by data set."""
    lines = []
    for cell in cells_of(rows, "held_out"):
        others = {name: found.mean for name, found in cell.methods.items() if name != OURS}
        rival = max(others, key=others.__getitem__)
        own = select(rows, measure="held_out", dataset=cell.setting)
        errors = {name: standard_error(select(own, method=name)) for name in (OURS, rival)}
        lines.append(
            (
                cell.setting,
                f"{cell.methods[OURS].mean:.3f} ± {errors[OURS]:.3f}",
                f"{others[rival]:.3f} ± {errors[rival]:.3f} ({rival})",
                *(f"{others[name]:.3f}" for name in PAPERS),
            )
        )
    return markdown_table(("answers", OURS, "best other", *PAPERS), lines)


def _margins(rows: Rows) -> str:
    """Return how ours compares with the best other method, group by group."""
    lines = []
    for name, found in rows.items():
        for measure in ("aari", "held_out"):
            all_margins = margins(found, measure)
            if not all_margins:
                continue
            worst = all_margins[0]
            ahead = sum(margin.difference > 0 for margin in all_margins)
            lines.append(
                (
                    GROUPS[name].title,
                    MEASURES[measure][0],
                    f"{ahead} of {len(all_margins)}",
                    f"{sum(m.difference for m in all_margins) / len(all_margins):+.3f}",
                    f"{worst.difference:+.3f} ({worst.cell.name}: {worst.rival})",
                )
            )
    header = ("group", "measure", f"cells where {OURS} is best", "mean difference", "worst")
    return markdown_table(header, lines)


def _seconds(rows: Sequence[Record]) -> str:
    seconds = median_seconds(rows)
    numbers = sorted({number for found in seconds.values() for number in found})
    lines = [
        (
            method,
            *(f"{seconds[method][n]:.3g}" if n in seconds[method] else "" for n in numbers),
        )
        for method in LINES
        if method in seconds
    ]
    return markdown_table(("seconds of one core", *(f"{n:,}" for n in numbers)), lines)


def _cells(rows: Sequence[Record]) -> str:
    """Return every cell, measure by measure, in the order of the grid."""
    tables = []
    for measure, (words, _) in MEASURES.items():
        cells = cells_of(rows, measure)
        if cells:
            header = ("cell", OURS, *PAPERS, "best other", "which", "repetitions")
            lines = [_cell_line(cell, measure) for cell in cells]
            tables.append(f"{words[0].upper()}{words[1:]}:\n\n{markdown_table(header, lines)}\n")
    return "\n".join(tables)


def _cell_line(cell: Cell, measure: str) -> tuple[str, ...]:
    sign = MEASURES[measure][1]
    others = {name: found.mean for name, found in cell.methods.items() if name != OURS}
    rival = max(others, key=lambda name: sign * others[name])
    ours = cell.methods.get(OURS)
    return (
        cell.name,
        "not run" if ours is None else f"{ours.mean:.3f} ± {ours.deviation:.3f}",
        *(f"{others[name]:.3f}" for name in PAPERS),
        f"{others[rival]:.3f}",
        rival,
        str(cell.methods[rival].n),
    )


def main(arguments: Sequence[str]) -> int:
    """Copy the results and update the pages."""
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    folder = Path(arguments[0])
    found = load(folder / "results")
    for name, group in GROUPS.items():
        if is_complete(group, found[name]):
            keep_tables(experiments(group), folder / "results", KEPT)
        else:
            drop_tables(experiments(group), KEPT)
            print(f"{name}: not all cells were run, so it is left out")
    keep_figures(folder / "figures", "quality-*.svg", KEPT)
    rows = load(KEPT)
    for page in (PAGE, CELLS):
        page.write_text(rewrite(page.read_text(), rows))
    print(f"{PAGE} and {CELLS} are up to date with {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
