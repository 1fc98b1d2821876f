"""Similarities computed from a table of features."""

import math
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from ordlink.datasets import FeatureTable, load_zoo
from ordlink.errors import InputError, InputKindError


def table_of(rows, **changes):
    features = np.asarray(rows, dtype=float)
    n_objects, n_features = features.shape
    fields = {
        "features": features,
        "feature_names": tuple(f"f{i}" for i in range(n_features)),
        "names": tuple(f"o{i}" for i in range(n_objects)),
        "classes": np.zeros(n_objects, dtype=np.intp),
        "class_names": ("all",),
        "citation": "none",
        "licence": "none",
    }
    return FeatureTable(**(fields | changes))


def literal_cosine(a, b):
    product = sum(x * y for x, y in zip(a, b, strict=True))
    lengths = math.sqrt(sum(x * x for x in a)) * math.sqrt(sum(y * y for y in b))
    return product / lengths if lengths else 0.0


shapes = st.tuples(st.integers(1, 6), st.integers(1, 5))
real_features = hnp.arrays(
    float, shapes, elements=st.floats(-100, 100).map(lambda value: round(value, 3))
)
whole_features = hnp.arrays(np.int64, shapes, elements=st.integers(-6, 6))


@given(real_features)
def test_cosines_equal_the_formula(features):
    similarities = table_of(features).similarities()

    literal = [[literal_cosine(a, b) for b in features] for a in features]
    np.testing.assert_allclose(similarities, literal, atol=1e-7)
    np.testing.assert_array_equal(similarities, similarities.T)
    assert np.abs(similarities).max() <= 1


@given(whole_features)
def test_equal_cosines_of_whole_numbers_are_equal_floats(features):
    similarities = table_of(features).similarities()

    exact = {}
    for i, a in enumerate(features.tolist()):
        for j, b in enumerate(features.tolist()):
            product = sum(x * y for x, y in zip(a, b, strict=True))
            lengths = sum(x * x for x in a) * sum(y * y for y in b)
            squared = Fraction(product * abs(product), lengths) if lengths else Fraction(0)
            exact.setdefault(squared, set()).add(float(similarities[i, j]))
    assert all(len(floats) == 1 for floats in exact.values())
    in_order = [floats.pop() for _, floats in sorted(exact.items())]
    assert in_order == sorted(in_order)


@given(real_features, st.sampled_from(["cosine", "euclidean"]), st.sampled_from([None, "standard"]))
def test_objects_with_equal_features_have_equal_similarities(features, metric, scale):
    twice = np.concatenate([features, features])

    similarities = table_of(twice).similarities(metric, scale)

    n_objects = len(features)
    np.testing.assert_array_equal(similarities[:n_objects], similarities[n_objects:])


@given(real_features)
def test_euclidean_similarity_is_the_distance_with_a_minus_sign(features):
    similarities = table_of(features).similarities(metric="euclidean")

    literal = [[-math.dist(a, b) for b in features] for a in features]
    np.testing.assert_allclose(similarities, literal, atol=1e-9)
    np.testing.assert_array_equal(similarities, similarities.T)


def test_standard_scaling_centres_each_feature_and_gives_it_unit_spread():
    zoo = load_zoo()
    scaled = (zoo.features - zoo.features.mean(axis=0)) / zoo.features.std(axis=0)

    similarities = zoo.similarities(scale="standard")

    np.testing.assert_allclose(similarities, table_of(scaled).similarities(), atol=1e-9)


def test_a_constant_feature_is_scaled_to_nothing():
    features = np.array([[0.1, 1.0], [0.1, 2.0], [0.1, 4.0]])

    similarities = table_of(features).similarities("euclidean", "standard")

    without = table_of(features[:, 1:]).similarities("euclidean", "standard")
    np.testing.assert_array_equal(similarities, without)


def test_a_row_of_zeros_is_similar_to_nothing():
    assert table_of([[0, 0], [1, 2]]).similarities()[0].tolist() == [0, 0]


@pytest.mark.parametrize("unit", [1e-200, 1e-90, 1e90, 1e200])
def test_the_unit_of_the_features_does_not_matter_to_cosines(unit):
    features = np.array([[1.0, 2.0], [3.0, -1.0], [0.0, 4.0]])

    np.testing.assert_allclose(
        table_of(features * unit).similarities(), table_of(features).similarities(), atol=1e-12
    )


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        (
            {"metric": "manhattan"},
            InputError,
            "expected 'cosine' or 'euclidean', got 'manh",
        ),
        ({"metric": None}, InputKindError, "got None"),
        ({"metric": 3}, InputKindError, "metric: expected 'cosine' or 'euclidean', got 3"),
        ({"scale": "minmax"}, InputError, "scale: expected 'standard', got 'minmax'"),
    ],
)
def test_unknown_options_are_refused_in_words(options, error, words):
    with pytest.raises(error, match=words):
        table_of([[1, 2]]).similarities(**options)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"names": ("a",)}, r"expected shape \(1, 2\)"),
        ({"features": np.array([[1, 2], [3, np.nan]])}, "row 1, column 1: .*got nan"),
        ({"classes": np.array([0])}, "one class for each of 2 objects"),
        ({"classes": np.array([0, 1])}, "expected indices 0 to 0 into class_names, got 0 to 1"),
    ],
)
def test_a_table_that_does_not_fit_together_is_refused(changes, words):
    with pytest.raises(InputError, match=words):
        table_of([[1, 2], [3, 4]], **changes)


def test_a_table_does_not_freeze_or_share_the_arrays_it_is_made_of():
    features = np.array([[1.0, 2.0], [3.0, 4.0]])

    table = table_of(features)
    features[0, 0] = 9

    assert table.features[0, 0] == 1


@pytest.mark.parametrize("package", ["ordlink.datasets", "ordlink.metrics"])
def test_importing_loads_no_heavy_package(package):
    heavy = ["matplotlib", "networkx", "numba", "pandas", "pyarrow", "scipy", "sklearn"]
    code = f"import sys, {package}; print([m for m in {heavy} if m in sys.modules])"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
