"""The check that all similarity matrices pass through."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from ordlink.comparisons import _ranked
from ordlink.comparisons._ranked import check_similarities
from ordlink.errors import InputError, InputKindError


def symmetric(n_objects, seed=0):
    matrix = np.random.default_rng(seed).normal(size=(n_objects, n_objects))
    return matrix + matrix.T


def test_a_float_matrix_is_not_copied_and_the_user_keeps_a_writable_one():
    matrix = symmetric(5)

    checked = check_similarities(matrix)

    assert np.shares_memory(checked, matrix)
    assert not checked.flags.writeable
    assert matrix.flags.writeable


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint16, np.int64, np.float32, object])
def test_other_numbers_become_float64(dtype):
    matrix = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], dtype=dtype)

    checked = check_similarities(matrix)

    assert checked.dtype == np.float64
    assert checked.tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_the_diagonal_may_hold_anything(value):
    matrix = symmetric(4)
    np.fill_diagonal(matrix, value)

    np.testing.assert_array_equal(check_similarities(matrix), matrix)


@given(st.integers(2, 12), st.integers(1, 40), st.data())
def test_the_first_bad_entry_is_named_whatever_the_block_size(n_objects, entries, data):
    matrix = symmetric(n_objects)
    pairs = [(i, j) for i in range(n_objects) for j in range(n_objects) if i != j]
    bad = data.draw(st.lists(st.sampled_from(pairs), min_size=1, unique=True))
    for i, j in bad:
        matrix[i, j] = np.nan
    i, j = min(bad)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_ranked, "BLOCK_ENTRIES", entries)
        with pytest.raises(InputError, match=rf"W, row {i}, column {j}: .*got nan"):
            check_similarities(matrix, name="W")


@given(st.integers(2, 12), st.integers(1, 40), st.data())
def test_asymmetry_is_named_in_the_upper_triangle(n_objects, entries, data):
    matrix = symmetric(n_objects)
    i = data.draw(st.integers(0, n_objects - 1))
    j = data.draw(st.integers(0, n_objects - 1).filter(lambda j: j != i))
    matrix[i, j] += 1e-3
    i, j = sorted((i, j))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_ranked, "BLOCK_ENTRIES", entries)
        with pytest.raises(InputError, match=rf"row {i}, column {j}: expected a symmetric"):
            check_similarities(matrix)


def test_rounding_is_no_asymmetry():
    matrix = symmetric(6)
    matrix[0, 1] *= 1 + 1e-12
    matrix[2, 3], matrix[3, 2] = 1e-17, -1e-17

    check_similarities(matrix)


def test_opposite_extremes_are_asymmetric_without_a_warning(recwarn):
    with pytest.raises(InputError, match="symmetric"):
        check_similarities([[0, 1e308], [-1e308, 0]])
    assert not list(recwarn)


@pytest.mark.parametrize(
    ("similarities", "error", "words"),
    [
        (np.empty((0, 0)), InputError, "at least one object"),
        (3.0, InputError, r"got shape \(\)"),
        ([[1, 2], [3]], InputKindError, "matrix of real numbers"),
        ([[1j, 1], [1, 1j]], InputKindError, "complex128"),
        ([["1", "2"], ["2", "1"]], InputKindError, "matrix of real numbers"),
        ([[0, 10**400], [10**400, 0]], InputKindError, "matrix of real numbers"),
        ([[0, None], [None, 0]], InputError, "row 0, column 1.*got nan"),
        (sparse.eye_array(3), InputKindError, r"convert it with .toarray\(\)"),
        (
            np.ma.masked_equal([[0, 5, 1], [5, 0, 2], [1, 2, 0]], 2),
            InputError,
            "row 1, column 2: expected a finite number",
        ),
    ],
)
def test_what_is_no_similarity_matrix_is_refused_in_words(similarities, error, words):
    with pytest.raises(error, match=words):
        check_similarities(similarities)


def test_the_number_of_objects_must_fit():
    with pytest.raises(InputError, match="expected 4 objects, got a matrix of 3"):
        check_similarities(np.ones((3, 3)), n_objects=4)
