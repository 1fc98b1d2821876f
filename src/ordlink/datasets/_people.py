"""Human answers: the loaders of all public data sets, and the table of them."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from ordlink._typing import AnyArray, LabelArray, Progress
from ordlink._validate import check_choice
from ordlink.comparisons import Comparisons
from ordlink.datasets import _source_table as sources
from ordlink.datasets._rda import read_data_frame
from ordlink.datasets._sources import AnswerSet, Source, data_folder
from ordlink.datasets._tables import FeatureTable, fetch_20news

DataHome = str | os.PathLike[str] | None
CAR_CLASSES = {
    "ordinary": "2 6 7 8 9 10 11 12 16 17 25 32 35 36 37 38 39 41 44 45 46 55 58 60",
    "sports": "15 19 20 28 40 42 47 48 49 50 51 52 54 56 59",
    "off-road and SUV": "1 3 4 5 13 14 18 22 24 26 27 29 31 33 34 43 57",
    "outlier": "21 23 30 53",
}
"""The authors' classes, by the numbers of the cars."""
FACE_CLASSES = {"expression": slice(4, 5), "person": slice(1, 3), "group": slice(1, 2)}
"""Which parts of a name such as CFD-BM-038-007-HO give the class."""
N_PRACTICE = {10: 8, 16: 24}
"""Triples at the start of each line of the perceptual kernels that are about practice objects."""
N_PRACTICE_OBJECTS = {10: 4, 16: 6}
"""These objects are numbered first."""


def fetch_car(
    answers: str = "T_ALL_REDUCED", *, data_home: DataHome = None, progress: Progress | None = None
) -> AnswerSet:
    """Return the 60 cars: answers "most central of three", classes and pictures.

    Cars are named by the authors' numbers, "1" to "60"; the classes are the authors' too.

    Parameters
    ----------
    answers : {"T_ALL_REDUCED", "T_ALL", "ALL_REDUCED", "ALL", "survey"}
        ``ALL`` are all 7097; ``T_ALL`` leaves out the 7 rounds that failed the control question
        (6757); ``REDUCED`` keeps one most frequent answer for every three cars: 6056 of ``T_ALL``,
        the set of the paper (12112 comparisons). ``survey`` is ``ALL`` with the round as annotator,
        response times in seconds, and `answer_columns`: the ``survey_round`` and the cars shown
        ``left``, in the ``middle`` and on the ``right``.
    data_home : path, optional
        The data folder; ORDLINK_DATA or the user's cache folder by default.
    progress : callable, optional
        Called with (bytes loaded, total bytes) during a download.

    Raises
    ------
    MissingDataError
        If the data is missing and cannot be downloaded; the other `fetch_...` functions do the
        same.
    """
    check_choice(answers, "answers", sources.CAR_SETS)
    folder = data_folder(data_home)
    names = [str(number) for number in range(1, 61)]
    columns: dict[str, AnyArray] = {}
    if answers == "survey":
        path = sources.CAR.get("car/survey_data.csv", folder, progress)
        table = np.loadtxt(path, delimiter=",", skiprows=1)
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
        path = sources.CAR.get(f"car/ordinal_data_preprocessed/{answers}.csv", folder, progress)
        rows = np.loadtxt(path, delimiter=",", dtype=np.int32)
        comparisons = Comparisons.from_most_central(rows, names=names, one_based=True)
    class_of = {
        number: label
        for label, numbers in enumerate(CAR_CLASSES.values())
        for number in numbers.split()
    }
    pictures = tuple(folder / "car" / name for name in sources.CAR_PICTURES)
    return AnswerSet(
        sources.CAR,
        comparisons,
        classes=np.array([class_of[name] for name in names], dtype=np.intp),
        class_names=tuple(CAR_CLASSES),
        pictures=pictures if all(path.is_file() for path in pictures) else None,
        answer_columns=columns,
    )


