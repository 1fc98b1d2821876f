"""The report: figures as SVG and PNG, the trees of the cars, and one page that shows all."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

from ordlink._atomic import write_text
from ordlink.hierarchy import Hierarchy
from studies import html
from studies.reproduction.claims import CLAIMS, DEPENDS, DID_NOT_HOLD, HELD, NOT_RUN, Verdict, judge
from studies.reproduction.experiments import Study
from studies.running._command import Section
from studies.running._experiment import Record

TITLE = "Comparison-based hierarchical clustering, reproduced"
THUMBNAIL_WIDTH = 700
"""Pixels of a tree of cars in the page; the file beside it is larger."""
CAR_CLUSTERS = 4
"""As many as the authors name classes."""


def write_report(
    sections: Sequence[Section[Study]],
    folder: Path,
    *,
    grid: str,
    pictures: Sequence[Path] | None = None,
) -> Path:
    """Write the figures and the page, and return the path of the page.

    Parameters
    ----------
    sections : sequence of Section
        What was run.
    folder : Path
        Where ``report.html`` and the folder ``figures`` go.
    grid : str
        Which grid was run, for the heading.
    pictures : sequence of Path, optional
        Pictures of the cars.
    """
    figures = folder / "figures"
    figures.mkdir(parents=True, exist_ok=True)
    results = {section.subject.name: section.rows for section in sections}
    verdicts = [judge(claim, results) for claim in CLAIMS]
    parts = [_heading(grid, verdicts)]
    parts += [_section_html(section, figures, pictures) for section in sections]
    page = folder / "report.html"
    write_text(page, html.page(TITLE, "\n".join(parts)))
    return page


def _heading(grid: str, verdicts: Sequence[Verdict]) -> str:
    return (
        f"<h1>{TITLE}</h1>\n"
        "<p>The experiments of <cite>Foundations of Comparison-Based Hierarchical Clustering"
        "</cite> (D. Ghoshdastidar, M. Perrot, U. von Luxburg, NeurIPS 2019), run again with "
        f"ordlink, {html.escape(grid)}.</p>\n"
        "<h2>The paper's claims</h2>\n"
        "<p>Each claim is looked at in many settings; a rule, stated beside it, says whether it "
        "is true in one. It <em>held</em> if true in at least nine of ten settings, <em>did not "
        "hold</em> if in at most one of ten, and <em>depends</em> on the setting otherwise.</p>\n"
        + _verdict_table(verdicts)
    )


def _verdict_table(verdicts: Sequence[Verdict]) -> str:
    kinds = {HELD: "held", DID_NOT_HOLD: "not", DEPENDS: "depends"}
    rows = []
    judged = [verdict for verdict in verdicts if verdict.verdict != NOT_RUN]
    for verdict in judged:
        measured = html.escape(verdict.measured)
        if len(measured) > 200:
            short = measured.partition(";")[0]
            measured = f"<details><summary>{short}</summary>{measured}</details>"
        rows.append(
            f"<tr><td>{html.escape(verdict.claim.text)}</td><td>{html.escape(verdict.claim.rule)}</td>"
            f"<td>{measured}</td>"
            f'<td class="verdict {kinds.get(verdict.verdict, "")}">{verdict.verdict}</td></tr>'
        )
    table = (
        "<table><thead><tr><th>Claim</th><th>Rule</th><th>Measured</th><th>Verdict</th></tr>"
        f"</thead><tbody>{''.join(rows)}</tbody></table>"
    )
    n_left = len(verdicts) - len(judged)
    note = f"<p>Not judged, since their experiments were not run: {n_left} claims.</p>"
    return (table if rows else "") + (note if n_left else "")


def _section_html(section: Section[Study], figures: Path, pictures: Sequence[Path] | None) -> str:
    study = section.subject
    parts = [
        f'<h2 id="{study.name}">{html.escape(study.title)}</h2>',
        f"<dl><dt>The paper's setting</dt><dd>{html.escape(study.paper)}</dd>"
        f"<dt>Ours</dt><dd>{html.escape(study.choices)}</dd>"
        f"<dt>Run here</dt><dd>{html.describe_run(section.rows)}</dd></dl>",
    ]
    parts += [f"<p><strong>Note:</strong> {html.escape(note)}</p>" for note in section.notes]
    for drawing in study.drawings(section.rows):
        svg = html.save_figure(drawing.draw(), figures / drawing.name)
        parts.append(html.image(svg, "image/svg+xml", drawing.caption))
    if study.name == "car" and section.rows:
        parts.append(_car_html(section.rows, figures, pictures))
    return "\n".join(parts)


def _car_html(rows: Sequence[Record], figures: Path, pictures: Sequence[Path] | None) -> str:
    from ordlink.plotting import save_plot

    table, images = [], []
    for row in rows:
        name = _car_name(row)
        table.append((name, f"{row['accuracy']:.3f}", f"{row['class_ari']:.3f}"))
        path = figures / f"cars.{name.replace(', ', '.').replace(' ', '.')}.png"
        tree = Hierarchy.from_json(row["tree"])
        save_plot(tree, path, n_clusters=CAR_CLUSTERS, pictures=pictures, title=name)
        images.append(
            html.image(_thumbnail(path), "image/jpeg", f"{name} ({path.name})", fold=True)
        )
    header = ("Method", "Agreement with the answers", "ARI with the 4 classes")
    return html.table(header, table) + "\n".join(images)


def _car_name(row: Record) -> str:
    return row["method"] if row["dimension"] is None else f"{row['method']} {row['dimension']}-D"


def _thumbnail(path: Path) -> bytes:
    from PIL import Image

    with Image.open(path) as image:
        small = image.convert("RGB")
        small.thumbnail((THUMBNAIL_WIDTH, 100 * THUMBNAIL_WIDTH))
        content = io.BytesIO()
        small.save(content, format="JPEG", quality=80)
    return content.getvalue()
