"""How good a hierarchy is: against the truth, against similarities, against answers."""

from ordlink.metrics._aari import aari, ari_per_level
from ordlink.metrics._accuracy import comparison_accuracy
from ordlink.metrics._dasgupta import dasgupta_cost, normalised_dasgupta_cost

__all__ = [
    "aari",
    "ari_per_level",
    "comparison_accuracy",
    "dasgupta_cost",
    "normalised_dasgupta_cost",
]
