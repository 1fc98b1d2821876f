"""How good a hierarchy is: against the truth, against similarities, against answers."""

from ordlink.metrics._aari import aari, ari_per_level
from ordlink.metrics._accuracy import agreements, comparison_accuracy
from ordlink.metrics._cophenetic import cophenetic_correlation
from ordlink.metrics._dasgupta import dasgupta_cost, normalised_dasgupta_cost
from ordlink.metrics._fowlkes_mallows import fowlkes_mallows
from ordlink.metrics._moseley_wang import moseley_wang_revenue
from ordlink.metrics._purity import dendrogram_purity
from ordlink.metrics._revenue import comparison_revenue, normalised_comparison_revenue
from ordlink.metrics._robinson_foulds import normalised_robinson_foulds, robinson_foulds
from ordlink.metrics._triplet_distance import triplet_distance

__all__ = [
    "aari",
    "agreements",
    "ari_per_level",
    "comparison_accuracy",
    "comparison_revenue",
    "cophenetic_correlation",
    "dasgupta_cost",
    "dendrogram_purity",
    "fowlkes_mallows",
    "moseley_wang_revenue",
    "normalised_comparison_revenue",
    "normalised_dasgupta_cost",
    "normalised_robinson_foulds",
    "robinson_foulds",
    "triplet_distance",
]
