"""Groups of annotators, as a section of the page."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ordlink import validation
from ordlink._html import escape, table
from ordlink._text import counted, listed, percent
from ordlink._tree_view import tree_figure
from ordlink._typing import AnyArray
from ordlink.report._evidence import Evidence

LEVEL = 0.05
MOST_PEOPLE = 200


def groups_section(
    evidence: Evidence, pictures: Sequence[dict[str, object] | None] | None = None
) -> str:
    """Return the trees of groups, the tests, and how far each person follows each tree."""
    found = evidence.groups
    if found is None:
        return ""
    trees = [
        tree_figure(
            tree,
            f"tree-group-{number}",
            f"{escape(name)}: the tree of {counted(n_answers, 'answer')}.",
            pictures=pictures,
        )
        for number, (name, tree, n_answers) in enumerate(
            zip(found.groups, found.trees, found.n_answers, strict=True)
        )
    ]
    tables = [
        _matrix(
            found,
            found.groups,
            found.distances,
            "Share of triples of objects that two trees resolve differently; 67 % by chance.",
        ),
        _matrix(
            found,
            found.groups,
            found.accuracies,
            "Share of the comparisons of a group (row) that a tree (column) agrees with.",
        ),
    ]
    if len(found.groups) < len(found.people) <= MOST_PEOPLE:
        caption = (
            "Share of the comparisons of a person that the tree of a group, built by AddS-AL "
            "without this person, agrees with."
        )
        tables.append(_matrix(found, found.people, found.follows, caption))
    return "\n".join([_test(found), *trees, *_branches(evidence, found), *tables])


def _test(found: validation.GroupComparison) -> str:
    if math.isnan(found.p_value):
        reason = "a test needs at least two people in each group, each in one group"
        return f"<p>Whether the groups differ was not tested: {reason}.</p>"
    verdict = "differ" if found.p_value <= LEVEL else "do not differ significantly"
    return (
        f"<p>The answers of the groups {verdict}: p = {found.p_value:.3g} for groups that are "
        "alike, by a permutation test over people.</p>"
    )


def _branches(evidence: Evidence, found: validation.GroupComparison) -> list[str]:
    names = evidence.tree.labels_text
    order = sorted(found.branches, key=lambda branch: branch.p_value)
    rows = [
        (
            listed([names[i] for i in one.objects]),
            *map(percent, one.shares),
            f"{one.p_value:.3f}",
        )
        for one in order
    ]
    if not rows:
        return []
    caption = (
        "Branches of the overall tree, those on which groups differ most first: the share of each "
        "group's comparisons that agree with the branch, and the p-value of groups that are alike, "
        "adjusted for the number of branches."
    )
    return [table(("branch", *found.groups, "p"), rows, caption=caption)]


def _matrix(
    found: validation.GroupComparison, names: Sequence[str], values: AnyArray, caption: str
) -> str:
    rows = [(name, *map(percent, row)) for name, row in zip(names, values.tolist(), strict=True)]
    return table(("", *found.groups), rows, caption=caption)
