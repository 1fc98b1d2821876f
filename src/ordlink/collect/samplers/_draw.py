"""Drawing questions: the sampler's own and, always, a stated share of random ones."""

from __future__ import annotations

import numpy as np

from ordlink.collect.samplers._adaptive import is_tree_due, sample_adaptively
from ordlink.collect.samplers._drawn import DrawnQuestion
from ordlink.collect.samplers._known import Known, Sampler
from ordlink.collect.samplers._plans import PLANS, plan_sampler
from ordlink.collect.samplers._random import random_objects

SHARE = "share of random questions"
"""Reason of questions that are random whatever the sampler says."""
AT_ONCE = "random: no other question was ready"
"""Reason of questions that are drawn while somebody waits for one."""
TOO_FEW = "few answers yet: at random"
PASSIVE = "random passive sampling"
RANDOM_REASONS = (SHARE, AT_ONCE, TOO_FEW, PASSIVE)
"""Reasons of random questions, whoever drew them."""


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
        How many to draw. Where a plan waits for answers there are fewer, as many as go with what
        it asks: others would only keep people from what it asks next.
    seed : int
        Of this draw.
    random_share : float
        Probability with which a question is a random one, whatever the sampler says.
    plan_seed : int
        Of the plan of 4K-AL-act, the same for all draws of a study.
    """
    rng = np.random.default_rng(seed)
    if sampler == "random":
        return tuple(random_questions(known, n_questions, rng, PASSIVE))
    if sampler == "adaptive" and not is_tree_due(known):
        return tuple(random_questions(known, n_questions, rng, TOO_FEW))
    if sampler in PLANS:
        plan = plan_sampler(sampler, **({"seed": plan_seed} if sampler == "4K-AL-act" else {}))
        return _draw_plan(plan, known, n_questions, seed, random_share)
    is_random = rng.random(n_questions) < random_share
    own = sample_adaptively(known, int((~is_random).sum()), rng)
    n_shared = n_questions - len(own)
    mixed = [*own, *random_questions(known, n_shared, rng, SHARE)]
    return tuple(mixed[place] for place in rng.permutation(len(mixed)))


def _draw_plan(
    plan: Sampler, known: Known, n_questions: int, seed: int, random_share: float
) -> tuple[DrawnQuestion, ...]:
    """Return what a plan asks, random questions among it, until the plan has to wait.

    Asked for as many as it gave, it gives the same again: so it is replayed.
    """
    places, rng = (np.random.default_rng([seed, part]) for part in range(2))
    is_random = places.random(n_questions) < random_share
    own = plan(known, int((~is_random).sum()), rng)
    if not own:
        return ()
    too_many = np.cumsum(~is_random) > len(own)
    is_random = is_random[: int(too_many.argmax())] if too_many.any() else is_random
    shared = iter(random_questions(known, int(is_random.sum()), rng, SHARE))
    asked = iter(own)
    return tuple(next(shared) if one else next(asked) for one in is_random)


def random_questions(
    known: Known, n_questions: int, rng: np.random.Generator, reason: str
) -> list[DrawnQuestion]:
    """Return random questions, all for the same reason."""
    rows = random_objects(known.kind, known.n_objects, n_questions, rng).tolist()
    return [DrawnQuestion(tuple(row), reason) for row in rows]
