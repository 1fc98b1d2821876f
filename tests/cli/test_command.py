"""Errors of the library name the options of the command that was called."""

from __future__ import annotations

import click
import pytest

from ordlink.cli._app import Command, parameters_called, run_command
from ordlink.errors import InputError, OrdlinkError


def _message(error: OrdlinkError, capsys, **renamed: str) -> str:
    """Return what a command prints in which the library raises this error."""

    @click.command(cls=Command)
    @click.option("--clusters", "n_clusters")
    @click.option("--header/--no-header")
    @click.option("--one-based/--zero-based", default=None)
    @click.option("--columns")
    @click.option("--repeats")
    @click.option("--exclude")
    def command(**_: object) -> None:
        with parameters_called(**renamed):
            raise error

    assert run_command(command, "test", []) == 2
    said = capsys.readouterr()
    assert said.out == ""
    return said.err


@pytest.mark.parametrize(
    ("remedy", "expected"),
    [
        ("pass {n_clusters}", "pass --clusters"),
        ("pass {n_clusters:4} or fewer", "pass --clusters 4 or fewer"),
        ("pass {header:True} or {header:False}", "pass --header or --no-header"),
        ("pass {one_based:True} or {one_based:False}", "pass --one-based or --zero-based"),
        ("pass {repeats:'majority'}", "pass --repeats majority"),
        ("pass {columns:['a', 'b', 'c']}", "pass --columns a,b,c"),
        ("pass {annotators}", "pass annotators (a column 'annotator' in the file)"),
    ],
)
def test_remedies_name_options(capsys, remedy: str, expected: str) -> None:
    assert _message(InputError("wrong", remedy=remedy), capsys) == f"error: wrong; {expected}\n"


@pytest.mark.parametrize(
    ("parameter", "expected"),
    [
        ("n_clusters", "--clusters"),
        ("one_based", "--one-based"),
        ("comparisons", "answers"),
        ("landmarks", "landmarks"),  # no option of this command
    ],
)
def test_parameters_are_named_by_their_options(capsys, parameter: str, expected: str) -> None:
    error = InputError("expected 3, got 2", where="a.csv", parameter=parameter)

    assert _message(error, capsys) == f"error: a.csv: {expected}: expected 3, got 2\n"


def test_a_parameter_may_have_another_name_in_a_command(capsys) -> None:
    error = InputError("there is no annotator 'zoe'", parameter="names")

    message = _message(error, capsys, names="exclude")

    assert message == "error: --exclude: there is no annotator 'zoe'\n"


def test_user_data_and_several_lines_stay_one_line(capsys) -> None:
    error = InputError("got '{n_clusters}'\nand more", where="Ann.csv")

    assert _message(error, capsys) == "error: Ann.csv: got '{n_clusters}' and more\n"
