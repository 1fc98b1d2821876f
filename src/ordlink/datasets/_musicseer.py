"""MusicSeer: which artist is most like another."""

from __future__ import annotations

import os

import numpy as np

from ordlink._typing import Progress
from ordlink.comparisons import Comparisons
from ordlink.datasets._answer_set import AnswerSet, make_answer_set
from ordlink.datasets._sources import RemoteFile, Source, data_folder

ANSWERS = "musicseer/musicseer-results-2002-04-29.txt"
MUSICSEER = Source(
    name="musicseer",
    description="Musical artists; people said which of several is most like another.",
    page="https://www.labrosa.org/projects/musicsim/",
    citation=(
        "Ellis, D. P. W., Whitman, B., Berenzweig, A., & Lawrence, S. (2002). The quest for ground "
        "truth in musical artist similarity. ISMIR."
    ),
    terms="The authors ask for credit.",
    files=(
        RemoteFile(
            ANSWERS,
            "https://www.labrosa.org/projects/musicsim/musicseer.org/results/"
            "musicseer-results-2002-04-29.txt",
        ),
    ),
)


def fetch_musicseer(
    *, data_home: str | os.PathLike[str] | None = None, progress: Progress | None = None
) -> AnswerSet:
    """Return the MusicSeer survey: triplets (target, chosen artist, artist not chosen).

    Lines without three different artists are left out.

    Parameters
    ----------
    data_home : path, optional
        The data folder; ORDLINK_DATA or the user's cache folder by default.
    progress : callable, optional
        Called with (bytes loaded, bytes in all) during a download.

    Returns
    -------
    AnswerSet
        Artists are named by their numbers in the source. The annotators are among the details of
        the comparisons; `answer_columns` has the ``judgement`` that a triplet comes from and its
        ``kind``, S for the survey and G for the game.

    Raises
    ------
    InputError
        If the file in the folder is not the one published.
    MissingDataError
        If the data is not there and cannot be downloaded.
    """
    text = MUSICSEER.get(ANSWERS, data_folder(data_home), progress).read_text("latin-1")
    rows = [cells for line in text.splitlines() if _is_answer(cells := line.split(" "))]
    artists = np.array([cells[3:6] for cells in rows], dtype=np.int64).reshape(-1, 3)
    numbers, triplets = np.unique(artists, return_inverse=True)
    names = tuple(str(number) for number in numbers)
    comparisons = Comparisons.from_triplets(
        triplets.reshape(-1, 3), names=names, annotators=[cells[2] for cells in rows]
    )
    return make_answer_set(
        MUSICSEER,
        comparisons,
        names,
        answer_columns={
            "judgement": np.array([cells[0] for cells in rows]),
            "kind": np.array([cells[1] for cells in rows]),
        },
    )


def _is_answer(cells: list[str]) -> bool:
    """Return whether a line is neither a heading nor lacks or repeats an artist."""
    artists = cells[3:6]
    return len(cells) == 6 and all(map(str.isdigit, artists)) and len(set(artists)) == 3
