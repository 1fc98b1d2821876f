"""Proxy similarities: the quadruplets kernel, active and passive, and AddS.

They are defined for i != j; the diagonal of the returned matrices is 0.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from tests.reference.quadruplets import Relation, known, pairs


def active_kernel(
    similarities: np.ndarray, landmarks: Iterable[int], reference_pairs: Sequence[Sequence[int]]
) -> np.ndarray:
    """eq:Kendalkernel-practical (S -> landmarks, R -> reference_pairs); int64 (N, N)."""
    w = np.asarray(similarities).tolist()
    n = len(w)
    S = {int(k) for k in landmarks}

    def sign(i: int, k: int, i0: int, j0: int) -> int:
        return (w[i][k] > w[i0][j0]) - (w[i][k] < w[i0][j0])

    K = np.zeros((n, n), dtype=np.int64)
    for i in range(n):
        for j in range(n):
            if i == j:
                continue
            for i0, j0 in reference_pairs:
                for k in S - {i, j}:
                    K[i, j] += sign(i, k, i0, j0) * sign(j, k, i0, j0)
    return K


def passive_kernel(A: Relation, n_objects: int, self_comparisons: bool) -> np.ndarray:
    """eq:Kendallkernel-passive; int64 (N, N).

    ``self_comparisons=False``: r is different from i and j. ``True``: w_ii counts as observed to
    exceed every pair, so A[ii, f] = 1 for every pair f.
    """

    def seen(i: int, r: int, k: int, l: int) -> int:  # noqa: E741
        return 1 if i == r else known(A, i, r, k, l)

    K = np.zeros((n_objects, n_objects), dtype=np.int64)
    for i in range(n_objects):
        for j in range(n_objects):
            if i == j:
                continue
            for k, l in pairs(n_objects):  # noqa: E741
                for r in range(n_objects):
                    if not self_comparisons and r in (i, j):
                        continue
                    K[i, j] += seen(i, r, k, l) * seen(j, r, k, l)
    return K


def adds(A: Relation, n_objects: int) -> np.ndarray:
    """AddS: S_ij = sum over pairs f of A[ij, f]; int64 (N, N)."""
    S = np.zeros((n_objects, n_objects), dtype=np.int64)
    for i in range(n_objects):
        for j in range(n_objects):
            if i == j:
                continue
            for k, l in pairs(n_objects):  # noqa: E741
                S[i, j] += known(A, i, j, k, l)
    return S
