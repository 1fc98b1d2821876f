"""`python -m studies.pages.fewest_questions FOLDER`: measured parts of docs/fewest-questions.md.

FOLDER is what `python -m studies.questions --out FOLDER` has written. Its tables are copied to
docs/fewest-questions, and the figure is drawn there.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from pathlib import Path

from studies.html import describe_run, save_figure
from studies.pages.kept import keep_tables
from studies.pages.measured import markdown_table, rewrite_parts
from studies.panels import finish, make_panels
from studies.questions.cells import BUDGETED, question_experiments
from studies.running import Record, load_results
from studies.statistics import curve, mean, select, values_of

PAGE = Path(__file__).parents[2] / "docs/fewest-questions.md"
KEPT = PAGE.with_suffix("")
"""Tables and figure that the page shows."""
FIGURE = "![AARI against questions per object](fewest-questions/questions.svg)"
COLOURS = dict(zip(BUDGETED, ("#117733", "#44aa99", "#aa4499", "#888888"), strict=True))
Rows = dict[str, list[Record]]
"""Name of a part -> its rows."""


def load(folder: Path) -> Rows:
    """Return the rows of all parts; a part that was not run has none."""
    return {name: load_results(one, folder) for name, one in question_experiments().items()}


def rewrite(text: str, rows: Rows) -> str:
    """Return the page with the measured parts updated."""
    return rewrite_parts(
        text,
        {
            "runs": lambda: "\n".join(
                f"- {name}: {describe_run(found)}" for name, found in rows.items()
            ),
            "figure": lambda: FIGURE,
            "planted": lambda: _budgeted(rows["planted"], "ratio", "error_rate"),
            "others": lambda: _others(rows["planted"]),
            "shapes": lambda: _budgeted(rows["shapes"], "shape", "ratio"),
            "large": lambda: _large(rows["large"]),
        },
    )


def _budgeted(rows: list[Record], *settings: str) -> str:
    """Return one line per setting and number of questions, one column per method."""
    methods = [method for method in BUDGETED if select(rows, method=method)]
    lines = []
    keys = {tuple(row[name] for name in (*settings, "per_object")) for row in rows}
    for key in sorted(key for key in keys if key[-1] is not None):
        here = select(rows, **dict(zip((*settings, "per_object"), key, strict=True)))
        ours = select(here, method="adaptive")
        lines.append(
            [
                *(f"{part:g}" if isinstance(part, float | int) else part for part in key),
                *(_aari(select(here, method=method)) for method in methods),
                f"{mean(ours, value='asked'):.0f}",
                f"{mean(ours, value='rounds'):.0f}",
                f"{mean(ours, value='firm_splits'):.1f}",
                str(len(ours)),
            ]
        )
    names = {"ratio": "delta / sigma", "error_rate": "wrong answers", "shape": "tree"}
    head = [names[name] for name in settings]
    return markdown_table(
        [*head, "allowed", *methods, "asked", "rounds", "firm splits", "runs"], lines
    )


def _aari(rows: list[Record]) -> str:
    found = mean(rows, value="aari")
    return "-" if math.isnan(found) else f"{found:.3f}"


def _others(rows: list[Record]) -> str:
    rows = [row for row in rows if row["per_object"] is None]
    lines = [
        [method, f"{rate:g}", _aari(here), f"{mean(here, value='asked'):.0f}", str(len(here))]
        for method in values_of(rows, "method")
        for rate in values_of(rows, "error_rate")
        if (here := select(rows, method=method, error_rate=rate))
    ]
    return markdown_table(
        ["method", "wrong answers", "AARI", "questions per object", "runs"], lines
    )


def _large(rows: list[Record]) -> str:
    columns = ("n_objects", "ratio", "error_rate", "per_object")
    lines = []
    for key in sorted({tuple(row[name] for name in columns) for row in rows}):
        here = select(rows, **dict(zip(columns, key, strict=True)))
        figures = [f"{mean(here, value=name):.0f}" for name in ("asked", "rounds", "seconds")]
        lines.append([f"{key[0]:,}", *(f"{x:g}" for x in key[1:]), _aari(here), *figures])
        lines[-1].append(str(len(here)))
    head = ["N", "delta / sigma", "wrong answers", "allowed", "AARI", "asked", "rounds"]
    return markdown_table([*head, "seconds", "runs"], lines)


def draw(rows: list[Record], folder: Path) -> None:
    """Draw AARI against questions per object, a panel per setting."""
    rows = [row for row in rows if row["per_object"] is not None]
    settings = sorted({(row["ratio"], row["error_rate"]) for row in rows})
    figure, panels = make_panels(len(settings))
    for panel, (ratio, rate) in zip(panels, settings, strict=True):
        here = select(rows, ratio=ratio, error_rate=rate)
        for method, colour in COLOURS.items():
            found = curve(select(here, method=method), "per_object", value="aari")
            means = [one.mean for one in found.values()]
            panel.plot(list(found), means, "o-", color=colour, ms=3, label=method)
        n = here[0]["n_objects"]
        panel.axvline(math.log2(n), color="k", lw=0.8, ls="--", label="log2 N per object")
        panel.axvline(3, color="k", lw=0.8, ls=":", label="3 bits per object")
        panel.set(xscale="log", ylim=(0, 1.02))
        panel.set_title(f"delta = {ratio:g} sigma, {rate:.0%} wrong", fontsize=9)
    finish(figure, panels, x="questions per object", y="AARI")
    save_figure(figure, folder / "questions")
    (folder / "questions.png").unlink()


def main(arguments: Sequence[str]) -> int:
    """Copy the results and update the page."""
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    folder = Path(arguments[0])
    made = [one for one in question_experiments().values() if (folder / one.name).is_dir()]
    keep_tables(made, folder, KEPT)
    rows = load(KEPT)
    draw(rows["planted"], KEPT)
    PAGE.write_text(rewrite(PAGE.read_text(), rows))
    print(f"{PAGE} is up to date with {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
