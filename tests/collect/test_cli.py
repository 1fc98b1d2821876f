"""The command: what it refuses, and what it says when packages are missing."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from PIL import Image

from ordlink.cli import run
from ordlink.collect.database import open_database


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "error: give either a folder, CSV or study file, or --demo; try"),
        (["--demo", "pictures"], "error: give either a folder, CSV or study file, or --demo"),
        (["nowhere"], "error: nowhere: expected a folder, a .csv file or a study file"),
        (["nowhere.csv"], "error: nowhere.csv: expected a CSV file of stimuli"),
        (["--demo", "--port", "0"], "0 is not in the range"),
        (["--demo", "--database", "mysql://x"], "expected an address like postgresql://"),
    ],
)
def test_wrong_calls_are_refused_in_one_line(
    words: list[str], message: str, capsys, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert run(["collect", *words]) == 2

    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_an_empty_folder_is_refused(capsys, tmp_path: Path) -> None:
    assert run(["collect", str(tmp_path)]) == 2

    assert "expected at least 3 stimuli, got 0" in capsys.readouterr().err


def test_missing_packages_are_named_with_the_way_to_install_them(capsys, monkeypatch) -> None:
    for name in [name for name in sys.modules if name.startswith("ordlink.collect.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "uvicorn", None)

    assert run(["collect", "--demo"]) == 2

    error = capsys.readouterr().err
    assert "uvicorn is missing" in error
    assert "pip install 'ordlink[collect]'" in error


def test_a_second_server_in_the_same_folder_is_refused(capsys, tmp_path: Path) -> None:
    from ordlink.collect.database import one_process_only

    with one_process_only(tmp_path / "study.db"):
        assert run(["collect", "--demo", "--data", str(tmp_path)]) == 2

    assert "another 'ordlink collect' is using this file" in capsys.readouterr().err


@pytest.fixture
def started(monkeypatch, tmp_path: Path) -> Callable[..., TestClient]:
    """Return a function that runs the command up to the server, and returns a visitor of it."""
    apps: list[FastAPI] = []
    monkeypatch.setattr("ordlink.collect.server.listen", lambda _: None)
    monkeypatch.setattr("uvicorn.Server.run", lambda self, **_: apps.append(self.config.app))

    def start(*words: str) -> TestClient:
        assert run(["collect", *words, "--data", str(tmp_path / "data")]) == 0
        asyncio.run(apps[-1].state.site.running.stop())
        return TestClient(apps[-1], base_url="http://127.0.0.1:8765")

    return start


def test_the_folder_of_the_answers_and_all_files_in_it_are_private(started, tmp_path: Path) -> None:
    started("--demo")

    folder = tmp_path / "data"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {file.stat().st_mode & 0o777 for file in folder.iterdir()} == {0o600}
    assert {"study.db", "study.lock"} <= {file.name for file in folder.iterdir()}


@pytest.mark.parametrize(("name", "mode"), [("study.db", 0o400), ("study.db", 0o000), (".", 0o500)])
def test_what_cannot_be_written_is_refused_in_one_line(
    tmp_path: Path, name: str, mode: int
) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    open_database(f"sqlite:///{folder / 'study.db'}").dispose()
    content = (folder / "study.db").read_bytes()
    words = [sys.executable, "-m", "ordlink", "collect", "--demo", "--data", str(folder)]
    if os.geteuid() == 0:  # permissions do not concern root, unless it gives that up
        if shutil.which("setpriv") is None:
            pytest.skip("root can write everything")
        words = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", *words]
    (folder / name).chmod(mode)
    try:
        ended = subprocess.run(words, capture_output=True, text=True, timeout=60)
    finally:
        (folder / name).chmod(0o700)

    assert ended.returncode == 2 and ended.stdout == ""
    assert ended.stderr.startswith("error: ") and str(folder) in ended.stderr
    assert ended.stderr.count("\n") == 1
    assert (folder / "study.db").read_bytes() == content


def test_unreadable_pictures_are_refused_in_one_line(tmp_path: Path, capsys) -> None:
    folder = tmp_path / "pictures"
    folder.mkdir()
    for number in range(4):
        Image.new("RGB", (9, 9), "red").save(folder / f"{number}.png")
    (folder / "2.png").write_text("no picture")

    assert run(["collect", str(folder), "--data", str(tmp_path / "data")]) == 2

    error = capsys.readouterr().err
    assert error.startswith("error: 1 of 4 pictures cannot be read: '2';")
    assert error.count("\n") == 1


def test_a_port_in_use_is_said_before_anybody_is_greeted(tmp_path: Path, capsys) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        words = ["collect", "--demo", "--data", str(tmp_path), "--port", port]
        assert run(words) == 2

    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"error: cannot listen on 127.0.0.1, port {port}")
    assert "choose another port" in said.err


def test_a_proxy_that_is_no_address_is_refused_in_one_line(tmp_path: Path, capsys) -> None:
    assert run(["collect", "--demo", "--data", str(tmp_path), "--proxy", "caddy"]) == 2

    error = capsys.readouterr().err
    assert "--proxy" in error and "got 'caddy'" in error and error.count("\n") == 1


def test_a_study_started_paused_waits_for_the_owner(started, capsys) -> None:
    paused = started("--demo", "--paused").get("/").text
    said = capsys.readouterr().out

    assert 'id="agree"' not in paused
    assert "the study is paused: check the stimuli" in said
    assert 'id="agree"' not in started("--demo").get("/").text  # until it is resumed


def test_outcomes_without_a_code_are_named_at_the_start(started, tmp_path: Path, capsys) -> None:
    file = tmp_path / "study.yaml"
    file.write_text("stimuli: [ant, bee, cat]\ncompletion_codes: {completed: A, closed: B}\n")
    started(str(file))

    said = capsys.readouterr().out
    assert "no completion code for: declined, withdrawn; add them to completion_codes" in said


def test_the_setup_token_is_in_no_address_that_a_server_sees(started, capsys) -> None:
    started("--demo")

    (address,) = [word for word in capsys.readouterr().out.split() if "/owner" in word]
    assert re.fullmatch(r"http://127\.0\.0\.1:8765/owner/setup#[\w-]{20,}", address)


def test_only_names_of_loopback_are_served_unless_more_are_allowed(started) -> None:
    elsewhere = {"host": "study.example"}

    assert started("--demo").get("/run", headers=elsewhere).status_code == 421
    assert started("--demo").get("/run").status_code == 200
    allowed = started("--demo", "--allow-host", "study.example")
    assert allowed.get("/run", headers=elsewhere).status_code == 200
    assert started("--demo", "--https").get("/run", headers=elsewhere).status_code == 200
