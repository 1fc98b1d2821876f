"""The page about collecting says what the code does."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import get_args

import pytest
import yaml

from ordlink.collect.dashboard import Download
from ordlink.collect.question_types import QUESTION_TYPES
from ordlink.collect.settings import OUTCOMES, SAMPLERS
from ordlink.collect.stimuli import KINDS, Stimulus
from ordlink.collect.study import Study, make_study
from ordlink.collect.study_files import read_yaml
from ordlink.collect.texts import TEXTS
from ordlink.collect.trees import cluster_command
from soak.runs import RUNS

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "collect.md"
LARGEST_PICTURE = 150_000


def test_every_key_of_a_study_file_is_documented_with_its_default() -> None:
    section = PAGE.read_text().split("## The study file")[1].split("### Texts")[0]
    rows = dict(re.findall(r"^\| `(\w+)` \|(.*?)\| .+ \|$", section, re.MULTILINE))
    del rows["stimuli"]
    study = make_study({}, tuple(Stimulus(name, "text", name) for name in "abc"))
    fields = [name for name in Study.model_fields if name not in ("stimuli", "asked")]
    defaults = {name: getattr(study, name) for name in fields}
    defaults["consent"] = defaults["consent"].model_dump(exclude_defaults=True)

    assert list(rows) == list(defaults)
    assert {key: yaml.safe_load(value.strip(" `")) for key, value in rows.items()} == defaults


def test_every_text_is_documented_once_and_nothing_else_is() -> None:
    section = PAGE.read_text().split("### Texts")[1].split("## Question types")[0]
    listed = re.findall(r"`(\w+)`", section.split("\n\n", 2)[2])

    assert sorted(listed) == sorted(["prompt", *TEXTS])


@pytest.mark.parametrize(
    "names",
    [
        tuple(QUESTION_TYPES),
        SAMPLERS,
        OUTCOMES,
        KINDS,
        get_args(Download),
    ],
)
def test_every_name_is_documented(names: tuple[str, ...]) -> None:
    text = PAGE.read_text()

    assert [name for name in names if f"`{name}`" not in text] == []


def test_the_examples_are_studies() -> None:
    examples = re.findall(r"^ *```yaml\n(.*?)```", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    names = ("bus", "car", "cat", "cow", "dog", "horse")
    stimuli = tuple(Stimulus(name, "text", name) for name in names)
    found = [read_yaml(example) for example in examples]
    studies = [one for one in found if "services" not in one]  # that one is for Docker

    for settings in studies:
        settings.pop("stimuli", None)
        if settings.get("trials") == "trials.csv":
            settings["trials"] = [["cat", "dog", "bus"]]
        make_study(settings, stimuli)
    assert len(studies) == 5


def test_the_command_for_the_same_tree_is_the_one_of_the_dashboard() -> None:
    method = Study.model_fields["method"].default

    assert f"`{cluster_command(method)}`" in " ".join(PAGE.read_text().split())


def test_the_pictures_exist_and_are_small() -> None:
    pictures = re.findall(r"!\[[^\]]+\]\((.+?)\)", PAGE.read_text())

    assert len(pictures) == len(QUESTION_TYPES) + 1  # and the dashboard
    for picture in pictures:
        assert (PAGE.parent / picture).stat().st_size < LARGEST_PICTURE


def test_every_long_run_is_named_with_what_it_measured() -> None:
    section = PAGE.read_text().split("## Measured")[1]

    assert [name for name in RUNS if f"`{name}`: " not in section] == []


def test_the_page_names_packages_that_can_be_installed() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = re.findall(r"ordlink\[(.+?)\]", PAGE.read_text())

    assert {extra for group in named for extra in group.split(",")} <= set(
        extras["optional-dependencies"]
    )
