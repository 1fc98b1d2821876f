"""Which method to use: the rule, and its reason in one sentence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from ordlink._typing import FloatArray
from ordlink.validation._candidates import CANDIDATES
from ordlink.validation._folds import standard_error

LEVEL = 0.05
"""Significance level at which a method is behind the best, over all methods together."""
CHANCE = 0.5
"""Accuracy of a random tree."""


@dataclass(frozen=True)
class Recommendation:
    """The recommended method, why, and how far each one is behind the best.

    Attributes
    ----------
    label : str
        The recommended method.
    reason : str
        Why, in one sentence.
    best : str
        The method with the highest mean accuracy.
    differences : dict of str to (float, float)
        Mean accuracy of the best minus that of each method, paired over folds, and its standard
        error; NaN where a method has no accuracy.
    """

    label: str
    reason: str
    best: str
    differences: dict[str, tuple[float, float]]


def recommend(accuracies: Mapping[str, FloatArray]) -> Recommendation:
    """Return the recommended method by its accuracy on held-out answers.

    The best has the highest mean. Methods that are not significantly behind it, by the paired
    differences over folds, tie with it. Of those, the first in CANDIDATES is recommended; other
    methods come after these, in the order given.

    Parameters
    ----------
    accuracies : mapping of str to ndarray of shape (n_repetitions, n_folds)
        Held-out accuracies on the same folds.

    Examples
    --------
    >>> import numpy as np
    >>> found = recommend({"4-AL": np.array([[0.7, 0.8]]), "spectral": np.array([[0.75, 0.74]])})
    >>> found.best, found.label
    ('4-AL', 'spectral')
    """
    ranked = _by_preference(accuracies)
    means = {label: float(np.nan_to_num(accuracies[label].mean(), nan=-1.0)) for label in ranked}
    best = max(ranked, key=means.__getitem__)  # of equal ones, the preferred
    differences = {
        label: (
            float(np.mean(accuracies[best] - accuracies[label])),
            float(standard_error(accuracies[best] - accuracies[label])),
        )
        for label in accuracies
    }
    most = clear_difference(len(ranked), accuracies[best].shape[1])
    tied = [label for label in ranked if label == best or _is_tied(*differences[label], most)]
    reason = _reason(tied, best, differences, accuracies)
    return Recommendation(tied[0], reason, best, differences)


def clear_difference(n_methods: int, n_folds: int) -> float:
    """Return how many standard errors make a difference significant: Student's t, by Bonferroni.

    Examples
    --------
    >>> round(clear_difference(2, 5), 2), round(clear_difference(7, 5), 2)
    (2.13, 3.96)
    """
    from scipy.special import stdtrit

    return float(stdtrit(n_folds - 1, 1 - LEVEL / max(n_methods - 1, 1)))


def _by_preference(labels: Iterable[str]) -> list[str]:
    labels = list(labels)
    known = [label for label in CANDIDATES if label in labels]
    return known + [label for label in labels if label not in CANDIDATES]


def _is_tied(difference: float, error: float, most: float) -> bool:
    return difference <= most * error + 1e-12  # not so where they are NaN


def _reason(
    tied: list[str],
    best: str,
    differences: Mapping[str, tuple[float, float]],
    accuracies: Mapping[str, FloatArray],
) -> str:
    chosen = tied[0]
    mean = float(accuracies[chosen].mean())
    error = float(standard_error(accuracies[chosen]))
    if np.isnan(mean):
        return f"{chosen} comes first in the order of preference, and no method could be judged."
    score = f"{mean:.3f} ± {error:.3f}"
    if len(accuracies) == 1:
        reason = f"{chosen} is the only method compared; it predicts {score} of held-out answers"
    elif chosen == best:
        others = [label for label in tied if label != best]
        reason = f"{chosen} predicts held-out answers best ({score})"
        if others:
            verb = "is" if len(others) == 1 else "are"
            reason += f"; {_joined(others)} {verb} not significantly worse"
        else:
            reason += ", significantly better than every other method"
    else:
        difference, its_error = differences[chosen]
        reason = (
            f"{chosen} predicts held-out answers ({score}) not significantly worse than the best, "
            f"{best} (difference {difference:.3f} ± {its_error:.3f}), and is preferred to it"
        )
    if mean - 2 * error <= CHANCE:
        reason += f", but this is hardly better than chance ({CHANCE})"
    return reason + "."


def _joined(labels: list[str]) -> str:
    if len(labels) == 1:
        return labels[0]
    return f"{', '.join(labels[:-1])} and {labels[-1]}"
