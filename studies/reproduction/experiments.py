"""The experiments of the paper: what it did, our grid, and the figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from ordlink.datasets import fetch_car
from ordlink.errors import MissingDataError
from studies.reproduction import car, planted, standard, theory
from studies.running._experiment import Experiment, Record
from studies.statistics import values_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Grid = Literal["quick", "full"]
QUICK_DELTAS = (0.04, 0.08, 0.12, 0.16, 0.2)
QUICK_PROPORTIONS = planted.MAIN_PROPORTIONS


@dataclass(frozen=True)
class Drawing:
    """A figure: the name of its files, its caption, and how to draw it."""

    name: str
    caption: str
    draw: Callable[[], Figure]


@dataclass(frozen=True)
class Study:
    """An experiment of the paper.

    Attributes
    ----------
    name : str
        What the command line calls it.
    title : str
        What it is, and which figures of the paper it remakes.
    paper : str
        The paper's setting.
    choices : str
        What we chose where the paper leaves it open, and what we added.
    quick : str
        The part of the grid that --quick runs.
    make : callable
        From the grid and the data folder to the experiment (None: nothing to run) and notes
        on what is left out.
    drawings : callable
        From the rows to the figures.
    """

    name: str
    title: str
    paper: str
    choices: str
    quick: str
    make: Callable[[Grid, str | None], tuple[Experiment | None, tuple[str, ...]]]
    drawings: Callable[[Sequence[Record]], Iterator[Drawing]]


def _make_model(_: Grid, __: str | None) -> tuple[None, tuple[str, ...]]:
    return None, ()


def _draw_model(_rows: Sequence[Record]) -> Iterator[Drawing]:
    from studies.reproduction.figures import model_figure

    yield Drawing("figure-S1", "S.1: the planted model with L = 3, N0 = 30.", model_figure)


def _make_planted(grid: Grid, __: str | None) -> tuple[Experiment, tuple[str, ...]]:
    if grid == "quick":
        return planted.planted_experiment(
            deltas=QUICK_DELTAS, proportions=QUICK_PROPORTIONS, n_repetitions=3
        ), ()
    return planted.planted_experiment(), ()


def _draw_planted(rows: Sequence[Record]) -> Iterator[Drawing]:
    from studies.reproduction.figures import planted_figure

    proportions = values_of(rows, "proportion")
    main = [p for p in QUICK_PROPORTIONS if p in proportions]
    caption = "AARI, higher is better; bands are one standard deviation."
    if main:
        yield Drawing("figure-1", f"Figure 1: {caption}", lambda: planted_figure(rows, main))
    if len(proportions) > len(main):
        yield Drawing("figure-S2", f"S.2: {caption}", lambda: planted_figure(rows, proportions))


def _make_standard(grid: Grid, home: str | None) -> tuple[Experiment, tuple[str, ...]]:
    notes: tuple[str, ...] = ()
    datasets = (*standard.DATASETS, *(standard.VARIANTS if grid == "full" else ()))
    try:
        standard.DATASETS["20news"].features(home)
    except MissingDataError as error:
        datasets = tuple(name for name in datasets if not name.startswith("20news"))
        notes = (f"20news is left out: {error}",)
    part: dict[str, Any] = {}
    if grid == "quick":
        part = {"proportions": (0.01, 0.05), "dimensions": (2, 5), "n_repetitions": 3}
    return standard.standard_experiment(datasets=datasets, data_home=home, **part), notes


def _draw_standard(rows: Sequence[Record]) -> Iterator[Drawing]:
    from studies.reproduction.figures import standard_figure

    present = {row["dataset"] for row in rows}
    datasets = [name for name in (*standard.DATASETS, *standard.VARIANTS) if name in present]
    dimensions = values_of(rows, "dimension")
    caption = "Dasgupta's cost, lower is better; bands are one standard deviation."
    if datasets and dimensions:
        first = [(name, dimensions[0]) for name in datasets if name in standard.DATASETS]
        yield Drawing("figure-2", f"Figure 2: {caption}", lambda: standard_figure(rows, first))
    numbers = {"Zoo": "S3", "Glass": "S4", "20news": "S5"}
    for name in datasets:
        data, _, variant = name.partition(", ")
        runs = [(name, dimension) for dimension in dimensions]
        title = f"{numbers[data].replace('S', 'S.')}: {name}. {caption}"
        file = "-".join(["figure", numbers[data], *variant.split()])
        yield Drawing(file, title, partial(standard_figure, rows, runs))


def _make_car(_: Grid, home: str | None) -> tuple[Experiment | None, tuple[str, ...]]:
    try:
        fetch_car(data_home=home)
    except MissingDataError as error:
        return None, (f"Car is left out: {error}",)
    return car.car_experiment(data_home=home), ()


def _draw_nothing(_rows: Sequence[Record]) -> Iterator[Drawing]:
    return iter(())


def _make_linkage(grid: Grid, __: str | None) -> tuple[Experiment, tuple[str, ...]]:
    if grid == "quick":
        return theory.linkage_experiment(leaf_sizes=theory.LEAF_SIZES[:3], n_repetitions=10), ()
    return theory.linkage_experiment(), ()


def _draw_linkage(rows: Sequence[Record]) -> Iterator[Drawing]:
    from studies.reproduction.figures import linkage_figure

    if rows:
        caption = "How often SL and CL recover the hierarchy exactly, and Theorem 1's conditions."
        yield Drawing("theory-linkage", caption, lambda: linkage_figure(rows))


def _make_questions(grid: Grid, __: str | None) -> tuple[Experiment, tuple[str, ...]]:
    if grid == "quick":
        sizes = theory.ACTIVE_LEAF_SIZES[:4]
        return theory.questions_experiment(leaf_sizes=sizes, n_repetitions=5), ()
    return theory.questions_experiment(), ()


def _draw_questions(rows: Sequence[Record]) -> Iterator[Drawing]:
    from studies.reproduction.figures import questions_figure

    if rows:
        caption = "4K-AL-act: AARI against questions, and the questions needed as N grows."
        yield Drawing("theory-questions", caption, lambda: questions_figure(rows))


STUDIES: dict[str, Study] = {
    study.name: study
    for study in (
        Study(
            "model",
            "The planted model (S.1)",
            "L = 3; means mu - 3 delta to mu, standard deviation sigma.",
            "Drawn with N0 = 30, delta = sigma = 0.1.",
            "all of it",
            _make_model,
            _draw_model,
        ),
        Study(
            "planted",
            "Recovery of the planted hierarchy (Figure 1, S.2)",
            "mu = 0.8, sigma = 0.1, L = 3, N0 = 30 (N = 240); delta in {0.02, ..., 0.2}; p in "
            "{0.01, ..., 0.1, 1}; 10 repetitions; SL, CL, 4K-AL, 4K-AL-act (q = ln N / N), 4-AL, "
            "4-AL-I3, 4-AL-I5.",
            "Objects are shuffled, so that no tie is decided for the truth. All methods of a "
            "repetition see the same similarities and comparisons. 4K-AL with self comparisons "
            "(as in the authors' program) and without (as in the proofs). 4K-AL-act uses as many "
            "references as give the passive number of comparisons. With q = ln N / N about 5 of "
            "the 240 objects are landmarks, and 9 % of all comparisons are about them (2 % to 18 % "
            "in single draws); where p asks for more, all references are used. For p in {0.01, "
            "0.1} also with q = 1, as in the authors' published program. "
            "Added: AddS-AL, and AL on the true similarities as the ceiling. Our own method, made "
            "for far fewer answers, has a bench of its own: `python -m studies.quality`.",
            "delta in {0.04, 0.08, ..., 0.2}, p in {0.01, 0.1, 1}, 3 repetitions",
            _make_planted,
            _draw_planted,
        ),
        Study(
            "standard",
            "Dasgupta's cost on Zoo, Glass and 20news (Figure 2, S.3 to S.5)",
            "Comparisons of cosine similarities; p in {0.01, ..., 0.1}; embeddings in 2 to 5 "
            "dimensions from the same proportion of triplets, linked by cosine similarity; "
            "10 repetitions; 4K-AL, 4-AL, tSTE-AL, FORTE-AL.",
            "Glass as it is; ties (common in Zoo) give no comparison; 20news: tf-idf, 100 "
            "principal components, 200 posts drawn once. For p in {0.01, 0.05, 0.1} also what the "
            "paper may have meant instead: Glass standardised, ties broken at random, counts of "
            "words. "
            "Objects are shuffled. The normalised cost, used for the verdicts, is 0 to 1 after "
            "the smallest similarity is subtracted, which shifts the cost of all trees equally. "
            "Embeddings: one start, the leading eigenvectors of AddS. Added: Euclidean linkage of "
            "the embeddings, AddS-AL, AL on the true similarities, and our own method, "
            "spectral, for p = 0.01 alone: it uses about 100 comparisons of each pair in any case.",
            "p in {0.01, 0.05}, dimensions 2 and 5, 3 repetitions, without the variants",
            _make_standard,
            _draw_standard,
        ),
        Study(
            "car",
            "The trees of 60 cars",
            '6056 answers "most central of three" (12112 comparisons); trees of 4K-AL, 4-AL, '
            "and of FORTE-AL and tSTE-AL in 2 to 5 dimensions.",
            "Agreement is the share of the answers' comparisons that the tree agrees with (they "
            "were used to build it); classes are the authors' four. Added: Euclidean linkage of "
            "the embeddings, AddS-AL, and our own method, spectral.",
            "all of it",
            _make_car,
            _draw_nothing,
        ),
        Study(
            "theory-linkage",
            "Theorem 1: when SL and CL recover the hierarchy",
            "Sufficient for SL and CL: delta/sigma >= 4 sqrt(ln(N/eta)), with probability "
            "1 - eta. SL fails with probability 1/2 for delta/sigma <= sqrt(ln(N/2^L)) / 4.",
            "L = 2, N0 in {5, 10, 20, 40}, eta = 0.1, 50 draws at both conditions and between. "
            "Recovered means: every true cluster is a cluster of the tree.",
            "N0 in {5, 10, 20}, 10 draws",
            _make_linkage,
            _draw_linkage,
        ),
        Study(
            "theory-questions",
            "Theorem 2: questions that 4K-AL-act needs",
            "O(N ln N) active comparisons suffice at constant delta/sigma and L.",
            "L = 2, delta/sigma = 1.5, 32 references, q = c ln N / N with c in {1, 2, ..., 32}, "
            "N = 128 to 2048, 20 draws.",
            "N = 128 to 1024, 5 draws",
            _make_questions,
            _draw_questions,
        ),
    )
}
"""The studies by the names of the command line, in the paper's order."""
