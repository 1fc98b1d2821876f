"""Questions drawn at random."""

from __future__ import annotations

import math

import numpy as np

from ordlink._typing import Int32Array
from ordlink._validate import Seed, check_choice, check_whole_number, random_generator
from ordlink.oracles._questions import Questions

AT_ONCE = 4096


def random_questions(
    n_objects: int, n_questions: int, *, form: str = "triplet", seed: Seed = 0
) -> Int32Array:
    """Return distinct questions for :meth:`Oracle.compare`, drawn at random.

    Parameters
    ----------
    n_objects, n_questions : int
        Number of objects, and of questions; all possible questions if there are fewer.
    form : {"triplet", "quadruplet"}
        Two pairs that share an object, "is i closer to j or to k?", or two pairs of four objects.
    seed : int, numpy.random.Generator or None
        Random seed. With the same seed, a longer list starts with the same questions.

    Returns
    -------
    ndarray of shape (n_questions, 4), dtype int32

    Examples
    --------
    >>> random_questions(3, 10).shape
    (3, 4)
    """
    n_objects = check_whole_number(n_objects, "n_objects", lowest=1)
    n_questions = check_whole_number(n_questions, "n_questions", lowest=0)
    n_different = 3 if check_choice(form, "form", ("triplet", "quadruplet")) == "triplet" else 4
    n_questions = min(n_questions, 3 * math.comb(n_objects, n_different))  # 3 ways to pair them
    rng = random_generator(seed)
    rows = np.empty((0, 4), dtype=np.int32)
    while len(rows) < n_questions:
        objects = rng.integers(
            n_objects, size=(max(AT_ONCE, len(rows)), n_different), dtype=np.int32
        )
        objects = objects[np.all(np.diff(np.sort(objects, axis=1), axis=1) > 0, axis=1)]
        drawn = objects if n_different == 4 else objects[:, [0, 1, 0, 2]]
        rows = np.concatenate([rows, Questions.of(drawn, n_objects).quadruplets])
        first = np.unique(Questions.of(rows, n_objects).keys, return_index=True)[1]
        rows = rows[np.sort(first)]
    return rows[:n_questions]
