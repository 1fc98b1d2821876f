"""Copies of a study's database: taken while people answer, and restored elsewhere."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import tempfile
from pathlib import Path

from ordlink.collect.database import one_process_only
from ordlink.errors import InputError


def back_up(folder: Path, file: Path) -> int:
    """Copy the database of a folder to a new file, complete at one moment; return its answers."""
    return _copy(folder / "study.db", file)


def restore(file: Path, folder: Path) -> int:
    """Make a backup the database of a folder without one; return its answers."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with one_process_only(folder / "study.db"):
        return _copy(file, folder / "study.db")


def _copy(source: Path, target: Path) -> int:
    if not source.is_file():
        problem = "expected the database of a study; there is no such file"
        raise InputError(problem, where=str(source), remedy="check the path")
    if target.exists():
        problem = "there is a file already, which is never replaced"
        raise InputError(problem, where=str(target), remedy="move it away, or choose another name")
    try:
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".ordlink-") as folder:
            part = Path(folder) / "study.db"
            n_answers = _copy_pages(source, part)
            part.chmod(0o600)
            with part.open("r+b") as written:  # Windows syncs only what can be written
                os.fsync(written.fileno())
            _place(part, target)
    except (sqlite3.Error, OSError) as error:
        problem = f"cannot be copied ({error})"
        raise InputError(
            problem, where=str(source), remedy="check the file and the disk"
        ) from error
    return n_answers


def _place(part: Path, target: Path) -> None:
    """Give a finished file its name, which nothing may have."""
    try:
        os.link(part, target)  # unlike a move, this replaces nothing
    except FileExistsError:
        raise
    except OSError:  # memory sticks and some network folders have no links
        if target.exists():
            raise
        part.rename(target)


def _copy_pages(source: Path, target: Path) -> int:
    with (
        contextlib.closing(
            sqlite3.connect(f"{source.resolve().as_uri()}?mode=ro", uri=True)
        ) as old,
        contextlib.closing(sqlite3.connect(target)) as new,
    ):
        old.execute("PRAGMA busy_timeout = 10000")
        old.execute("VACUUM INTO ?", [str(target)])  # one moment, however long the copy takes
        problem = new.execute("PRAGMA integrity_check").fetchone()[0]
        if problem != "ok":
            raise sqlite3.DatabaseError(problem)
        n_answers: int = new.execute("SELECT count(*) FROM answer").fetchone()[0]
        return n_answers
