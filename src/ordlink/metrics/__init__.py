"""How good a hierarchy is: compared with the truth, with similarities, with answers."""

from ordlink.metrics._fit import (
    agreements,
    comparison_accuracy,
    comparison_accuracy_of_chunks,
    comparison_revenue,
    cophenetic_correlation,
    dasgupta_cost,
    moseley_wang_revenue,
    normalised_comparison_revenue,
    normalised_dasgupta_cost,
)
from ordlink.metrics._truth import (
    aari,
    adjusted_rand_index,
    ari_per_level,
    dendrogram_purity,
    fowlkes_mallows,
    normalised_robinson_foulds,
    robinson_foulds,
    triplet_distance,
)

__all__ = [
    "aari",
    "adjusted_rand_index",
    "agreements",
    "ari_per_level",
    "comparison_accuracy",
    "comparison_accuracy_of_chunks",
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
