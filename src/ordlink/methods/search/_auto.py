"""The default method: the tree search, unless held-out answers give it no advantage."""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np

from ordlink._typing import FloatArray, Progress
from ordlink._validate import Seed, seed_number
from ordlink.comparisons import Comparisons, ListedComparisons
from ordlink.errors import OrdlinkWarning
from ordlink.hierarchy import Hierarchy
from ordlink.linkage import InitialPartition
from ordlink.methods import adds, spectral
from ordlink.methods.search._folds import Fits, Fold
from ordlink.methods.search._models import STRENGTHS, Pool
from ordlink.methods.search._search import (
    MOST_OBJECTS,
    Note,
    fit,
    grow,
    part_of,
    search,
    weights_of,
)

FEWEST_ANSWERS = 20
"""With fewer answers, held-out ones cannot distinguish methods."""
CLEARLY_BETTER = 0.03
"""An embedding predicts so many more held-out answers than a tree, if there is no true tree."""
MOST_OF_IT = 0.6
"""It is also this share of what strengths of single pairs predict more than the tree."""
TOSS_UP = 0.5  # standard errors
EMBEDDING = "t-STE 3-D"


def run_auto(
    comparisons: Comparisons,
    partition: InitialPartition,
    *,
    progress: Progress | None = None,
    seed: Seed = 0,
) -> Hierarchy:
    """Return the tree of `search` or of `spectral`, whichever predicts held-out answers better.

    The methods are compared by cross-validation: trees of three quarters of the answers are scored
    on the rest. Where a true hierarchy may be recovered, search must be better by more than the
    standard error of the difference, since spectral recovers it from fewer answers. Where there is
    none, spectral must be better by more than half of it. There is none if three dimensions explain
    most of what spectral's tree does not. Spectral is also used if nothing can be held out, and for
    more than 500 objects.

    Of the tree's parameters, `reason` explains the choice, `chosen` is the method and options that
    rebuild the tree, and `kinds` are those of spectral's trees, one for each part. Ctrl-C returns
    the best tree so far, with a warning.
    """
    number = seed_number(seed)
    why = why_not_compared(comparisons)
    if why:
        tree = spectral.run(comparisons, partition, progress=progress)
        return tree.with_origin("auto", {"chosen": SPECTRAL, "reason": why})
    first = adds.run(comparisons, partition)
    try:
        grow_part = partial(_grow_better, seed=number, progress=progress)
        tree, notes = grow(comparisons, partition, grow_part)
    except KeyboardInterrupt:
        message = "interrupted before the first models were ready; returning the tree of AddS-AL"
        warnings.warn(message, OrdlinkWarning, stacklevel=2)
        chosen = {"method": "AddS-AL", "options": {}}
        return first.with_origin("auto", {"chosen": chosen, "reason": message})
    kinds = [kind for note in notes for kind in note.pop("kinds", ())]
    return tree.with_origin("auto", notes[0] | {"kinds": kinds})  # notes[0]: of the largest part


SPECTRAL: Note = {"method": "spectral", "options": {}}


def _grow_better(
    comparisons: Comparisons, partition: InitialPartition, *, seed: int, progress: Progress | None
) -> tuple[Hierarchy, Note]:
    """Return the better of two trees of one part, by search and spectral, and a note on it."""
    fits = fit(comparisons, partition, seed, part_of(progress, 0.0, 0.5))
    pool = fits.pool
    note: Note = {"chosen": SPECTRAL}
    if "spectral" not in pool.models.trees or not fits.folds:
        note["reason"] = "spectral: too few answers for cross-validation"
        return spectral.run(comparisons, partition), note
    other = pool.models.trees["spectral"]
    note["kinds"] = other.parameters["kinds"]
    note["chosen"] = {**SPECTRAL, "options": {"kind": note["kinds"][0]}}
    try:
        searched = fits.held_out(
            partial(_search_fold, partition=partition, weights=pool.weights, seed=seed)
        )
        split = np.concatenate([fold.hits_of(fold.models.trees["spectral"]) for fold in fits.folds])
        (ours, _), (theirs, _) = fits.mean_and_error(searched), fits.mean_and_error(split)
        gain, error = fits.mean_and_error(searched - split)
        note["held_out"] = {"search": round(ours, 4), "spectral": round(theirs, 4)}
        least = -TOSS_UP * error if _is_no_tree(fits, split) else error
        told = f"of held-out answers, search predicts {100 * ours:.1f} % and spectral "
        told += f"{100 * theirs:.1f} % (difference {100 * gain:.1f} ± {100 * error:.1f})"
        if gain <= least:
            note["reason"] = f"spectral: {told}"
            return other, note
        options = {"model_weights": weights_of(pool), "seed": seed}
        note |= {"chosen": {"method": "search", "options": options}, "reason": f"search: {told}"}
        rest = part_of(progress, 0.75, 1.0)
        return search(comparisons, partition, pool, seed=seed, progress=rest), note
    except KeyboardInterrupt:
        message = "interrupted; returning the tree of spectral, the best so far"
        warnings.warn(message, OrdlinkWarning, stacklevel=2)
        return other, {"chosen": SPECTRAL, "reason": message}


def _search_fold(
    fold: Fold, *, partition: InitialPartition, weights: FloatArray, seed: int
) -> Hierarchy:
    pool = Pool(fold.models, weights)
    return search(fold.train, partition, pool, seed=seed, may_stop=False)


def _is_no_tree(fits: Fits, by_tree: FloatArray) -> bool:
    """Return whether an embedding explains most of what a tree does not.

    Similarities that are a tree's but for the noise of single pairs are not explained by an
    embedding either, only by the strengths of those pairs.
    """
    embedded, by_pairs = fits.predictions(EMBEDDING), fits.predictions(STRENGTHS)
    if embedded is None or by_pairs is None:
        return False
    gain, error = fits.mean_and_error(embedded - by_tree)
    most = fits.mean_and_error(by_pairs - by_tree)[0]
    return gain >= max(CLEARLY_BETTER, 2.0 * error, MOST_OF_IT * most)


def why_not_compared(comparisons: Comparisons) -> str:
    """Return why spectral is used if methods cannot be compared; otherwise an empty string."""
    if not isinstance(comparisons, ListedComparisons):
        return "spectral: all comparisons are known, so none can be held out"
    if comparisons.n_objects > MOST_OBJECTS:
        return f"spectral: search is limited to {MOST_OBJECTS} objects"
    answers = comparisons.answer_ids
    looked_at = answers[:1000], answers  # the first rows are nearly always enough to tell
    if all(len(np.unique(ids)) < FEWEST_ANSWERS for ids in looked_at):
        return f"spectral: too few answers for cross-validation (at least {FEWEST_ANSWERS})"
    return ""
