"""THINGS: which of three things is the odd one out."""

from __future__ import annotations

import csv
import os

import numpy as np

from ordlink._typing import Progress
from ordlink.comparisons import Comparisons
from ordlink.datasets._answer_set import AnswerSet, make_answer_set
from ordlink.datasets._sources import RemoteFile, Source, data_folder

ANSWERS = "things/data1854_batch5_test10.txt"
NAMES = "things/items1854names.tsv"
THINGS = Source(
    name="things",
    description="1,854 things; people said which of three is the odd one out.",
    page="https://osf.io/z2784/",
    citation=(
        "Hebart, M. N., Zheng, C. Y., Pereira, F., & Baker, C. I. (2020). Revealing the "
        "multidimensional mental representations of natural objects underlying human similarity "
        "judgements. Nature Human Behaviour, 4."
    ),
    terms="CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/)",
    files=(
        RemoteFile(ANSWERS, "https://osf.io/download/sd3f7/"),
        RemoteFile(NAMES, "https://osf.io/download/sz2ux/"),
    ),
)


def fetch_things(
    *, data_home: str | os.PathLike[str] | None = None, progress: Progress | None = None
) -> AnswerSet:
    """Return 1,854 things: 146,012 answers "odd one out" of many people.

    The third number of a row of the source is the odd one.

    Parameters
    ----------
    data_home : path, optional
        The data folder; ORDLINK_DATA or the user's cache folder by default.
    progress : callable, optional
        Called with (bytes loaded, bytes in all) during a download.

    Returns
    -------
    AnswerSet
        Things are named by the source's unique ids, such as "bat1" (names alone repeat).

    Raises
    ------
    InputError
        If a file in the folder is not the one published.
    MissingDataError
        If the data is not there and cannot be downloaded.
    """
    folder = data_folder(data_home)
    rows = np.loadtxt(THINGS.get(ANSWERS, folder, progress)).astype(np.int32)
    with THINGS.get(NAMES, folder, progress).open(encoding="utf-8", newline="") as file:
        _, *things = csv.reader(file, dialect="excel-tab")
    names = tuple(thing[5] for thing in things)  # the unique id; the first column is the word
    return make_answer_set(THINGS, Comparisons.from_odd_one_out(rows, names=names), names)
