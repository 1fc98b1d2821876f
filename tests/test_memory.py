"""How much memory there is."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from ordlink import _memory


def test_there_is_some_memory() -> None:
    assert _memory.available_memory() > 1e6


@pytest.fixture(params=_memory._GROUPS, ids=["v2", "v1"])
def group(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[Path, Path, Path]:
    """Files of a control group of either version: its limit, its use, its statistics."""
    _, limit, used, cached = request.param
    monkeypatch.setattr(_memory, "_GROUPS", ((str(tmp_path), limit, used, cached),))
    (tmp_path / limit).write_text("3000000\n")
    (tmp_path / used).write_text("1000000\n")
    return tmp_path / limit, tmp_path / used, tmp_path / "memory.stat"


def test_the_limit_of_a_container_counts(group: tuple[Path, Path, Path]) -> None:
    limit, _, _ = group

    assert _memory.available_memory() == 2e6

    limit.write_text("max\n")
    assert _memory.available_memory() > 2e6


def test_files_kept_in_memory_are_not_in_use(group: tuple[Path, Path, Path]) -> None:
    limit, used, stat = group
    if limit.name == "memory.max":
        stat.write_text("anon 100000\nfile 9\ninactive_file 600000\nactive_file 300000\n")
    else:  # its children are counted by the totals alone
        own = "cache 9\ninactive_file 7\nactive_file 8\n"
        stat.write_text(own + "total_inactive_file 600000\ntotal_active_file 300000\n")

    assert _memory.available_memory() == 2.9e6

    used.write_text("800000\n")  # was read a moment earlier
    assert _memory.available_memory() == 3e6


def test_where_nobody_says_it_is_unlimited(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_of_machine", "_of_container", "_of_limit"):
        monkeypatch.setattr(_memory, name, lambda: math.inf)

    assert _memory.available_memory() == math.inf
