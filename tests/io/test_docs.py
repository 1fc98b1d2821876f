"""The examples in docs/file-format.md are files that can be read."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest

from ordlink.io import read_comparisons
from ordlink.io._words import DETAILS, OBJECTS

PAGE = Path(__file__).parents[2] / "docs" / "file-format.md"
EXAMPLES = re.findall(r"```(csv|json)\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)


@pytest.mark.parametrize(("kind", "example"), EXAMPLES)
def test_examples_are_readable(kind, example):
    content = io.BytesIO(example.encode())

    comparisons = read_comparisons(content, format="jsonl" if kind == "json" else "csv")

    assert comparisons.n_objects in (3, 4)


def test_every_column_name_is_documented():
    text = PAGE.read_text()

    assert len(EXAMPLES) == 5
    for table in (OBJECTS, DETAILS):
        for name, aliases in table.items():
            for column in (name, *aliases):
                assert f"`{column}`" in text, column
