"""Every code block of the tutorials and of the first pages runs."""

from __future__ import annotations

import doctest
import re
import shlex
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
import yaml

from ordlink.cli import run
from ordlink.datasets import write_vessels
from soak.servers import free_port
from tests.waiting import wait_until

DOCS = Path(__file__).parents[2] / "docs"


def blocks(page: str, language: str) -> list[str]:
    text = (DOCS / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)


def commands(page: str) -> list[tuple[list[str], str]]:
    """Return the commands of a page as words, each with the output that is shown below it."""
    found: list[tuple[list[str], str]] = []
    for block in blocks(page, "console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            found.append((shlex.split(command), shown))
    return found


def run_commands(
    page: str,
    capsys: pytest.CaptureFixture[str],
    *,
    only: str | None = None,
    leave_out: tuple[str, ...] = (),
) -> None:
    """Run the `ordlink` commands of a page; compare with what is shown, where ... is any text."""
    same = doctest.OutputChecker().check_output
    for words, shown in commands(page):
        if words[0] != "ordlink" or words[1] in leave_out or only not in (None, words[1]):
            continue
        capsys.readouterr()
        assert run(words[1:]) == 0, capsys.readouterr().err
        captured = capsys.readouterr()
        # a terminal shows a bar instead of the line that announces a step
        said = [line for line in captured.err.splitlines(True) if not line.endswith(" ...\n")]
        text = captured.out + "".join(said)
        assert not shown or same(shown, text, doctest.ELLIPSIS), text


@pytest.mark.parametrize(
    "page",
    [pytest.param("tutorials/triplets.md", marks=pytest.mark.slow), "tutorials/oracle.md"],
)
@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
def test_the_programs_run_one_after_the_other(page: str, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    known: dict[str, object] = {}

    for program in blocks(page, "python"):
        exec(program, known)

    assert known["tree"].n_objects in (24, 40)


@pytest.mark.slow
def test_five_minutes_from_a_file_to_a_report(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    Path("animals.csv").write_text(blocks("start/five-minutes.md", "csv")[0], encoding="utf-8")

    run_commands("start/five-minutes.md", capsys)

    assert "<html" in Path("report.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_from_a_folder_of_pictures_to_a_figure(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    page = "tutorials/pictures.md"
    run_commands(page, capsys, only="datasets")
    monkeypatch.chdir("study")
    Path("study.yaml").write_text(blocks(page, "yaml")[0], encoding="utf-8")

    run_commands(page, capsys, leave_out=("datasets", "collect"))

    assert Path("figure-1.pdf").read_bytes().startswith(b"%PDF")
    assert "For your paper" in Path("report.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_survey_of_the_tutorial_starts(tmp_path) -> None:
    page = "tutorials/pictures.md"
    write_vessels(tmp_path)
    (tmp_path / "study.yaml").write_text(blocks(page, "yaml")[0], encoding="utf-8")
    words, shown = next(one for one in commands(page) if one[0][:2] == ["ordlink", "collect"])
    printed = (tmp_path / "printed.txt").open("w", encoding="utf-8")

    server = subprocess.Popen(
        [sys.executable, "-m", *words, "--port", str(free_port())],
        cwd=tmp_path,
        stdout=printed,
        stderr=printed,
    )
    try:
        text = tmp_path / "printed.txt"
        wait_until(lambda: "Ctrl-C" in text.read_text(encoding="utf-8"))
        said = text.read_text(encoding="utf-8")
        address = re.search(r"for participants\s+(\S+)", said)
        assert address
        same = doctest.OutputChecker().check_output
        assert same(shown, re.sub(r":\d{4,}/", ":8765/", said), doctest.ELLIPSIS), said
        assert (tmp_path / "Which-vessels-are-alike-answers").is_dir()
        with urllib.request.urlopen(address[1]) as reply:
            assert "Which vessels are alike?" in reply.read().decode()
    finally:
        server.terminate()
        server.wait()
        printed.close()


@pytest.mark.slow
def test_planning_a_study(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    write_vessels(tmp_path)
    shutil.rmtree("pictures")
    Path("answers.csv").rename("pilot.csv")

    run_commands("tutorials/planning.md", capsys)


def test_the_study_files_of_the_pages_are_yaml() -> None:
    for page in ("tutorials/pictures.md", "reference/study-file.md"):
        assert all(yaml.safe_load(block)["stimuli"] == "pictures" for block in blocks(page, "yaml"))
