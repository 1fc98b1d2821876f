"""Strengths and precisions as the splits get them, drawn at random."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from ordlink.methods.spectral._pair_strengths import PairStrengths


@st.composite
def observations(draw: st.DrawFn, max_objects: int = 8) -> PairStrengths:
    """Draw strengths and precisions, some of them 0, with or without two groups."""
    n = draw(st.integers(2, max_objects))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    group = rng.integers(0, 2, n)
    gap = draw(st.sampled_from([0.0, 1.0, 6.0]))
    strengths = np.triu(rng.normal(size=(n, n)) - gap * (group[:, None] != group), 1)
    precisions = np.triu(rng.exponential(size=(n, n)) * (rng.random((n, n)) < 0.8), 1)
    return PairStrengths(strengths + strengths.T, precisions + precisions.T)
