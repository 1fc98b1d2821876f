"""Errors: one line of parts, in the caller's words for parameters."""

from __future__ import annotations

import pickle

import pytest

import ordlink as ol
from ordlink.errors import BudgetExhaustedError, InputError, InputKindError, OrdlinkError


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({}, "got 3"),
        ({"where": "a.csv, row 2"}, "a.csv, row 2: got 3"),
        ({"parameter": "n_objects"}, "n_objects: got 3"),
        ({"where": "a.csv", "parameter": "names"}, "a.csv: names: got 3"),
        ({"remedy": "pass {n_objects:4} or {names}"}, "got 3; pass n_objects=4 or names"),
        ({"remedy": "pass {header:False}"}, "got 3; pass header=False"),
        ({"remedy": ""}, "got 3"),
    ],
)
def test_a_message_is_where_parameter_problem_remedy(parts, message: str) -> None:
    assert str(InputError("got 3", **parts)) == message


def test_each_caller_names_parameters_in_its_own_words() -> None:
    error = InputError("got 3", parameter="n_objects", remedy="pass {n_objects:4}")

    said = error.render(lambda parameter, value: f"<{parameter}|{value}>")

    assert said == "<n_objects|>: got 3; pass <n_objects|4>"


def test_braces_of_user_data_stay() -> None:
    assert str(InputError("got '{x}'", where="{y}.csv")) == "{y}.csv: got '{x}'"


def test_content_and_kind_are_value_and_type_errors() -> None:
    assert issubclass(InputError, ValueError)
    assert issubclass(InputKindError, TypeError)
    assert issubclass(InputError, OrdlinkError)


def test_errors_survive_pickling() -> None:
    comparisons = ol.Comparisons.from_triplets([[0, 1, 2]])
    error = InputError("got 3", where="a.csv", parameter="names", remedy="pass {names}")
    spent = BudgetExhaustedError("no questions left", comparisons=comparisons, n_questions=5)

    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    again = pickle.loads(pickle.dumps(spent))
    assert (str(again), again.n_questions) == ("no questions left", 5)
    assert again.comparisons == comparisons
