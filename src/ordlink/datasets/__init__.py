"""Data to try methods on: planted models, two small tables, and human answers."""

from ordlink.datasets._answers import simulate_answers
from ordlink.datasets._people import (
    CATALOGUE,
    Dataset,
    fetch_car,
    fetch_crowdtsc,
    fetch_faces,
    fetch_mlds,
    fetch_musicseer,
    fetch_perceptual_kernels,
    fetch_things,
)
from ordlink.datasets._planted import PlantedHierarchy, planted_hierarchy, planted_tree
from ordlink.datasets._sources import AnswerSet, Source, data_folder
from ordlink.datasets._structure import Structure, caterpillar, random_structure
from ordlink.datasets._tables import FeatureTable, fetch_20news, load_glass, load_zoo
from ordlink.datasets._vessels import write_vessels

__all__ = [
    "CATALOGUE",
    "AnswerSet",
    "Dataset",
    "FeatureTable",
    "PlantedHierarchy",
    "Source",
    "Structure",
    "caterpillar",
    "data_folder",
    "fetch_20news",
    "fetch_car",
    "fetch_crowdtsc",
    "fetch_faces",
    "fetch_mlds",
    "fetch_musicseer",
    "fetch_perceptual_kernels",
    "fetch_things",
    "load_glass",
    "load_zoo",
    "planted_hierarchy",
    "planted_tree",
    "random_structure",
    "simulate_answers",
    "write_vessels",
]
