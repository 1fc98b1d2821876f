"""What is simulated: objects, people, method and target; and one simulated study."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ordlink._text import quoted
from ordlink._typing import FloatArray, LabelArray
from ordlink._validate import check_number, check_whole_number
from ordlink.comparisons import Comparisons, ListedComparisons, list_answers
from ordlink.datasets import Structure, planted_tree, simulate_answers
from ordlink.errors import InputError, OrdlinkWarning
from ordlink.hierarchy import Hierarchy
from ordlink.methods import build_tree, find_method, spectral
from ordlink.metrics import aari, comparison_accuracy

DIFFICULTIES = {"easy": 2.0, "medium": 1.0, "hard": 0.5}
"""Names for delta / sigma: the gap between two levels of the tree in units of the noise."""
STUDIES = {
    "easy": "like plotting symbols of 10 shapes, where trees predict 72 % of new triplets",
    "medium": "like 36 portraits of faces, where trees predict 66 % of new triplets",
    "hard": "like a palette of 10 colours, where trees predict 62 % of new triplets",
}
"""Name of a difficulty -> a real study of about this difficulty, see docs/planning.md."""
MEASURES = {
    "aari": "AARI: agreement with the true tree, level by level",
    "accuracy": "share of new answers that the tree predicts",
}
"""What a target refers to."""
OBJECTS_PER_CLUSTER = 8  # where neither depth nor number of clusters is given
N_NEW_ANSWERS = 20_000  # answers that the tree has not seen, for its accuracy


@dataclass(frozen=True)
class Scenario:
    """The study that is simulated."""

    n_objects: int
    n_clusters: int  # pure clusters of the true tree
    difficulty: float  # delta / sigma of the planted model; larger is easier
    error_rate: float  # lapse rate
    method: str
    question: str  # form of the answers
    target: float
    measure: str  # what the target refers to, one of `MEASURES`

    @property
    def difficulty_words(self) -> str:
        """The difficulty by its name and a real study, or as a number for experts."""
        for name, ratio in DIFFICULTIES.items():
            if ratio == self.difficulty:
                return f"{name} ({STUDIES[name]})"
        return f"delta / sigma = {self.difficulty:g}"

    @property
    def structure(self) -> Structure:
        """The true tree: clusters halved repeatedly, of sizes as equal as possible."""
        edges = np.arange(self.n_clusters + 1) * self.n_objects // self.n_clusters
        return _halve(np.diff(edges).tolist())


def check_method(method: str) -> str:
    """Return the name of a method that takes comparisons; for "auto", spectral.

    Simulated studies have a true tree, and there the default method takes spectral's.
    """
    chosen = find_method(method)
    if chosen.needs != "comparisons":
        raise InputError(
            f"expected a method for answers collected beforehand, got {chosen.name}, which needs "
            f"{chosen.needs}",
            parameter="method",
            remedy="plan for spectral, 4-AL or AddS-AL",
        )
    return "spectral" if chosen.name == "auto" else chosen.name


def check_difficulty(difficulty: float | str) -> float:
    """Return delta / sigma from a number (or its text) or one of the names."""
    if isinstance(difficulty, str):
        named = DIFFICULTIES.get(difficulty.strip().lower())
        try:
            difficulty = float(difficulty) if named is None else named
        except ValueError as error:
            raise InputError(
                f"expected {', '.join(DIFFICULTIES)} or a number above 0, got {quoted(difficulty)}",
                parameter="difficulty",
            ) from error
    ratio = check_number(difficulty, "difficulty")
    if ratio <= 0:
        raise InputError(
            f"expected a number above 0 (delta / sigma), got {ratio:g}; without a gap between the "
            "levels there is no tree to find",
            parameter="difficulty",
        )
    return ratio


def check_clusters(n_objects: int, depth: int | None, n_clusters: int | None) -> int:
    """Return the number of clusters: 2**depth, as given, or about one per 8 objects."""
    if depth is not None and n_clusters is not None:
        raise InputError(
            "expected either a depth or a number of clusters, got both",
            remedy="leave out {depth} or {n_clusters}",
        )
    if depth is not None:
        depth = check_whole_number(depth, "depth", lowest=1)
        most = n_objects.bit_length() - 1  # the largest depth with 2**depth <= n_objects
        if depth > most:
            raise InputError(
                f"expected at most {most}, since {n_objects} objects cannot form 2**{depth} "
                f"clusters, "
                f"got {depth}",
                parameter="depth",
            )
        return 1 << depth
    if n_clusters is not None:
        n_clusters = check_whole_number(n_clusters, "n_clusters", lowest=2)
        if n_clusters > n_objects:
            raise InputError(
                f"expected at most {n_objects}, the number of objects, got {n_clusters}",
                parameter="n_clusters",
            )
        return n_clusters
    return int(2 ** max(1, round(math.log2(n_objects / OBJECTS_PER_CLUSTER))))


def check_error_rate(error_rate: float, n_choices: int) -> float:
    """Return a lapse rate below that of guessing."""
    error_rate = check_number(error_rate, "error_rate", lowest=0)
    of_guessing = (n_choices - 1) / n_choices
    if error_rate > of_guessing - 1e-9:
        raise InputError(
            f"expected less than {of_guessing:.3g}, got {error_rate:g}; at that rate people are "
            f"guessing, and no number of answers is enough",
            parameter="error_rate",
        )
    return error_rate


def check_target(target: float, measure: str) -> float:
    """Return a target above what chance reaches, and at most 1."""
    target = check_number(target, "target")
    lowest = 0.5 if measure == "accuracy" else 0.0
    if not lowest < target <= 1:
        why = "guessing gives 0.5" if lowest else "a random tree has 0"
        raise InputError(
            f"expected more than {lowest:g} ({why}) and at most 1, got {target:g}",
            parameter="target",
        )
    return target


def _halve(sizes: Sequence[int]) -> Structure:
    if len(sizes) == 1:
        return sizes[0]
    middle = (len(sizes) + 1) // 2
    return [_halve(sizes[:middle]), _halve(sizes[middle:])]


def simulate_quality(scenario: Scenario, n_answers: int, seed: int, run: int) -> float:
    """Return the quality of the tree of this many answers in one run; runs are independent.

    Spectral chooses the kind of its tree by held-out answers. Here, as many are simulated anew.
    """
    rng = np.random.default_rng([seed, run])
    similarities, levels = _draw_truth(scenario, rng)
    answers = _draw_answers(scenario, similarities, n_answers, rng)
    if scenario.method == "spectral":
        other = np.random.default_rng([seed, run, 1])
        tree = spectral.run_by_new_answers(
            answers, _draw_answers(scenario, similarities, n_answers, other)
        )
    else:
        tree = _tree(answers, scenario.method)
    return _judge(scenario, tree, similarities, levels, rng)


def simulate_limit(scenario: Scenario, seed: int, run: int) -> float:
    """Return the quality of the method's tree when every comparison is known without error.

    Only the noise in the similarities remains. Given many answers, spectral uses average linkage
    where that predicts held-out answers better: its limit is the better of the two trees.
    """
    rng = np.random.default_rng([seed, run])
    similarities, levels = _draw_truth(scenario, rng)
    everything = Comparisons.from_similarities(similarities)
    state = rng.bit_generator.state
    found = []
    methods = ("spectral", "AddS-AL") if scenario.method == "spectral" else (scenario.method,)
    for method in methods:
        rng.bit_generator.state = state  # both are judged by the same answers
        found.append(_judge(scenario, _tree(everything, method), similarities, levels, rng))
    return max(found)


def _draw_truth(scenario: Scenario, rng: np.random.Generator) -> tuple[FloatArray, LabelArray]:
    """Return similarities and true levels, the objects shuffled: ties favour small numbers."""
    planted = planted_tree(
        scenario.structure, mean=0.0, gap=scenario.difficulty, noise=1.0, seed=rng
    )
    order = rng.permutation(planted.n_objects)
    return planted.similarities[np.ix_(order, order)], planted.levels[:, order]


def _draw_answers(
    scenario: Scenario, similarities: FloatArray, n_answers: int, rng: np.random.Generator
) -> ListedComparisons:
    rows = simulate_answers(
        similarities,
        n_answers,
        form=scenario.question,
        error_rate=scenario.error_rate,
        seed=int(rng.integers(2**62)),
    )
    return list_answers(rows, scenario.question, n_objects=scenario.n_objects)


def _tree(comparisons: Comparisons, method: str) -> Hierarchy:
    with warnings.catch_warnings():
        # Gaps and ties of few simulated answers are what is being measured.
        warnings.simplefilter("ignore", OrdlinkWarning)
        return build_tree(comparisons, method)


def _judge(
    scenario: Scenario,
    tree: Hierarchy,
    similarities: FloatArray,
    levels: LabelArray,
    rng: np.random.Generator,
) -> float:
    if scenario.measure == "aari":
        return aari(levels, tree)
    return comparison_accuracy(_draw_answers(scenario, similarities, N_NEW_ANSWERS, rng), tree)
