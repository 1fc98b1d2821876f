"""How many answers are needed: simulated before any were given."""

from ordlink._parallel import n_cores
from ordlink.planning._plan import Cost, CurvePoint, Plan, answers_cost, plan_answers
from ordlink.planning._scenario import DIFFICULTIES, MEASURES, Scenario

__all__ = [
    "DIFFICULTIES",
    "MEASURES",
    "Cost",
    "CurvePoint",
    "Plan",
    "Scenario",
    "answers_cost",
    "n_cores",
    "plan_answers",
]
