"""`ordlink convert`: trials in, a plain file out."""

from __future__ import annotations

import pytest

import ordlink as ol
from tests.io.make_samples import FOLDER


@pytest.mark.parametrize("extension", ["csv", "jsonl", "parquet", "npz"])
def test_what_is_written_needs_no_options(ordlink, tmp_path, extension):
    path = tmp_path / f"plain.{extension}"

    result = ordlink("convert", FOLDER / "odd_name.csv", path, "--form", "odd-one-out")

    assert result.code == 0, result.err
    assert "240 answers about 12 objects" in result.out
    assert "Row 1 read as: of " in result.err
    expected = ol.read_answers(FOLDER / "odd_name.csv", form="odd-one-out")
    assert ol.read_answers(path) == expected


def test_roles_sheets_and_folders_are_options(ordlink, tmp_path):
    out = tmp_path / "plain.csv"
    roles = ("--items", "item1, item2,item3", "--response", "response", "--form", "odd-one-out")

    for words in (
        (FOLDER / "odd_name.csv", out, *roles),
        (FOLDER / "odd_sheet.xlsx", out, "--sheet", "Daten", "--form", "odd-one-out"),
        (FOLDER / "odd_folder", out, "--form", "odd-one-out"),
        (FOLDER / "odd_people.zip", out, "--form", "odd-one-out"),
    ):
        result = ordlink("convert", *words)
        assert result.code == 0, result.err
    refused = ordlink("convert", FOLDER / "odd_sheet.xlsx", out, "--sheet", "x")
    assert (refused.code, "there is no sheet 'x'" in refused.err) == (2, True)


def test_the_hint_for_an_unclear_file_leads_to_the_right_tree(ordlink, tmp_path):
    """The hint names --form, and never columns that would ignore the response."""
    unclear = ordlink("cluster", FOLDER / "odd_name.csv")
    ignoring = ("--columns", "item1,item2,item3", "--form", "odd-one-out")

    assert unclear.code == 2
    assert "--form odd-one-out or --form most-central" in unclear.err
    assert "--columns" not in unclear.err
    refused = ordlink("cluster", FOLDER / "odd_name.csv", *ignoring)
    assert refused.code == 2
    assert "--items and --response" in refused.err


def test_slips_are_merged_by_a_table_of_corrections(ordlink, tmp_path):
    text = (FOLDER / "auto_plain_triplets.csv").read_text().replace("Tiger", "Tigger", 1)
    (tmp_path / "answers.csv").write_text(text)
    (tmp_path / "names.csv").write_text("Tigger,Tiger\n")
    words = ("convert", tmp_path / "answers.csv", tmp_path / "out.csv")

    told = ordlink(*words)
    assert "'Tigger' occurs once; did you mean 'Tiger'? --merge-names merges them" in told.err
    assert "about 13 objects" in told.out
    assert "about 12 objects" in ordlink(*words, "--merge-names").out
    assert "about 12 objects" in ordlink(*words, "--corrections", tmp_path / "names.csv").out


@pytest.mark.parametrize("command", ["describe", "cluster"])
def test_several_files_are_one_per_participant(ordlink, command):
    files = sorted((FOLDER / "odd_folder").iterdir())[:3]

    result = ordlink(command, *files, "--form", "odd-one-out")

    assert result.code == 0, result.err
    assert "3 files read as one participant each, named after the file" in result.err
    assert "S01 chose" in result.err


def test_several_files_and_an_output(ordlink, tmp_path):
    files = sorted((FOLDER / "odd_folder").iterdir())
    (tmp_path / "in").mkdir()
    for file in files:
        (tmp_path / "in" / file.name).write_bytes(file.read_bytes())
    (tmp_path / "in" / "~$S01.xlsx").write_bytes(b"\0")
    form = ("--form", "odd-one-out")

    result = ordlink("convert", *files, tmp_path / "out.csv", *form)
    inside = ordlink("convert", tmp_path / "in", tmp_path / "in" / "out.csv", *form)

    assert result.code == 0, result.err
    assert ol.read_answers(tmp_path / "out.csv") == ol.read_answers(files, form="odd-one-out")
    assert ol.read_answers(tmp_path / "in", form="odd-one-out").n_answers == 240
    assert (inside.code, "would overwrite an input" in inside.err) == (2, True)
    assert "cannot be combined" in ordlink("describe", "-", files[0]).err


def test_files_together_have_the_columns_that_all_have(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    text = "reference,left,right,response{0}\nlion,tiger,trout,left{1}\ntiger,lion,bee,left{1}\n"
    (tmp_path / "a" / "log.csv").write_text(text.format("", ""))
    (tmp_path / "b" / "log.csv").write_text(text.format(",comment", ",late"))

    together = ol.read_answers(tmp_path)

    assert together.details.annotators.tolist() == ["a/log", "a/log", "b/log", "b/log"]
    (tmp_path / "b" / "log.csv").write_text("x,y,z,left,w,v\n1,2,3,4,5,6\n")
    with pytest.raises(ol.errors.InputError, match="expected the columns of"):
        ol.read_answers(tmp_path)
