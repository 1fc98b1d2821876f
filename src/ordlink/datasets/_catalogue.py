"""The table of all data that is fetched, for commands and loops over everything."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from ordlink.datasets._answer_set import AnswerSet
from ordlink.datasets._car import CAR, fetch_car
from ordlink.datasets._car import SETS as CAR_SETS
from ordlink.datasets._crowdtsc import CROWDTSC, SUBJECTS, fetch_crowdtsc
from ordlink.datasets._faces import FACES, fetch_faces
from ordlink.datasets._features import FeatureTable
from ordlink.datasets._mlds import EXPERIMENTS, MLDS, fetch_mlds
from ordlink.datasets._musicseer import MUSICSEER, fetch_musicseer
from ordlink.datasets._newsgroups import NEWSGROUPS, fetch_20news
from ordlink.datasets._perceptual_kernels import (
    PALETTES,
    PERCEPTUAL_KERNELS,
    TASKS,
    fetch_perceptual_kernels,
)
from ordlink.datasets._sources import Source
from ordlink.datasets._things import THINGS, fetch_things


@dataclass(frozen=True)
class Fetched:
    """One set of data, and how to fetch each of its parts.

    Attributes
    ----------
    source : Source
        Where it comes from.
    parts : dict of str to callable
        Takes `data_home` and `progress`; the first part is the usual one.
    """

    source: Source
    parts: dict[str, Callable[..., AnswerSet | FeatureTable]]


CATALOGUE = {
    fetched.source.name: fetched
    for fetched in (
        Fetched(CAR, {name: partial(fetch_car, name) for name in CAR_SETS}),
        Fetched(FACES, {"all": fetch_faces}),
        Fetched(
            PERCEPTUAL_KERNELS,
            {
                f"{palette}-{task}": partial(fetch_perceptual_kernels, palette, task)
                for palette in PALETTES
                for task in TASKS
            },
        ),
        Fetched(MLDS, {name: partial(fetch_mlds, name) for name in EXPERIMENTS}),
        Fetched(THINGS, {"all": fetch_things}),
        Fetched(MUSICSEER, {"all": fetch_musicseer}),
        Fetched(CROWDTSC, {subject: partial(fetch_crowdtsc, subject) for subject in SUBJECTS}),
        Fetched(NEWSGROUPS, {"sample": partial(fetch_20news, seed=0)}),
    )
}
"""Everything that is fetched, by name."""
