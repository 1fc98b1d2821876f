"""`ordlink plot`: figures of a tree."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import ordlink as ol


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the file of a small tree, in the working directory."""
    monkeypatch.chdir(tmp_path)
    merges = [[0, 1], [2, 3], [4, 6], [5, 7]]
    names = ["emu", "bee", "dog", "ant", "cat"]
    ol.Hierarchy(merges, names=names, support=[0.97, 0.6, 0.2, 1]).save("tree.json")
    return Path("tree.json")


def svg(*words: object, ordlink) -> str:
    result = ordlink("plot", "tree.json", "--out", "f.svg", *words)
    assert (result.code, result.err, result.out) == (0, "", "wrote f.svg\n")
    return Path("f.svg").read_text(encoding="utf-8")


def test_a_figure_is_a_pdf_unless_another_file_is_named(ordlink, tree: Path) -> None:
    assert ordlink("plot", tree).out == "wrote figure.pdf\n"
    several = ordlink("plot", tree, "--out", "a.png", "--out", "a.svg")

    assert Path("figure.pdf").read_bytes().startswith(b"%PDF")
    assert several.out == "wrote a.png, a.svg\n"
    assert Path("a.png").read_bytes().startswith(b"\x89PNG")
    assert Path("a.svg").exists()


def test_options_reach_the_figure(ordlink, tree: Path) -> None:
    words = ["--clusters", 2, "--cluster-names", "mammals, others", "--title", "Five animals"]
    text = svg(*words, "--heights", "rank", "--support", "numbers", ordlink=ordlink)

    for shown in ("1 mammals (3)", "2 others (2)", "Five animals", "merge order", "support-1"):
        assert shown in text
    assert "are collapsed" in svg("--min-support", 50, ordlink=ordlink)
    assert svg("--shape", "radial", ordlink=ordlink) != svg("--shape", "top", ordlink=ordlink)


def _names_in(text: str) -> list[str]:
    names = ["emu", "bee", "dog", "ant", "cat"]
    return sorted(names, key=lambda name: text.index(f">{name}<"))


def test_leaves_are_ordered_by_name_by_a_file_or_by_the_answers(ordlink, tree: Path) -> None:
    Path("order.txt").write_text("cat\nemu\n")
    rows = "anchor,closer,farther\nemu,cat,dog\nemu,cat,ant\nemu,cat,bee\ncat,emu,bee\n"
    Path("answers.csv").write_text(rows)

    assert _names_in(svg("--order", "name", ordlink=ordlink)) == ["ant", "dog", "cat", "bee", "emu"]
    by_file = _names_in(svg("--order", "order.txt", ordlink=ordlink))
    assert by_file == ["cat", "dog", "ant", "emu", "bee"]
    optimal = svg("--order", "optimal", "--answers", "answers.csv", ordlink=ordlink)
    places = _names_in(optimal)
    assert abs(places.index("emu") - places.index("cat")) == 1


def test_pictures_are_drawn(ordlink, tree: Path) -> None:
    Path("images").mkdir()
    for name in ("emu", "bee", "dog", "ant", "cat"):
        Image.new("RGB", (60, 40), (250, 10, 130)).save(f"images/{name}.png")

    ordlink("plot", tree, "--pictures", "images", "--out", "f.png")

    with Image.open("f.png") as image:
        pixels = np.asarray(image.convert("RGB")).reshape(-1, 3)
    assert ((pixels == (250, 10, 130)).all(axis=1)).sum() > 50_000


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--out", "f.bmp"], "f.bmp: "),
        (["--out", "no/f.pdf"], "--out: there is no folder no"),
        (["--order", "no.txt"], "no.txt: no such file"),
        (["--order", "optimal"], "--order optimal needs --answers"),
        (["--answers", "a.csv"], "--answers requires --order optimal"),
        (["--clusters", 9], "--clusters: expected at most 5, the number of objects, got 9"),
        (
            ["--clusters", 3, "--max-leaves", 2],
            "--max-leaves: expected a whole number of at least 3",
        ),
        (["--heights", "dissimilarity"], "--heights: this tree has no dissimilarities"),
        (["--min-support", 0.5], "--min-support: expected a percentage, got 0.5"),
        (["--pictures", "no"], "no: expected a folder of pictures"),
        (["--pictures-at", "groups"], "--pictures-at: 'groups' needs a cut; pass --clusters"),
        (
            ["--cluster-names", "a"],
            "--cluster-names: cluster names need a number of clusters; pass --clusters",
        ),
    ],
)
def test_wrong_calls_are_refused_and_write_nothing(ordlink, tree, words, message) -> None:
    result = ordlink("plot", tree, *words)

    assert (result.code, result.out) == (2, "")
    assert message in result.err
    assert result.err.count("\n") == 1
    assert [path.name for path in Path().iterdir()] == ["tree.json"]


def test_the_tree_is_not_overwritten(ordlink, tree: Path) -> None:
    Path("tree.svg").write_text(tree.read_text())

    result = ordlink("plot", "tree.svg", "--out", "tree.svg")

    assert result.code == 2
    assert "would overwrite an input file" in result.err
