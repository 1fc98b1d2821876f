"""Random passive sampling: every question equally likely, whatever was answered."""

from __future__ import annotations

import numpy as np

from ordlink._typing import Int32Array
from ordlink.collect.questions import QuestionType
from ordlink.comparisons import n_pairs, pair_members


def random_objects(
    kind: QuestionType, n_objects: int, n_questions: int, rng: np.random.Generator
) -> Int32Array:
    """Return the objects of random questions, one question per row.

    Quadruplets are two different pairs, which may share an object; all others are different
    objects.

    Examples
    --------
    >>> from ordlink.collect.questions import QUESTION_TYPES
    >>> random_objects(QUESTION_TYPES["triplet"], 5, 2, np.random.default_rng(0)).shape
    (2, 3)
    """
    if kind.form == "quadruplet":
        first = rng.integers(0, n_pairs(n_objects), n_questions)
        second = rng.integers(0, n_pairs(n_objects) - 1, n_questions)
        second += second >= first
        pairs = [*pair_members(first, n_objects), *pair_members(second, n_objects)]
        return np.stack(pairs, axis=1).astype(np.int32)
    order = rng.random((n_questions, n_objects)).argpartition(kind.n_objects - 1, axis=1)
    rows = order[:, : kind.n_objects]
    return rng.permuted(rows, axis=1).astype(np.int32)
