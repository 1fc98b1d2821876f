"""What replies of chat models say, however they say it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordlink.oracles._chat_prompt import read_reply


@pytest.mark.parametrize(
    "reply",
    [
        '{"answers": {"1": "A", "2": "B", "3": "?"}}',
        '{"1": "A", "2": "b", "3": null}',
        '{"Answers": ["A", "B", "cannot tell"]}',
        '["A", "Pair B", "tie"]',
        '[{"q": 1, "choice": "A"}, {"q": 3, "choice": "?"}, {"q": 2, "choice": "B"}]',
        '{"answers": [{"answer": "A"}, {"answer": "(B)"}, {"answer": "neither"}]}',
        '{"question 1": "A: lion and tiger", "question 2": "B.", "question 3": "?"}',
        "```json\n{\"answers\": {\"1\": \"A\", \"2\": \"B\", \"3\": \"?\"}}\n```",
        "1. A\n2. B\n3. ?",
        "Answers:\n**1**: A\n**2**: B - they are birds\n**3**: ?",
        "Question 1: A\nQuestion 2: option B\nQuestion 3: ?",
        "1) The answer is A.\n2) Answer: B\n3) ?",
        "<think>\n1. B\n2. B</think>\n1. A\n2. B\n3. ?",
    ],
)  # fmt: skip
def test_replies_to_three_questions_are_read(reply):
    assert read_reply(reply, 3) == {1: "A", 2: "B", 3: "?"}


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("A", "A"),
        ("**B**", "B"),
        ("The answer is B.", "B"),
        ("I first thought the answer is A, but my final choice: B", "B"),
        ('{"answer": "A"}', "A"),
        ('{"choice": "pair B"}', "B"),
        ("I would pick option A.", "A"),
    ],
)
def test_replies_to_one_question_are_read(reply, expected):
    assert read_reply(reply, 1) == {1: expected}


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "A lion is not a fish.",
        "Both are alike.",
        "My answer: a lion is closer.",
        '{"answers": {"7": "A"}}',
        '{"answers": {"1": "C"}}',
        '{"answers": {"1": "Actually"}}',
        '{"score": 0.7}',
        "[1, 2, 3]",
        "[[[[",
    ],
)
def test_what_is_no_answer_is_not_taken_for_one(reply):
    assert read_reply(reply, 1) == {}


def test_thoughts_are_no_answers():
    reply = '<think>{"1": "B", "2": "B", "3": "B"}, or not?</think> {"1": "A", "2": "B"}'

    assert read_reply(reply, 3) == {1: "A", 2: "B"}


def test_a_list_of_another_length_says_nothing_about_which():
    assert read_reply('["A", "B"]', 3) == {}


@given(st.text(alphabet='{}[]"AB?:,123 \n', max_size=60), st.integers(1, 4))
def test_no_reply_breaks_the_reader(reply, n_questions):
    letters = read_reply(reply, n_questions)

    assert set(letters) <= set(range(1, n_questions + 1))
    assert set(letters.values()) <= {"A", "B", "?"}
