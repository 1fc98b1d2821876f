"""Zoo and Glass as they ship, and as the original files have them."""

import csv
import itertools
import os
from fractions import Fraction
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

from ordlink.datasets import load_glass, load_zoo


def original(*parts):
    """Path of an original file, or a skip where there is none."""
    root = Path(__file__).parents[2]
    folder = Path(os.environ.get("ORDLINK_DATA", root.parent / "shared" / "data"))
    path = folder.joinpath(*parts)
    if not path.is_file():
        pytest.skip(f"the original {parts[-1]} is not in {folder}; set ORDLINK_DATA to have it")
    return path


def rows_of(path):
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    return header, rows


def test_zoo_has_100_animals_in_7_classes():
    zoo = load_zoo()

    assert zoo.features.shape == (100, 16)
    assert np.bincount(zoo.classes).tolist() == [40, 20, 5, 13, 4, 8, 10]
    assert zoo.class_names[0] == "mammal"
    assert zoo.class_names[6] == "invertebrate"


def test_zoo_has_no_girl_and_two_different_frogs():
    zoo = load_zoo()
    frogs = [i for i, name in enumerate(zoo.names) if name == "frog"]

    assert "girl" not in zoo.names
    assert len(frogs) == 2
    differing = np.flatnonzero(zoo.features[frogs[0]] != zoo.features[frogs[1]])
    assert [zoo.feature_names[f] for f in differing] == ["venomous"]
    assert len(set(zoo.names)) == 99


def test_zoo_features_are_zero_or_one_but_for_the_legs():
    zoo = load_zoo()
    legs = zoo.feature_names.index("legs")

    assert set(np.delete(zoo.features, legs, axis=1).ravel()) == {0, 1}
    assert set(zoo.features[:, legs]) == {0, 2, 4, 5, 6, 8}
    assert zoo.features[zoo.names.index("octopus"), legs] == 8


def test_zoo_has_58_distinct_rows_and_as_many_cosines_as_exact_arithmetic():
    zoo = load_zoo()
    rows = zoo.features.astype(int).tolist()

    pairs = zoo.similarities()[np.triu_indices(100, k=1)]

    squared = set()
    for a, b in itertools.combinations(rows, 2):
        product = sum(x * y for x, y in zip(a, b, strict=True))
        squared.add(Fraction(product**2, sum(x * x for x in a) * sum(y * y for y in b)))
    assert len({tuple(row) for row in rows}) == 58
    assert len(np.unique(pairs)) == len(squared) == 564


def test_glass_has_214_pieces_in_6_classes():
    glass = load_glass()

    assert glass.features.shape == (214, 9)
    assert np.bincount(glass.classes).tolist() == [70, 76, 17, 13, 9, 29]
    assert len(glass.class_names) == 6
    assert glass.names[0] == "glass 1"
    assert glass.names[-1] == "glass 214"
    assert len(np.unique(glass.features, axis=0)) == 213


def test_glass_cosines_are_close_to_one():
    similarities = load_glass().similarities()

    assert 0.987 < similarities.min() < 0.988
    assert similarities.max() == 1


def test_zoo_equals_the_original():
    header, rows = rows_of(original("zoo", "zoo.csv"))
    zoo = load_zoo()

    assert zoo.names == tuple(row[0] for row in rows)
    assert zoo.feature_names == tuple(header[1:-1])
    np.testing.assert_array_equal(zoo.features, np.array([row[1:-1] for row in rows], dtype=float))
    np.testing.assert_array_equal(zoo.classes, [int(row[-1]) - 1 for row in rows])


def test_glass_equals_the_original():
    header, rows = rows_of(original("glass", "glass.csv"))
    glass = load_glass()

    assert glass.feature_names == tuple(header[:-1])
    np.testing.assert_array_equal(glass.features, np.array([row[:-1] for row in rows], dtype=float))
    types = [1, 2, 3, 5, 6, 7]
    np.testing.assert_array_equal(glass.classes, [types.index(int(row[-1])) for row in rows])


@pytest.mark.parametrize("load", [load_zoo, load_glass])
def test_tables_say_whom_to_cite_and_on_what_terms(load):
    table = load()
    readme = (resources.files("ordlink.datasets") / "data" / "README.md").read_text("utf-8")

    assert table.citation in readme
    assert table.licence.startswith("CC BY 4.0")
    assert "CC BY 4.0" in readme


@pytest.mark.parametrize("load", [load_zoo, load_glass])
def test_tables_cannot_be_changed(load):
    table = load()

    for array in (table.features, table.classes):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
