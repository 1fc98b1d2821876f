"""The page on the architecture names what exists."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def test_every_file_of_the_walks_exists() -> None:
    walks = PAGE.partition("## From a file to a tree")[2]
    files = re.findall(r"`([a-z_]+/[a-z_./]+\.(?:py|js))`", walks)

    assert len(files) >= 15
    assert [name for name in files if not (ROOT / "src" / "ordlink" / name).is_file()] == []


def test_a_walk_has_at_most_eight_stops() -> None:
    numbers = [int(number) for number in re.findall(r"^(\d+)\. ", PAGE, flags=re.MULTILINE)]

    assert max(numbers) <= 8


def test_every_package_has_its_line() -> None:
    packages = [path.parent.name for path in (ROOT / "src" / "ordlink").glob("*/__init__.py")]

    assert [name for name in packages if f"`{name}`" not in PAGE] == []
