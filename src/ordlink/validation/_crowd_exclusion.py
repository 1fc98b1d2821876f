"""Leaving people out, as a choice that is made and shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ordlink.comparisons import ListedComparisons
from ordlink.errors import InputError, InputKindError
from ordlink.validation._checks import check_listed
from ordlink.validation._crowd_effect import TwoTrees, grow_two
from ordlink.validation._crowd_questions import annotators_of


@dataclass(frozen=True, eq=False, kw_only=True)
class ExclusionEffect(TwoTrees):
    """The tree with and without some people.

    Attributes
    ----------
    excluded : tuple of str
        Who was left out.
    n_kept, n_left_out : int
        Number of comparisons kept and left out.
    tree_with, tree_without : Hierarchy
        The trees of all answers and of those kept.
    agreement : float
        Share of the triples of objects that both trees resolve alike (1 minus the triplet
        distance); 1/3 for unrelated trees. Where ties decide merges, the mean over several trees
        of each kind whose ties are decided by chance.
    agreement_of_ties : float
        What the agreement would be if the trees differed by their ties alone; 1 without ties.
    accuracy_with, accuracy_without : float
        Share of the kept comparisons that each tree agrees with.
    """

    excluded: tuple[str, ...]
    n_kept: int
    n_left_out: int


def without_annotators(comparisons: ListedComparisons, names: Iterable[str]) -> ListedComparisons:
    """Return the comparisons of everybody else; answers by nobody known stay.

    Raises
    ------
    InputError
        If somebody is not among the annotators, or nobody would be left.

    Examples
    --------
    >>> import ordlink as ol
    >>> c = ol.Comparisons.from_triplets([[0, 1, 2], [0, 2, 1]], annotators=["ann", "eve"])
    >>> without_annotators(c, ["eve"]).quadruplets.tolist()
    [[0, 1, 0, 2]]
    """
    check_listed(comparisons)
    if isinstance(names, str):
        raise InputKindError(f"names: expected a list of names, such as [{names!r}], got a word.")
    excluded = {str(name) for name in names}
    people, known = annotators_of(comparisons)
    strangers = sorted(excluded - set(known))
    if strangers:
        some = f"some of them are {', '.join(map(repr, known[:5]))}" if known else "none are known"
        raise InputError(f"names: there is no annotator {strangers[0]!r}; {some}.")
    numbers = [number for number, name in enumerate(known) if name in excluded]
    kept = comparisons.take(~np.isin(people, numbers))
    if not kept.n_rows:
        raise InputError("names: nobody is left; keep at least one annotator.")
    return kept


def exclusion_effect(
    comparisons: ListedComparisons,
    names: Iterable[str],
    method: str = "4-AL",
    *,
    seed: int = 0,
    **options: Any,
) -> ExclusionEffect:
    """Return the tree with and without some people, and how far the two agree.

    Parameters
    ----------
    comparisons : ListedComparisons
        All answers.
    names : iterable of str
        Who is left out; `CrowdQuality.flagged`, for instance.
    method : str
        A method that takes comparisons.
    seed : int
        Makes the draws reproducible, by which ties are decided.
    **options
        Options of the method.

    Raises
    ------
    InputError, InputKindError
        As in `without_annotators` and `ordlink.cluster`.
    """
    listed = names if isinstance(names, str) else sorted({str(name) for name in names})
    kept = without_annotators(comparisons, listed)
    trees = grow_two(comparisons, kept, method, options, judge=kept, seed=seed)
    return ExclusionEffect(
        excluded=tuple(listed),
        n_kept=kept.n_comparisons,
        n_left_out=comparisons.n_comparisons - kept.n_comparisons,
        **vars(trees),
    )
