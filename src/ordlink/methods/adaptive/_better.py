"""The better of two trees, by answers that neither has seen."""

from __future__ import annotations

import numpy as np

from ordlink._typing import FloatArray, Int32Array
from ordlink.hierarchy import Hierarchy
from ordlink.linkage import InitialPartition
from ordlink.methods import spectral
from ordlink.methods.adaptive._interview import Interview

MOST_OBJECTS = 500  # for more, N^3 steps of the passive method take too long
FEWEST_OBJECTS = 24
SHARE = 0.08  # of the budget, for random questions that compare the two trees
FEWEST = 60  # questions; fewer do not tell which tree is better
ERRORS, ERRORS_IF_UNSPLIT = 1.0, 0.5  # standard errors by which the passive tree must be better


def is_compared(n_slots: int) -> bool:
    """Return whether passive trees are tried too."""
    return FEWEST_OBJECTS <= n_slots <= MOST_OBJECTS


def reserve_for_choice(interview: Interview) -> None:
    """Keep a share of the budget for the questions that compare the two trees, if they suffice."""
    n_questions = int(SHARE * interview.budget)
    if is_compared(interview.n_slots) and n_questions >= FEWEST:
        interview.reserved = n_questions


def better_tree(
    splits: Hierarchy, interview: Interview, partition: InitialPartition, question: str
) -> tuple[Hierarchy, dict[str, object]]:
    """Return the tree of splits or that of `spectral` of the same answers, and how they did.

    Random questions are asked with what is left of the budget, up to a share of it. The splits
    are kept unless the passive tree predicts these answers better by a standard error; then it is
    built again, with these answers too.
    """
    if not interview.reserved:
        return splits, {}
    known = interview.comparisons()
    n_questions, interview.reserved = interview.reserved, 0
    interview.ask_at_random(n_questions, question)
    everything = interview.comparisons()
    held_out = everything.quadruplets[known.n_rows :]
    if len(held_out) < FEWEST // 2 or not known.n_rows:
        return splits, {}
    passive = spectral.run(known, partition)
    ours, theirs = (_agreement(tree, held_out) for tree in (splits, passive))
    gain = theirs - ours
    accuracies = {
        "splits": round(float(ours.mean()), 4),
        "spectral": round(float(theirs.mean()), 4),
    }
    errors = ERRORS_IF_UNSPLIT if np.isnan(splits.scores).all() else ERRORS
    if gain.mean() <= errors * gain.std() / np.sqrt(len(gain)):
        return splits, {"chosen": "splits", "held_out_accuracy": accuracies}
    chosen = spectral.run(everything, partition)
    return chosen, {"chosen": "spectral", "held_out_accuracy": accuracies}


def _agreement(tree: Hierarchy, rows: Int32Array) -> FloatArray:
    """Return 1 for each answer that the tree agrees with, 1/2 where it is undecided, else 0."""
    ranks = tree.lca_ranks()
    i, j, k, l = rows.T  # noqa: E741
    return np.asarray(0.5 + 0.5 * np.sign(ranks[k, l] - ranks[i, j]))
