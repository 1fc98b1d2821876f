"""The settings of the bench of quality on the planted model, and which of them --quick runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import TypeAlias

from studies.quality.planted import PASSIVE, SHAPES, Setting, n_objects

N_REPETITIONS = 10
FEW_REPETITIONS = 3
"""Repetitions of --quick, and from FEW_FROM answers on."""

DELTAS = (0.02, 0.04, 0.08, 0.1, 0.12, 0.16, 0.2)
SIZES = (2_000, 8_300, 20_700, 41_000, 205_000)
LARGE: dict[int, tuple[float, ...]] = {
    1_200_000: (0.02, 0.1),
    4_100_000: (0.02, 0.1),
    41_000_000: (0.02, 0.1),
}
"""Numbers of answers that are run for some deltas only."""
FEW_FROM = 4_100_000
MANY_REPETITIONS: dict[tuple[str, float, int], int] = {
    ("balanced", 0.04, 205_000): 24,
    **{("tiny", delta, 10 * per): 100 for delta in (0.1, 0.2) for per in (20, 60, 300)},
}
"""Shape, delta and number of answers of settings where draws differ much or a bar is near."""
PER_OBJECT = (20, 60, 300)
"""Answers per object."""
WEAKER = ("depth 5", "sizes 2 to 100", "chain", "star", "ternary", "tiny", "random 1")
"""Shapes that are run with delta = sigma too, not only with 2 sigma."""
FORMS = ("quadruplet", "triplet", "most-central", "odd-one-out")
ERROR_RATES = (0.0, 0.1, 0.2, 0.3)
ERROR_SIZES = ((0.08, 205_000), (0.12, 41_000), (0.2, 20_700), (0.2, 8_300))
"""Delta and number of answers; with 20 % wrong ones three times as many are run too."""
TRIPLED = 0.2
UNEVEN_SD = 1.5

Settings: TypeAlias = Iterator[tuple[Setting, bool]]
"""Settings, and whether --quick runs them."""


def planted_settings() -> Settings:
    """Yield the balanced tree of the paper with all deltas and numbers of comparisons."""
    for delta, n_answers in product(DELTAS, SIZES):
        quick = delta in (0.04, 0.1, 0.2) and n_answers < 100_000
        yield Setting("balanced", delta, PASSIVE, n_answers), quick
    for n_answers, deltas in LARGE.items():
        for delta in deltas:
            yield Setting("balanced", delta, PASSIVE, n_answers), False


def shape_settings() -> Settings:
    """Yield trees of other shapes."""
    runs = [(shape, 0.2) for shape in SHAPES if not shape.startswith("balanced")]
    runs += [(shape, 0.1) for shape in WEAKER]
    for (shape, delta), per in product(runs, PER_OBJECT):
        quick = delta == 0.2 and shape in ("sizes 2 to 100", "chain", "star", "tiny")
        yield Setting(shape, delta, "quadruplet", per * n_objects(shape)), quick


def form_settings() -> Settings:
    """Yield the forms of answers at equal numbers of answers."""
    runs = (("balanced", 0.1), ("balanced", 0.2), ("balanced, N = 400", 0.2))
    for (shape, delta), form, per in product(runs, FORMS, PER_OBJECT):
        setting = Setting(shape, delta, form, per * n_objects(shape))
        yield setting, delta == 0.2 and per in PER_OBJECT[:2]


def error_settings() -> Settings:
    """Yield wrong answers, and more answers that make up for them."""
    runs = [(delta, n, rate) for delta, n in ERROR_SIZES for rate in ERROR_RATES]
    runs += [(delta, 3 * n, TRIPLED) for delta, n in ERROR_SIZES]
    for delta, n_answers, error_rate in runs:
        setting = Setting("balanced", delta, "quadruplet", n_answers, error_rate)
        yield setting, delta == 0.2 and error_rate in (0.0, TRIPLED)


def uneven_settings() -> Settings:
    """Yield objects that are asked about unevenly."""
    runs = (("balanced", 0.1), ("balanced", 0.2), ("sizes 2 to 100", 0.2))
    for (shape, delta), form, per in product(runs, ("quadruplet", "triplet"), PER_OBJECT):
        n_answers = per * n_objects(shape)
        setting = Setting(shape, delta, form, n_answers, popularity_sd=UNEVEN_SD)
        yield setting, shape == "balanced" and delta == 0.2


SETTINGS: dict[str, Callable[[], Settings]] = {
    "planted": planted_settings,
    "shapes": shape_settings,
    "forms": form_settings,
    "errors": error_settings,
    "uneven": uneven_settings,
}
"""The groups of settings by name."""


def n_repetitions(setting: Setting, *, quick: bool) -> int:
    """Return how often a setting is drawn."""
    if quick or setting.n_answers >= FEW_FROM:
        return FEW_REPETITIONS
    return MANY_REPETITIONS.get((setting.shape, setting.delta, setting.n_answers), N_REPETITIONS)
