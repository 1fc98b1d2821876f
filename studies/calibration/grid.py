"""The grid on which trust is calibrated: planted trees, and data without any structure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass

import numpy as np

from ordlink._typing import BoolArray, FloatArray, LabelArray
from ordlink.comparisons import Comparisons, list_answers
from ordlink.datasets import Structure, caterpillar, planted_tree, simulate_answers
from studies.quality.planted import balanced
from studies.running._experiment import Parameters, seed_of

N_RUNS = 20
"""Runs of each planted setting."""
ALL = "all"
"""The form of a setting in which every comparison is known."""
FEW, MEDIUM, MANY = 10, 40, 80
"""Answers per object."""

SHAPES: dict[str, Structure] = {
    "balanced, depth 2": balanced(2, 8),
    "balanced, depth 2, N = 60": balanced(2, 15),
    "balanced, depth 3": balanced(3, 4),
    "balanced, depth 3, N = 48": balanced(3, 6),
    "uneven": [[3, 8], [5, [4, 12]]],
    "chain": caterpillar([6] * 5),
    "star": [6] * 5,
}
"""Name -> true tree: nested lists of the sizes of the pure clusters."""


@dataclass(frozen=True)
class Setting:
    """What is planted, and how it is asked about.

    Attributes
    ----------
    shape : str
        A name of SHAPES.
    difficulty : float
        Delta / sigma: loss of similarity per level, against the noise of one pair.
    per_object : int or None
        Number of answers divided by the number of objects; None where all comparisons are known.
    form : str
        "triplet", "quadruplet" or "all".
    error_rate : float
        Share of wrong answers.
    """

    shape: str
    difficulty: float
    per_object: int | None = None
    form: str = ALL
    error_rate: float = 0.0

    @property
    def n_objects(self) -> int:
        """Number of objects of the shape."""
        return _count(SHAPES[self.shape])

    def __str__(self) -> str:
        asked = "all comparisons"
        if self.per_object is not None:
            asked = f"{self.per_object} {self.form}s per object"
        errors = f", {self.error_rate:.0%} wrong" if self.error_rate else ""
        return f"{self.shape}; {self.difficulty:g}; {asked}{errors}"


SETTINGS: tuple[Setting, ...] = (
    Setting("balanced, depth 2", 2.0, FEW, "triplet"),
    Setting("balanced, depth 2", 1.0, FEW, "quadruplet", 0.2),
    Setting("balanced, depth 2, N = 60", 0.5, FEW, "triplet", 0.2),
    Setting("balanced, depth 3, N = 48", 2.0, FEW, "quadruplet"),
    Setting("uneven", 1.0, FEW, "triplet"),
    Setting("chain", 2.0, FEW, "triplet", 0.2),
    Setting("star", 2.0, FEW, "quadruplet"),
    Setting("balanced, depth 2", 0.5, MEDIUM, "triplet"),
    Setting("balanced, depth 3", 1.0, MEDIUM, "triplet", 0.2),
    Setting("balanced, depth 3", 2.0, MEDIUM, "quadruplet", 0.2),
    Setting("uneven", 2.0, MEDIUM, "quadruplet"),
    Setting("chain", 1.0, MEDIUM, "quadruplet"),
    Setting("star", 1.0, MEDIUM, "triplet", 0.2),
    Setting("star", 0.5, MEDIUM, "quadruplet"),
    Setting("balanced, depth 2", 0.5, MANY, "quadruplet", 0.2),
    Setting("balanced, depth 3", 1.0, MANY, "quadruplet"),
    Setting("uneven", 1.0, MANY, "triplet", 0.2),
    Setting("chain", 0.5, MANY, "quadruplet", 0.2),
    Setting("balanced, depth 2", 0.5),
    Setting("balanced, depth 2, N = 60", 0.5),
    Setting("balanced, depth 3, N = 48", 1.0),
    Setting("uneven", 1.0),
    Setting("chain", 0.5),
    Setting("star", 1.0),
)
"""The planted settings."""
QUICK_SETTINGS = tuple(SETTINGS[i] for i in (0, 9, 17, 20))

CHANCE_SIZES = (20, 40, 60)
"""Numbers of objects without structure."""
N_BATCHES, BATCH = 5, 20
"""Structureless data sets of each kind: so many cells, of so many data sets."""


@dataclass(frozen=True)
class Data:
    """Answers about a planted tree, the objects shuffled, and the truth.

    Attributes
    ----------
    comparisons : Comparisons
        The answers.
    levels : ndarray of shape (n_levels, N), dtype intp
        The true partitions.
    clusters : ndarray of shape (n_clusters, N), dtype bool
        Which objects each cluster of the true tree holds.
    """

    comparisons: Comparisons
    levels: LabelArray
    clusters: BoolArray


def draw_data(setting: Setting, run: int) -> Data:
    """Return the data of a run; ties favour small numbers, hence the shuffling."""
    given = {**asdict(setting), "run": run}
    rng = np.random.default_rng(seed_of("similarities", **given))
    planted = planted_tree(
        SHAPES[setting.shape], mean=0.0, gap=setting.difficulty, noise=1.0, seed=rng
    )
    order = rng.permutation(planted.n_objects)
    clusters = np.zeros((len(planted.clusters), planted.n_objects), dtype=np.bool_)
    for row, members in zip(clusters, planted.clusters, strict=True):
        row[list(members)] = True
    comparisons = ask(
        planted.similarities[np.ix_(order, order)],
        setting.per_object,
        setting.form,
        setting.error_rate,
        seed_of("answers", **given),
    )
    return Data(comparisons, planted.levels[:, order], clusters[:, order])


def draw_structureless(
    n_objects: int, per_object: int | None, form: str, error_rate: float, seed: int
) -> Comparisons:
    """Return answers about similarities that are noise alone: delta = 0."""
    rng = np.random.default_rng(seed)
    planted = planted_tree(n_objects, mean=0.0, gap=0.0, noise=1.0, seed=rng)
    answers_seed = int(rng.integers(2**63))
    return ask(planted.similarities, per_object, form, error_rate, answers_seed)


def ask(
    similarities: FloatArray, per_object: int | None, form: str, error_rate: float, seed: int
) -> Comparisons:
    """Return all comparisons, or random answers of a form."""
    n_objects = len(similarities)
    if per_object is None:
        return Comparisons.from_similarities(similarities, 1.0)
    answers = simulate_answers(
        similarities, per_object * n_objects, form=form, error_rate=error_rate, seed=seed
    )
    return list_answers(answers, form, n_objects=n_objects)


def planted_cells(settings: tuple[Setting, ...], n_runs: int) -> Iterator[Parameters]:
    """Yield the parameters of all runs of all settings."""
    for setting in settings:
        for run in range(n_runs):
            yield {**asdict(setting), "run": run}


def chance_cells(sizes: tuple[int, ...], n_batches: int) -> Iterator[Parameters]:
    """Yield the parameters of the structureless data: forms and errors in turn."""
    kinds = (("triplet", 0.0), ("quadruplet", 0.2), ("quadruplet", 0.0), ("triplet", 0.2))
    number = 0
    for n_objects in sizes:
        for per_object in (FEW, MEDIUM, MANY, None):
            form, error_rate = (ALL, 0.0) if per_object is None else kinds[number % len(kinds)]
            number += per_object is not None
            for batch in range(n_batches):
                yield {
                    "n_objects": n_objects,
                    "per_object": per_object,
                    "form": form,
                    "error_rate": error_rate,
                    "batch": batch,
                    "n_sets": BATCH,
                }


def setting_of(row: Parameters) -> Setting:
    """Return the setting that a row of results comes from."""
    return Setting(
        row["shape"], row["difficulty"], row["per_object"], row["form"], row["error_rate"]
    )


def _count(part: Structure) -> int:
    return part if isinstance(part, int) else sum(_count(branch) for branch in part)
