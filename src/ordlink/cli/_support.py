"""What `ordlink cluster` says of trust: support of branches, consensus, test, people left out."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from ordlink.cli._console import progress_bar, text_tree
from ordlink.cli._messages import counted
from ordlink.cli._output import CONSENSUS, MAJORITY
from ordlink.comparisons import ListedComparisons
from ordlink.errors import OrdlinkWarning
from ordlink.hierarchy import Hierarchy
from ordlink.methods import Method

if TYPE_CHECKING:
    from ordlink.validation import HierarchyTest

LEVEL = 0.05
"""The largest p-value that counts as evidence."""


@dataclass(frozen=True)
class Supported:
    """A tree with the support of its branches, and the consensus of the replicates."""

    tree: Hierarchy
    consensus: Hierarchy


def method_taken(
    tree: Hierarchy, chosen: Method, options: dict[str, Any]
) -> tuple[str, dict[str, Any]]:
    """Return method and options of a tree without its seed; of "auto", what it has taken."""
    taken = tree.parameters.get("chosen") if chosen.name == "auto" else None
    if taken is not None:
        return taken["method"], taken["options"]
    return chosen.name, {key: value for key, value in options.items() if key != "seed"}


def with_support(
    tree: Hierarchy,
    comparisons: ListedComparisons,
    n_replicates: int,
    seed: int,
    initial_clusters: Any,
    method: str,
    options: dict[str, Any],
) -> Supported:
    """Return the tree with the support of its branches, and all about it among its parameters."""
    from ordlink.validation import branch_support, match_known_branches

    with progress_bar("support") as progress, warnings.catch_warnings():
        warnings.simplefilter("ignore", OrdlinkWarning)  # the tree itself has said it all
        found = branch_support(
            comparisons,
            method,
            n_bootstrap=n_replicates,
            initial_clusters=initial_clusters,
            seed=seed,
            progress=progress,
            **options,
        )
    matches = match_known_branches(tree, found.bootstrap_trees, comparisons)
    drawn = {"n_replicates": n_replicates, "seed": seed}
    about = {**drawn, "shares": matches.shares.tolist(), "transfers": matches.transfers.tolist()}
    supported = tree.with_support(matches.weakest).with_origin(
        tree.method or method, {**tree.parameters, "branch_support": about}
    )
    return Supported(supported, found.consensus().with_origin(CONSENSUS, drawn))


def say_support(tree: Hierarchy, min_support: float | None) -> None:
    """Print what the numbers on the branches are, and how many branches are left out."""
    drawn = tree.parameters["branch_support"]
    click.echo(
        f"numbers: support in percent, from {drawn['n_replicates']:,} replicates (seed "
        f"{drawn['seed']}), on branches long enough for it; 95 is firm, below 50 says nothing"
    )
    if min_support is not None:
        support = tree.support[:-1]
        click.echo(
            f"left out: {int((support < min_support).sum())} of {len(support)} branches, whose "
            f"support is below {100 * min_support:g}; their objects hang on the next branch above"
        )


def say_consensus(consensus: Hierarchy) -> None:
    """Print the consensus, which may be no more than all objects side by side."""
    groups = counted(int((consensus.support[:-1] > MAJORITY).sum()), "group")
    click.echo(f"\nconsensus: {groups}, found exactly so in more than half of the replicates")
    click.echo(text_tree(consensus, min_support=MAJORITY))


def in_a_line(test: HierarchyTest) -> str:
    """Return what the test for a hierarchy says."""
    evidence = "evidence" if test.p_value <= LEVEL else "no evidence"
    return f"hierarchy test: p = {test.p_value:.3f}, {evidence} of a hierarchy"


def leave_out(comparisons: ListedComparisons, names: Sequence[str]) -> ListedComparisons:
    """Return the answers of everybody else, and say so."""
    from ordlink.validation import without_annotators

    kept = without_annotators(comparisons, names)
    n_left_out = counted(comparisons.n_comparisons - kept.n_comparisons, "comparison")
    click.echo(f"left out on request: {', '.join(dict.fromkeys(names))}, with {n_left_out}")
    return kept
