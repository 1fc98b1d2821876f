"""`python -m studies.pages.best_tree FOLDER`: the measured parts of docs/best-tree.md.

FOLDER is what `python -m studies.quality.best --out FOLDER` has written. Its tables are copied to
docs/best-tree; the other methods on Zoo and Glass come from the tables of docs/fewest-answers.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from ordlink._typing import FloatArray
from studies.pages.fewest_answers import KEPT as KEPT_OF_ALL
from studies.pages.fewest_answers import experiments as experiments_of
from studies.pages.kept import drop_tables, keep_tables
from studies.pages.measured import markdown_table, rewrite_parts
from studies.quality.best import best_experiments
from studies.quality.groups import GROUPS
from studies.quality.methods import DEFAULT, OURS
from studies.rivals import RIVALS
from studies.running import Record, load_results
from studies.statistics import select

PAGE = Path(__file__).parents[2] / "docs/best-tree.md"
KEPT = PAGE.with_suffix("")
"""Tables that the page shows."""
SHOWN = (OURS, "4-AL", "4K-AL", "AddS-AL")
NOT_YET = "Not run in full yet."
Rows = dict[str, list[Record]]
Values = Mapping[str, FloatArray]
"""Method -> its accuracies, fold by fold."""


def load(folder: Path) -> Rows:
    """Return the rows of people's answers and of features, all methods together."""
    found: Rows = {"people": [], "fresh": [], "features": []}
    for name, one in best_experiments().items():
        found[name.split("-")[0]] += load_results(one, folder)
    if found["features"]:
        repetitions = {row["repetition"] for row in found["features"]}
        for one in experiments_of(GROUPS["features"]):
            found["features"] += [
                row for row in load_results(one, KEPT_OF_ALL) if row["repetition"] in repetitions
            ]
    return found


def by_method(rows: Sequence[Record], *order: str) -> Values:
    """Return the held-out accuracies of every method that was run on all folds or repetitions."""
    found: dict[str, dict[tuple[int, ...], float]] = {}
    for row in select(rows, measure="held_out"):
        found.setdefault(row["method"], {})[tuple(row[key] for key in order)] = row["value"]
    most = max((len(values) for values in found.values()), default=0)
    return {
        method: np.array([values[key] for key in sorted(values)])
        for method, values in found.items()
        if len(values) == most
    }


def best_other(values: Values, among: Sequence[str] | None = None, *, than: str = DEFAULT) -> str:
    """Return the method with the highest mean of those other than one."""
    others = [name for name in values if name != than and (among is None or name in among)]
    return max(others, key=lambda name: float(values[name].mean()))


def difference(values: Values, other: str, *, of: str = DEFAULT) -> tuple[float, float]:
    """Return a method minus another one: the mean, and its standard error over folds."""
    apart = values[of] - values[other]
    return float(apart.mean()), float(apart.std(ddof=1) / np.sqrt(len(apart)))


def is_near_the_best(values: Values, method: str) -> bool:
    """Return whether a method is at most a standard error behind the best of all others."""
    gain, error = difference(values, best_other(values, than=method), of=method)
    return gain >= -error


def rewrite(text: str, rows: Rows) -> str:
    """Return the page with every measured part updated."""
    sets, fresh = _sets(rows["people"], "fold"), _sets(rows["fresh"], "repetition", "fold")
    parts = {
        "fresh": partial(_fresh, sets, fresh) if fresh else lambda: NOT_YET,
        "people": partial(_people, sets) if sets else lambda: NOT_YET,
        "summary": partial(_summary, sets) if sets else lambda: NOT_YET,
        "methods": partial(_methods, sets) if sets else lambda: NOT_YET,
        "features": partial(_features, rows["features"]) if rows["features"] else lambda: NOT_YET,
    }
    return rewrite_parts(text, parts)


def _sets(rows: Sequence[Record], *order: str) -> dict[str, Values]:
    """Return the accuracies on each set, those of the default among them."""
    sets = {
        name: by_method(select(rows, dataset=name), *order)
        for name in dict.fromkeys(row["dataset"] for row in rows)
    }
    return {name: values for name, values in sets.items() if DEFAULT in values}


def _people(sets: Mapping[str, Values]) -> str:
    lines = []
    for name, values in sets.items():
        other = best_other(values)
        gain, error = difference(values, other)
        lines.append(
            (
                name,
                f"{values[DEFAULT].mean():.3f}",
                f"{values[other].mean():.3f} ({other})",
                f"{gain:+.3f} ± {error:.3f}",
                *(f"{values[method].mean():.3f}" for method in SHOWN),
            )
        )
    return markdown_table(("answers", DEFAULT, "best other", "difference", *SHOWN), lines)


