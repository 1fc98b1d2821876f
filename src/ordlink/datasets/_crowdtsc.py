"""CrowdTSC2021: which of two pictures of food or scenes is more like a third."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import numpy as np

from ordlink._typing import Progress
from ordlink.comparisons import Comparisons
from ordlink.datasets._answer_set import AnswerSet, make_answer_set
from ordlink.datasets._sources import RemoteFile, Source, data_folder
from ordlink.errors import InputError

SUBJECTS = ("food", "scene")
_FOLDER = (
    "https://raw.githubusercontent.com/garfieldpigljy/CrowdTSC2021/"
    "d52af802c1268ba011960a8a593e0ef8456a3104/CrowdTSC2021"
)
CROWDTSC = Source(
    name="crowdtsc",
    description="Pictures of food or of scenes; people said which of two is more like a third.",
    page="https://github.com/garfieldpigljy/CrowdTSC2021",
    citation=(
        "Li, J., Endo, L. R., & Kashima, H. (2021). Label aggregation for crowdsourced triplet "
        "similarity comparisons. ICONIP 2021."
    ),
    terms="CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/)",
    files=tuple(
        RemoteFile(f"crowdtsc/{name}", f"{_FOLDER}/{name}")
        for subject in SUBJECTS
        for name in (f"{subject}/{subject}_tsclabels.csv", f"{subject}/{subject}_category_list.csv")
    ),
)


def fetch_crowdtsc(
    subject: str = "food",
    *,
    data_home: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> AnswerSet:
    """Return pictures of food or of scenes: triplets of crowd workers, and categories.

    Parameters
    ----------
    subject : {"food", "scene"}
        What is shown.
    data_home : path, optional
        The data folder; ORDLINK_DATA or the user's cache folder by default.
    progress : callable, optional
        Called with (bytes loaded, bytes in all) during a download.

    Returns
    -------
    AnswerSet
        Objects are named by their category and number, such as "bread 0"; the classes are the
        categories, the annotators the workers.

    Raises
    ------
    InputError
        If there is no such subject, or a file is not what it was when it was downloaded.
    MissingDataError
        If the data is not there and cannot be downloaded.
    """
    if subject not in SUBJECTS:
        raise InputError(f"subject: expected one of {', '.join(SUBJECTS)}, got {subject!r}.")
    folder = data_folder(data_home)
    names_and_answers = [
        _rows(CROWDTSC.get(f"crowdtsc/{subject}/{subject}_{table}.csv", folder, progress))
        for table in ("category_list", "tsclabels")
    ]
    objects, answers = names_and_answers
    class_names = tuple(sorted({row["category"] for row in objects}))
    number_of = {row["index"]: number for number, row in enumerate(objects)}
    names = tuple(f"{row['category']} {row['index']}" for row in objects)
    triplets = [
        [number_of[row[cell]] for cell in ("ABC" if row["eval"] == "1" else "ACB")]
        for row in answers
    ]
    return make_answer_set(
        CROWDTSC,
        Comparisons.from_triplets(
            triplets, names=names, annotators=[row["worker"] for row in answers]
        ),
        names,
        classes=np.array([class_names.index(row["category"]) for row in objects], dtype=np.intp),
        class_names=class_names,
    )


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))
