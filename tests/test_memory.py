"""How much memory there is."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from ordlink import _memory


def test_there_is_some_memory() -> None:
    assert _memory.available_memory() > 1e6


def test_the_limit_of_a_container_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limit, used = tmp_path / "memory.max", tmp_path / "memory.current"
    limit.write_text("3000000\n")
    used.write_text("1000000\n")
    monkeypatch.setattr(_memory, "_GROUPS", ((str(limit), str(used)),))

    assert _memory.available_memory() == 2e6

    limit.write_text("max\n")
    assert _memory.available_memory() > 2e6


def test_where_nobody_says_it_is_unlimited(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_of_machine", "_of_container", "_of_limit"):
        monkeypatch.setattr(_memory, name, lambda: math.inf)

    assert _memory.available_memory() == math.inf