def _fresh(sets: Mapping[str, Values], fresh: Mapping[str, Values]) -> str:
    """Return the default on fresh folds, against the methods that were best on the first folds."""
    lines = []
    for name, values in fresh.items():
        line = [name, f"{values[DEFAULT].mean():.3f}"]
        for other in (best_other(sets[name]), best_other(values)):
            gain, error = difference(values, other)
            line += [f"{values[other].mean():.3f} ({other})", f"{gain:+.3f} ± {error:.3f}"]
        lines.append(tuple(line))
    headings = ("best other on the first folds", "difference", "best other here", "difference")
    return markdown_table(("answers", DEFAULT, *headings), lines)


def _summary(sets: Mapping[str, Values]) -> str:
    behind = []
    for name, values in sets.items():
        if not is_near_the_best(values, DEFAULT):
            gain, error = difference(values, best_other(values))
            behind.append(f"{name} ({gain:+.3f} ± {error:.3f})")
    text = f"On {len(sets) - len(behind)} of {len(sets)} sets, `{DEFAULT}` is at most one standard "
    text += "error behind the best of all other methods"
    return f"{text}; further behind: {', '.join(behind)}." if behind else f"{text}."


def _methods(sets: Mapping[str, Values]) -> str:
    """Return the mean over the sets of every method that was run on all of them, the best first."""
    methods = set.intersection(*(set(values) for values in sets.values()))
    common = {name: values for name, values in sets.items() if set(RIVALS) <= set(values)}
    every = set.intersection(*(set(values) for values in common.values())) if common else methods
    lines = []
    for method in sorted(every, key=lambda one: -_mean(common or sets, one)):
        gains = [float((v[DEFAULT] - v[method]).mean()) for v in (common or sets).values()]
        error = float(np.std(gains, ddof=1) / np.sqrt(len(gains)))
        known = [values for values in sets.values() if method in values]
        near = sum(is_near_the_best(values, method) for values in known)
        lines.append(
            (
                method,
                f"{_mean(sets, method):.4f}" if method in methods else "",
                f"{_mean(common or sets, method):.4f}",
                "" if method == DEFAULT else f"{-np.mean(gains):+.4f} ± {error:.4f}",
                f"{near} of {len(known)}",
            )
        )
    headings = (
        "method",
        f"mean of {len(sets)} sets",
        f"of {len(common or sets)} sets of triplets",
        f"minus {DEFAULT} there",
        "near the best",
    )
    return markdown_table(headings, lines)


def _mean(sets: Mapping[str, Values], method: str) -> float:
    return float(np.mean([values[method].mean() for values in sets.values()]))


def _features(rows: Sequence[Record]) -> str:
    """Return the accuracy in every cell of Zoo and Glass, and the mean difference."""
    lines, gains = [], []
    keys = dict.fromkeys((row["dataset"], row["form"], row["n_answers"]) for row in rows)
    for dataset, form, n_answers in keys:
        cell = select(rows, dataset=dataset, form=form, n_answers=n_answers)
        values = by_method(cell, "repetition")
        embedded = best_other(values, [name for name in values if "-D, " in name])
        gains.append(float((values[DEFAULT] - values[embedded]).mean()))
        lines.append(
            (
                f"{dataset}, {form}, {n_answers:,}",
                f"{values[DEFAULT].mean():.3f}",
                f"{values[embedded].mean():.3f} ({embedded})",
                f"{gains[-1]:+.3f}",
                *(f"{values[method].mean():.3f}" for method in SHOWN),
            )
        )
    mean = f"{np.mean(gains):+.4f}" if gains else ""
    lines.append((f"mean of {len(gains)} cells", "", "", mean, *("" for _ in SHOWN)))
    return markdown_table(("cell", DEFAULT, "best embedding", "difference", *SHOWN), lines)


def main(arguments: Sequence[str]) -> int:
    """Copy the tables of the parts that were run in full, and update the page."""
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    folder = Path(arguments[0])
    for name, one in best_experiments().items():
        n_done = len({row["cell"] for row in load_results(one, folder)})
        if n_done == len(one.cells):
            keep_tables([one], folder, KEPT)
        else:
            drop_tables([one], KEPT)
            print(f"{name}: {n_done} of {len(one.cells)} cells were run, so it is left out")
    PAGE.write_text(rewrite(PAGE.read_text(), load(KEPT)))
    print(f"{PAGE} is up to date with {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
