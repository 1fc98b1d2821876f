"""Which question next: random, the active plans of the paper, adaptive."""

from ordlink.collect.samplers._draw import (
    AT_ONCE,
    RANDOM_REASONS,
    draw_questions,
    random_questions,
)
from ordlink.collect.samplers._drawn import Drawn, DrawnQuestion, Knew
from ordlink.collect.samplers._known import Known, Sampler
from ordlink.collect.samplers._plans import PLANS
from ordlink.collect.samplers._random import random_objects
from ordlink.collect.samplers._trees import bootstrap_trees, grow, tree_options

__all__ = [
    "AT_ONCE",
    "PLANS",
    "RANDOM_REASONS",
    "Drawn",
    "DrawnQuestion",
    "Knew",
    "Known",
    "Sampler",
    "bootstrap_trees",
    "draw_questions",
    "grow",
    "random_objects",
    "random_questions",
    "tree_options",
]
