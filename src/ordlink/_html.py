"""Self-contained HTML pages: one file, no network, one style."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from ordlink._text import shorten

POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
"""The browser may load nothing from outside the page."""

STYLE = """
:root { color-scheme: light dark; --text: #1f2328; --muted: #59636e; --line: #d1d9e0;
  --paper: #ffffff; --panel: #f6f8fa; --accent: #0b5cad; --good: #117733; --bad: #aa2233;
  --doubt: #8a5a00; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6e8eb; --muted: #9aa4af; --line: #3a424b; --paper: #15181c; --panel: #1e2329;
    --accent: #6cb2f7; --good: #5fc88a; --bad: #ff8a8f; --doubt: #e0b15a; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; color: var(--text); background: var(--paper);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
main { max-width: 72rem; margin: 0 auto; padding: 2rem 1rem 4rem; }
p, li, dd { max-width: 46rem; }
h1, h2, h3 { line-height: 1.25; text-wrap: balance; overflow-wrap: anywhere; }
h1 { margin: 0 0 0.5rem; font-size: 1.9rem; }
h2 { margin: 3rem 0 1rem; padding-top: 1rem; border-top: 1px solid var(--line);
  font-size: 1.4rem; }
h3 { margin: 2rem 0 0.5rem; font-size: 1.1rem; }
a { color: var(--accent); }
code, pre { font: 0.9em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
code { overflow-wrap: anywhere; }
pre { overflow-x: auto; padding: 0.75rem 1rem; background: var(--panel); border-radius: 6px; }
.scroll { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-size: 0.9rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--muted); padding-bottom: 0.5rem; max-width: 46rem; }
th, td { text-align: left; vertical-align: top; padding: 0.35rem 1.2rem 0.35rem 0;
  border-bottom: 1px solid var(--line); }
thead th { border-bottom: 2px solid var(--muted); vertical-align: bottom; }
tbody th { font-weight: 500; }
th:last-child, td:last-child { padding-right: 0; }
.number { text-align: right; white-space: nowrap; }
figure { margin: 1.5rem 0; } img { max-width: 100%; height: auto; }
figcaption, .note { color: var(--muted); font-size: 0.9rem; max-width: 46rem; }
dl { font-size: 0.95rem; } dt { font-weight: 600; } dd { margin: 0 0 0.6rem 0; }
summary { cursor: pointer; }
.good { color: var(--good); } .bad { color: var(--bad); } .doubt { color: var(--doubt); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
@media screen and (max-width: 40rem) {
  caption { position: sticky; left: 0; max-width: calc(100vw - 2rem); }
  .scroll table { width: max-content; }
  tbody th { max-width: 9rem; } td { max-width: 30rem; } tbody { overflow-wrap: break-word; } }
@media print {
  :root { color-scheme: light; --text: #000; --muted: #444; --line: #bbb; --paper: #fff;
    --panel: #f4f4f4; --accent: #000; --good: #0a5a25; --bad: #8a1020; --doubt: #6a4500; }
  body { font-size: 10.5pt; } main { max-width: none; padding: 0; }
  h2 { margin-top: 1.5rem; } h1, h2, h3, caption { break-after: avoid; }
  tr, figure, img { break-inside: avoid; } thead { display: table-header-group; }
  .scroll { overflow: visible; } table { font-size: 8.5pt; }
  th, td { padding-right: 0.6rem; } .screen-only { display: none !important; } }
"""

MOST_ENTRIES = 8  # of a list that a notebook shows
_NUMBER = re.compile(r"[<>≈±+-]?[0-9][0-9.,:/%±e+ -]*( ?(s|ms|min|h|kB|MB|CPU s))?")


class Html(str):
    """Text that is already HTML and is not escaped again."""

    __slots__ = ()


def page(title: str, body: str, *, style: str = "", script: str = "") -> str:
    """Return a self-contained page.

    Parameters
    ----------
    title : str
        As text; it is escaped.
    body : str
        HTML content of ``<main>``.
    style : str
        CSS after the house style, whose colours are ``var(--text)``, ``--muted``, ``--line``,
        ``--paper``, ``--panel``, ``--accent``, ``--good``, ``--bad`` and ``--doubt``; what has the
        class ``screen-only`` is not printed.
    script : str
        JavaScript, run at the end of the body; its data belongs in a `data_block`.

    Examples
    --------
    >>> "<title>Cats &amp; dogs</title>" in page("Cats & dogs", "<h1>Cats &amp; dogs</h1>")
    True
    """
    parts = [
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<title>{escape(title)}</title>\n<link rel="icon" href="data:,">',
        f"<style>{STYLE}{style}</style>\n</head>\n<body>\n<main>\n{body}\n</main>",
    ]
    if script:
        parts.append(f"<script>\n{script}\n</script>")
    parts.append("</body>\n</html>\n")
    return "\n".join(parts)


def escape(text: object) -> Html:
    """Return text escaped for HTML, also within quotation marks; `Html` stays as it is.

    Characters that HTML forbids become U+FFFD.

    Examples
    --------
    >>> escape('<b> & "c"')
    '&lt;b&gt; &amp; &quot;c&quot;'
    >>> escape(Html("<b>"))
    '<b>'
    """
    if isinstance(text, Html):
        return text
    allowed = "".join("\ufffd" if _is_forbidden(letter) else letter for letter in str(text))
    return Html(html.escape(allowed))


def table(
    header: Iterable[object], rows: Iterable[Sequence[Any]], *, caption: str | None = None
) -> str:
    """Return a table whose first column names the rows; numeric columns are right-aligned.

    Parameters
    ----------
    header : iterable of str
        Name of each column; `Html` is not escaped, here and below.
    rows : iterable of sequences
        The cells of each row; None is an empty cell.
    caption : str, optional
        What the table shows.

    Examples
    --------
    >>> shown = table(["name", "answers"], [["<ann>", 12]])
    >>> '<th scope="row">&lt;ann&gt;</th><td class="number">12</td>' in shown
    True
    """
    cells = [["" if cell is None else escape(cell) for cell in row] for row in rows]
    names = [escape(name) for name in header]
    right = [
        column > 0 and _holds_numbers([row[column] for row in cells if column < len(row)])
        for column in range(len(names))
    ]
    head = "".join(
        f'<th scope="col"{_right(is_right)}>{name}</th>'
        for name, is_right in zip(names, right, strict=True)
    )
    body = "\n".join(_row(row, right) for row in cells)
    shown = "" if caption is None else f"<caption>{escape(caption)}</caption>"
    return (
        f'<div class="scroll"><table>{shown}<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody></table></div>"
    )


def summary_html(title: str, text: str, notes: Iterable[str] = ()) -> str:
    """Return a summary for a notebook: lines of a name, two blanks or more, and a value.

    Examples
    --------
    >>> "<td>2,000</td>" in summary_html("Comparisons", "objects   2,000")
    True
    """
    rows = []
    for line in text.splitlines():
        name, *values = re.split(r"\s{2,}", line.strip(), maxsplit=1)
        rows.append(f"<tr><th>{escape(name)}</th><td>{escape(' '.join(values))}</td></tr>")
    said = "".join(f"<p>{escape(note)}</p>" for note in notes)
    return f"<div><strong>{escape(title)}</strong><table>{''.join(rows)}</table>{said}</div>"


class Shown:
    """Gives a dataclass of results a table for notebooks: its numbers and texts, and its tree."""

    def _repr_html_(self) -> str:
        shown: dict[str, object] = {}
        trees = []
        for name in getattr(self, "__dataclass_fields__", {}):
            value = getattr(self, name)
            if hasattr(value, "to_newick"):
                trees.append(value._repr_html_() or "")
            else:
                shown[name] = _short(value)
        rows = [f"<tr><th>{escape(k)}</th><td>{escape(v)}</td></tr>" for k, v in shown.items()]
        title = f"<strong>{escape(type(self).__name__)}</strong>"
        return f"<div>{title}<table>{''.join(rows)}</table>{''.join(trees)}</div>"


def _short(value: object) -> str:
    """Return a value on one line; long lists and arrays by their first entries."""
    if isinstance(value, float):
        return f"{value:.4g}"
    if hasattr(value, "tolist") and hasattr(value, "shape"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        entries = [_short(entry) for entry in value[:MOST_ENTRIES]]
        more = f", ... ({len(value):,} in all)" if len(value) > MOST_ENTRIES else ""
        return ", ".join(entries) + more
    return shorten(str(value), 200)


def data_block(identifier: str, value: Any) -> str:
    r"""Return data that a script of the page reads with ``JSON.parse``.

    Examples
    --------
    >>> print(data_block("names", ["</script>"]))
    <script type="application/json" id="names">["\u003c/script>"]</script>
    """
    text = json.dumps(value, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    return f'<script type="application/json" id="{escape(identifier)}">{text}</script>'


def _row(cells: Sequence[str], right: Sequence[bool]) -> str:
    first = f'<th scope="row">{cells[0]}</th>' if cells else ""
    others = [
        f"<td{_right(is_right)}>{cell}</td>"
        for cell, is_right in zip(cells[1:], right[1:], strict=False)
    ]
    return f"<tr>{first}{''.join(others)}</tr>"


def _right(is_right: bool) -> str:  # noqa: FBT001 - one entry of a list
    return ' class="number"' if is_right else ""


def _holds_numbers(cells: Sequence[str]) -> bool:
    """Return whether all non-empty cells are numbers."""
    filled = [html.unescape(cell) for cell in cells if cell not in ("", "-")]
    return bool(filled) and all(_NUMBER.fullmatch(cell) for cell in filled)


def _is_forbidden(letter: str) -> bool:
    code = ord(letter)
    return (code < 32 and letter not in "\t\n\r") or 0x7F <= code < 0xA0 or 0xD800 <= code < 0xE000
