"""What docs/datasets.md shows is true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ordlink import datasets
from ordlink.datasets import CATALOGUE

TEXT = (Path(__file__).parents[2] / "docs" / "datasets.md").read_text(encoding="utf-8")


@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
def test_the_examples_run(data_folder, monkeypatch, capsys) -> None:
    monkeypatch.setenv("ORDLINK_DATA", str(data_folder))
    names: dict[str, object] = {}

    for block in re.findall(r"```python\n(.*?)```", TEXT, flags=re.DOTALL):
        exec(block, names)

    assert names["comparisons"].n_comparisons == 20_000
    assert 0 < float(capsys.readouterr().out) < 1


@pytest.mark.parametrize("name", [name for name in datasets.__all__ if name.islower()])
def test_every_function_is_documented(name: str) -> None:
    assert f"`{name}(" in TEXT


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_fetched_set_is_documented_with_its_files(name: str) -> None:
    assert f"`{name}`" in TEXT or f"`fetch_{name}(" in TEXT
    assert f"    {name}/" in TEXT
