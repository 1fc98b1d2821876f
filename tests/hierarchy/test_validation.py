"""Every way in which the arguments of a tree can be wrong has its own message."""

from __future__ import annotations

import numpy as np
import pytest

from ordlink.errors import InputError, InputKindError
from ordlink.hierarchy import Hierarchy


@pytest.mark.parametrize(
    ("merges", "message"),
    [
        ([[0, 1, 2]], r"shape \(n_objects - 1, 2\), got \(1, 3\)"),
        ([0, 1], r"shape \(n_objects - 1, 2\), got \(2,\)"),
        ([[0, 1], [2]], "merges: expected rows of equal length"),
        ([[0, 1], [-2, 3]], "merge 1 joins node -2, but nodes are numbered from 0"),
        ([[0, 3], [1, 2]], r"merge 0 joins node 3, but only the nodes 0 to 2 exist .*\(3 objects"),
        (np.array([[0, 2**63 + 1]], dtype=np.uint64), "merge 0 joins node 9223372036854775809"),
        ([[0, 1], [2, 2]], "merge 1 joins node 2 with itself"),
        ([[0, 1], [0, 2]], "merge 1 joins node 0, which was already joined"),
        ([[0, 1], [3, 1]], "merge 1 joins node 1, which was already joined"),
    ],
)
def test_merges_that_are_no_tree_are_refused_with_the_row(merges, message):
    with pytest.raises(InputError, match=message):
        Hierarchy(merges)


@pytest.mark.parametrize("merges", [[[0.0, 1.0]], [["0", "1"]], [[True, False]], "ab", None])
def test_merges_must_be_whole_numbers(merges):
    with pytest.raises(InputKindError, match="merges: expected whole numbers"):
        Hierarchy(merges)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"scores": [1.0]}, InputError, r"scores: .* shape \(2,\), got \(1,\)"),
        (
            {"scores": [1.0, np.inf]},
            InputError,
            "scores: .*got inf for merge 1",
        ),
        ({"scores": ["a", "b"]}, InputKindError, "scores: expected numbers"),
        ({"tied": [True]}, InputError, r"tied: .* shape \(2,\)"),
        ({"tied": [0, 1]}, InputKindError, "tied: expected True or False"),
        ({"names": ["a", "b"]}, InputError, "names: expected 3 names, one per object, got 2"),
        ({"names": "abc"}, InputKindError, "names: expected a sequence of strings"),
        ({"names": 3}, InputKindError, "names: expected a sequence of strings"),
        ({"names": ["a", "two\nlines", "c"]}, InputError, "name of object 1"),
        ({"names": ["a", "b", "\ud800"]}, InputError, "name of object 2"),
        ({"method": 4}, InputKindError, "method: expected the name of a method"),
        ({"parameters": [1]}, InputKindError, "parameters: expected a dict"),
        ({"parameters": {"f": len}}, InputKindError, r"parameters\['f'\]: .* got builtin"),
        ({"parameters": {"a": [np.nan]}}, InputError, r"parameters\['a'\]\[0\]: nan"),
        (
            {"parameters": {"a": {1: 2}}},
            InputKindError,
            r"parameters\['a'\]: keys must be text",
        ),
    ],
)
def test_options_that_do_not_fit_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        Hierarchy([[0, 1], [2, 3]], **options)


def test_numpy_parameters_become_plain():
    tree = Hierarchy([], parameters={"a": np.int64(3), "b": np.arange(2), "c": (1, None)})

    assert tree.parameters == {"a": 3, "b": [0, 1], "c": [1, None]}


@pytest.mark.parametrize(
    ("objects", "error", "message"),
    [
        ([], InputError, "list of object numbers, at least one"),
        ([0, 3], InputError, r"object 3 is out of range: there are 3 objects \(0 to 2\)"),
        ([-1], InputError, "object -1"),
        ([1, 0, 1], InputError, "object 1 is listed twice"),
        ([True, False, True], InputError, "list of object numbers"),
        ([[0, 1]], InputError, "list of object numbers"),
    ],
)
def test_restricting_to_impossible_objects_is_refused(objects, error, message):
    with pytest.raises(error, match=message):
        Hierarchy([[0, 1], [2, 3]]).restrict(objects)
