"""Hypothesis strategies for small instances: similarities, answers, initial clusters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from ordlink import Comparisons
from tests.reference.quadruplets import relation

PROPORTIONS = (0.05, 0.1, 0.3, 0.6, 1.0)


@dataclass(frozen=True)
class Instance:
    """Comparisons of a few objects, and the same as the literal relation A."""

    n_objects: int
    comparisons: Comparisons
    repeats: str
    relation: dict
    initial_clusters: list[list[int]] | None


@st.composite
def similarity_matrices(draw: st.DrawFn, min_objects: int = 2, max_objects: int = 12) -> np.ndarray:
    """Draw a symmetric matrix: all equal, few different values (many ties), or continuous."""
    n = draw(st.integers(min_objects, max_objects))
    n_values = draw(st.sampled_from([1, 2, 4, 0]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    drawn = rng.integers(0, n_values, (n, n)).astype(float) if n_values else rng.normal(size=(n, n))
    upper = np.triu(drawn, 1)
    matrix = upper + upper.T
    matrix.flags.writeable = False
    return matrix


@st.composite
def partitions(draw: st.DrawFn, n_objects: int) -> list[list[int]] | None:
    """Draw initial clusters: none, or disjoint groups that need not name all objects."""
    if draw(st.booleans()):
        return None
    labels = draw(st.lists(st.integers(-3, 2), min_size=n_objects, max_size=n_objects))
    groups = [[i for i in range(n_objects) if labels[i] == label] for label in range(3)]
    return [group for group in groups if group] or None


@st.composite
def instances(draw: st.DrawFn, max_objects: int = 12) -> Instance:
    """Draw comparisons with gaps, ties, repetitions and contradictions, listed or ranked."""
    matrix = draw(similarity_matrices(min_objects=3, max_objects=max_objects))
    n = len(matrix)
    proportion = draw(st.sampled_from(PROPORTIONS))
    seed = draw(st.integers(0, 2**32))
    comparisons = Comparisons.from_similarities(matrix, proportion, seed=seed)
    listed = comparisons.listed() if proportion == 1 else comparisons
    rows = listed.quadruplets
    repeats = draw(st.sampled_from(["majority", "net"]))
    if len(rows) and draw(st.booleans()):
        rng = np.random.default_rng(seed)
        again = rows[rng.integers(0, len(rows), 6)]
        rows = np.concatenate([rows, again, again[:4, [2, 3, 0, 1]], again[:2, [2, 3, 0, 1]]])
        rows = rng.permutation(rows)
        comparisons = Comparisons.from_quadruplets(rows, n_objects=n)
    answers = [tuple(row) for row in rows.tolist()]
    return Instance(
        n, comparisons, repeats, relation(answers, repeats=repeats), draw(partitions(n))
    )


def random_merges(generator: np.random.Generator, n_objects: int) -> list[tuple[int, int]]:
    """Return the merges of a random tree."""
    nodes, merges = list(range(n_objects)), []
    while len(nodes) > 1:
        left = nodes.pop(int(generator.integers(len(nodes))))
        right = nodes.pop(int(generator.integers(len(nodes))))
        nodes.append(n_objects + len(merges))
        merges.append((left, right))
    return merges
