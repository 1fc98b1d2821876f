"""The paper's claims, judged by stated rules from the measured numbers.

A claim is looked at in many settings (a delta, a proportion, a data set, ...). In each, a rule says
whether it is true. It held if it is true in at least nine of ten settings, did not hold if in at
most one of ten, and depends on the setting otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import TypeAlias

from studies.entrants import ALL_LANDMARKS
from studies.reproduction.standard import DATASETS
from studies.reproduction.theory import ETA, N_LEAVES, necessary_ratio, sufficient_ratio
from studies.running._experiment import Record
from studies.statistics import crossing, curve, mean, select, values_of

Results: TypeAlias = Mapping[str, Sequence[Record]]
"""Name of an experiment -> its rows."""
Settings: TypeAlias = Iterator[tuple[str, bool]]
"""Settings in words, and whether the claim is true there."""

FEW_SETTINGS = 10
"""Up to so many settings are all named."""
PAPERS_METHODS = ("4K-AL", "4K-AL-act", "4-AL")
PAPERS_EMBEDDINGS = ("tSTE-AL", "FORTE-AL")
RECOVERED = 0.9
"""AARI from which a hierarchy counts as recovered."""
UNINFORMED = 2 / 3
"""Normalised Dasgupta cost of a random tree; a method's gain is what it saves."""


@dataclass(frozen=True)
class Claim:
    """What the paper says, the rule that a setting must meet, and the function that looks."""

    text: str
    rule: str
    settings: Callable[[Results], Settings]


@dataclass(frozen=True)
class Verdict:
    """What was found: the claim, the verdict, and in which settings it was true or not."""

    claim: Claim
    verdict: str
    true: tuple[str, ...]
    false: tuple[str, ...]

    @property
    def measured(self) -> str:
        """The count of settings, and those that decide against the majority; all if few."""
        if self.verdict == NOT_RUN:
            return "no results"
        n = len(self.true) + len(self.false)
        text = f"true in {len(self.true)} of {n} settings"
        for word, named in (("true", self.true), ("not true", self.false)):
            if named and (n <= FEW_SETTINGS or len(named) <= n / 2):
                text += f"; {word}: {'; '.join(named)}"
        return text


HELD, DID_NOT_HOLD, DEPENDS, NOT_RUN = "held", "did not hold", "depends", "not run"


def judge(claim: Claim, results: Results) -> Verdict:
    """Return the verdict on a claim."""
    settings = list(claim.settings(results))
    true = tuple(name for name, is_true in settings if is_true)
    false = tuple(name for name, is_true in settings if not is_true)
    if not settings:
        return Verdict(claim, NOT_RUN, true, false)
    tenths = 10 * len(true)  # whole numbers: exactly one of ten is one of ten
    word = DEPENDS
    if tenths >= 9 * len(settings):
        word = HELD
    elif tenths <= len(settings):
        word = DID_NOT_HOLD
    return Verdict(claim, word, true, false)


def single_linkage_hardly_recovers(results: Results) -> Settings:
    """Yield, where average linkage of the true similarities recovers, if SL stays below 1/2."""
    ceiling = _aari(results, "AL")
    for delta, found in _aari(results, "SL").items():
        if ceiling.get(delta, 1.0) >= RECOVERED:
            yield f"delta {delta:g} ({found:.2f})", found < 0.5


def complete_beats_single(results: Results) -> Settings:
    """Yield, per delta, whether CL's AARI is above SL's, or both are at least 0.99."""
    single, complete = _aari(results, "SL"), _aari(results, "CL")
    for delta in sorted(set(single) & set(complete)):
        both = min(single[delta], complete[delta]) >= 0.99
        words = f"delta {delta:g} (CL {complete[delta]:.2f}, SL {single[delta]:.2f})"
        yield words, both or complete[delta] > single[delta]


def average_linkage_recovers_earlier(
    results: Results, methods: Sequence[str] = PAPERS_METHODS
) -> Settings:
    """Yield whether AARI stays at 0.9 from a smaller delta on than that of SL and CL."""
    for method, baseline, p in product(methods, ("SL", "CL"), _proportions(results)):
        found = _aari(results, method, p)
        if not found:
            continue
        reached = _recovered_from(found)
        others = _aari(results, baseline)
        if not others:
            continue
        before = _recovered_from(others)
        words = f"{method} against {baseline}, p {p:g} ({_delta(reached)} against {_delta(before)})"
        yield words, reached < before


