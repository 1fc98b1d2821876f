"""Parts of a page that holds everything itself: tables, pictures, figures."""

from __future__ import annotations

import base64
import html
import io
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ordlink._atomic import replacing
from studies.running._experiment import Record

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem;
  color: #222; background: #fff; }
h1, h2 { line-height: 1.2; } h2 { margin-top: 3rem; border-top: 1px solid #ccc; padding-top: 1rem; }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; }
th, td { text-align: left; vertical-align: top; padding: 0.4rem 0.6rem; border-bottom: 1px solid
  #ddd; } th { border-bottom: 2px solid #888; }
figure { margin: 1.5rem 0; } img { max-width: 100%; height: auto; }
figcaption, dl { font-size: 0.9rem; } dt { font-weight: 600; } dd { margin: 0 0 0.5rem 0; }
.verdict { white-space: nowrap; font-weight: 600; }
.held { color: #117733; } .not { color: #aa2233; } .depends { color: #885500; }
details summary { cursor: pointer; }
"""


def page(title: str, body: str) -> str:
    """Return a whole page that needs no other file."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n"
        '<link rel="icon" href="data:,">\n'
        f"<style>{STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def describe_run(rows: Sequence[Record]) -> str:
    """Return how many cells and repetitions the rows are from, and their time.

    Where some settings were repeated more often than others, the most is given as such.
    """
    if not rows:
        return "nothing to run"
    cells = {row["cell"]: row["cell_cpu_seconds"] for row in rows}
    n_cells = Counter({row["cell"]: row.get("repetition") for row in rows}.values())
    most = "" if len(set(n_cells.values())) == 1 else "up to "
    minutes = sum(cells.values()) / 60
    return (
        f"cells: {len(cells):,}; repetitions: {most}{len(n_cells)}; {minutes:.1f} min of one core"
    )


def save_figure(figure: Figure, path: Path) -> bytes:
    """Write a figure as .svg and .png, and return the SVG."""
    import matplotlib as mpl

    content = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "ordlink"}):  # equal figures give equal files
        figure.savefig(content, format="svg", metadata={"Date": None})
    with replacing(path.with_suffix(".svg")) as file:
        file.write(content.getvalue())
    with replacing(path.with_suffix(".png")) as file:
        figure.savefig(file, format="png", dpi=150)
    return content.getvalue()


def image(content: bytes, kind: str, caption: str, *, fold: bool = False) -> str:
    """Return a picture that is part of the page; folded, it shows on a click."""
    data = base64.b64encode(content).decode()
    picture = f'<img src="data:{kind};base64,{data}" alt="{escape(caption)}">'
    if fold:
        return f"<details><summary>{escape(caption)}</summary><figure>{picture}</figure></details>"
    return f"<figure>{picture}<figcaption>{escape(caption)}</figcaption></figure>"


def table(header: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    """Return a table."""
    head = "".join(f"<th>{escape(cell)}</th>" for cell in header)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def escape(text: str) -> str:
    """Return text as it stands in HTML."""
    return html.escape(text)
