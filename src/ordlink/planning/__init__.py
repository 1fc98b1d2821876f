"""How many answers are needed: simulated before any were given."""

from ordlink.planning._cost import Cost, answers_cost
from ordlink.planning._plan import CurvePoint, Plan, plan_answers
from ordlink.planning._setting import DIFFICULTIES, MEASURES, Setting
from ordlink.planning._workers import n_cores

__all__ = [
    "DIFFICULTIES",
    "MEASURES",
    "Cost",
    "CurvePoint",
    "Plan",
    "Setting",
    "answers_cost",
    "n_cores",
    "plan_answers",
]
