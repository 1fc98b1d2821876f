"""The answer forms: what a row of each means as comparisons."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ordlink._typing import AnyArray, Int32Array
from ordlink._validate import check_choice
from ordlink.comparisons._pairs import pair_ids


@dataclass(frozen=True)
class AnswerForm:
    """One way to ask, and what an answer says.

    Attributes
    ----------
    name : str
        Name of the form.
    columns : tuple of str
        Column names of a row, as in our own files.
    meaning : str
        What a row says, for messages and help.
    comparisons : tuple of tuple of int
        For each comparison (i, j, k, l) that a row becomes, the columns that hold i, j, k, l.
    """

    name: str
    columns: tuple[str, ...]
    meaning: str
    comparisons: tuple[tuple[int, int, int, int], ...]

    def to_pairs(self, objects: AnyArray, n_objects: int) -> tuple[Int32Array, Int32Array]:
        """Return the winning and the losing pairs, those of one answer next to each other.

        Parameters
        ----------
        objects : ndarray of shape (len(columns), n_answers)
            Objects of each answer, column by column.
        n_objects : int
            Number of objects N.

        Returns
        -------
        winners, losers : ndarray of shape (n_answers * len(comparisons),), dtype int32
            Pair ids.
        """
        ids = np.empty((2, objects.shape[1], len(self.comparisons)), dtype=np.int32)
        for number, (i, j, k, l) in enumerate(self.comparisons):  # noqa: E741 - the paper's letters
            ids[0, :, number] = pair_ids(objects[i], objects[j], n_objects)
            ids[1, :, number] = pair_ids(objects[k], objects[l], n_objects)
        return ids[0].reshape(-1), ids[1].reshape(-1)


FORMS: dict[str, AnswerForm] = {
    form.name: form
    for form in (
        AnswerForm(
            "quadruplet",
            ("i", "j", "k", "l"),
            "i and j are more alike than k and l",
            ((0, 1, 2, 3),),
        ),
        AnswerForm(
            "triplet",
            ("anchor", "closer", "farther"),
            "the first is closer to the second than to the third",
            ((0, 1, 0, 2),),
        ),
        AnswerForm(
            "most-central",
            ("central", "other_1", "other_2"),
            "the first is the most central of the three",
            ((1, 0, 1, 2), (2, 0, 2, 1)),
        ),
        AnswerForm(
            "odd-one-out",
            ("alike_1", "alike_2", "odd"),
            "the third is the odd one out",
            ((0, 1, 0, 2), (0, 1, 1, 2)),
        ),
    )
}
"""The four answer forms by name."""


def find_form(name: str) -> AnswerForm:
    """Return the form of this name; spaces and underscores count as hyphens.

    Examples
    --------
    >>> find_form("most_central").meaning
    'the first is the most central of the three'
    """
    plain = name.strip().lower().replace("_", "-").replace(" ", "-").removesuffix("s")
    return FORMS[check_choice(plain, "form", FORMS)]
