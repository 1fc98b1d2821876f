"""Sorting pairs by questions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordlink.methods.active._single import sort_into_classes
from ordlink.oracles import AskOnce, SimilarityOracle


def asker_of(values):
    """Objects 0 and 1 + p form pair p, whose similarity is the given value."""
    n = len(values) + 1
    w = np.zeros((n, n))
    w[0, 1:] = w[1:, 0] = values
    return AskOnce(SimilarityOracle(w)), np.arange(1, n)


@given(st.lists(st.integers(0, 12), max_size=60))
def test_classes_hold_equal_pairs_and_come_in_falling_order(values):
    classes = sort_into_classes(*asker_of(values))

    expected = [
        [position for position, value in enumerate(values) if value == level]
        for level in sorted(set(values), reverse=True)
    ]
    assert [members.tolist() for members in classes] == expected


@pytest.mark.parametrize("n_pairs", [239, 999])
def test_sorting_asks_few_questions(n_pairs):
    values = np.random.default_rng(0).permutation(n_pairs)
    asker, pairs = asker_of(values)

    classes = sort_into_classes(asker, pairs)

    assert np.array_equal(values[np.concatenate(classes)], np.arange(n_pairs)[::-1])
    assert asker.n_questions < 1.1 * n_pairs * np.log2(n_pairs)
