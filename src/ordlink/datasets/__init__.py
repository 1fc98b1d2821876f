"""Data to try methods on: the planted model and two small tables that ship with the package."""

from ordlink.datasets._answers import simulate_answers
from ordlink.datasets._bundled import load_glass, load_zoo
from ordlink.datasets._features import FeatureTable
from ordlink.datasets._planted import PlantedHierarchy, planted_hierarchy

__all__ = [
    "FeatureTable",
    "PlantedHierarchy",
    "load_glass",
    "load_zoo",
    "planted_hierarchy",
    "simulate_answers",
]
