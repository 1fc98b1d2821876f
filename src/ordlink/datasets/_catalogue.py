"""The table of all data that is fetched, for commands and loops over everything."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from ordlink.datasets import _people as people
from ordlink.datasets import _source_table as sources
from ordlink.datasets._answer_set import AnswerSet
from ordlink.datasets._newsgroups import fetch_20news
from ordlink.datasets._sources import Source
from ordlink.datasets._tables import FeatureTable


@dataclass(frozen=True)
class Dataset:
    """A public data set, and how to fetch each of its parts.

    Attributes
    ----------
    source : Source
    parts : dict of str to callable
        Takes `data_home` and `progress`; the first part is the usual one.
    """

    source: Source
    parts: dict[str, Callable[..., AnswerSet | FeatureTable]]


CATALOGUE = {
    dataset.source.name: dataset
    for dataset in (
        Dataset(sources.CAR, {name: partial(people.fetch_car, name) for name in sources.CAR_SETS}),
        Dataset(sources.FACES, {"all": people.fetch_faces}),
        Dataset(
            sources.PERCEPTUAL_KERNELS,
            {
                f"{palette}-{task}": partial(people.fetch_perceptual_kernels, palette, task)
                for palette in sources.PALETTES
                for task in sources.TASKS
            },
        ),
        Dataset(
            sources.MLDS, {name: partial(people.fetch_mlds, name) for name in sources.EXPERIMENTS}
        ),
        Dataset(sources.THINGS, {"all": people.fetch_things}),
        Dataset(sources.MUSICSEER, {"all": people.fetch_musicseer}),
        Dataset(
            sources.CROWDTSC,
            {name: partial(people.fetch_crowdtsc, name) for name in sources.SUBJECTS},
        ),
        Dataset(sources.NEWSGROUPS, {"sample": partial(fetch_20news, seed=0)}),
    )
}
"""All public data sets, by name."""
