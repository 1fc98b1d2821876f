"""Repeated questions: which answers are to the same question, and how often they agree."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ordlink._typing import BoolArray, FloatArray, Int32Array, Int64Array, LabelArray
from ordlink.comparisons import ListedComparisons

UNKNOWN = -1
"""The number of an annotator who is not known."""


@dataclass(frozen=True, eq=False)
class Answers:
    """The answers behind the comparisons, one entry each.

    Attributes
    ----------
    questions : ndarray of dtype intp
        Number of the question: the pairs of objects that were to be ordered.
    responses : ndarray of dtype intp
        Number of the response; equal where two answers say the same.
    n_options : ndarray of dtype int64
        How many responses the question allows: 2 for triplets and quadruplets, 3 for three
        objects.
    annotators : ndarray of dtype intp
        Number of the annotator in the order of `names`, -1 where unknown.
    counts : ndarray of dtype int64
        How often the answer was given.
    names : tuple of str
        Names of the annotators, in order.
    """

    questions: LabelArray
    responses: LabelArray
    n_options: Int64Array
    annotators: LabelArray
    counts: Int64Array
    names: tuple[str, ...]


@dataclass(frozen=True)
class RepeatAgreement:
    """How often two answers to the same question agree.

    Attributes
    ----------
    n_questions : int
        Number of questions with at least two such answers.
    n_pairs : int
        Number of pairs of answers.
    agreement : float
        Share of a question's pairs that agree, mean over questions; NaN without any. A question
        counts once however often it was asked: a control question that everybody answered would
        drown all others.
    error : float
        Its standard error; NaN for fewer than two questions.
    chance : float
        The share if everybody guessed: one over the number of possible responses.
    """

    n_questions: int
    n_pairs: int
    agreement: float
    error: float
    chance: float

    @property
    def corrected(self) -> float:
        """Agreement beyond chance: 0 for guessing, 1 for perfect agreement.

        All responses are taken as equally likely by chance (Brennan and Prediger's kappa): a
        response has no meaning across questions, so it cannot be more frequent than another.
        """
        return (self.agreement - self.chance) / (1 - self.chance)


def answers_of(comparisons: ListedComparisons) -> Answers:
    """Return the answers behind comparisons: their questions, responses and annotators."""
    ids, first, sizes = np.unique(comparisons.answer_ids, return_index=True, return_counts=True)
    # Rows answer by answer, within an answer by pair: equal responses have equal rows.
    order = np.lexsort((comparisons.losers, comparisons.winners, comparisons.answer_ids))
    starts = np.cumsum(sizes) - sizes
    questions = np.empty(len(ids), dtype=np.intp)
    responses = np.empty(len(ids), dtype=np.intp)
    n_options = np.empty(len(ids), dtype=np.int64)
    n_questions = n_responses = 0
    for size in np.unique(sizes).tolist():
        chosen = np.flatnonzero(sizes == size)
        rows = order[starts[chosen][:, None] + np.arange(size)]
        question, response, options = _identify(comparisons.winners[rows], comparisons.losers[rows])
        questions[chosen] = question + n_questions
        responses[chosen] = response + n_responses
        n_options[chosen] = options
        n_questions += int(question.max()) + 1
        n_responses += int(response.max()) + 1
    counts = comparisons.counts
    people, names = annotators_of(comparisons)
    return Answers(
        questions=questions,
        responses=responses,
        n_options=n_options,
        annotators=people[first],
        counts=np.ones(len(ids), dtype=np.int64)
        if counts is None
        else counts[first].astype(np.int64),
        names=names,
    )


def annotators_of(comparisons: ListedComparisons) -> tuple[LabelArray, tuple[str, ...]]:
    """Return the number of the annotator of each comparison, -1 if unknown, and their names."""
    details = comparisons.details
    if details is None or details.annotators is None:
        return np.full(comparisons.n_rows, UNKNOWN, dtype=np.intp), ()
    names, people = np.unique(details.annotators.astype(str), return_inverse=True)
    people = people.ravel()
    if len(names) and names[0] == "":
        return people - 1, tuple(names[1:].tolist())
    return people, tuple(names.tolist())


def agreement_of_repeats(answers: Answers) -> RepeatAgreement:
    """Return how often two answers to the same question agree, whoever gave them."""
    return _agreement(*_count_pairs(answers, np.zeros_like(answers.annotators)))


def within_and_between(answers: Answers) -> tuple[RepeatAgreement, RepeatAgreement]:
    """Return how often people agree with themselves, and with each other."""
    known = take_answers(answers, np.flatnonzero(answers.annotators != UNKNOWN))
    same, in_all, options = _count_pairs(known, np.zeros_like(known.annotators))
    same_own, own, _ = _count_pairs(known, known.annotators)
    within = _agreement(same_own, own, options)
    return within, _agreement(same - same_own, in_all - own, options)


def take_answers(answers: Answers, rows: Int64Array) -> Answers:
    """Return some of the answers."""
    return Answers(
        questions=answers.questions[rows],
        responses=answers.responses[rows],
        n_options=answers.n_options[rows],
        annotators=answers.annotators[rows],
        counts=answers.counts[rows],
        names=answers.names,
    )


def _count_pairs(answers: Answers, owners: LabelArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return for each question the pairs of answers that agree, all pairs, and its options.

    Only answers of the same owner make a pair.
    """
    found, question = np.unique(answers.questions, return_inverse=True)
    question = question.ravel()

    def count(*columns: LabelArray) -> FloatArray:
        cells, cell = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)
        n_answers = np.bincount(cell.ravel(), weights=answers.counts, minlength=len(cells))
        pairs = n_answers * (n_answers - 1) / 2
        of_question: FloatArray = np.zeros(len(found))
        np.add.at(of_question, cells[:, 0], pairs)
        return of_question

    options = np.zeros(len(found))
    options[question] = answers.n_options
    return count(question, owners, answers.responses), count(question, owners), options


