"""Messages: options instead of arguments, short cells, one line."""

from __future__ import annotations

import pytest

from ordlink.cli._messages import counted, did_you_mean, in_words_of_the_command_line, listed, shown


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("pass one_based=True (--one-based), or n_objects (--n-objects 4)",
         "pass --one-based, or --n-objects 4"),
        ("rename the file or pass format=", "rename the file or pass --format"),
        ("if it names a column, pass header=True; x", "if it names a column, pass --header; x"),
        ("pass header=False (--no-header)", "pass --no-header"),
        ("pass form='quadruplet' (--form quadruplet)", "pass --form quadruplet"),
        ("pass their names (--names)", "pass their names (--names)"),
        ("as in names (--names)", "as in --names"),
        ("leaf_size: at most 9", "--leaf-size: at most 9"),
        ("n_folds: expected at most 3", "--folds: expected at most 3"),
        ("names: there is no annotator 'zoe'", "--exclude: there is no annotator 'zoe'"),
        ("names: expected 3 names", "names: expected 3 names"),
        ("comparisons: expected 3, got 0; pass annotators when you make the comparisons.",
         "answers: expected 3, got 0; add a column 'annotator' to the file."),
        ("there are 1 objects (0)", "there is 1 object (0)"),
        ("there are 11 objects", "there are 11 objects"),
        ("two\nlines", "two lines"),
        (f"the tree's '{'x' * 80}' and 'short'", f"the tree's '{'x' * 57}...' and 'short'"),
        ("'a' is not long, though far from the next quotation mark in this message: 'b'",
         "'a' is not long, though far from the next quotation mark in this message: 'b'"),
    ],
)  # fmt: skip
def test_messages_of_the_library_are_put_in_words_of_the_command_line(said, expected) -> None:
    assert in_words_of_the_command_line(said) == expected


def test_words_of_messages() -> None:
    assert shown("x" * 61) == repr("x" * 57 + "...")
    assert shown("x" * 60) == repr("x" * 60)
    assert (counted(1, "line"), counted(2000, "line")) == ("1 line", "2,000 lines")
    assert listed(list("abcdefg")) == "'a', 'b', 'c', 'd', 'e' and 2 more"
    assert did_you_mean("robbin", ["robin", "cat"]) == "; did you mean 'robin'?"
    assert did_you_mean("whale", ["robin", "cat"]) == ""
