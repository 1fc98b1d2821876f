"""SOE: soft ordinal embedding."""

from __future__ import annotations

from functools import partial

import numpy as np

from ordlink._typing import FloatArray, Progress
from ordlink._validate import Seed
from ordlink.comparisons import Comparisons, Repeats
from ordlink.methods.embedding._compared_pairs import ComparedPairs
from ordlink.methods.embedding._fit import Embedding, descend_by_lbfgs, fit_embedding


def soe_embedding(
    comparisons: Comparisons,
    *,
    n_components: int = 2,
    n_init: int = 3,
    seed: Seed = 0,
    repeats: Repeats = "majority",
    max_iter: int = 1000,
    progress: Progress | None = None,
) -> Embedding:
    """Return points whose distances keep the order of the comparisons by a margin (SOE).

    With distances d, a comparison (i, j, k, l) loses max(0, d_ij + 1 - d_kl)^2; the loss is the
    mean. The margin 1 is the unit of length: another one would scale the points and nothing else.

    Parameters
    ----------
    comparisons, n_components, n_init, seed, repeats, max_iter, progress
        As in :func:`tste_embedding`.

    Returns
    -------
    Embedding

    References
    ----------
    Terada, von Luxburg: Local ordinal embedding, 2014.

    Examples
    --------
    >>> from ordlink import Comparisons
    >>> c = Comparisons.from_triplets([[0, 1, 2], [1, 0, 2], [2, 1, 0]])
    >>> soe_embedding(c, n_components=1).accuracy
    1.0
    """
    return fit_embedding(
        comparisons,
        "SOE",
        partial(descend_by_lbfgs, loss=soe_loss),
        n_components=n_components,
        n_init=n_init,
        seed=seed,
        repeats=repeats,
        max_iter=max_iter,
        progress=progress,
    )


def soe_loss(pairs: ComparedPairs, squares: FloatArray) -> tuple[float, FloatArray]:
    """Return the mean squared hinge and its slopes by the squared distances.

    Where two points coincide the distance has no slope; 0 is taken.
    """
    from ordlink.methods.embedding._kernels import add_hinge

    distances = np.sqrt(squares)
    loss, slopes = pairs.mean_loss(add_hinge, distances)
    apart = distances > 0
    return loss, np.divide(slopes, 2 * distances, out=np.zeros_like(slopes), where=apart)