def _agreement(same: FloatArray, in_all: FloatArray, options: FloatArray) -> RepeatAgreement:
    """Return the agreement from the pairs that agree and all pairs of each question."""
    repeated: BoolArray = in_all > 0
    same, in_all, options = same[repeated], in_all[repeated], options[repeated]
    n_questions, n_pairs = len(in_all), int(in_all.sum())
    if not n_questions:
        return RepeatAgreement(0, 0, math.nan, math.nan, math.nan)
    shares = same / in_all
    agreement = float(shares.mean())
    error = float(shares.std(ddof=1)) / math.sqrt(n_questions) if n_questions > 1 else math.nan
    chance = float((1 / options).mean())
    return RepeatAgreement(n_questions, n_pairs, agreement, error, chance)


def _identify(winners: Int32Array, losers: Int32Array) -> tuple[LabelArray, LabelArray, Int64Array]:
    """Give numbers to questions and responses of answers of one length, and count the options.

    A question is a set of pairs of objects and how many of them are to be chosen as more alike:
    of two pairs one, of the three pairs of three objects one (odd one out) or two (most central).
    """
    n_won, n_lost = _n_different(winners), _n_different(losers)
    pairs = np.sort(np.concatenate([winners, losers], axis=1), axis=1).astype(np.int64)
    pairs[:, 1:][pairs[:, 1:] == pairs[:, :-1]] = -1  # a set: each pair once
    pairs.sort(axis=1)
    keys = np.concatenate([pairs, n_won[:, None], n_lost[:, None]], axis=1)
    question = np.unique(keys, axis=0, return_inverse=True)[1].ravel()
    said = np.concatenate([winners, losers], axis=1)
    response = np.unique(said, axis=0, return_inverse=True)[1].ravel()
    options = [math.comb(won + lost, won) for won, lost in zip(n_won, n_lost, strict=True)]
    return question, response, np.array(options, dtype=np.int64)


def _n_different(pairs: Int32Array) -> Int64Array:
    in_order = np.sort(pairs, axis=1)
    n_different: Int64Array = 1 + (in_order[:, 1:] != in_order[:, :-1]).sum(axis=1, dtype=np.int64)
    return n_different
