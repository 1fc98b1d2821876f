"""How often people are right, where questions repeat: Dawid and Skene's model with one coin."""

from __future__ import annotations

import numpy as np

from ordlink._typing import FloatArray, Int64Array
from ordlink.validation._crowd_questions import UNKNOWN, Answers

N_STEPS = 200
TOLERANCE = 1e-7
FEWEST_PEOPLE = 2
"""A question tells something about people if so many different ones have answered it."""


def estimate_skills(answers: Answers) -> tuple[FloatArray, Int64Array]:
    """Return how often each annotator is right, as estimated, and from how many answers.

    Every question has one true response. Annotator a gives it with probability p_a, and each of
    the others with the same probability (one coin for each person: a response has no meaning
    across questions, so there is no table of confusions to learn). Expectation maximisation
    starts from the votes. One right and one wrong answer are added to each person's, which keeps
    estimates from few answers away from 0 and 1.

    Parameters
    ----------
    answers : Answers
        All answers; those to questions that nobody else answered, or by nobody known, do not
        count: who says the same twice agrees with themself.

    Returns
    -------
    skills : ndarray of shape (n_annotators,), dtype float64
        NaN for people without such answers.
    n_answers : ndarray of shape (n_annotators,), dtype int64
        Answers to questions that others answered too.

    References
    ----------
    A. P. Dawid, A. M. Skene: Maximum likelihood estimation of observer error-rates using the EM
    algorithm, Applied Statistics 1979.
    """
    n_people = len(answers.names)
    known = answers.annotators != UNKNOWN
    asked = np.unique(answers.questions[known] * max(n_people, 1) + answers.annotators[known])
    n_questions = int(answers.questions.max(initial=-1)) + 1
    n_asked = np.bincount(asked // max(n_people, 1), minlength=n_questions)
    used = np.flatnonzero(known & (n_asked[answers.questions] >= FEWEST_PEOPLE))
    people, weights = answers.annotators[used], answers.counts[used].astype(np.float64)
    n_answers = np.bincount(people, weights=weights, minlength=n_people).astype(np.int64)
    if not len(used):
        return np.full(n_people, np.nan), n_answers
    question = np.unique(answers.questions[used], return_inverse=True)[1].ravel()
    options = answers.n_options[used].astype(np.float64)
    said = np.stack([question, answers.responses[used]], axis=1)
    seen, response = np.unique(said, axis=0, return_inverse=True)  # each response that was given
    response, of_response = response.ravel(), seen[:, 0]
    options_of = np.zeros(int(question.max()) + 1)
    options_of[question] = options
    n_unseen = options_of - np.bincount(of_response)
    votes = np.bincount(response, weights=weights)
    right = (votes / np.bincount(question, weights=weights)[of_response])[response]
    skills = np.full(n_people, np.nan)
    for _ in range(N_STEPS):
        before = skills
        n_right = np.bincount(people, weights=weights * right, minlength=n_people)
        skills = (n_right + 1) / (n_answers + 2)
        # Relative to nobody being right: each who said it was right instead.
        gain = np.log(skills[people]) - np.log((1 - skills[people]) / (options - 1))
        score = np.bincount(response, weights=weights * gain)
        top = np.zeros(len(options_of))
        np.maximum.at(top, of_response, score)
        likely = np.exp(score - top[of_response])
        in_all = np.bincount(of_response, weights=likely) + n_unseen * np.exp(-top)
        right = (likely / in_all[of_response])[response]
        if not np.isnan(before).all() and np.abs(skills - before).max() < TOLERANCE:
            break
    return np.where(n_answers > 0, skills, np.nan), n_answers
