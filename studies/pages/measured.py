"""Marked parts of a Markdown page: what stands between the marks is measured, the rest is not."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

_BLOCK = re.compile(r"(<!-- measured: ([\w-]+) -->\n).*?(<!-- /measured -->)", re.DOTALL)


def rewrite_parts(text: str, parts: Mapping[str, Callable[[], str]]) -> str:
    """Return the page with every measured part updated; the rest stays."""

    def part(found: re.Match[str]) -> str:
        begin, name, end = found.groups()
        if name not in parts:
            raise ValueError(
                f"no measured part is called {name!r}; there are: {', '.join(sorted(parts))}"
            )
        return f"{begin}{parts[name]()}\n{end}"

    return _BLOCK.sub(part, text)


def markdown_table(headings: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Return a table; bars in the cells are escaped."""
    table = [headings, ["---"] * len(headings), *lines]
    return "\n".join(
        "| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in table
    )
