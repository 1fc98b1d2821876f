"""Faces: which of two faces is more like a third."""

from __future__ import annotations

import csv
import os

import numpy as np

from ordlink._typing import Progress
from ordlink.comparisons import Comparisons
from ordlink.datasets._answer_set import AnswerSet, make_answer_set
from ordlink.datasets._sources import RemoteFile, Source, data_folder
from ordlink.errors import InputError

N_FACES = 36
TABLE = "faces_cfd36/cfd36_triplets_individual.csv"
CLASSES = {"expression": slice(4, 5), "person": slice(1, 3), "group": slice(1, 2)}
"""Which parts of a name such as CFD-BM-038-007-HO tell the class."""
FACES = Source(
    name="faces_cfd36",
    description="36 faces of the Chicago Face Database; people said which of two is more like a "
    "third.",
    page="https://github.com/Knowledge-and-Concepts-Lab/tripletTools",
    citation=(
        "Rogers, T. tripletTools 0.1.0 [R package], data cfd36; faces: Ma, D. S., Correll, J., & "
        "Wittenbrink, B. (2015). The Chicago face database: A free stimulus set of faces and "
        "norming data. Behavior Research Methods, 47."
    ),
    terms="Answers: MIT licence. The pictures are not included and have their own terms.",
    files=(
        RemoteFile(
            TABLE,
            "https://raw.githubusercontent.com/Knowledge-and-Concepts-Lab/tripletTools/"
            "28ea745f52c68ea73d9d88910acc17b1001963c3/inst/extdata/cfd36_triplets_individual.csv",
        ),
    ),
)


def fetch_faces(
    classes: str = "expression",
    *,
    data_home: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> AnswerSet:
    """Return 36 faces: 37234 triplets of 39 people.

    Attention checks, which show a face twice, are left out.

    Parameters
    ----------
    classes : {"expression", "person", "group"}
        Which of the known classes to return: the expression (happy with open mouth HO, angry A,
        fearful F; it weighs most in the answers), the 12 persons, or the 4 groups BF, BM, WF, WM.
    data_home : path, optional
        The data folder; ORDLINK_DATA or the user's cache folder by default.
    progress : callable, optional
        Called with (bytes loaded, bytes in all) during a download.

    Returns
    -------
    AnswerSet
        Faces are named as in the database. The annotators, the response times in milliseconds and
        whether the face on the left was chosen are among the details of the comparisons;
        `answer_columns` has the faces shown ``left`` and ``right``, and from the source how a
        question was drawn, ``sampleAlg`` and ``sampleSet``.

    Raises
    ------
    InputError
        If there are no such classes, or the file in the folder is not the one published.
    MissingDataError
        If the data is not there and cannot be downloaded.
    """
    if classes not in CLASSES:
        raise InputError(f"classes: expected one of {', '.join(CLASSES)}, got {classes!r}.")
    with FACES.get(TABLE, data_folder(data_home), progress).open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["sampleAlg"] != "check"]
    number_of = {row["Center"]: int(row["head"]) for row in rows}
    names = tuple(sorted(number_of, key=number_of.__getitem__))
    comparisons = Comparisons.from_triplets(
        np.array([[row[column] for column in ("head", "winner", "loser")] for row in rows], int),
        names=names,
        annotators=[row["worker_id"] for row in rows],
        response_times=[float(row["rt"]) for row in rows],
        chose_first=[row["Answer"] == row["Left"] for row in rows],
    )
    of_face = ["-".join(name.split("-")[CLASSES[classes]]) for name in names]
    class_names = tuple(sorted(set(of_face)))
    return make_answer_set(
        FACES,
        comparisons,
        names,
        classes=np.array([class_names.index(name) for name in of_face], dtype=np.intp),
        class_names=class_names,
        answer_columns={
            "left": np.array([number_of[row["Left"]] for row in rows], dtype=np.int32),
            "right": np.array([number_of[row["Right"]] for row in rows], dtype=np.int32),
            "sampleAlg": np.array([row["sampleAlg"] for row in rows]),
            "sampleSet": np.array([row["sampleSet"] for row in rows]),
        },
    )
