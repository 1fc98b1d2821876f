"""The summary of a report: what the answers support, in sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from ordlink._html import escape
from ordlink._text import counted, percent, whole_percent
from ordlink.hierarchy import Hierarchy
from ordlink.metrics import triplet_distance
from ordlink.report._evidence import Evidence
from ordlink.validation import WEAK_SUPPORT, LearningCurve, firm_branches

Thumbnails: TypeAlias = Sequence[dict[str, object] | None]
"""Data URI and size of the picture of each object."""
MOST_NAMES = 8
THUMBNAIL = 30  # pixels: height of a picture beside a name
MOST_BRANCHES = 6
FEWEST_PAIRS = 20  # no share is given for fewer pairs of answers, or fewer triads
ALIKE = 0.1  # two root splits are equivalent if at most this share of the objects changes sides
AS_GOOD = 2.0  # the tree shown counts as equally good within so many standard errors of the best


def summary_html(evidence: Evidence, pictures: Thumbnails | None = None) -> str:
    """Return the summary as a list; groups show the pictures of the objects that they name."""
    points = [
        _about_data(evidence),
        _about_hierarchy(evidence),
        _about_branches(evidence, pictures),
        _about_clusters(evidence),
        _about_prediction(evidence),
        _about_top(evidence),
        _about_crowd(evidence),
        "" if evidence.curve is None else advice_html(evidence.curve, evidence.tree),
    ]
    items = "".join(f"<li>{point}</li>" for point in points if point)
    return f"<ul class='summary'>{items}</ul>"


def named(names: Sequence[str], most: int = MOST_NAMES) -> str:
    """Return the first few names, and how many more there are, as HTML."""
    more = len(names) - most
    return escape(", ".join(names[:most]) + (f" and {more} more" if more > 0 else ""))


def _about_data(evidence: Evidence) -> str:
    summary = evidence.summary
    people = ""
    if summary.n_annotators:
        people = f" by {counted(summary.n_annotators, 'person', 'people')}"
    text = (
        f"<strong>The data.</strong> {counted(summary.n_answers, 'answer')}{people} about "
        f"{counted(summary.n_objects, 'object')}, which give "
        f"{counted(summary.n_comparisons, 'comparison')} of pairs."
    )
    if summary.never_named:
        text += (
            f" {counted(len(summary.never_named), 'object')} "
            f"({named(summary.never_named)}) never occur; their position in the tree is arbitrary."
        )
    if len(summary.parts) > 1:
        text += (
            f" The objects fall into {len(summary.parts)} parts that were never compared with each "
            "other; how these join is arbitrary."
        )
    return text


def _about_hierarchy(evidence: Evidence) -> str:
    test = evidence.test
    if test is None:
        return (
            "<strong>Is there structure that a tree can express?</strong> There are too few "
            "answers for the test. Treat the tree as a first guess."
        )
    p = f"p = {test.p_value:.3f}"
    if test.p_value * (len(test.null_statistics) + 1) < 1 + 1e-9:
        p += ", the smallest this test can give"
    if test.is_significant:
        return (
            "<strong>There is structure that a tree can express.</strong> Trees built from one "
            "half of the pairs of objects predict the answers about the other half better than "
            f"chance ({p}). The test says nothing about individual branches."
        )
    return (
        "<strong>There is no significant evidence of a hierarchy.</strong> Trees built from one "
        "half of the pairs of objects do not predict the answers about the other half "
        f"significantly better than chance ({p}). Either there is no hierarchy, or the answers are "
        "too few or too noisy to show it. The tree below describes these answers; it should not be "
        "read as a finding."
    )


def _about_branches(evidence: Evidence, pictures: Thumbnails | None) -> str:
    tree = evidence.tree
    support = tree.support[:-1]
    if not len(support):
        return ""
    firm, n_weak = firm_branches(tree), int((support < WEAK_SUPPORT).sum())
    n_middle = len(support) - len(firm) - n_weak
    text = (
        f"<strong>Branches.</strong> Of {counted(len(support), 'branch', 'branches')} below the "
        f"root, {len(firm)} {'is' if len(firm) == 1 else 'are'} firm (support of at least 95 %), "
        f"{n_middle} {'is' if n_middle == 1 else 'are'} uncertain (50 to 95 %), and {n_weak} "
        f"{'is' if n_weak == 1 else 'are'} not supported (below 50 %)."
    )
    if firm:
        items = "".join(f"<li>{_members(tree, t, pictures)}</li>" for t in firm[:MOST_BRANCHES])
        text += f" Firm, the largest first:<ul>{items}</ul>"
        if len(firm) > MOST_BRANCHES:
            text += f"and {len(firm) - MOST_BRANCHES} more. "
    if n_weak:
        text += (
            " Do not interpret the inside of an unsupported branch: raise the slider of the tree "
            "to hide such branches."
        )
    elif not firm:
        text += " No branch is firm."
    return text


def _about_clusters(evidence: Evidence) -> str:
    """Return the clusters that the answers suggest, if there is evidence of a hierarchy."""
    tree, test = evidence.tree, evidence.test
    is_noise = test is not None and not test.is_significant
    if is_noise or not tree.has_evidence or tree.n_objects < 3:
        return ""
    found = tree.partition()
    if found.n_clusters == 1:
        return ""
    text = (
        f"<strong>Clusters.</strong> The answers suggest {counted(found.n_clusters, 'cluster')}: "
        f"{escape(found.reason)}."
    )
    members = [np.flatnonzero(found.labels == label) for label in range(found.n_clusters)]
    items = "".join(
        f"<li>{number} ({len(group):,}): {named([tree.name_of(i) for i in group.tolist()])}</li>"
        for number, group in enumerate(members, start=1)
    )
    text += f"<ul>{items}</ul>"
    if found.set_aside:
        names = [tree.name_of(i) for i in found.set_aside]
        text += f"Set aside, since they are like no other: {named(names)}."
    return text


def smaller_side(tree: Hierarchy, t: int) -> tuple[list[int], bool]:
    """Return the objects that name a branch, and whether these are the ones outside of it."""
    members = tree.members(tree.n_objects + t)
    if 2 * len(members) <= tree.n_objects:
        return members.tolist(), False
    return np.setdiff1d(np.arange(tree.n_objects), members).tolist(), True


def group_words(tree: Hierarchy, t: int) -> str:
    """Return a branch in words, named by its smaller side, with its support."""
    shown, is_outside = smaller_side(tree, t)
    names = [tree.name_of(i) for i in shown]
    more = len(names) - MOST_NAMES
    text = ", ".join(names[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
    support = f"{whole_percent(tree.support[t])} %"
    if is_outside:
        return f"{tree.n_objects - len(shown)} objects, all but {text} ({support})"
    return f"{text} ({support})" if more <= 0 else f"{len(shown)} objects: {text} ({support})"


def _members(tree: Hierarchy, t: int, pictures: Thumbnails | None = None) -> str:
    text = escape(group_words(tree, t))
    shown, _ = smaller_side(tree, t)
    small = [] if pictures is None else [pictures[i] for i in shown[:MOST_NAMES]]
    images = "".join(
        f'<img src="{one["uri"]}" alt="" height="{THUMBNAIL}"> ' for one in small if one is not None
    )
    return f"{text}<br>{images}" if images else text


def _about_prediction(evidence: Evidence) -> str:
    if evidence.methods is None:
        return (
            "<strong>Prediction.</strong> There are too few answers to hold some out and check "
            "whether the tree predicts them."
        )
    labels = [one.label for one in evidence.methods.scores]
    text = "<strong>Prediction.</strong> "
    label = escape(evidence.chosen.label)
    if evidence.chosen.label in labels:
        held_out = evidence.methods[evidence.chosen.label].held_out
        by_people = evidence.methods.folds_by == "people"
        unseen = "by people it has not seen" if by_people else "in answers it has not seen"
        text += (
            f"The tree ({label}) predicts {percent(held_out.accuracy)} (± "
            f"{100 * held_out.accuracy_error:.1f}) of the comparisons {unseen}; guessing would "
            "give 50 %."
        )
    else:
        text += (
            f"The tree shown ({label}) was not evaluated on held-out answers. Of the methods that "
            f"were, {escape(evidence.methods.reason)}"
        )
    between = evidence.crowd.between if evidence.crowd.between.n_pairs else evidence.crowd.repeats
    if between.n_pairs >= FEWEST_PAIRS:
        exact = not 0.995 <= between.agreement < 1  # 100 % only if it is exact
        share = percent(between.agreement) if exact else "more than 99 %"
        text += f" Two answers to the same question agree in {share} of cases" + _ceiling(
            between.agreement, between.chance
        )
    return text


def _ceiling(agreement: float, chance: float) -> str:
    """Return the ceiling that such agreement sets on prediction, as the end of a sentence."""
    if agreement >= 1:
        return "."
    # If one of two options is chosen with probability p, two answers agree with p^2 + (1 - p)^2,
    # and the best prediction is right with max(p, 1 - p); if p differs, it is right less often.
    most = (1 + math.sqrt(max(2 * agreement - 1, 0.0))) / 2
    if chance < 0.5 or most >= 0.995:  # more than two options, or hardly a limit
        return ", so no tree could predict all."
    return f", so no tree could predict more than {percent(most)} of them."


def _about_top(evidence: Evidence) -> str:
    """Return a warning where methods that predict equally well split the root differently.

    There is none if the method shown predicts worse than the best.
    """
    methods, n_objects = evidence.methods, evidence.summary.n_objects
    if methods is None or n_objects < 3:
        return ""
    scores = {one.label: one for one in methods.scores}
    reference = scores.get(evidence.chosen.label, methods.best)
    if not reference.difference <= AS_GOOD * reference.difference_error:
        return ""
    others, moved = [], []
    for label, other in scores.items():
        differ = int((reference.tree.cut(2) != other.tree.cut(2)).sum())
        n_moved = min(differ, n_objects - differ)
        if other.difference <= other.difference_error and n_moved > ALIKE * n_objects:
            agreement = 1 - triplet_distance(reference.tree, other.tree)
            others.append(label)
            moved.append(
                f"with {label}, {n_moved} of {n_objects} objects are on the other side "
                f"({percent(agreement)} of triples resolved in the same way; 33 % by chance)"
            )
    if not others:
        return ""
    return (
        "<strong>Methods disagree about the top of the tree.</strong> "
        f"{named(others)} predict held-out answers equally well (within one standard error of the "
        "best), but split the objects differently at the root. Compared with "
        f"{escape(reference.label)}: {escape('; '.join(moved))}. The top of the tree is one of "
        "several that fit the answers."
    )


def _about_crowd(evidence: Evidence) -> str:
    crowd = evidence.crowd
    parts = []
    if evidence.exclusion is not None:
        excluded = evidence.exclusion.excluded
        parts.append(
            f"{counted(len(excluded), 'person was', 'people were')} excluded on request "
            f"({named(excluded)})."
        )
    if len(crowd.annotators) == 1:
        parts.append("All answers are by one person, who cannot be compared with others.")
    elif crowd.annotators:
        n_flagged = len(crowd.flagged)
        some = {0: "nobody looks", 1: "one looks"}.get(n_flagged, f"{n_flagged} look")
        parts.append(
            f"Of {len(crowd.annotators):,} people, {some} unusual. Nobody is excluded or "
            "down-weighted automatically."
        )
    if crowd.cycles.n_triads >= FEWEST_PAIRS:
        parts.append(
            f"{percent(crowd.cycles.share)} of triads are circular; guessing would give 25 %."
        )
    return "<strong>Quality.</strong> " + " ".join(parts) if parts else ""


def most_are_unsupported(tree: Hierarchy) -> bool:
    """Return whether more than half of the branches below the root have support below 50 %."""
    support = tree.support[:-1]
    return bool(2 * int((support < WEAK_SUPPORT).sum()) > len(support))


def advice_html(curve: LearningCurve, tree: Hierarchy) -> str:
    """Return whether to collect more answers, and why: never against what the support says."""
    verdict = curve.verdict()
    if verdict.advice == "go on":
        return f"<strong>Collect more answers:</strong> {escape(verdict.reason)}."
    if most_are_unsupported(tree):
        return (
            "<strong>Collect answers about the objects of unsupported branches,</strong> which are "
            "most of the branches; do not interpret these yet. More answers about all objects "
            f"would add little to prediction: {escape(verdict.reason)}."
        )
    return f"<strong>Further answers would gain little:</strong> {escape(verdict.reason)}."
