"""The planted hierarchical model: its ideal similarities and its true partitions, step by step."""

import numpy as np


def planted_levels(depth: int, leaf_size: int) -> list[list[int]]:
    """Row l - 1 holds the labels of the 2^l clusters of level l, l = 1..depth."""
    n = leaf_size * 2**depth
    groups = [list(range(n))]
    levels = []
    for _ in range(depth):
        groups = [half for g in groups for half in (g[: len(g) // 2], g[len(g) // 2 :])]
        levels.append([label for i in range(n) for label, g in enumerate(groups) if i in g])
    return levels


def planted_means(depth: int, leaf_size: int, mean: float, gap: float) -> np.ndarray:
    """mu_ij: mean - (depth - l) * gap for pairs that step l separates, else mean (diagonal 0)."""
    n = leaf_size * 2**depth
    M = np.full((n, n), float(mean))
    levels = planted_levels(depth, leaf_size)
    for i in range(n):
        for j in range(n):
            for step in range(depth):  # step l makes the partition of level l + 1
                if levels[step][i] != levels[step][j]:
                    M[i, j] = mean - (depth - step) * gap
                    break
        M[i, i] = 0.0
    return M
