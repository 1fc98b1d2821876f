"""Arguments are checked alike everywhere, and messages share their words."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ordlink._text import counted, did_you_mean, either, listed, percent, quoted, whole_percent
from ordlink._validate import (
    check_choice,
    check_flag,
    check_names,
    check_number,
    check_objects,
    check_whole_number,
    count_objects,
    random_generator,
    seed_number,
)
from ordlink.errors import InputError, InputKindError


def test_whole_numbers_become_ints() -> None:
    found = check_whole_number(np.int64(3), "k", lowest=1, highest=3)

    assert found == 3
    assert type(found) is int


@pytest.mark.parametrize(
    ("value", "kind", "problem"),
    [
        (0, InputError, "k: expected a whole number from 1 to 9, got 0"),
        (10, InputError, "k: expected a whole number from 1 to 9, got 10"),
        (2.5, InputError, "got 2.5"),
        (True, InputKindError, "got True"),
        ("3", InputKindError, "got '3'"),
        (None, InputKindError, "got None"),
    ],
)
def test_other_values_are_no_whole_numbers(value, kind, problem: str) -> None:
    with pytest.raises(kind) as caught:
        check_whole_number(value, "k", lowest=1, highest=9)

    assert problem in str(caught.value)
    assert caught.value.parameter == "k"


@pytest.mark.parametrize("value", [math.nan, math.inf, -0.1, 1.1])
def test_numbers_are_finite_and_within_bounds(value: float) -> None:
    assert check_number(np.float32(0.5), "p", lowest=0, highest=1) == 0.5
    with pytest.raises(InputError, match="p: expected a finite number from 0 to 1, got"):
        check_number(value, "p", lowest=0, highest=1)


@pytest.mark.parametrize("value", [True, "0.5", None])
def test_other_kinds_are_no_numbers(value) -> None:
    with pytest.raises(InputKindError, match="p: expected a number, got"):
        check_number(value, "p")


def test_choices_suggest_what_was_meant() -> None:
    assert check_choice("net", "repeats", ["majority", "net"]) == "net"
    with pytest.raises(InputError, match="'majority' or 'net', got 'majorty'; did you mean 'maj"):
        check_choice("majorty", "repeats", ["majority", "net"])
    with pytest.raises(InputKindError, match="got 3"):
        check_choice(3, "repeats", ["majority", "net"])


def test_flags_are_no_words() -> None:
    assert check_flag(np.True_, "one_based") is True
    with pytest.raises(InputKindError, match="one_based: expected True or False, got 'no'"):
        check_flag("no", "one_based")


@pytest.mark.parametrize(
    ("names", "problem"),
    [
        ("abc", "expected a sequence of strings, got str"),
        (["a"], "expected 2 names, one per object, got 1"),
        (["a", " "], "the name of object 1, ' ', is empty"),
        (["a\nb", "c"], "control characters"),
        (["a", "\ud800"], "control characters"),
    ],
)
def test_bad_names_are_refused(names, problem: str) -> None:
    with pytest.raises((InputError, InputKindError)) as caught:
        check_names(names, 2)

    assert problem in str(caught.value)
    assert caught.value.parameter == "names"


def test_names_may_repeat_and_be_left_out() -> None:
    assert check_names(["a", "a"], 2) == ("a", "a")
    assert check_names(None, 2) is None


@pytest.mark.parametrize(
    ("objects", "problem"),
    [
        ([], "at least one"),
        ([[0, 1]], "expected a list of object numbers"),
        ([[0], [1, 2]], "expected a list of object numbers"),
        ([0.5], "expected a list of object numbers"),
        ([0, 3], "object 3 is out of range: there are 3 objects (0 to 2)"),
        ([-1], "object -1 is out of range"),
        ([1, 1], "object 1 is listed twice"),
    ],
)
def test_bad_object_numbers_are_refused(objects, problem: str) -> None:
    with pytest.raises(InputError) as caught:
        check_objects(objects, 3, "landmarks")

    assert problem in str(caught.value)
    assert caught.value.parameter == "landmarks"


def test_object_numbers_keep_their_order() -> None:
    assert check_objects([2, 0], 3, "landmarks").tolist() == [2, 0]
    assert count_objects(1) == "is 1 object (0)"
    assert count_objects(4, first=1) == "are 4 objects (1 to 4)"


def test_seeds_are_numbers_generators_or_none() -> None:
    generator = np.random.default_rng(3)

    assert random_generator(generator) is generator
    assert random_generator(7).integers(100) == np.random.default_rng(7).integers(100)
    assert seed_number(7) == 7
    assert seed_number(np.random.default_rng(3)) == seed_number(np.random.default_rng(3))
    assert random_generator(None) is not None


@pytest.mark.parametrize(
    ("seed", "kind"), [(-1, InputError), (1.0, InputKindError), (True, InputKindError)]
)
def test_other_seeds_are_refused(seed, kind) -> None:
    with pytest.raises(kind, match="seed: expected a whole number"):
        random_generator(seed)


def test_words_of_messages() -> None:
    assert quoted("x" * 61) == repr("x" * 57 + "...")
    assert quoted("x" * 60) == repr("x" * 60)
    assert (counted(1, "line"), counted(2000, "line")) == ("1 line", "2,000 lines")
    assert counted(2, "branch", "branches") == "2 branches"
    assert listed(list("abcdefg")) == "'a', 'b', 'c', 'd', 'e' and 2 more"
    assert (either(["a"]), either("abc")) == ("a", "a, b or c")
    assert did_you_mean("robbin", ["robin", "cat"]) == "; did you mean 'robin'?"
    assert did_you_mean("whale", ["robin", "cat"]) == ""
    assert (percent(0.95), percent(math.nan)) == ("95 %", "-")
    assert (whole_percent(0.9499), whole_percent(0.58)) == ("94", "58")
