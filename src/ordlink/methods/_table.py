"""The table of methods: from the paper's names to functions."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from types import MappingProxyType
from typing import Literal

from ordlink._text import did_you_mean, quoted
from ordlink._typing import AnyArray, Progress
from ordlink._validate import Seed
from ordlink.comparisons import Comparisons
from ordlink.errors import InputError
from ordlink.hierarchy import Hierarchy
from ordlink.linkage import InitialPartition, link_by_average
from ordlink.methods import active, adds, embedding, four_al, kernel_al, spectral

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
        ``run(data, partition, *, progress, **options)`` returns the Hierarchy; `partition` is the
        InitialPartition to start from. The options are the other keywords of its signature.
    summary : str
        What it does, in one line.
    """

    name: str
    needs: Needs
    run: Callable[..., Hierarchy]
    summary: str

    @cached_property
    def options(self) -> tuple[str, ...]:
        """Names of the options that :func:`ordlink.cluster` takes for this method."""
        return tuple(
            parameter.name
            for parameter in inspect.signature(self.run).parameters.values()
            if parameter.kind is parameter.KEYWORD_ONLY and parameter.name != "progress"
        )


def find_method(name: str) -> Method:
    """Return the method of this name; only its letters and digits count: "4al" is 4-AL."""
    by_key = {_key(known): method for known, method in METHODS.items()}
    key = _key(str(name))
    if key not in by_key:
        close = did_you_mean(key, by_key)
        for known, method in by_key.items():
            close = close.replace(quoted(known), method.name)
        raise InputError(
            f"unknown method {quoted(name)}; there are {', '.join(METHODS)}{close}",
            parameter="method",
        )
    return by_key[key]


def _key(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())


def _run_average(
    similarities: AnyArray, partition: InitialPartition, *, progress: Progress | None = None
) -> Hierarchy:
    return link_by_average(similarities, partition, progress=progress)


def _run_auto(
    comparisons: Comparisons,
    partition: InitialPartition,
    *,
    progress: Progress | None = None,
    n_folds: int = 5,
    n_repetitions: int = 1,
    seed: Seed = 0,
) -> Hierarchy:
    # `auto` builds on this table, so it lives in a layer above and is found by name, at the call.
    tree: Hierarchy = importlib.import_module("ordlink.validation").auto_linkage(
        comparisons,
        initial_clusters=[some for some in partition.clusters() if len(some) > 1] or None,
        n_folds=n_folds,
        n_repetitions=n_repetitions,
        seed=seed,
        progress=progress,
    )
    return tree


_ALL = (
    Method(
        "SL", "an oracle", active.run_single, "single linkage, asking as few questions as it can"
    ),
    Method("CL", "an oracle", active.run_complete, "complete linkage, asking few questions"),
    Method("AL", "similarities", _run_average, "average linkage on known similarities"),
    Method(
        "4K-AL", "comparisons", kernel_al.run_passive, "quadruplet kernel, then average linkage"
    ),
    Method(
        "4K-AL-act",
        "an oracle",
        kernel_al.run_active,
        "quadruplet kernel of landmarks and references, then average linkage",
    ),
    Method("4-AL", "comparisons", four_al.run, "average linkage straight on the comparisons"),
    Method(
        "AddS-AL", "comparisons", adds.run, "wins minus losses of each pair, then average linkage"
    ),
    Method(
        "spectral",
        "comparisons",
        spectral.run,
        "spectral splits of Bradley-Terry strengths: the best tree from few answers",
    ),
    Method("tSTE-AL", "comparisons", embedding.run_tste, "t-STE embedding, then average linkage"),
    Method(
        "FORTE-AL",
        "comparisons",
        partial(embedding.run, embedding.forte_embedding),
        "FORTE embedding, then average linkage",
    ),
    Method(
        "SOE-AL",
        "comparisons",
        partial(embedding.run, embedding.soe_embedding),
        "soft ordinal embedding, then average linkage",
    ),
    Method(
        "auto",
        "comparisons",
        _run_auto,
        "of all these, the one whose tree predicts held-out answers best",
    ),
)

METHODS: Mapping[str, Method] = MappingProxyType({method.name: method for method in _ALL})
"""The methods by the paper's names."""
