"""How `ordlink cluster` assesses a tree: bootstrap support, consensus, test for a hierarchy."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from ordlink._text import counted
from ordlink.cli._console import progress_bar, text_tree, warn_in_a_line
from ordlink.cli._output import CONSENSUS, MAJORITY
from ordlink.comparisons import ListedComparisons
from ordlink.errors import InputError, OrdlinkWarning
from ordlink.hierarchy import Hierarchy
from ordlink.methods import Method

if TYPE_CHECKING:
    from ordlink.validation import HierarchyTest

LEVEL = 0.05
"""The largest p-value that counts as evidence."""


@dataclass(frozen=True)
class Assessment:
    """A tree, with the support of its branches if that was asked for.

    Attributes
    ----------
    tree : Hierarchy
        The tree; its parameters hold all about support.
    consensus : Hierarchy, optional
        The majority-rule consensus of the bootstrap trees.
    test : HierarchyTest, optional
        The test for a hierarchy.
    """

    tree: Hierarchy
    consensus: Hierarchy | None = None
    test: HierarchyTest | None = None


def assess(
    tree: Hierarchy,
    comparisons: ListedComparisons,
    *,
    initial_clusters: Sequence[Sequence[int]] | None,
    chosen: Method,
    options: dict[str, Any],
    n_bootstrap: int | None,
    seed: int,
    wants_consensus: bool,
    wants_test: bool,
) -> Assessment:
    """Return the tree with what was asked for."""
    method, of_method = _method_used(tree, chosen, options)
    test = _test(comparisons, method, seed, of_method) if wants_test else None
    if n_bootstrap is None:
        return Assessment(tree, test=test)
    from ordlink.validation import branch_support, match_known_branches

    with progress_bar("support") as progress, warnings.catch_warnings():
        warnings.simplefilter("ignore", OrdlinkWarning)  # the tree itself has raised them all
        found = branch_support(
            comparisons,
            method,
            n_bootstrap=n_bootstrap,
            initial_clusters=initial_clusters,
            seed=seed,
            progress=progress,
            **of_method,
        )
    matches = match_known_branches(tree, found.bootstrap_trees, comparisons)
    drawn = {"n_bootstrap": n_bootstrap, "seed": seed}
    about = {**drawn, "shares": matches.shares.tolist(), "transfers": matches.transfers.tolist()}
    supported = tree.with_support(matches.weakest).with_origin(
        tree.method or method, {**tree.parameters, "branch_support": about}
    )
    consensus = found.consensus().with_origin(CONSENSUS, drawn) if wants_consensus else None
    return Assessment(supported, consensus, test)


def _method_used(
    tree: Hierarchy, chosen: Method, options: dict[str, Any]
) -> tuple[str, dict[str, Any]]:
    """Return method and options of a tree without its seed; for "auto", what it chose."""
    used = tree.parameters.get("chosen") if chosen.name == "auto" else None
    if used is not None:
        return used["method"], used["options"]
    return chosen.name, {key: value for key, value in options.items() if key != "seed"}


def _test(
    comparisons: ListedComparisons, method: str, seed: int, options: dict[str, Any]
) -> HierarchyTest | None:
    from ordlink.validation import hierarchy_test

    try:
        return hierarchy_test(comparisons, method, seed=seed, **options)
    except InputError as error:
        warn_in_a_line(f"hierarchy test: {error}")
        return None


def print_assessment(assessment: Assessment, min_support: float | None) -> None:
    """Print what the numbers on the branches are, the consensus, and the test."""
    tree, consensus, test = assessment.tree, assessment.consensus, assessment.test
    if "branch_support" in tree.parameters:
        drawn = tree.parameters["branch_support"]
        click.echo(
            f"numbers: bootstrap support in percent, from {drawn['n_bootstrap']:,} samples (seed "
            f"{drawn['seed']}), on branches with room for it; 95 is firm, below 50 is no evidence"
        )
    if min_support is not None:
        support = tree.support[:-1]
        click.echo(
            f"collapsed: {int((support < min_support).sum())} of {len(support)} branches, with "
            f"support below {100 * min_support:g}"
        )
    if consensus is not None:
        groups = counted(int((consensus.support[:-1] > MAJORITY).sum()), "group")
        click.echo(f"\nconsensus: {groups}, each in more than half of the bootstrap trees")
        click.echo(text_tree(consensus, min_support=MAJORITY))
    if test is not None:
        evidence = "evidence" if test.p_value <= LEVEL else "no evidence"
        click.echo(f"hierarchy test: p = {test.p_value:.3f}, {evidence} of a hierarchy")
