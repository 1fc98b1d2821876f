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