def fetch_faces(
    classes: str = "expression", *, data_home: DataHome = None, progress: Progress | None = None
) -> AnswerSet:
    """Return 36 faces: 37234 triplets from 39 people, without attention checks.

    The details of the comparisons have the annotators, the response times in milliseconds and
    whether the face on the left was chosen; `answer_columns` has the faces shown ``left`` and
    ``right``, and how a question was drawn, ``sampleAlg`` and ``sampleSet``.

    Parameters
    ----------
    classes : {"expression", "person", "group"}
        Which classes to return: the expression (happy with open mouth HO, angry A, fearful F; it
        matters most in the answers), the 12 persons, or the 4 groups BF, BM, WF, WM.
    data_home, progress
        As for :func:`fetch_car`.
    """
    check_choice(classes, "classes", FACE_CLASSES)
    path = sources.FACES.get(sources.FACES.files[0].path, data_folder(data_home), progress)
    rows = [row for row in _read_rows(path) if row["sampleAlg"] != "check"]
    number_of = {row["Center"]: int(row["head"]) for row in rows}
    names = sorted(number_of, key=number_of.__getitem__)
    comparisons = Comparisons.from_triplets(
        np.array([[row[column] for column in ("head", "winner", "loser")] for row in rows], int),
        names=names,
        annotators=[row["worker_id"] for row in rows],
        response_times=[float(row["rt"]) for row in rows],
        chose_first=[row["Answer"] == row["Left"] for row in rows],
    )
    parts = FACE_CLASSES[classes]
    labels, class_names = _number(["-".join(name.split("-")[parts]) for name in names])
    return AnswerSet(
        sources.FACES,
        comparisons,
        classes=labels,
        class_names=class_names,
        answer_columns={
            "left": np.array([number_of[row["Left"]] for row in rows], dtype=np.int32),
            "right": np.array([number_of[row["Right"]] for row in rows], dtype=np.int32),
            "sampleAlg": np.array([row["sampleAlg"] for row in rows]),
            "sampleSet": np.array([row["sampleSet"] for row in rows]),
        },
    )


def fetch_perceptual_kernels(
    palette: str = "shape",
    task: str = "matching",
    *,
    data_home: DataHome = None,
    progress: Progress | None = None,
) -> AnswerSet:
    """Return a palette of colours, shapes or sizes: 20 people were asked about every three of them.

    Practice questions and attention checks are left out.

    Parameters
    ----------
    palette : {"color", "shape", "size", "shapecolor", "shapesize", "sizecolor"}
        The first three have 10 objects and 2400 answers, the others 16 and 11200.
    task : {"matching", "discrimination"}
        Matching: which of two is more like a third (triplets). Discrimination: which of three is
        the odd one out.
    data_home, progress
        As for :func:`fetch_car`.
    """
    check_choice(palette, "palette", sources.PALETTES)
    check_choice(task, "task", sources.TASKS)
    file = f"perceptual_kernels/raw/{palette}-{sources.TASKS[task]}.txt"
    path = sources.PERCEPTUAL_KERNELS.get(file, data_folder(data_home), progress)
    n_objects = sources.PALETTES[palette]
    table = np.loadtxt(path, delimiter=",", dtype=int)
    rows = table.reshape(len(table), -1, 3)[:, N_PRACTICE[n_objects] :]
    people = np.repeat(np.arange(1, len(rows) + 1), rows.shape[1])
    rows = rows.reshape(-1, 3) - N_PRACTICE_OBJECTS[n_objects]
    i, j, k = rows.T
    proper = (i != j) & (i != k) & (j != k)
    names = [f"{palette} {number}" for number in range(1, n_objects + 1)]
    make = Comparisons.from_triplets if task == "matching" else Comparisons.from_odd_one_out
    comparisons = make(rows[proper], names=names, annotators=people[proper].astype(str))
    return AnswerSet(sources.PERCEPTUAL_KERNELS, comparisons)


def fetch_mlds(
    experiment: str = "Transparency",
    *,
    data_home: DataHome = None,
    progress: Progress | None = None,
) -> AnswerSet:
    """Return an experiment of the R package MLDS: quadruplets about stimuli on a physical scale.

    Objects are named by their value on that scale. The true structure is a line, not a tree.

    Parameters
    ----------
    experiment : {"Transparency", "AutumnLab", "kk1", "kk2", "kk3", "kktriad"}
        AutumnLab: 10 levels of image compression, 210 answers (Charrier et al. 2007).
        Transparency: 10 refractive indices, 420 answers from each of 6 people (Fleming et al.
        2007). kk1 to kk3: 11 correlations of scatter plots, 330 answers from one person on three
        days. kktriad: the same with pairs that share a stimulus, 165 answers.
    data_home, progress
        As for :func:`fetch_car`.
    """
    check_choice(experiment, "experiment", sources.EXPERIMENTS)
    path = sources.MLDS.get(f"mlds/{experiment}.rda", data_folder(data_home), progress)
    table, attributes = read_data_frame(path)
    columns = ("S1", "S2", "S3", "S4") if "S4" in table else ("S1", "S2", "S2", "S3")
    pairs = np.stack([table[column] for column in columns], axis=1).astype(np.int32)
    second_differs_more = table["resp"] == 1
    comparisons = Comparisons.from_quadruplets(
        np.where(second_differs_more[:, None], pairs, pairs[:, [2, 3, 0, 1]]),
        names=[f"{value:g}" for value in attributes["stimulus"]],
        one_based=True,
        annotators=table.get("Obs"),
    )
    return AnswerSet(sources.MLDS, comparisons)


