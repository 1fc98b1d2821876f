"""Consistency of answers: repeated questions, skills (Dawid and Skene), circular triads."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from ordlink._typing import BoolArray, FloatArray, Int32Array, Int64Array, LabelArray
from ordlink._validate import Seed, random_generator
from ordlink.comparisons import ListedComparisons, n_pairs, net_comparisons

UNKNOWN = -1  # the number of an unknown annotator
N_STEPS, TOLERANCE = 200, 1e-7  # of the expectation maximisation
LARGEST_EXACT = 20_000_000  # of more paths of two comparisons a sample is counted, not all triads
N_DRAWN = 500_000
CIRCULAR_BY_CHANCE = 0.25
"""Share of circular triads if every answer were a guess."""


@dataclass(frozen=True, eq=False)
class Answers:
    """The answers behind the comparisons, one entry each."""

    questions: LabelArray  # number of the question: the pairs of objects to be ordered
    responses: LabelArray  # number of the response
    n_options: Int64Array  # possible responses: 2 for triplets and quadruplets, 3 for three objects
    annotators: LabelArray  # number of the annotator in `names`, -1 where unknown
    counts: Int64Array  # how often the answer was given
    names: tuple[str, ...]


@dataclass(frozen=True)
class RepeatAgreement:
    """How often two answers to the same question agree."""

    n_questions: int  # with at least two such answers
    n_pairs: int  # of answers
    agreement: float
    """Share of a question's pairs that agree, mean over questions; NaN without any. A question
    counts once however often it was asked: control questions would outweigh all others."""
    error: float  # its standard error; NaN for fewer than two questions
    chance: float  # the share if everybody guessed: one over the number of possible responses

    @property
    def corrected(self) -> float:
        """Agreement beyond chance: 0 for guessing, 1 for perfect agreement.

        All responses are equally likely by chance (Brennan and Prediger's kappa).
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
        counts=np.ones(len(ids), np.int64) if counts is None else counts[first].astype(np.int64),
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
    columns = ("questions", "responses", "n_options", "annotators", "counts")
    return replace(answers, **{name: getattr(answers, name)[rows] for name in columns})


def _count_pairs(answers: Answers, owners: LabelArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return for each question the agreeing pairs of answers, all pairs (by owner), and options."""
    found, question = np.unique(answers.questions, return_inverse=True)
    question = question.ravel()

    def count(*columns: LabelArray) -> FloatArray:
        cells, cell = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)
        n_answers = np.bincount(cell.ravel(), weights=answers.counts, minlength=len(cells))
        pairs = n_answers * (n_answers - 1) / 2
        return np.asarray(np.bincount(cells[:, 0], pairs, len(found)), dtype=np.float64)

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


def estimate_skills(answers: Answers) -> tuple[FloatArray, Int64Array]:
    """Return the estimated share of correct responses of each annotator, and the answers used.

    Dawid and Skene's model (Applied Statistics 1979) with one parameter per person: every question
    has one true response, annotator a gives it with probability p_a, and each of the others with
    the same probability. (A response has no meaning across questions, so there is no confusion
    matrix.) Expectation maximisation starts from the votes. One right and one wrong answer are
    added for each person, which shrinks estimates from few answers away from 0 and 1. Only
    questions that two or more people answered count; the skill is NaN for people without any.
    """
    n_people = len(answers.names)
    known = answers.annotators != UNKNOWN
    asked = np.unique(answers.questions[known] * max(n_people, 1) + answers.annotators[known])
    n_questions = int(answers.questions.max(initial=-1)) + 1
    n_asked = np.bincount(asked // max(n_people, 1), minlength=n_questions)
    used = np.flatnonzero(known & (n_asked[answers.questions] >= 2))
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
        # Log-odds against nobody being right.
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


def _identify(winners: Int32Array, losers: Int32Array) -> tuple[LabelArray, LabelArray, Int64Array]:
    """Give numbers to questions and responses of answers of one length, and count the options.

    A question is a set of pairs of objects and how many of them to choose as more alike: one of
    two pairs; of the three pairs of three objects one (odd one out) or two (most central).
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
    return np.asarray(1 + (in_order[:, 1:] != in_order[:, :-1]).sum(axis=1, dtype=np.int64))


@dataclass(frozen=True)
class Cycles:
    """How many triads of compared pairs are circular.

    A triad is three pairs of objects that were all compared with each other; where a comparison
    was made several times, the majority counts.
    """

    n_triads: int
    n_circular: int
    is_exact: bool  # whether these are all triads, or a random sample

    @property
    def share(self) -> float:
        """Share of the triads that are circular, 0.25 for guessing; NaN without triads."""
        return self.n_circular / self.n_triads if self.n_triads else math.nan


def count_cycles(comparisons: ListedComparisons, *, seed: Seed = 0) -> Cycles:
    """Count the triads and the circular ones, in a random sample where there are too many."""
    net = net_comparisons(comparisons)
    n = n_pairs(comparisons.n_objects)
    degrees = np.bincount(net.winners, minlength=n) + np.bincount(net.losers, minlength=n)
    n_paths = int((degrees * (degrees - 1) // 2).sum())
    if n_paths <= LARGEST_EXACT:
        return _count_all(net.winners, net.losers, n)
    return _draw(net.winners, net.losers, degrees, random_generator(seed))


def _count_all(winners: Int32Array, losers: Int32Array, n: int) -> Cycles:
    """Count closed walks of three steps."""
    from scipy.sparse import csr_array

    ones = np.ones(len(winners), dtype=np.int64)
    above = csr_array((ones, (winners, losers)), shape=(n, n))
    either = above + above.T
    n_circular = int((above @ above).multiply(above.T).sum()) // 3
    n_triads = int((either @ either).multiply(either).sum()) // 6
    return Cycles(n_triads, n_circular, is_exact=True)


def _draw(
    winners: Int32Array, losers: Int32Array, degrees: Int64Array, rng: np.random.Generator
) -> Cycles:
    """Draw paths a - b - c of two comparisons; those whose ends were compared are triads.

    Every triad contains three such paths, so all are drawn with the same probability.
    """
    ends = np.concatenate([winners, losers])
    others = np.concatenate([losers, winners])
    order = np.argsort(ends, kind="stable")
    others, wins = others[order], (np.arange(len(ends)) < len(winners))[order]
    starts = np.cumsum(degrees) - degrees
    n_paths = degrees.astype(np.float64) * (degrees - 1)
    middle = np.searchsorted(
        np.cumsum(n_paths), rng.random(N_DRAWN) * n_paths.sum(), side="right"
    ).clip(max=len(degrees) - 1)
    first = (rng.random(N_DRAWN) * degrees[middle]).astype(np.int64)
    second = (rng.random(N_DRAWN) * (degrees[middle] - 1)).astype(np.int64)
    second += second >= first
    first, second = first + starts[middle], second + starts[middle]
    keys = np.sort(winners.astype(np.int64) * len(degrees) + losers)
    forth = _are_in(keys, others[first].astype(np.int64) * len(degrees) + others[second])
    back = _are_in(keys, others[second].astype(np.int64) * len(degrees) + others[first])
    # The middle beats one end and loses to the other, and that other loses to the first.
    circular = (wins[first] & ~wins[second] & forth) | (~wins[first] & wins[second] & back)
    return Cycles(int((forth | back).sum()), int(circular.sum()), is_exact=False)


def _are_in(keys: Int64Array, wanted: Int64Array) -> BoolArray:
    places = np.searchsorted(keys, wanted).clip(max=len(keys) - 1)
    return np.asarray(keys[places] == wanted)
