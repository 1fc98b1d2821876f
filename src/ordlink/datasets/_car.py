"""Car: which of three cars is the most central."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from ordlink._typing import LabelArray, Progress
from ordlink.comparisons import Comparisons
from ordlink.datasets._answer_set import AnswerSet, make_answer_set
from ordlink.datasets._sources import RemoteFile, Source, data_folder
from ordlink.errors import InputError

N_CARS = 60
SETS = ("T_ALL_REDUCED", "T_ALL", "ALL_REDUCED", "ALL", "survey")
CLASSES = {
    "ordinary": "2 6 7 8 9 10 11 12 16 17 25 32 35 36 37 38 39 41 44 45 46 55 58 60",
    "sports": "15 19 20 28 40 42 47 48 49 50 51 52 54 56 59",
    "off-road and SUV": "1 3 4 5 13 14 18 22 24 26 27 29 31 33 34 43 57",
    "outlier": "21 23 30 53",
}
"""The authors' classes, by the numbers of the cars."""

ARCHIVE = "http://www.tml.cs.uni-tuebingen.de/team/luxburg/code_and_data/60_cars_data.zip"
_PICTURES = tuple(f"car_data_set_images/{number}.jpg" for number in range(1, N_CARS + 1))
_TABLES = ("survey_data.csv", *(f"ordinal_data_preprocessed/{name}.csv" for name in SETS[:-1]))
CAR = Source(
    name="car",
    description="60 cars; people said which of three cars is the most central.",
    page="http://www.tml.cs.uni-tuebingen.de/team/luxburg/code_and_data/",
    citation=(
        "Kleindessner, M., & von Luxburg, U. (2017). Lens depth function and k-relative "
        "neighborhood graph: versatile tools for ordinal data analysis. Journal of Machine "
        "Learning Research, 18(58)."
    ),
    terms="The authors ask to cite their paper; the pictures are in the public domain.",
    files=tuple(
        RemoteFile(f"car/{name}", ARCHIVE, f"60_cars_data/{name}")
        for name in (*_TABLES, "car_data_set_images/legal_note.txt", *_PICTURES)
    ),
)


def fetch_car(
    answers: str = "T_ALL_REDUCED",
    *,
    data_home: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> AnswerSet:
    """Return the 60 cars: answers "most central of three", classes and pictures.

    Parameters
    ----------
    answers : {"T_ALL_REDUCED", "T_ALL", "ALL_REDUCED", "ALL", "survey"}
        Which answers. ``ALL`` are all 7097; ``T_ALL`` leaves out the 7 rounds that failed the
        control question (6757); ``REDUCED`` keeps one most frequent answer for every three cars,
        which leaves 6056 of ``T_ALL``, the set of the paper (12112 comparisons). ``survey`` is
        ``ALL`` with the round as annotator, the response time in seconds, and in
        `answer_columns` the ``survey_round`` and the cars shown ``left``, in the ``middle`` and
        on the ``right``.
    data_home : path, optional
        The data folder; ORDLINK_DATA or the user's cache folder by default.
    progress : callable, optional
        Called with (bytes loaded, bytes in all) during a download.

    Returns
    -------
    AnswerSet
        Cars are named by the authors' numbers, "1" to "60". The classes are the authors':
        ordinary, sports, off-road and SUV, outlier.

    Raises
    ------
    InputError
        If there is no such set, or a file in the folder is not the one published.
    MissingDataError
        If the data is not there and cannot be downloaded.

    References
    ----------
    M. Kleindessner, U. von Luxburg: Lens depth function and k-relative neighborhood graph:
    versatile tools for ordinal data analysis, JMLR 18(58), 2017.
    """
    if answers not in SETS:
        raise InputError(f"answers: expected one of {', '.join(SETS)}, got {answers!r}.")
    folder = data_folder(data_home)
    names = tuple(str(number) for number in range(1, N_CARS + 1))
    if answers == "survey":
        table = np.loadtxt(
            CAR.get("car/survey_data.csv", folder, progress), delimiter=",", skiprows=1
        )
        survey_round, chosen, *shown = table[:, :5].T.astype(np.int32)
        triples = np.stack(shown, axis=1)
        others = np.sort(triples[triples != chosen[:, None]].reshape(-1, 2), axis=1)
        comparisons = Comparisons.from_most_central(
            np.column_stack([chosen, others]),
            names=names,
            one_based=True,
            annotators=[str(number) for number in survey_round],
            response_times=table[:, 5],
        )
        columns = dict(zip(("left", "middle", "right"), (car - 1 for car in shown), strict=True))
        columns["survey_round"] = survey_round
    else:
        path = CAR.get(f"car/ordinal_data_preprocessed/{answers}.csv", folder, progress)
        rows = np.loadtxt(path, delimiter=",", dtype=np.int32)
        comparisons = Comparisons.from_most_central(rows, names=names, one_based=True)
        columns = {}
    return make_answer_set(
        CAR,
        comparisons,
        names,
        classes=_classes(),
        class_names=tuple(CLASSES),
        pictures=_pictures(folder),
        answer_columns=columns,
    )


def _classes() -> LabelArray:
    classes = np.empty(N_CARS, dtype=np.intp)
    for label, numbers in enumerate(CLASSES.values()):
        classes[[int(number) - 1 for number in numbers.split()]] = label
    return classes


def _pictures(folder: Path) -> tuple[Path, ...] | None:
    """Return the pictures if all of them are there; nobody needs them to build a tree."""
    paths = tuple(folder / "car" / name for name in _PICTURES)
    return paths if all(path.is_file() for path in paths) else None
