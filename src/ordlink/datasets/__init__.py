"""Data to try methods on: planted models, two small tables, and answers that people gave."""

from ordlink.datasets._answer_set import AnswerSet
from ordlink.datasets._answers import simulate_answers
from ordlink.datasets._bundled import load_glass, load_zoo
from ordlink.datasets._car import fetch_car
from ordlink.datasets._catalogue import CATALOGUE
from ordlink.datasets._crowdtsc import fetch_crowdtsc
from ordlink.datasets._faces import fetch_faces
from ordlink.datasets._features import FeatureTable
from ordlink.datasets._mlds import fetch_mlds
from ordlink.datasets._musicseer import fetch_musicseer
from ordlink.datasets._newsgroups import fetch_20news
from ordlink.datasets._perceptual_kernels import fetch_perceptual_kernels
from ordlink.datasets._planted import PlantedHierarchy, planted_hierarchy, planted_tree
from ordlink.datasets._sources import Source, data_folder
from ordlink.datasets._structure import caterpillar, random_structure
from ordlink.datasets._things import fetch_things

__all__ = [
    "CATALOGUE",
    "AnswerSet",
    "FeatureTable",
    "PlantedHierarchy",
    "Source",
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
]
