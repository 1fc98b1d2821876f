"""Perceptual kernels: colours, shapes and sizes compared by people."""

from __future__ import annotations

import os

import numpy as np

from ordlink._typing import Progress
from ordlink.comparisons import Comparisons
from ordlink.datasets._answer_set import AnswerSet, make_answer_set
from ordlink.datasets._sources import RemoteFile, Source, data_folder
from ordlink.errors import InputError

PALETTES = {
    "shape": 10,
    "color": 10,
    "size": 10,
    "shapecolor": 16,
    "shapesize": 16,
    "sizecolor": 16,
}
"""Number of objects in each palette."""
TASKS = {"matching": "tm", "discrimination": "td"}
N_PRACTICE = {10: 8, 16: 24}
"""Triples at the start of each line that are about other objects, by the number of objects."""
N_PRACTICE_OBJECTS = {10: 4, 16: 6}
"""These objects are numbered first."""
_FOLDER = "https://raw.githubusercontent.com/uwdata/perceptual-kernels/master/data/raw"
PERCEPTUAL_KERNELS = Source(
    name="perceptual_kernels",
    description="Palettes of 10 or 16 colours, shapes and sizes; people matched them or said which "
    "of three is the odd one.",
    page="https://github.com/uwdata/perceptual-kernels",
    citation=(
        "Demiralp, C., Bernstein, M., & Heer, J. (2014). Learning perceptual kernels for "
        "visualization design. IEEE Transactions on Visualization and Computer Graphics, 20(12)."
    ),
    terms="No licence is stated; the authors invite use for any purpose, research or otherwise.",
    files=tuple(
        RemoteFile(f"perceptual_kernels/raw/{name}", f"{_FOLDER}/{name}")
        for name in (f"{palette}-{task}.txt" for palette in PALETTES for task in TASKS.values())
    ),
)


def fetch_perceptual_kernels(
    palette: str = "shape",
    task: str = "matching",
    *,
    data_home: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> AnswerSet:
    """Return a palette of colours, shapes or sizes: every three of them asked of 20 people.

    Practice questions and checks, which show an object twice, are left out.

    Parameters
    ----------
    palette : {"color", "shape", "size", "shapecolor", "shapesize", "sizecolor"}
        The first three have 10 objects, the others 16.
    task : {"matching", "discrimination"}
        Matching: which of two is more like a third (triplets). Discrimination: which of three is
        the odd one out.
    data_home : path, optional
        The data folder; ORDLINK_DATA or the user's cache folder by default.
    progress : callable, optional
        Called with (bytes loaded, bytes in all) during a download.

    Returns
    -------
    AnswerSet
        2400 answers for 10 objects, 11200 for 16; the annotators are "1" to "20".

    Raises
    ------
    InputError
        If there is no such palette or task, or the file in the folder is not the one published.
    MissingDataError
        If the data is not there and cannot be downloaded.
    """
    for name, value, known in (("palette", palette, PALETTES), ("task", task, TASKS)):
        if value not in known:
            raise InputError(f"{name}: expected one of {', '.join(known)}, got {value!r}.")
    path = f"perceptual_kernels/raw/{palette}-{TASKS[task]}.txt"
    table = np.loadtxt(
        PERCEPTUAL_KERNELS.get(path, data_folder(data_home), progress), delimiter=",", dtype=int
    )
    n_objects = PALETTES[palette]
    rows = (
        table.reshape(len(table), -1, 3)[:, N_PRACTICE[n_objects] :] - N_PRACTICE_OBJECTS[n_objects]
    )
    people = np.repeat(np.arange(1, len(rows) + 1), rows.shape[1])
    rows = rows.reshape(-1, 3)
    i, j, k = rows.T
    proper = (i != j) & (i != k) & (j != k)
    names = tuple(f"{palette} {number}" for number in range(1, n_objects + 1))
    make = Comparisons.from_triplets if task == "matching" else Comparisons.from_odd_one_out
    comparisons = make(rows[proper], names=names, annotators=people[proper].astype(str))
    return make_answer_set(PERCEPTUAL_KERNELS, comparisons, names)
