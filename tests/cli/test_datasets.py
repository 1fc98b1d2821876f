"""The list of public data, and fetching it."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
import requests

import ordlink as ol
from ordlink.datasets import CATALOGUE, Dataset


@pytest.fixture
def offline(monkeypatch):
    """Let every download fail as it does without network."""

    def refuse(*_, **__):
        raise requests.ConnectionError

    monkeypatch.setattr("requests.get", refuse)


def test_the_list_names_everything_and_where_it_is_looked_for(ordlink, tmp_path, monkeypatch):
    monkeypatch.setenv("ORDLINK_DATA", str(tmp_path / "data"))

    result = ordlink("datasets")

    assert result.code == 0
    assert result.out.startswith(f"data folder: {tmp_path / 'data'} (")
    for name, fetched in CATALOGUE.items():
        assert f"\n{name}  " in result.out
        assert fetched.source.page in result.out
    assert result.out.count("  not downloaded: ") == len(CATALOGUE)
    assert not (tmp_path / "data").exists()


def test_the_list_says_what_is_there(ordlink, tmp_path) -> None:
    for path in (
        "20news/20news-bydate-train.tar.xz",
        "faces_cfd36/cfd36_triplets_individual.csv",
        "mlds/kk1.rda",
    ):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text("")

    lines = ordlink("datasets", "--data-home", tmp_path).out.splitlines()

    starts = {line.split()[0]: line.split(maxsplit=1)[1] for line in lines if line[:1].isalnum()}
    assert starts["20news"].startswith("downloaded: ")
    assert starts["faces_cfd36"].startswith("downloaded: ")
    assert starts["mlds"].startswith("1 of 6 files downloaded: ")
    assert starts["car"].startswith("not downloaded: ")


@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
def test_fetched_cars_can_be_clustered_and_evaluated(ordlink, tmp_path, data_folder) -> None:
    fetched = ordlink("datasets", "fetch", "car", "--data-home", data_folder, "--out", tmp_path)

    assert fetched.code == 0
    assert "answers                 6,056" in fetched.out
    assert "wrote answers.csv, classes.csv to" in fetched.out
    assert f"pictures: {data_folder / 'car' / 'car_data_set_images'}" in fetched.out
    assert "cite: Kleindessner" in fetched.out
    assert "terms: " in fetched.out
    expected = ol.datasets.fetch_car(data_home=data_folder).comparisons
    assert ol.read_comparisons(tmp_path / "answers.csv") == expected
    clustered = ordlink(
        "cluster", tmp_path / "answers.csv", "--method", "AddS-AL", "--out", tmp_path / "r"
    )
    scored = ordlink(
        "evaluate", tmp_path / "r" / "tree.json", "--classes", tmp_path / "classes.csv"
    )
    assert (clustered.code, scored.code) == (0, 0)
    assert "ARI" in scored.out


def test_a_part_is_fetched_and_classes_of_another_set_do_not_stay(ordlink, tmp_path, data_folder):
    (tmp_path / "classes.csv").write_text("name,class\n1,sports\n")

    result = ordlink(
        "datasets", "--data-home", data_folder, "fetch", "mlds", "--part", "kk2", "--out", tmp_path
    )

    assert result.code == 0
    assert "removed classes.csv, left by an earlier run" in result.out
    comparisons = ol.read_comparisons(tmp_path / "answers.csv")
    assert comparisons == ol.datasets.fetch_mlds("kk2", data_home=data_folder).comparisons


def test_points_become_a_table_for_simulate(ordlink, tmp_path, monkeypatch) -> None:
    from ordlink.cli import datasets as command_module

    source = CATALOGUE["20news"].source
    zoo = Dataset(source, {"sample": lambda **_: ol.datasets.load_zoo()})
    monkeypatch.setitem(command_module.CATALOGUE, "20news", zoo)

    result = ordlink("datasets", "fetch", "20news", "--out", tmp_path)

    assert result.code == 0
    with (tmp_path / "table.csv").open() as file:
        rows = list(csv.reader(file))
    assert rows[0][:3] == ["name", "class", "hair"]
    assert rows[1][:2] == ["aardvark", "mammal"]
    simulated = ordlink(
        "simulate", "--table", tmp_path / "table.csv", "--form", "triplet", "--answers", 50,
        "--out", tmp_path / "s",
    )  # fmt: skip
    assert simulated.code == 0


def test_without_network_one_line_says_what_to_do(ordlink, tmp_path, offline) -> None:
    result = ordlink(
        "datasets", "fetch", "things", "--data-home", tmp_path / "data", "--out", tmp_path / "o"
    )

    assert result.code == 2
    assert result.err.count("\n") == 1
    for part in ("no connection to osf.io", "https://osf.io/z2784/", "or set ORDLINK_DATA"):
        assert part in result.err
    assert not (tmp_path / "o").exists()
    assert not Path(tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["fetch", "cars", "--out", "o"], "'cars' is not one of 'car'"),
        (["fetch", "mlds", "--part", "kk9", "--out", "o"], "--part: expected Transparency"),
        (["fetch", "car"], "missing option '--out'"),
    ],
)
def test_wrong_words_are_refused_with_the_right_ones(ordlink, words, message) -> None:
    result = ordlink("datasets", *words)

    assert result.code == 2
    assert message in result.err


@pytest.mark.parametrize("there", ["answers.csv", "pictures"])
def test_answers_and_pictures_that_are_there_are_kept(there, ordlink, tmp_path) -> None:
    (tmp_path / there).write_text("mine", encoding="utf-8")

    result = ordlink("datasets", "vessels", "--out", tmp_path)

    assert result.code == 2
    assert f"{there} is there already; choose another folder" in result.err
    assert [path.name for path in tmp_path.iterdir()] == [there]
    assert (tmp_path / there).read_text(encoding="utf-8") == "mine"
