"""The table of methods, and how they are found by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from types import MappingProxyType
from typing import Literal

from ordlink._text import did_you_mean, quoted
from ordlink._typing import AnyArray, Progress
from ordlink.errors import InputError
from ordlink.hierarchy import Hierarchy
from ordlink.linkage import InitialPartition, link_by_average
from ordlink.methods import (
    active,
    adaptive,
    adds,
    blocks,
    embedding,
    four_al,
    kernel_al,
    search,
    spectral,
)

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
    options_of : callable, optional
        A function that `run` passes options to: its keywords are options too.
    """

    name: str
    needs: Needs
    run: Callable[..., Hierarchy]
    summary: str
    options_of: Callable[..., object] | None = None

    @cached_property
    def options(self) -> tuple[str, ...]:
        """Names of the options that :func:`ordlink.cluster` takes for this method."""
        functions = [self.run] if self.options_of is None else [self.run, self.options_of]
        return tuple(
            parameter.name
            for function in functions
            for parameter in inspect.signature(function).parameters.values()
            if parameter.kind is parameter.KEYWORD_ONLY and parameter.name != "progress"
        )


def find_method(name: str) -> Method:
    """Return the method of this name; only its letters and digits count: "4al" is 4-AL."""
    by_key = {name_key(known): method for known, method in METHODS.items()}
    key = name_key(str(name))
    if key not in by_key:
        close = did_you_mean(key, by_key)
        for known, method in by_key.items():
            close = close.replace(quoted(known), method.name)
        raise InputError(
            f"unknown method {quoted(name)}; the methods are {', '.join(METHODS)}{close}",
            parameter="method",
        )
    return by_key[key]


def name_key(name: str) -> str:
    """Return the letters and digits of a name, in lower case."""
    return "".join(letter for letter in name.lower() if letter.isalnum())


def _run_average(
    similarities: AnyArray, partition: InitialPartition, *, progress: Progress | None = None
) -> Hierarchy:
    return link_by_average(similarities, partition, progress=progress)


def _embedding(name: str, embed: Callable[..., embedding.Embedding], summary: str) -> Method:
    return Method(name, "comparisons", partial(embedding.run, embed), summary, embed)


_ALL = (
    Method("SL", "an oracle", active.run_single, "single linkage, asking few questions"),
    Method("CL", "an oracle", active.run_complete, "complete linkage, asking few questions"),
    Method("adaptive", "an oracle", adaptive.run, "few, chosen questions; tolerates wrong answers"),
    Method("insertion", "an oracle", active.run_insertion, "exact trees from few triplets"),
    Method("AL", "similarities", _run_average, "average linkage on known similarities"),
    Method(
        "4K-AL",
        "comparisons",
        kernel_al.run_passive,
        "quadruplet kernel, then average linkage",
        kernel_al.passive_kernel,
    ),
    Method(
        "4K-AL-act",
        "an oracle",
        kernel_al.run_active,
        "quadruplet kernel from landmarks and reference pairs, then average linkage",
        kernel_al.plan_active_kernel,
    ),
    Method("4-AL", "comparisons", four_al.run, "average linkage directly on the comparisons"),
    Method("AddS-AL", "comparisons", adds.run, "wins minus losses, then average linkage"),
    Method("spectral", "comparisons", spectral.run, "recursive splits, best with few answers"),
    Method("blocks", "comparisons", blocks.run, "block model, for up to millions of objects"),
    Method("search", "comparisons", search.run, "the tree expected to agree best with new answers"),
    _embedding("tSTE-AL", embedding.tste_embedding, "t-STE embedding, then average linkage"),
    _embedding("FORTE-AL", embedding.forte_embedding, "FORTE embedding, then average linkage"),
    _embedding("SOE-AL", embedding.soe_embedding, "soft ordinal embedding, then average linkage"),
    Method("auto", "comparisons", search.run_auto, "search or spectral, whichever predicts better"),
)

METHODS: Mapping[str, Method] = MappingProxyType({method.name: method for method in _ALL})
"""The methods by the paper's names."""
