"""How many answers are needed: simulations before any are collected."""

from ordlink._threads import n_cores
from ordlink.planning._plan import Cost, CurvePoint, Plan, answers_cost, plan_answers
from ordlink.planning._scenario import DIFFICULTIES, MEASURES, STUDIES, Scenario

__all__ = [
    "DIFFICULTIES",
    "MEASURES",
    "STUDIES",
    "Cost",
    "CurvePoint",
    "Plan",
    "Scenario",
    "answers_cost",
    "n_cores",
    "plan_answers",
]
