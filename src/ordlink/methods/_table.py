"""The one table of methods: from the paper's names to functions."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

from ordlink.errors import InputError
from ordlink.hierarchy import Hierarchy
from ordlink.methods._runs import (
    run_active_kernel,
    run_adds,
    run_auto,
    run_average,
    run_complete,
    run_embedding,
    run_passive_kernel,
    run_single,
)
from ordlink.methods.embedding import forte_embedding, soe_embedding, tste_embedding
from ordlink.methods.four_al import quadruplets_average_linkage
from ordlink.methods.spectral import spectral_linkage

Needs = Literal["comparisons", "an oracle", "similarities"]


@dataclass(frozen=True)
class Method:
    """A method of the table.

    Attributes
    ----------
    name : str
        The paper's name.
    needs : {"comparisons", "an oracle", "similarities"}
        Kind of input.
    run : callable
        From the input and the options to a Hierarchy.
    summary : str
        What it does, in one line.
    options : tuple of str
        Names of the options that it takes besides `initial_clusters` and `progress`.
    """

    name: str
    needs: Needs
    run: Callable[..., Hierarchy]
    summary: str
    options: tuple[str, ...] = ()


def find_method(name: str) -> Method:
    """Return the method of this name; case does not matter.

    Raises
    ------
    InputError
        If there is none; the message lists the names and the closest one.
    """
    by_key = {_key(known): known for known in METHODS}
    key = _key(str(name))
    if key in by_key:
        return METHODS[by_key[key]]
    close = difflib.get_close_matches(key, by_key, n=1)
    hint = f"; did you mean {by_key[close[0]]}?" if close else ""
    raise InputError(f"unknown method {name!r}; there are {', '.join(METHODS)}{hint}")


def _key(name: str) -> str:
    """Return the letters and digits of a method's name: "4-AL" and "4al" are the same."""
    return "".join(letter for letter in name.lower() if letter.isalnum())


_EMBEDDING_OPTIONS = ("n_components", "metric", "n_init", "seed", "repeats", "max_iter")

METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method("SL", "an oracle", run_single, "single linkage, asking as few questions as it can"),
        Method("CL", "an oracle", run_complete, "complete linkage, asking few questions"),
        Method("AL", "similarities", run_average, "average linkage on known similarities"),
        Method(
            "4K-AL",
            "comparisons",
            run_passive_kernel,
            "quadruplet kernel, then average linkage",
            ("self_comparisons", "repeats"),
        ),
        Method(
            "4K-AL-act",
            "an oracle",
            run_active_kernel,
            "quadruplet kernel of landmarks and references, then average linkage",
            (
                "landmark_probability",
                "n_references",
                "budget",
                "landmarks",
                "reference_pairs",
                "seed",
            ),
        ),
        Method(
            "4-AL",
            "comparisons",
            quadruplets_average_linkage,
            "average linkage straight on the comparisons",
            ("repeats",),
        ),
        Method(
            "AddS-AL",
            "comparisons",
            run_adds,
            "wins minus losses of each pair, then average linkage",
            ("repeats",),
        ),
        Method(
            "spectral",
            "comparisons",
            spectral_linkage,
            "spectral splits of Bradley-Terry strengths: the best tree from few answers",
            ("repeats",),
        ),
        Method(
            "tSTE-AL",
            "comparisons",
            partial(run_embedding, embed=tste_embedding),
            "t-STE embedding, then average linkage",
            (*_EMBEDDING_OPTIONS, "alpha"),
        ),
        Method(
            "FORTE-AL",
            "comparisons",
            partial(run_embedding, embed=forte_embedding),
            "FORTE embedding, then average linkage",
            _EMBEDDING_OPTIONS,
        ),
        Method(
            "SOE-AL",
            "comparisons",
            partial(run_embedding, embed=soe_embedding),
            "soft ordinal embedding, then average linkage",
            _EMBEDDING_OPTIONS,
        ),
        Method(
            "auto",
            "comparisons",
            run_auto,
            "of all these, the one whose tree predicts held-out answers best",
            ("n_folds", "n_repetitions", "seed"),
        ),
    )
}
"""The methods by the paper's names."""