def little_is_lost_at_small_proportions(results: Results) -> Settings:
    """Yield whether AARI at the smallest p is at most 0.1 below that at the largest."""
    proportions = _proportions(results)
    if len(proportions) < 2:
        return
    for method in PAPERS_METHODS:
        few, all_ = (_aari(results, method, p) for p in (proportions[0], proportions[-1]))
        for delta in sorted(set(few) & set(all_)):
            words = f"{method}, delta {delta:g} ({few[delta]:.2f} of {all_[delta]:.2f})"
            yield words, few[delta] >= all_[delta] - 0.1


def large_initial_clusters_are_best(results: Results) -> Settings:
    """Yield whether 4-AL-I5 is at most 0.01 below the best of the paper's methods."""
    others = (*PAPERS_METHODS, "4-AL-I3", "SL", "CL")
    for p in _proportions(results):
        best_of = [_aari(results, m, None if m in ("SL", "CL") else p) for m in others]
        for delta, found in _aari(results, "4-AL-I5", p).items():
            best = max((curve_.get(delta, -1.0) for curve_ in best_of), default=-1.0)
            words = f"delta {delta:g}, p {p:g} ({found:.2f} of {best:.2f})"
            yield words, found >= best - 0.01


def proportion_matters_little(results: Results) -> Settings:
    """Yield whether the gain over an uninformed tree varies over p by a tenth at most."""
    for dataset, method, dimension, rows in _costs(results):
        if method not in ("4K-AL", "4-AL", *PAPERS_EMBEDDINGS):
            continue
        gains = [UNINFORMED - found.mean for found in curve(rows, "proportion").values()]
        if len(gains) > 1:
            spread, middle = max(gains) - min(gains), sum(gains) / len(gains)
            words = f"{_run_name(dataset, method, dimension)} ({spread:.4f} of {middle:.4f})"
            yield words, spread <= 0.1 * abs(middle)


def as_good_as_embeddings(results: Results) -> Settings:
    """Yield whether the gain is at least 95 % of that of an embedding with cosine."""
    yield from _against_embeddings(results, ("4K-AL", "4-AL"), PAPERS_EMBEDDINGS)


def as_good_as_euclidean_embeddings(results: Results) -> Settings:
    """Yield the same against embeddings linked by Euclidean distance."""
    rivals = ("tSTE-AL, Euclidean", "FORTE-AL, Euclidean")
    yield from _against_embeddings(results, ("4K-AL", "4-AL"), rivals)


def dimension_matters(results: Results) -> Settings:
    """Yield whether an embedding's gain varies over dimensions by over a tenth of the best."""
    gains: dict[tuple[str, str], list[float]] = {}
    for dataset, method, _, rows in _costs(results):
        if method in PAPERS_EMBEDDINGS:
            gains.setdefault((dataset, method), []).append(UNINFORMED - mean(rows))
    for (dataset, method), found in gains.items():
        if len(found) > 1:
            spread, best = max(found) - min(found), max(found)
            words = f"{method} on {dataset} ({spread:.4f} of {best:.4f})"
            yield words, spread > 0.1 * abs(best)


def sufficient_condition(results: Results) -> Settings:
    """Yield whether SL and CL recover the hierarchy in a share 1 - eta of the draws."""
    rows = select(results.get("theory-linkage", ()), measure="recovered")
    for leaf_size, method in product(values_of(rows, "leaf_size"), ("SL", "CL")):
        ratio = round(sufficient_ratio(leaf_size), 6)
        share = mean(select(rows, leaf_size=leaf_size, method=method, ratio=ratio))
        if math.isfinite(share):
            yield f"{method}, N0 = {leaf_size} ({share:.0%})", share >= 1 - ETA


