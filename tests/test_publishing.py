"""The files around the package: they parse, agree with each other and with the package."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

import ordlink as ol

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def read_yaml(name: str | Path) -> Any:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def test_versions_agree() -> None:
    recipe = (ROOT / "conda" / "meta.yaml").read_text(encoding="utf-8")

    assert PROJECT["project"]["version"] == ol.__version__
    assert read_yaml("CITATION.cff")["version"] == ol.__version__
    assert f'version = "{ol.__version__}"' in recipe
    install = (ROOT / "docs" / "start" / "install.md").read_text(encoding="utf-8")
    assert f"`ordlink, version {ol.__version__}`" in install


def test_the_conda_recipe_has_the_dependencies_of_the_package() -> None:
    recipe = (ROOT / "conda" / "meta.yaml").read_text(encoding="utf-8")
    run = recipe.partition("  run:\n")[2].partition("\ntest:")[0]
    found = {line.strip("- ").replace("-base", "").replace(" ", "") for line in run.splitlines()}

    assert set(PROJECT["project"]["dependencies"]) == {
        line for line in found if line and not line.startswith("python>")
    }


def test_the_citation_file_has_what_the_format_requires() -> None:
    citation = read_yaml("CITATION.cff")

    assert {"cff-version", "message", "title", "authors"} <= citation.keys()
    assert citation["license"] == PROJECT["project"]["license"]


def test_the_study_server_has_a_database_and_a_proxy() -> None:
    services = read_yaml("compose.yaml")["services"]

    assert services.keys() == {"ordlink", "database", "proxy"}
    assert services["ordlink"]["build"] == "."
    assert "ports" not in services["ordlink"] and "ports" not in services["database"]
    # the command takes the options that compose.yaml gives it
    from ordlink.cli.collect import command

    words = [word.replace("${DOMAIN:?set DOMAIN in .env}", "x.org") for word in
             services["ordlink"]["command"][1:]]  # fmt: skip
    context = command.make_context("collect", words)
    assert context.params["database"] == "postgresql://ordlink@database/ordlink"
    assert context.params["https"]


@pytest.mark.skipif(shutil.which("docker") is None, reason="Docker is not installed")
@pytest.mark.slow
def test_docker_parses_the_compose_file() -> None:
    version = subprocess.run(["docker", "compose", "version"], capture_output=True, check=False)
    if version.returncode:
        pytest.skip("Docker has no compose")
    done = subprocess.run(
        ["docker", "compose", "config", "--quiet"],
        cwd=ROOT,
        env={"DOMAIN": "x.org", "POSTGRES_PASSWORD": "x", "PATH": "/usr/bin:/usr/local/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_have_few_rights_and_known_commands(path: Path) -> None:
    workflow = read_yaml(path)
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)

    assert workflow["permissions"] == {"contents": "read"}
    runs = [step.get("run", "") for job in workflow["jobs"].values() for step in job["steps"]]
    made = {word for run in runs for word in re.findall(r"\bmake ([a-z-]+)", run)}
    assert made <= {*targets, "docs"}


def test_the_tests_run_on_every_python_that_is_promised() -> None:
    matrix = read_yaml(".github/workflows/tests.yml")["jobs"]["tests"]["strategy"]["matrix"]
    promised = [
        line.rpartition(" ")[2]
        for line in PROJECT["project"]["classifiers"]
        if re.fullmatch(r"Programming Language :: Python :: 3\.\d+", line)
    ]

    assert matrix["python"] == promised
    assert matrix["os"] == ["ubuntu-latest", "macos-latest", "windows-latest"]


def test_the_dockerfile_copies_only_what_is_let_through() -> None:
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    kept = [line[1:] for line in ignored if line.startswith("!")]

    assert ignored[0] == "*"
    assert all((ROOT / name).exists() for name in kept)
    assert {"src", "pyproject.toml", PROJECT["project"]["readme"], "LICENSE"} <= set(kept)


@pytest.mark.parametrize("figure", ["12,105", "1,673,925", "20,317,586", "0.05 lower"])
def test_figures_of_the_paper_are_measured_ones(figure: str) -> None:
    measured = (ROOT / "docs" / "fewest-answers.md").read_text(encoding="utf-8")

    assert figure in (ROOT / "paper" / "paper.md").read_text(encoding="utf-8")
    assert figure in measured


def test_the_paper_cites_what_its_bibliography_has_and_each_entry_can_be_found() -> None:
    text = (ROOT / "paper" / "paper.md").read_text(encoding="utf-8")
    entries = (ROOT / "paper" / "paper.bib").read_text(encoding="utf-8").split("\n@")
    keys = {re.search(r"\{(\w+),", entry)[1]: entry for entry in entries}

    assert set(re.findall(r"@([a-z]+\d{4})", text)) == keys.keys()
    assert [key for key, entry in keys.items() if not re.search(r"\b(doi|url) = ", entry)] == []


@pytest.mark.slow
def test_a_wheel_of_the_source_archive_installs_and_does_the_demo(tmp_path: Path) -> None:
    pytest.importorskip("build.env", reason="needs the package build")  # build/ is a folder here
    build = [sys.executable, "-m", "build", "--outdir", str(tmp_path / "dist"), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True)  # sdist, and the wheel from it
    wheel = next((tmp_path / "dist").glob("*.whl"))
    assert next((tmp_path / "dist").glob("*.tar.gz")).stat().st_size < 20e6

    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    programs = tmp_path / "venv" / ("Scripts" if sys.platform == "win32" else "bin")
    install = [programs / "python", "-m", "pip", "install", "--quiet", str(wheel)]
    subprocess.run(install, check=True, capture_output=True)
    done = subprocess.run(
        [programs / "ordlink", "demo", "--out", "demo"],
        cwd=tmp_path,
        env={"PATH": str(programs)},  # nothing of this environment
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert (tmp_path / "demo" / "tree.pdf").stat().st_size > 1000
