"""How many answers are needed: simulated before any were given."""

from ordlink.planning._plan import Cost, CurvePoint, Plan, plan_answers
from ordlink.planning._setting import DIFFICULTIES, MEASURES, Setting

__all__ = [
    "DIFFICULTIES",
    "MEASURES",
    "Cost",
    "CurvePoint",
    "Plan",
    "Setting",
    "plan_answers",
]
