"""MLDS: which of two pairs differs more, the only public answers that are true quadruplets."""

from __future__ import annotations

import os

import numpy as np

from ordlink._typing import Progress
from ordlink.comparisons import Comparisons
from ordlink.datasets._answer_set import AnswerSet, make_answer_set
from ordlink.datasets._rda import read_data_frame
from ordlink.datasets._sources import RemoteFile, Source, data_folder
from ordlink.errors import InputError

EXPERIMENTS = ("Transparency", "AutumnLab", "kk1", "kk2", "kk3", "kktriad")
_FOLDER = (
    "https://raw.githubusercontent.com/cran/MLDS/171dd1339da8727d71ab66481a790fe6016c8e3a/data"
)
MLDS = Source(
    name="mlds",
    description="10 or 11 stimuli on a scale; people said which of two pairs differs more.",
    page="https://cran.r-project.org/package=MLDS",
    citation=(
        "Knoblauch, K., & Maloney, L. T. (2008). MLDS: Maximum likelihood difference scaling in R. "
        "Journal of Statistical Software, 25(2)."
    ),
    terms="GPL (version 2 or later)",
    files=tuple(RemoteFile(f"mlds/{name}.rda", f"{_FOLDER}/{name}.rda") for name in EXPERIMENTS),
)


def fetch_mlds(
    experiment: str = "Transparency",
    *,
    data_home: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> AnswerSet:
    """Return an experiment of the R package MLDS: quadruplets about stimuli on a physical scale.

    Parameters
    ----------
    experiment : {"Transparency", "AutumnLab", "kk1", "kk2", "kk3", "kktriad"}
        AutumnLab: 10 degrees of image compression, 210 answers (Charrier et al. 2007).
        Transparency: 10 refractive indices, 420 answers of each of 6 people (Fleming et al.
        2007). kk1 to kk3: 11 correlations of scatter plots, 330 answers of one person on three
        days. kktriad: the same with pairs that share a stimulus, 165 answers.
    data_home : path, optional
        The data folder; ORDLINK_DATA or the user's cache folder by default.
    progress : callable, optional
        Called with (bytes loaded, bytes in all) during a download.

    Returns
    -------
    AnswerSet
        Objects are named by their place on the physical scale. The true structure is a line and
        not a tree.

    Raises
    ------
    InputError
        If there is no such experiment, or the file in the folder is not the one published.
    MissingDataError
        If the data is not there and cannot be downloaded.
    """
    if experiment not in EXPERIMENTS:
        raise InputError(
            f"experiment: expected one of {', '.join(EXPERIMENTS)}, got {experiment!r}."
        )
    path = MLDS.get(f"mlds/{experiment}.rda", data_folder(data_home), progress)
    table, attributes = read_data_frame(path)
    columns = ("S1", "S2", "S3", "S4") if "S4" in table else ("S1", "S2", "S2", "S3")
    pairs = np.stack([table[column] for column in columns], axis=1).astype(np.int32)
    second_differs_more = table["resp"] == 1
    names = tuple(f"{value:g}" for value in attributes["stimulus"])
    comparisons = Comparisons.from_quadruplets(
        np.where(second_differs_more[:, None], pairs, pairs[:, [2, 3, 0, 1]]),
        names=names,
        one_based=True,
        annotators=table.get("Obs"),
    )
    return make_answer_set(MLDS, comparisons, names)
