"""The memory of questions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordlink.oracles._questions import QuestionLog, Questions, keys_to_codes, question_keys

answers = st.sampled_from([-1, 0, 1])


@pytest.mark.parametrize("dtype", [np.int64, np.complex128])
@given(
    batches=st.lists(st.lists(st.tuples(st.integers(0, 400), answers), max_size=300), max_size=8)
)
def test_log_is_a_dictionary_that_keeps_the_first_answer(dtype, batches):
    log, expected = QuestionLog(), {}
    for batch in batches:
        keys = np.array([key for key, _ in batch], dtype=dtype)
        log.add(keys, np.array([answer for _, answer in batch], dtype=np.int8))
        for key, answer in batch:
            expected.setdefault(key, answer)

    found, known = log.lookup(np.arange(402).astype(dtype))
    assert len(log) == len(expected)
    assert known.tolist() == [key in expected for key in range(402)]
    assert found.tolist() == [expected.get(key, 0) for key in range(402)]
    keys, stored = log.items()
    assert dict(zip(keys.real.astype(int).tolist(), stored.tolist(), strict=True)) == expected
    assert np.all(keys[1:] > keys[:-1])


@pytest.mark.parametrize("n_objects", [50, 55_108, 55_109, 100_000, 3_000_000])
def test_keys_of_neighbouring_questions_differ_for_any_number_of_objects(n_objects):
    last = n_objects - 1
    rows = np.array(
        [
            [last - 2, last, last - 1, last],
            [last - 2, last - 1, last - 1, last],
            [last - 3, last, last - 1, last],
            [last - 2, last - 1, last - 2, last],
            [0, 1, last - 1, last],
            [0, 1, last - 2, last],
        ]
    )

    questions = Questions.of(rows, n_objects)

    assert len(np.unique(questions.keys)) == len(rows)
    assert np.array_equal(questions.quadruplets, rows)
    low, high = keys_to_codes(questions.keys, n_objects)
    assert np.array_equal(question_keys(low, high, n_objects), questions.keys)
    assert np.array_equal(low, rows[:, 0] * n_objects + rows[:, 1])
    assert np.array_equal(high, rows[:, 2] * n_objects + rows[:, 3])


def test_many_questions_about_many_objects_are_counted_exactly():
    n_objects = 100_000
    rng = np.random.default_rng(0)
    log = QuestionLog()
    seen = set()
    for _ in range(5):
        rows = rng.integers(0, 60, (4000, 4)) + n_objects - 60
        valid = (rows[:, 0] != rows[:, 1]) & (rows[:, 2] != rows[:, 3])
        valid &= (np.sort(rows[:, :2], axis=1) != np.sort(rows[:, 2:], axis=1)).any(axis=1)
        questions = Questions.of(rows[valid], n_objects)
        log.add(questions.keys, np.ones(len(questions.keys), dtype=np.int8))
        seen |= {tuple(row) for row in questions.quadruplets.tolist()}

    assert len(log) == len(seen)