def necessary_condition(results: Results) -> Settings:
    """Yield whether SL fails to recover the hierarchy in at least half of the draws."""
    rows = select(results.get("theory-linkage", ()), measure="recovered", method="SL")
    for leaf_size in values_of(rows, "leaf_size"):
        at = round(necessary_ratio(leaf_size), 6)
        share = 1 - mean(select(rows, leaf_size=leaf_size, ratio=at))
        if math.isfinite(share):
            yield f"N0 = {leaf_size} (fails in {share:.0%})", share >= 0.5


def questions_of_linkage(results: Results) -> Settings:
    """Yield whether SL and CL ask between E/2 and E log2 E questions, E = N(N-1)/2."""
    rows = select(results.get("theory-linkage", ()), measure="recovered")
    for leaf_size, method in product(values_of(rows, "leaf_size"), ("SL", "CL")):
        n = leaf_size * N_LEAVES
        pairs = n * (n - 1) / 2
        asked = mean(select(rows, leaf_size=leaf_size, method=method), value="n_comparisons")
        words = f"{method}, N = {n} ({asked / pairs:.2f} E)"
        yield words, pairs / 2 <= asked <= pairs * math.log2(pairs)


def questions_grow_slowly(results: Results) -> Settings:
    """Yield whether the questions needed for AARI 0.9 grow by a power of N below 1.4."""
    needed = list(questions_needed(results.get("theory-questions", ())).items())
    if len(needed) > 1 and not all(math.isfinite(asked) for _, asked in needed):
        never = ", ".join(str(n) for n, asked in needed if not math.isfinite(asked))
        yield f"AARI 0.9 is not reached at N = {never}", False
    elif len(needed) > 1:
        (n0, first), (n1, last) = needed[0], needed[-1]
        power = math.log(last / first) / math.log(n1 / n0)
        words = f"N = {n0} to {n1}: {first:,.0f} to {last:,.0f} questions, power {power:.2f}"
        yield words, power < 1.4


def questions_needed(rows: Sequence[Record]) -> dict[int, float]:
    """Return, by N, the questions at which the mean AARI reaches 0.9; infinite if it does not.

    Between two multipliers, AARI is interpolated against the logarithm of the questions.
    """
    rows = select(rows, measure="aari")
    needed: dict[int, float] = {}
    for leaf_size in values_of(rows, "leaf_size"):
        here = select(rows, leaf_size=leaf_size)
        quality = [found.mean for found in curve(here, "multiplier").values()]
        asked = [s.mean for s in curve(here, "multiplier", value="n_comparisons").values()]
        needed[leaf_size * N_LEAVES] = crossing(asked, quality, RECOVERED)
    return needed


