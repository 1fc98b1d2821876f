"""The measured parts of docs/performance.md, from results.json."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.machine import describe
from benchmarks.rows import HEADINGS, Row, cells, seconds_text, summary
from studies.pages.measured import markdown_table, rewrite_parts

PAGE = Path(__file__).parents[1] / "docs/performance.md"


def rewrite(text: str, results: dict[str, Any]) -> str:
    """Return the page with every measured part updated; the rest stays."""
    rows = [Row.from_dict(fields) for fields in results["rows"]]
    return rewrite_parts(
        text,
        {
            "machine": lambda: describe(results["machine"]),
            "bars": lambda: _bars(rows),
            "phases": lambda: _phases(rows),
            "growth": lambda: _growth(rows),
        },
    )


def _bars(rows: Sequence[Row]) -> str:
    return f"{markdown_table(HEADINGS, map(cells, rows))}\n\n{summary(rows)}."


def _phases(rows: Sequence[Row]) -> str:
    """One table: the methods that were taken apart, their phases by share."""
    lines = []
    for row in rows:
        phases = row.figures.get("phases", {})
        total = sum(phases.values())
        shares = sorted(phases.items(), key=lambda item: -item[1])
        told = ", ".join(
            f"{name} {spent / total:.0%}" for name, spent in shares if spent > total / 100
        )
        if phases:
            lines.append((row.work, seconds_text(row.seconds), told))
    return markdown_table(("work", "seconds", "where they go"), lines)


def _growth(rows: Sequence[Row]) -> str:
    lines = []
    for row in rows:
        if "sizes" in row.figures and row.ratio is not None:
            points = ", ".join(
                f"{size:,}: {seconds_text(spent)}"
                for size, spent in zip(row.figures["sizes"], row.figures["seconds"], strict=True)
            )
            of = row.figures["of"]
            lines.append((row.work.split(":")[0], f"{of}^{row.ratio:.2f}", row.bar, points))
    return markdown_table(("work", "grows like", "bar", "size: seconds"), lines)
