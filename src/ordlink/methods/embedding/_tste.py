"""t-STE: stochastic triplet embedding with Student's t kernel, for quadruplets too."""

from __future__ import annotations

from functools import partial

import numpy as np

from ordlink._typing import FloatArray, Progress
from ordlink._validate import Seed, check_number, check_whole_number
from ordlink.comparisons import Comparisons, Repeats
from ordlink.errors import InputError
from ordlink.methods.embedding._compared_pairs import ComparedPairs
from ordlink.methods.embedding._fit import Embedding, descend_by_lbfgs, fit_embedding


def tste_embedding(
    comparisons: Comparisons,
    *,
    n_components: int = 2,
    alpha: float | None = None,
    n_init: int = 3,
    seed: Seed = 0,
    repeats: Repeats = "majority",
    max_iter: int = 1000,
    progress: Progress | None = None,
) -> Embedding:
    """Return points that make the comparisons likely under t-STE.

    A comparison (i, j, k, l) has the probability q_ij / (q_ij + q_kl) with
    q_ij = (1 + |x_i - x_j|^2 / alpha)^(-(alpha + 1) / 2); triplets are the case k = i. The loss is
    the mean of -ln of these probabilities.

    Parameters
    ----------
    comparisons : Comparisons
        Listed, or all of a similarity matrix (ranked): these are listed up to two million, beyond
        which about two million are drawn at random with `seed`.
    n_components : int
        Number of coordinates d.
    alpha : float, optional
        Degrees of freedom of Student's t; max(d - 1, 1) by default.
    n_init : int
        Number of runs: the first starts from the AddS similarity, the others at random. The run
        with the smallest loss is kept.
    seed : int, numpy.random.Generator or None
        Random seed.
    repeats : {"majority", "net"}
        How repeated answers count.
    max_iter : int
        Largest number of steps of a run.
    progress : callable, optional
        Called with (steps done, most steps in all).

    Returns
    -------
    Embedding
        The same on any number of threads.

    Raises
    ------
    InputError
        If an option is out of range.

    References
    ----------
    van der Maaten, Weinberger: Stochastic triplet embedding, 2012.

    Examples
    --------
    >>> from ordlink import Comparisons
    >>> c = Comparisons.from_triplets([[0, 1, 2], [1, 0, 2], [2, 1, 0]])
    >>> tste_embedding(c, n_components=1).accuracy
    1.0
    """
    if alpha is None:
        alpha = max(check_whole_number(n_components, "n_components", lowest=1) - 1, 1)
    elif check_number(alpha, "alpha") <= 0:
        raise InputError(f"expected a number above 0, got {alpha}", parameter="alpha")
    return fit_embedding(
        comparisons,
        "t-STE",
        partial(descend_by_lbfgs, loss=partial(tste_loss, alpha=float(alpha))),
        n_components=n_components,
        n_init=n_init,
        seed=seed,
        repeats=repeats,
        max_iter=max_iter,
        progress=progress,
    )


def tste_loss(
    pairs: ComparedPairs, squares: FloatArray, *, alpha: float
) -> tuple[float, FloatArray]:
    """Return the mean of -ln p and its slopes by the squared distances."""
    from ordlink.methods.embedding._kernels import add_logistic

    half = (alpha + 1) / 2
    loss, slopes = pairs.mean_loss(add_logistic, -half * np.log1p(squares / alpha))  # ln q
    return loss, slopes * (-half / (alpha + squares))
