"""What the package gives is what it gave: trees, measures, files, options."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import ordlink as ol
from tests.golden import commands, store
from tests.golden.codes import CLOSE, code, differences, text_differences


def _compare(path: Path, name: str) -> list[str]:
    if not store.is_comparable(path, name):
        pytest.skip("this machine rounds differently from the one that wrote the golden results")
    return store.compare_case(path, name)


@pytest.mark.parametrize("name", store.names(store.TREES))
def test_trees_of_all_methods_are_as_they_were(name: str) -> None:
    assert _compare(store.TREES, name) == []


@pytest.mark.parametrize("name", store.names(store.DATA_TREES))
def test_trees_of_public_data_are_as_they_were(name: str, data_folder: Path, monkeypatch) -> None:
    monkeypatch.setenv("ORDLINK_DATA", str(data_folder))

    assert _compare(store.DATA_TREES, name) == []


@pytest.mark.parametrize("name", store.names(store.VALUES))
def test_measures_tests_and_plans_are_as_they_were(name: str) -> None:
    assert _compare(store.VALUES, name) == []


@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
@pytest.mark.parametrize("group", store.file_groups())
def test_files_and_what_commands_print_are_as_they_were(group: str) -> None:
    if group == "study":
        pytest.importorskip("fastapi", reason="the extra ordlink[collect] is not installed")

    if group in store.FILES_BY_BLAS and not store.rounds_alike():
        pytest.skip("this machine rounds differently from the one that wrote the golden results")
    assert store.compare_files(group) == []


def test_the_options_of_all_commands_are_as_they_were() -> None:
    assert store.compare_commands() == []


@pytest.mark.parametrize("words", [words for words, _ in commands.commands()], ids=" ".join)
def test_the_help_of_every_command_runs(words: tuple[str, ...]) -> None:
    result = CliRunner().invoke(commands.the_command_line(), [*words, "--help"])

    assert result.exit_code == 0
    assert "Usage:" in result.output


def test_every_method_and_every_measure_has_a_golden_result() -> None:
    parts = {part for name in store.load(store.TREES) for part in name.split("/")}
    measured = {name.split("/")[1] for name in store.load(store.VALUES) if "metrics/" in name}

    assert set(ol.METHODS) <= parts
    assert set(ol.metrics.__all__) == measured


@pytest.mark.parametrize(
    "path", [store.TREES, store.DATA_TREES, store.VALUES], ids=lambda p: p.stem
)
def test_no_golden_result_is_without_its_case(path: Path) -> None:
    assert sorted(store.load(path)) == sorted(store.names(path))


def test_another_merge_tie_or_score_is_noticed() -> None:
    merges = [[0, 1], [2, 3], [4, 5]]
    tree = ol.Hierarchy(merges, scores=[3.0, 2.0, 1.0])
    near = ol.Hierarchy(merges, scores=[3.0, 2.0 * (1 + 1e-12), 1.0])
    others = {
        "merges": ol.Hierarchy([[0, 1], [2, 4], [3, 5]], scores=[3.0, 2.0, 1.0]),
        "tied": ol.Hierarchy(merges, scores=[3.0, 2.0, 1.0], tied=[True, False, False]),
        "scores": ol.Hierarchy(merges, scores=[3.0, 2.0 * (1 + 1e-7), 1.0]),
    }

    assert list(differences(code(tree), code(near), close=CLOSE)) == []
    assert list(differences(code(tree), code(near), close=None))
    for part, other in others.items():
        found = list(differences(code(tree), code(other), close=CLOSE))
        assert found
        assert all(one.startswith(part) for one in found)


def test_another_text_is_noticed_and_rounding_is_not() -> None:
    text = "a,0.1234567890123,b\n1,2\n"

    assert text_differences(text, text.replace("0123,", "0124,"), close=CLOSE) == []
    assert text_differences(text, text.replace("0123,", "0124,"), close=None)
    assert text_differences(text, text.replace("0.123", "0.124"), close=CLOSE)
    assert text_differences(text, text.replace("b", "c"), close=CLOSE)
    assert text_differences(text, text.replace("1,2", "1,3"), close=CLOSE)
    assert text_differences(text, text + "more\n", close=CLOSE)