CLAIMS = tuple(
    Claim(text, rule, settings)
    for text, rule, settings in (
        (
            "SL can hardly recover the planted hierarchy, even for large delta/sigma",
            "per delta at which AL on the true similarities reaches 0.9: mean AARI of SL below 0.5",
            single_linkage_hardly_recovers,
        ),
        (
            "CL performs better than SL",
            "per delta: mean AARI of CL above that of SL, or both at least 0.99",
            complete_beats_single,
        ),
        (
            "4K-AL, 4K-AL-act and 4-AL recover the hierarchy at smaller delta/sigma",
            "per method, p and rival (SL, CL): the delta from which on the mean AARI stays at or "
            "above 0.9 is smaller than the rival's",
            average_linkage_recovers_earlier,
        ),
        (
            "The same for 4K-AL-act with q = 1, as in the authors' published program",
            "as above",
            partial(average_linkage_recovers_earlier, methods=(ALL_LANDMARKS,)),
        ),
        (
            "The performance of 4K-AL, 4K-AL-act and 4-AL does not degrade much with fewer "
            "comparisons",
            "per method and delta: mean AARI at the smallest p at most 0.1 below that at the "
            "largest (4K-AL-act asks at most what its landmarks allow, about 9 % of all)",
            little_is_lost_at_small_proportions,
        ),
        (
            "4-AL-I5 is the best method",
            "per delta and p: mean AARI at most 0.01 below the best of the paper's methods",
            large_initial_clusters_are_best,
        ),
        (
            "The proportion of comparisons has no large impact on the standard data",
            "per data set, method and dimension: the gain (2/3, the normalised Dasgupta cost of a "
            "random tree, minus the method's) varies over p by at most 10 %",
            proportion_matters_little,
        ),
        (
            "4K-AL and 4-AL are comparable to or better than tSTE-AL and FORTE-AL",
            "per data set, dimension, method and embedding: gain at least 95 % of the embedding's, "
            "mean over p",
            as_good_as_embeddings,
        ),
        (
            "The same where the embeddings are linked by Euclidean distance (not in the paper)",
            "as above",
            as_good_as_euclidean_embeddings,
        ),
        (
            "The dimension matters for the embeddings (the paper: a poor choice can drastically "
            "worsen them)",
            "per data set and embedding: the gain varies over dimensions by more than 10 % of the "
            "best",
            dimension_matters,
        ),
        (
            "Theorem 1: SL and CL recover if delta/sigma is at least 4 sqrt(ln(N/eta))",
            f"per N0: recovered exactly in at least {1 - ETA:.0%} of the draws (eta = {ETA})",
            sufficient_condition,
        ),
        (
            "Theorem 1: SL fails with probability 1/2 if delta/sigma is at most sqrt(ln N0) / 4",
            "per N0: not recovered in at least half of the draws",
            necessary_condition,
        ),
        (
            "Proposition 1: SL and CL need of the order of N^2 to N^2 ln N active comparisons",
            "per N: between E/2 and E log2 E distinct questions, E = N(N-1)/2",
            questions_of_linkage,
        ),
        (
            "Theorem 2: 4K-AL-act needs O(N ln N) active comparisons at constant delta/sigma",
            "over the sizes tried: the questions needed for a mean AARI of 0.9 grow by a power of "
            "N below 1.4 (N ln N itself grows by about 1.2 there, N^2 by 2)",
            questions_grow_slowly,
        ),
    )
)
"""The paper's claims, in its order."""


def _aari(results: Results, method: str, proportion: float | None = None) -> dict[float, float]:
    """Return the mean AARI by delta."""
    rows = results.get("planted", ())
    found = select(rows, measure="aari", method=method, proportion=proportion)
    return {delta: statistic.mean for delta, statistic in curve(found, "delta").items()}


def _proportions(results: Results) -> list[float]:
    return values_of(results.get("planted", ()), "proportion")


def _recovered_from(by_delta: Mapping[float, float]) -> float:
    """Return the smallest delta from which on AARI stays at 0.9; infinite if there is none."""
    smallest = math.inf
    for delta in sorted(by_delta, reverse=True):
        if by_delta[delta] < RECOVERED:
            break
        smallest = delta
    return smallest


def _delta(value: float) -> str:
    return f"delta {value:g}" if math.isfinite(value) else "never"


def _costs(results: Results) -> Iterator[tuple[str, str, int | None, list[Record]]]:
    """Yield data set, method, dimension and the rows of the normalised cost; no variants."""
    rows = select(results.get("standard", ()), measure="dasgupta_normalised")
    groups: dict[tuple[str, str, int | None], list[Record]] = {}
    for row in rows:
        if row["proportion"] is not None and row["dataset"] in DATASETS:
            groups.setdefault((row["dataset"], row["method"], row["dimension"]), []).append(row)
    for (dataset, method, dimension), found in groups.items():
        yield dataset, method, dimension, found


def _against_embeddings(
    results: Results, methods: tuple[str, ...], rivals: tuple[str, ...]
) -> Settings:
    gains = {
        (dataset, method, dimension): UNINFORMED - mean(rows)
        for dataset, method, dimension, rows in _costs(results)
    }
    for (dataset, rival, dimension), best in gains.items():
        if rival not in rivals:
            continue
        for method in methods:
            own = gains.get((dataset, method, None))
            if own is not None:
                words = f"{method} against {_run_name(dataset, rival, dimension)}"
                yield f"{words} ({own:.4f}, {best:.4f})", own >= best - 0.05 * abs(best)


def _run_name(dataset: str, method: str, dimension: int | None) -> str:
    return f"{method}{'' if dimension is None else f' {dimension}-D'} on {dataset}"