def fetch_things(*, data_home: DataHome = None, progress: Progress | None = None) -> AnswerSet:
    """Return 1,854 things: 146,012 odd-one-out answers from many people.

    Things are named by the source's unique ids, such as "bat1" (plain names repeat). For the
    parameters see :func:`fetch_car`.
    """
    folder = data_folder(data_home)
    answers, things = (sources.THINGS.get(f.path, folder, progress) for f in sources.THINGS.files)
    rows = np.loadtxt(answers).astype(np.int32)  # the third number of a row is the odd one
    with things.open(encoding="utf-8", newline="") as file:
        _, *table = csv.reader(file, dialect="excel-tab")
    names = [row[5] for row in table]  # the unique id; the first column is the word
    return AnswerSet(sources.THINGS, Comparisons.from_odd_one_out(rows, names=names))


def fetch_musicseer(*, data_home: DataHome = None, progress: Progress | None = None) -> AnswerSet:
    """Return the MusicSeer survey: triplets (target, chosen artist, artist not chosen).

    Lines without three different artists are left out. Artists are named by their numbers in the
    source; `answer_columns` has the ``judgement`` that a triplet comes from and its ``kind``, S for
    the survey and G for the game. For the parameters see :func:`fetch_car`.
    """
    path = sources.MUSICSEER.get(sources.MUSICSEER.files[0].path, data_folder(data_home), progress)
    lines = path.read_text("latin-1").splitlines()
    rows = [cells for line in lines if _names_three_artists(cells := line.split(" "))]
    artists = np.array([cells[3:6] for cells in rows], dtype=np.int64).reshape(-1, 3)
    numbers, triplets = np.unique(artists, return_inverse=True)
    comparisons = Comparisons.from_triplets(
        triplets.reshape(-1, 3),
        names=[str(number) for number in numbers],
        annotators=[cells[2] for cells in rows],
    )
    columns = {
        "judgement": np.array([cells[0] for cells in rows]),
        "kind": np.array([cells[1] for cells in rows]),
    }
    return AnswerSet(sources.MUSICSEER, comparisons, answer_columns=columns)


def fetch_crowdtsc(
    subject: str = "food", *, data_home: DataHome = None, progress: Progress | None = None
) -> AnswerSet:
    """Return pictures of food or of scenes: triplets from crowd workers, and categories.

    Objects are named by their category and number, such as "bread 0"; the classes are the
    categories.

    Parameters
    ----------
    subject : {"food", "scene"}
        What is shown.
    data_home, progress
        As for :func:`fetch_car`.
    """
    check_choice(subject, "subject", sources.SUBJECTS)
    folder = data_folder(data_home)
    paths = (
        f"crowdtsc/{subject}/{subject}_{table}.csv" for table in ("category_list", "tsclabels")
    )
    objects, answers = (_read_rows(sources.CROWDTSC.get(p, folder, progress)) for p in paths)
    number_of = {row["index"]: number for number, row in enumerate(objects)}
    comparisons = Comparisons.from_triplets(
        [
            [number_of[row[cell]] for cell in ("ABC" if row["eval"] == "1" else "ACB")]
            for row in answers
        ],
        names=[f"{row['category']} {row['index']}" for row in objects],
        annotators=[row["worker"] for row in answers],
    )
    labels, class_names = _number([row["category"] for row in objects])
    return AnswerSet(sources.CROWDTSC, comparisons, classes=labels, class_names=class_names)


def _read_rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def _number(words: list[str]) -> tuple[LabelArray, tuple[str, ...]]:
    """Return the number of each word in the sorted list of words, and that list."""
    known = tuple(sorted(set(words)))
    return np.array([known.index(word) for word in words], dtype=np.intp), known


def _names_three_artists(cells: list[str]) -> bool:
    artists = cells[3:6]
    return len(cells) == 6 and all(map(str.isdigit, artists)) and len(set(artists)) == 3


@dataclass(frozen=True)
class Dataset:
    """A public data set, and functions of `data_home` and `progress` that fetch its parts."""

    source: Source
    parts: dict[str, Callable[..., AnswerSet | FeatureTable]]


CATALOGUE = {
    dataset.source.name: dataset
    for dataset in (
        Dataset(sources.CAR, {name: partial(fetch_car, name) for name in sources.CAR_SETS}),
        Dataset(sources.FACES, {"all": fetch_faces}),
        Dataset(
            sources.PERCEPTUAL_KERNELS,
            {
                f"{palette}-{task}": partial(fetch_perceptual_kernels, palette, task)
                for palette in sources.PALETTES
                for task in sources.TASKS
            },
        ),
        Dataset(sources.MLDS, {name: partial(fetch_mlds, name) for name in sources.EXPERIMENTS}),
        Dataset(sources.THINGS, {"all": fetch_things}),
        Dataset(sources.MUSICSEER, {"all": fetch_musicseer}),
        Dataset(
            sources.CROWDTSC, {name: partial(fetch_crowdtsc, name) for name in sources.SUBJECTS}
        ),
        Dataset(sources.NEWSGROUPS, {"sample": partial(fetch_20news, seed=0)}),
    )
}
"""All public data sets, by name."""
