"""The drawn vessels of the first tutorial."""

from __future__ import annotations

from PIL import Image

import ordlink as ol


def test_every_vessel_has_a_picture_and_answers(tmp_path) -> None:
    ol.datasets.write_vessels(tmp_path / "study")

    answers = ol.read_comparisons(tmp_path / "study" / "answers.csv")
    pictures = sorted((tmp_path / "study" / "pictures").iterdir())
    assert [path.stem for path in pictures] == sorted(answers.names)
    assert answers.n_comparisons == 6000
    with Image.open(pictures[0]) as picture:
        assert picture.size == (360, 360)
        assert len(picture.getcolors(maxcolors=100_000)) > 2  # something is drawn


def test_the_seed_decides_the_shapes_and_the_answers(tmp_path) -> None:
    for folder, seed in (("a", 0), ("b", 0), ("c", 1)):
        ol.datasets.write_vessels(tmp_path / folder, seed=seed)

    same, again, other = (
        [(tmp_path / folder / name).read_bytes() for name in ("answers.csv", "pictures/jug-01.png")]
        for folder in "abc"
    )
    assert same == again
    assert all(one != two for one, two in zip(same, other, strict=True))
