"""The five question types, and from answers to comparisons."""

from __future__ import annotations

import random
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ordlink._typing import Int32Array
from ordlink.comparisons import ListedComparisons, list_answers
from ordlink.errors import InputError


@dataclass(frozen=True)
class QuestionType:
    """One way to ask; a choice names positions on the screen, so the sides are recorded."""

    name: str
    form: str  # of its answers, see ordlink.comparisons.FORMS
    n_objects: int  # on the screen
    n_options: int  # pairs, or objects other than the first one
    n_chosen: int  # in order

    @property
    def has_anchor(self) -> bool:
        """Whether the first object is what the others are compared with."""
        return self.form == "triplet"

    def check_choice(self, chosen: tuple[int, ...]) -> None:
        """Raise InputError unless a choice is empty (can't tell) or names different options."""
        if not chosen:
            return
        if len(chosen) != self.n_chosen or len(set(chosen)) < self.n_chosen:
            raise InputError(
                f"an answer to {self.name} names {self.n_chosen} of {self.n_options} options, or "
                f'none for "can\'t tell"; got {len(chosen)}'
            )
        if not all(0 <= option < self.n_options for option in chosen):
            raise InputError(
                f"the options of {self.name} are 0 to {self.n_options - 1}, got {list(chosen)}"
            )

    def rows(self, shown: ArrayLike, choices: ArrayLike) -> Int32Array:
        """Return answers as rows of the form, those of one answer next to each other.

        `shown` has shape (n_answers, n_objects), `choices` (n_answers, n_chosen).

        Examples
        --------
        >>> QUESTION_TYPES["triplet"].rows([[4, 7, 9]], [[1]]).tolist()
        [[4, 9, 7]]
        """
        objects = np.asarray(shown, dtype=np.int32).reshape(-1, self.n_objects)
        chosen = np.asarray(choices, dtype=np.int64).reshape(-1, self.n_chosen)
        if self.form == "quadruplet":
            return np.where(chosen == 0, objects, objects[:, [2, 3, 0, 1]])
        options = objects[:, int(self.has_anchor) :]
        # Chosen ones first, in their order; the others keep theirs.
        places = np.full(options.shape, self.n_chosen)
        np.put_along_axis(places, chosen, np.arange(self.n_chosen)[None, :], axis=1)
        order = np.take_along_axis(options, np.argsort(places, axis=1, kind="stable"), axis=1)
        if self.form == "most-central":
            return order
        if self.form == "odd-one-out":
            return order[:, [1, 2, 0]]
        rows = [
            np.stack([objects[:, 0], order[:, closer], order[:, farther]], axis=1)
            for closer in range(self.n_chosen)
            for farther in range(closer + 1, self.n_options)
        ]
        return np.stack(rows, axis=1).reshape(-1, 3)

    def rearrange(self, objects: Sequence[int], rng: random.Random) -> tuple[int, ...]:
        """Return the objects in a random order to show them."""
        options = [list(option) for option in self._options(objects)]
        for option in options:
            rng.shuffle(option)
        rng.shuffle(options)
        return (*objects[: self.has_anchor], *chain(*options))

    def swapped(self, shown: Sequence[int]) -> tuple[int, ...]:
        """Return the same question with its sides swapped."""
        return (*shown[: self.has_anchor], *chain(*reversed(self._options(shown))))

    def identity(self, shown: Sequence[int]) -> Hashable:
        """Return the same value for questions that differ in their sides only."""
        options = frozenset(map(frozenset, self._options(shown)))
        return (*shown[: self.has_anchor], options)

    def chosen_objects(self, shown: Sequence[int], choice: Sequence[int]) -> tuple[int, ...]:
        """Return the chosen objects, to compare answers whatever the sides."""
        options = self._options(shown)
        return tuple(chain(*(sorted(options[position]) for position in choice)))

    def _options(self, shown: Sequence[int]) -> list[Sequence[int]]:
        """Return what can be chosen: two pairs, or single objects."""
        size = 2 if self.form == "quadruplet" else 1
        return [shown[at : at + size] for at in range(self.has_anchor, len(shown), size)]


def catch_objects(objects: Sequence[int]) -> tuple[int, ...]:
    """Return a question whose answer is obvious, because an object is shown beside itself."""
    return (objects[0], objects[0], *objects[2:])


def passes_catch(kind: QuestionType, shown: Sequence[int], choice: Sequence[int]) -> bool:
    """Return whether a catch trial was answered correctly."""
    chosen = kind.chosen_objects(shown, choice)
    twice = next(one for one in shown if list(shown).count(one) == 2)
    if not chosen:
        return False
    if kind.form == "quadruplet":
        return chosen == (twice, twice)
    if kind.form == "odd-one-out":
        return chosen[0] != twice
    return chosen[0] == twice


def to_comparisons(
    kind: QuestionType,
    shown: Sequence[Sequence[int]],
    choices: Sequence[Sequence[int]],
    *,
    names: Sequence[str],
    people: Sequence[str] | None = None,
    times: Sequence[str] | None = None,
    response_times: Sequence[float] | None = None,
) -> ListedComparisons:
    """Return the comparisons of answers, with participants, times and chosen sides, if any."""
    said = [number for number, choice in enumerate(choices) if choice]
    rows = kind.rows([shown[one] for one in said], [choices[one] for one in said])
    each = len(rows) // len(said) if said else 1
    columns = {"annotators": people, "times": times, "response_times": response_times}
    taken: dict[str, Any] = {
        name: [column[one] for one in said for _ in range(each)]
        for name, column in columns.items()
        if column is not None
    }
    # A row of the form is an answer; where one screen gives many rows, they belong together.
    numbers = np.repeat(np.arange(len(said), dtype=np.int32), each) if each > 1 else None
    if kind.n_chosen == 1:
        taken["chose_first"] = [choices[one][0] == 0 for one in said]
    return list_answers(rows, kind.form, names=names, answers=numbers, **taken)


QUESTION_TYPES: dict[str, QuestionType] = {  # the question types by name
    kind.name: kind
    for kind in (
        QuestionType("quadruplet", "quadruplet", n_objects=4, n_options=2, n_chosen=1),
        QuestionType("triplet", "triplet", n_objects=3, n_options=2, n_chosen=1),
        QuestionType("most-central", "most-central", n_objects=3, n_options=3, n_chosen=1),
        QuestionType("odd-one-out", "odd-one-out", n_objects=3, n_options=3, n_chosen=1),
        QuestionType("rank-2-of-8", "triplet", n_objects=9, n_options=8, n_chosen=2),
    )
}
