"""Drawing questions: the sampler's own and, always, a stated share of random ones."""

from __future__ import annotations

import numpy as np

from ordlink.collect.samplers._adaptive import is_tree_due, sample_adaptively
from ordlink.collect.samplers._drawn import DrawnQuestion
from ordlink.collect.samplers._known import Known, Sampler
from ordlink.collect.samplers._plans import plan_sampler
from ordlink.collect.samplers._random import random_objects


def draw_questions(
    sampler: str,
    known: Known,
    n_questions: int,
    *,
    seed: int,
    random_share: float,
    plan_seed: int = 0,
) -> tuple[DrawnQuestion, ...]:
    """Return questions; the same arguments give the same questions.

    Parameters
    ----------
    sampler : {"adaptive", "random", "SL", "CL", "4K-AL-act"}
    known : Known
        What was asked and answered so far.
    n_questions : int
        How many to draw. A plan that waits for answers gives fewer; random ones fill up.
    seed : int
        Of this draw.
    random_share : float
        Probability with which a question is a random one, whatever the sampler says.
    plan_seed : int
        Of the plan of 4K-AL-act, the same for all draws of a study.
    """
    rng = np.random.default_rng(seed)
    if sampler == "random":
        return tuple(random_questions(known, n_questions, rng, "random passive sampling"))
    if sampler == "adaptive" and not is_tree_due(known):
        return tuple(random_questions(known, n_questions, rng, "few answers yet: at random"))
    is_random = rng.random(n_questions) < random_share
    own = _samplers(plan_seed)[sampler](known, int((~is_random).sum()), rng)
    shared = random_questions(known, int(is_random.sum()), rng, "share of random questions")
    n_short = n_questions - len(own) - len(shared)
    filled = random_questions(known, n_short, rng, "the sampler waits for answers")
    mixed = [*own, *shared, *filled]
    return tuple(mixed[place] for place in rng.permutation(len(mixed)))


def random_questions(
    known: Known, n_questions: int, rng: np.random.Generator, reason: str
) -> list[DrawnQuestion]:
    """Return random questions, all for the same reason."""
    rows = random_objects(known.kind, known.n_objects, n_questions, rng).tolist()
    return [DrawnQuestion(tuple(row), reason) for row in rows]


def _samplers(plan_seed: int) -> dict[str, Sampler]:
    return {
        "adaptive": sample_adaptively,
        "SL": plan_sampler("SL"),
        "CL": plan_sampler("CL"),
        "4K-AL-act": plan_sampler("4K-AL-act", seed=plan_seed),
    }
