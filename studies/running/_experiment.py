"""What an experiment is: a function, the cells it runs on, and the seeds of what they draw."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from ordlink.errors import InputError

Parameters: TypeAlias = Mapping[str, Any]
"""What sets one cell apart from the others: names with numbers, words, booleans or None."""
Record: TypeAlias = dict[str, Any]
"""One row of results: e.g. method, measure, value, seconds."""


def _equal_cost(_: Parameters) -> float:
    return 1.0


@dataclass(frozen=True)
class Experiment:
    """Cells that can be run one by one, in any order, in any process.

    Attributes
    ----------
    name : str
        Name of the experiment, and of its files.
    version : int
        Part of the files' names: to be raised whenever the function changes what it returns, so
        that new results never mix with old ones.
    run : callable
        From one cell's parameters, passed by name, to its records. It must be importable by its
        name (no lambda), since other processes run it, and draw only from seeds of `seed_of`.
    cells : tuple of mappings
        The parameters of every cell; values that JSON can hold.
    cost : callable
        About how many seconds a cell takes. Expensive cells run first, and the time left is
        estimated with it; only the ratios matter.
    """

    name: str
    version: int
    run: Callable[..., list[Record]]
    cells: tuple[Parameters, ...]
    cost: Callable[[Parameters], float] = _equal_cost


def cell_key(parameters: Parameters) -> str:
    """Return the name of a cell: the same for equal parameters, whatever their order.

    Examples
    --------
    >>> cell_key({"p": 0.1, "repetition": 2}) == cell_key({"repetition": 2, "p": 0.1})
    True
    """
    return hashlib.sha256(_canonical(parameters)).hexdigest()[:20]


def seed_of(what: str, **parameters: Any) -> int:
    """Return the seed for something that is drawn: a function of the arguments alone.

    Cells share a draw by naming it and only the parameters that they share: all methods, and
    all proportions, of a repetition see the same similarities.

    Parameters
    ----------
    what : str
        What is drawn, so that two draws of one cell are independent.
    **parameters
        What the draw may depend on; values that JSON can hold.

    Returns
    -------
    int
        Below 2**63, for `numpy.random.default_rng` (which passes it to a SeedSequence).

    Examples
    --------
    >>> seed_of("similarities", repetition=0)
    216819297299166291
    >>> seed_of("similarities", repetition=0) == seed_of("objects", repetition=0)
    False
    """
    digest = hashlib.sha256(_canonical({"what": what, "parameters": parameters})).digest()
    return int.from_bytes(digest[:8], "big") >> 1


def run_cell(experiment: Experiment, parameters: Parameters) -> list[Record]:
    """Run one cell here and now, and return its rows: its parameters and what was measured.

    Raises
    ------
    InputError
        If the function returns no record, or one that overwrites a parameter.
    """
    records = experiment.run(**parameters)
    if not records:
        raise InputError(f"{experiment.name}: expected at least one record per cell, got none")
    overwritten = sorted({name for record in records for name in record} & set(parameters))
    if overwritten:
        raise InputError(
            f"{experiment.name}: a record names {overwritten[0]!r}, which is a parameter of the "
            "cell; give the result another name"
        )
    return [{**parameters, **record} for record in records]


def _canonical(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, allow_nan=False, separators=(",", ":")).encode()
