"""What the chunks of a file read so far mean for those that follow."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ordlink.comparisons._listed import ListedComparisons
from ordlink.errors import InputError


class EarlierChunks:
    """Keeps the chunks of a table of answers together: one kind of objects, answers numbered on."""

    def __init__(self) -> None:
        self.looked_up: bool | None = None
        self.n_answers = 0

    def check_objects(self, where: str, *, looked_up: bool, have_names: bool) -> None:
        """Refuse objects that are names if none were given, and numbers mixed with names."""
        if looked_up and not have_names:
            raise InputError(
                f"{where}: the objects are names; reading in chunks needs all of them up front: "
                "pass names, or read the file as a whole (read_comparisons)"
            )
        if self.looked_up not in (None, looked_up):
            before, now = ("names", "numbers") if self.looked_up else ("numbers", "names")
            raise InputError(
                f"{where}: from here on the objects are {now}, before they were {before}; write "
                "all of them the same way, or read the file as a whole (read_comparisons)"
            )
        self.looked_up = looked_up

    def numbered_on(self, chunk: ListedComparisons) -> ListedComparisons:
        """Return a chunk whose answers, 0, 1, 2, ..., are numbered after those of earlier ones."""
        details = chunk.details
        if details is None or details.answers is None:
            return chunk
        answers = (details.answers.astype(np.int64) + self.n_answers).astype(np.int32)
        self.n_answers = int(answers.max(initial=self.n_answers - 1)) + 1
        return replace(chunk, details=replace(details, answers=answers))
