"""`python -m studies.pages.reproduction FOLDER`: docs/reproduction.md from a full run's folder.

FOLDER is what `python -m studies.reproduction --full --out FOLDER` has written. Its tables and
figures are copied to docs/reproduction, and the measured parts of the page updated from them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

from studies.entrants import ALL_LANDMARKS, NO_SELF
from studies.html import describe_run
from studies.pages.kept import keep_figures, keep_tables
from studies.pages.measured import markdown_table, rewrite_parts
from studies.reproduction.car import car_experiment
from studies.reproduction.claims import CLAIMS, Verdict, judge
from studies.reproduction.planted import planted_experiment
from studies.reproduction.standard import DATASETS, VARIANTS, standard_experiment
from studies.reproduction.theory import linkage_experiment, questions_experiment
from studies.running import Experiment, Record, load_results
from studies.statistics import curve, mean, select, values_of

PAGE = Path(__file__).parents[2] / "docs/reproduction.md"
KEPT = PAGE.with_suffix("")
"""Tables and figures that the page shows."""
Rows = dict[str, list[Record]]
"""Name of a study -> its rows."""
N_SETTINGS_NAMED = 10
"""Settings that a line of the table of claims names."""
ACTIVE_DELTAS = (0.04, 0.12, 0.2)


def experiments() -> dict[str, Experiment]:
    """Return the experiments of the full run by the names of the studies."""
    return {
        "planted": planted_experiment(),
        "standard": standard_experiment(),
        "car": car_experiment(),
        "theory-linkage": linkage_experiment(),
        "theory-questions": questions_experiment(),
    }


def load(folder: Path) -> Rows:
    """Return the rows of all experiments."""
    return {name: load_results(one, folder) for name, one in experiments().items()}


def rewrite(text: str, rows: Rows) -> str:
    """Return the page with every measured part updated."""
    return rewrite_parts(
        text,
        {
            "run": partial(_run, rows),
            "claims": partial(_claims, rows),
            "planted": partial(_planted, rows["planted"]),
            "self-comparisons": partial(_self_comparisons, rows["planted"]),
            "active": partial(_active, rows["planted"]),
            "standard": partial(_standard, rows["standard"]),
            "euclidean": partial(_euclidean, rows["standard"]),
            "ties": partial(_ties, rows["standard"]),
            "car": partial(_car, rows["car"]),
        },
    )


def _run(rows: Rows) -> str:
    return markdown_table(
        ("experiment", "run"), [(name, describe_run(found)) for name, found in rows.items()]
    )


def _claims(rows: Rows) -> str:
    verdicts = [judge(claim, rows) for claim in CLAIMS]
    return markdown_table(
        ("claim", "true in a setting if", "measured", "verdict"),
        [(v.claim.text, v.claim.rule, _measured(v), f"**{v.verdict}**") for v in verdicts],
    )


def _measured(verdict: Verdict) -> str:
    """Return the count of settings and the first of those that decide against the majority."""
    parts = verdict.measured.split("; ")
    left_out = len(parts) - 1 - N_SETTINGS_NAMED
    text = "; ".join(parts[: 1 + N_SETTINGS_NAMED])
    return f"{text}; and {left_out} more" if left_out > 0 else text


def _planted(rows: Sequence[Record]) -> str:
    """Return mean and standard deviation of AARI, for three proportions."""
    rows = select(rows, measure="aari")
    deltas = values_of(rows, "delta")
    lines = []
    for proportion in (None, 0.01, 0.1, 1.0):
        here = [row for row in rows if row["proportion"] == proportion]
        for method in _in_order(row["method"] for row in here):
            found = curve(select(here, method=method), "delta")
            numbers = [f"{found[d].mean:.2f} ± {found[d].deviation:.2f}" for d in deltas]
            lines.append((method, "-" if proportion is None else f"{proportion:g}", *numbers))
    return markdown_table(("method", "p", *(f"{delta:g}" for delta in deltas)), lines)


def _self_comparisons(rows: Sequence[Record]) -> str:
    """Return AARI of the two variants of 4K-AL, means over delta."""
    rows = select(rows, measure="aari")
    lines = []
    for proportion in values_of(rows, "proportion"):
        here = select(rows, proportion=proportion)
        with_, without = (mean(select(here, method=m)) for m in ("4K-AL", NO_SELF))
        lines.append((f"{proportion:g}", f"{with_:.3f}", f"{without:.3f}"))
    return markdown_table(("p", "with self comparisons", "without"), lines)


def _active(rows: Sequence[Record]) -> str:
    """Return the questions that 4K-AL-act asked, and its AARI at two deltas."""
    rows = select(rows, measure="aari")
    lines = []
    for method in ("4K-AL-act", ALL_LANDMARKS):
        own = select(rows, method=method)
        for proportion in values_of(own, "proportion"):
            here = select(own, proportion=proportion)
            asked = mean(here, value="n_comparisons")
            quality = [mean(select(here, delta=delta)) for delta in ACTIVE_DELTAS]
            name = "q = 1" if method == ALL_LANDMARKS else "q = ln N / N"
            lines.append((name, f"{proportion:g}", f"{asked:,.0f}", *(f"{q:.3f}" for q in quality)))
    shown = (f"AARI at delta = {delta:g}" for delta in ACTIVE_DELTAS)
    return markdown_table(("landmarks", "p", "questions", *shown), lines)


def _standard(rows: Sequence[Record]) -> str:
    """Return the normalised cost, means over all proportions and repetitions."""
    return _by_dataset(
        rows, [m for m in _in_order(r["method"] for r in rows) if "Euclidean" not in m]
    )


def _euclidean(rows: Sequence[Record]) -> str:
    """Return the same for the embeddings linked by Euclidean distance."""
    return _by_dataset(rows, [m for m in _in_order(r["method"] for r in rows) if "Euclidean" in m])


def _by_dataset(rows: Sequence[Record], methods: Iterable[str]) -> str:
    rows = select(rows, measure="dasgupta_normalised")
    datasets = [name for name in (*DATASETS, *VARIANTS) if select(rows, dataset=name)]
    lines = []
    for method in methods:
        own = select(rows, method=method)
        for dimension in values_of(own, "dimension") or [None]:
            name = method if dimension is None else f"{method}, {dimension}-D"
            means = [mean(select(own, dataset=d, dimension=dimension)) for d in datasets]
            lines.append((name, *(f"{number:.4f}" for number in means)))
    return markdown_table(("method", *datasets), lines)


def _ties(rows: Sequence[Record]) -> str:
    """Return how many merges ties decided, means over repetitions, at the smallest proportion."""
    rows = [row for row in select(rows, measure="dasgupta", dimension=None) if row["proportion"]]
    smallest = values_of(rows, "proportion")[0]
    rows = select(rows, proportion=smallest)
    datasets = [name for name in (*DATASETS, *VARIANTS) if select(rows, dataset=name)]
    lines = [
        (
            method,
            *(
                f"{mean(select(rows, method=method, dataset=d), value='n_tied_merges'):.1f}"
                for d in datasets
            ),
        )
        for method in _in_order(row["method"] for row in rows)
    ]
    return markdown_table((f"tied merges at p = {smallest:g}", *datasets), lines)


def _car(rows: Sequence[Record]) -> str:
    lines = []
    for row in rows:
        dimension = "" if row["dimension"] is None else f", {row['dimension']}-D"
        name = row["method"] + dimension
        lines.append((name, f"{row['accuracy']:.3f}", f"{row['class_ari']:.3f}"))
    return markdown_table(("method", "agreement with the answers", "ARI with the classes"), lines)


def _in_order(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))


def main(arguments: Sequence[str]) -> int:
    """Copy the results and update the page."""
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    folder = Path(arguments[0])
    keep_tables(experiments().values(), folder / "results", KEPT)
    keep_figures(folder / "figures", "[ft]*.svg", KEPT)  # the cars' pictures are not ours
    PAGE.write_text(rewrite(PAGE.read_text(), load(KEPT)))
    print(f"{PAGE} is up to date with {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
