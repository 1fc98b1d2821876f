"""Locks between processes, on this system and as Windows has them."""

from __future__ import annotations

import os
import sys
import threading
import types
from pathlib import Path
from typing import Any

import pytest

from ordlink import _locks


def test_a_locked_file_cannot_be_locked_again(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with path.open("ab") as one:
        assert _locks.try_lock(one)
        with path.open("ab") as other:
            assert not _locks.try_lock(other)
    with path.open("ab") as other:
        assert _locks.try_lock(other)


def test_waiting_ends_when_the_lock_is_given_back(tmp_path: Path) -> None:
    path = tmp_path / "file"
    got = threading.Event()

    def wait() -> None:
        with path.open("ab") as other:
            _locks.wait_for_lock(other)
            got.set()

    with path.open("ab") as one:
        assert _locks.try_lock(one)
        thread = threading.Thread(target=wait, daemon=True)
        thread.start()
        assert not got.wait(0.1)
    assert got.wait(10)
    thread.join(10)


def test_on_windows_a_byte_beyond_the_end_is_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A lock there keeps others from reading what it covers."""
    tried: list[int] = []

    def locking(descriptor: int, mode: Any, n_bytes: int) -> None:
        tried.append(os.lseek(descriptor, 0, os.SEEK_CUR))
        if len(tried) < 3:
            raise PermissionError(13, "locked")

    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setitem(sys.modules, "msvcrt", types.SimpleNamespace(locking=locking, LK_NBLCK=2))
    with (tmp_path / "file").open("w+b") as file:
        file.write(b"abc")
        file.flush()
        _locks.wait_for_lock(file)

        assert tried == [_locks.FAR] * 3
        assert file.tell() == 3
