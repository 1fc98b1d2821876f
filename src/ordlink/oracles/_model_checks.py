"""How far a model can be trusted: position bias, and agreement with people."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ordlink._validate import Seed, check_whole_number, random_generator
from ordlink.comparisons import ListedComparisons
from ordlink.errors import InputError, InputKindError
from ordlink.oracles._base import Oracle, ask, check_oracle
from ordlink.oracles._chat import ChatOracle
from ordlink.oracles._concurrent import ConcurrentOracle
from ordlink.oracles._drawing import random_questions


@dataclass(frozen=True)
class PositionBias:
    """How much the answers of a model depend on the order of the alternatives."""

    n_questions: int  # asked in both orders and answered in both
    consistent: float
    """Share of the questions with the same answer in both orders; 1/2 by chance."""
    chose_first: float
    """Share of all answers that chose the alternative shown first; 1/2 without bias."""


@dataclass(frozen=True)
class Agreement:
    """How often an oracle gives the answer that people gave."""

    n_questions: int  # asked
    n_answers: int  # without "can't tell"
    agreement: float
    """Share of the answers that people gave too; 1/2 by chance."""
    error: float
    """Standard error of that share."""


def position_bias(
    oracle: ChatOracle,
    n_questions: int = 50,
    *,
    form: str = "triplet",
    seed: Seed = 0,
    wrap: Callable[[ChatOracle], Oracle] = ConcurrentOracle,
) -> PositionBias:
    """Return how much a model's answers depend on the order in which alternatives are shown.

    Parameters
    ----------
    oracle : ChatOracle
        The model; it is asked each question twice, once in each order.
    n_questions, form, seed
        As in :func:`random_questions`.
    wrap : callable
        Wraps the oracle before it is asked, for example in a record; called once for the oracle and
        once for its copy that shows the alternatives in reverse order.
    """
    if not isinstance(oracle, ChatOracle):
        raise InputKindError(f"expected a ChatOracle, got {type(oracle).__name__}")
    questions = random_questions(oracle.n_objects, n_questions, form=form, seed=seed)
    one, other = (ask(wrap(each), questions) for each in (oracle, oracle.reversed()))
    both = (one != 0) & (other != 0)
    if not both.any():
        raise InputError("the model answered no question in both orders", where=oracle.model)
    shown_first = np.where(oracle.shows_first(questions), 1, -1)
    chose_first = np.mean([one == shown_first, other == -shown_first], axis=0)[both]
    consistent = float((one == other)[both].mean())
    return PositionBias(int(both.sum()), consistent, float(chose_first.mean()))


def agreement_with_people(
    oracle: Oracle, comparisons: ListedComparisons, n_questions: int = 100, *, seed: Seed = 0
) -> Agreement:
    """Return how often an oracle gives the same answers as people.

    Parameters
    ----------
    oracle : Oracle
        The oracle; its objects have the same numbers.
    comparisons : ListedComparisons
        The people's answers.
    n_questions : int
        Number of their questions to ask, drawn at random; all if there are fewer.
    seed : int, numpy.random.Generator or None
        Random seed.
    """
    check_oracle(oracle)
    given: object = comparisons
    if not isinstance(given, ListedComparisons) or not given.n_rows:
        raise InputError("expected at least one human answer", parameter="comparisons")
    if comparisons.n_objects != oracle.n_objects:
        problem = f"expected answers about {oracle.n_objects} objects, got {comparisons.n_objects}"
        raise InputError(problem, parameter="comparisons", remedy="pass the same {names} for both")
    n_questions = check_whole_number(n_questions, "n_questions", lowest=1)
    rows = random_generator(seed).permutation(comparisons.n_rows)[:n_questions]
    given = ask(oracle, comparisons.quadruplets[rows])
    told = given[given != 0]
    share = float(np.mean(told > 0)) if len(told) else np.nan
    error = float(np.sqrt(share * (1 - share) / len(told))) if len(told) else np.nan
    return Agreement(len(rows), len(told), share, error)
