"""`method="auto"`: the tree of the method that predicts held-out answers best."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ordlink._typing import Progress
from ordlink._validate import Seed, check_whole_number, seed_number
from ordlink.comparisons import Comparisons, ListedComparisons
from ordlink.errors import OrdlinkWarning
from ordlink.hierarchy import Hierarchy
from ordlink.methods import InitialClusters, cluster
from ordlink.validation._candidates import CANDIDATES, Candidate
from ordlink.validation._folds import answer_units
from ordlink.validation._method_comparison import compare_methods

FEWEST_TO_COMPARE = 20
"""With fewer answers, held-out folds cannot distinguish methods."""


def auto_linkage(
    comparisons: Comparisons,
    *,
    initial_clusters: InitialClusters = None,
    n_folds: int = 5,
    n_repetitions: int = 1,
    seed: Seed = 0,
    progress: Progress | None = None,
) -> Hierarchy:
    """Return the tree of the method that `compare_methods` recommends, with its table of scores.

    Where answers are too few to hold some out, or all comparisons are known and none can be held
    out, spectral is used without a comparison, and the reason says so.

    Parameters
    ----------
    comparisons : Comparisons
        Listed or ranked.
    initial_clusters, n_folds, n_repetitions, seed, progress
        As in `compare_methods`.

    Returns
    -------
    Hierarchy
        Its `parameters` contain `chosen` (label, method and options), `reason`, `scores` (a row
        per candidate, best first) and `left_out`.

    Examples
    --------
    >>> import ordlink as ol
    >>> tree = auto_linkage(ol.Comparisons.from_triplets([[0, 1, 2], [1, 0, 2]]))
    >>> tree.parameters["chosen"]["method"]
    'spectral'
    >>> tree.parameters["reason"]
    'there are fewer than 20 answers, too few to hold some out; spectral needs the fewest.'
    """
    n_folds = check_whole_number(n_folds, "n_folds", lowest=2)
    check_whole_number(n_repetitions, "n_repetitions", lowest=1)
    seed = seed_number(seed)
    without = _without_comparison(comparisons, n_folds)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OrdlinkWarning)  # `ordlink.cluster` warns
        if without is not None:
            candidate, reason = without
            tree = cluster(
                comparisons,
                candidate.method,
                initial_clusters=initial_clusters,
                progress=progress,
                **candidate.options,
            )
            return tree.with_origin("auto", _noted(candidate, reason, [], {}))
        assert isinstance(comparisons, ListedComparisons)
        found = compare_methods(
            comparisons,
            n_folds=n_folds,
            n_repetitions=n_repetitions,
            initial_clusters=initial_clusters,
            seed=seed,
            progress=progress,
        )
    rows = [scores.as_row() for scores in found.scores]
    for row in rows:
        del row["seconds"]  # the same answers give the same file
    noted = _noted(CANDIDATES[found.recommended], found.reason, rows, found.left_out)
    return found.tree.with_origin("auto", noted)


def _without_comparison(comparisons: Comparisons, n_folds: int) -> tuple[Candidate, str] | None:
    """Return the candidate and the reason where methods cannot be compared, or None."""
    if not isinstance(comparisons, ListedComparisons):
        return CANDIDATES["spectral"], (
            "all comparisons are known, so none can be held out; spectral finds weak clusters best."
        )
    fewest = max(FEWEST_TO_COMPARE, n_folds)
    units = answer_units(comparisons, by_annotator=False, fewest=n_folds)
    if len(np.unique(units)) < fewest:
        return CANDIDATES["spectral"], (
            f"there are fewer than {fewest} answers, too few to hold some out; spectral needs the "
            "fewest."
        )
    return None


def _noted(
    candidate: Candidate,
    reason: str,
    rows: list[dict[str, float | str | None]],
    left_out: dict[str, str],
) -> dict[str, Any]:
    chosen = {
        "candidate": candidate.label,
        "method": candidate.method,
        "options": dict(candidate.options),
    }
    return {"chosen": chosen, "reason": reason, "scores": rows, "left_out": left_out}
