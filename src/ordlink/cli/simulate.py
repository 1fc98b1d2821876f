"""`ordlink simulate`: answers with a known truth."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np

from ordlink._atomic import replacing
from ordlink._typing import FloatArray
from ordlink.cli import _options
from ordlink.cli._output import check_folder, remove_stale, write_csv, writing_into
from ordlink.cli._tables import read_features
from ordlink.comparisons import FORMS, RankedComparisons, list_answers, n_pairs
from ordlink.datasets import planted_hierarchy, simulate_answers
from ordlink.errors import InputError
from ordlink.hierarchy import Hierarchy
from ordlink.io import write_comparisons

MOST_ANSWERS = 100_000_000
"""More would not fit into the memory of most machines."""


@dataclass(frozen=True)
class Truth:
    """Similarities to draw answers from, the table of known classes, and the true tree."""

    similarities: FloatArray
    names: tuple[str, ...]
    class_header: list[str]
    class_rows: list[list[object]]
    tree: Hierarchy | None = None


@_options.command(
    "simulate",
    "ordlink simulate --depth 3 --leaf-size 10 --gap 0.2 --proportion 0.01 --out planted",
    "ordlink simulate --table zoo.csv --form triplet --answers 5000 --errors 0.1 --out zoo",
)
@_options.file(
    "--table",
    help="CSV of features with a header: optional columns 'name' and 'class', numbers in all "
    "others (default: the planted model).",
)
@_options.choice(
    "--metric",
    ("cosine", "euclidean"),
    default="cosine",
    help="With --table: similarity of the features.",
)
@_options.count("--depth", lowest=0, default=3, help="Levels of the planted tree.")
@_options.count("--leaf-size", default=10, help="Number of objects per planted cluster.")
@click.option("--mean", default=0.8, help="Mean similarity within clusters.")
@click.option("--gap", default=0.1, help="Drop in similarity per level.")
@click.option("--noise", default=0.1, help="Standard deviation of similarities.")
@_options.choice("--form", FORMS, default="quadruplet", help="Form of the answers.")
@_options.count("--answers", "n_answers", help="Number of answers.")
@click.option(
    "--proportion",
    type=click.FloatRange(0, 1, min_open=True),
    help="Share of all comparisons, each observed once, instead of --answers (quadruplets).",
)
@click.option(
    "--errors",
    "error_rate",
    type=click.FloatRange(0, 1),
    default=0.0,
    help="Share of wrong answers.",
)
@_options.seed(default=0)
@_options.folder("--out", required=True, help="Output folder.")
@_options.choice(
    "--format",
    ("csv", "tsv", "parquet", "npz", "jsonl"),
    default="csv",
    help="File format of the answers.",
)
def command(
    table: str | None,
    metric: str,
    form: str,
    n_answers: int | None,
    proportion: float | None,
    error_rate: float,
    seed: int,
    out: str,
    format: str,
    **model: Any,
) -> None:
    """Simulate answers; write them with their similarities, the true tree and classes if known."""
    if (n_answers is None) == (proportion is None):
        raise click.UsageError("give either --answers or --proportion")
    if proportion is not None and form != "quadruplet":
        raise click.UsageError("--proportion requires --form quadruplet; use --answers instead")
    if proportion is not None and error_rate > 0:
        raise click.UsageError("--errors requires --answers")
    folder = check_folder(out)
    truth = _plant(seed=seed, **model) if table is None else _read_table(table, metric)
    n = n_pairs(len(truth.names))
    number = n_answers or round((proportion or 0) * n * (n - 1) / 2)
    if number > MOST_ANSWERS:
        raise InputError(
            f"expected at most {MOST_ANSWERS:,} answers, got {number:,}",
            parameter="n_answers" if proportion is None else "proportion",
            remedy="simulate fewer, or several files with different seeds",
        )
    if proportion is not None:
        everything = RankedComparisons.of_similarities(truth.similarities, names=truth.names)
        comparisons = everything.sample(proportion, seed=seed)
    else:
        rows = simulate_answers(
            truth.similarities, number, form=form, error_rate=error_rate, seed=seed
        )
        comparisons = list_answers(rows, form, names=truth.names)
    with writing_into(folder):
        answers_file = f"answers.{format}"
        write_comparisons(comparisons, folder / answers_file)
        written = [answers_file, *_write_truth(truth, folder)]
    click.echo(str(comparisons.summary()))
    click.echo(f"wrote {', '.join(written)} to {folder}")


def _plant(*, depth: int, **model: Any) -> Truth:
    planted = planted_hierarchy(depth=depth, **model)
    rows = [
        [name, *classes]
        for name, classes in zip(planted.names, planted.levels.T.tolist(), strict=True)
    ]
    return Truth(
        planted.similarities,
        planted.names,
        ["name", *(f"level_{level}" for level in range(1, depth + 1))],
        rows if depth else [],
        planted.tree,
    )


def _read_table(path: str, metric: str) -> Truth:
    features = read_features(path)
    rows: list[list[object]] = [
        [name, features.class_names[label]]
        for name, label in zip(features.names, features.classes.tolist(), strict=True)
    ]
    return Truth(
        features.similarities(metric),
        features.names,
        ["name", "class"],
        rows if len(features.class_names) > 1 else [],
    )


def _write_truth(truth: Truth, folder: Path) -> list[str]:
    """Write what is known besides the answers; files of an earlier run are removed."""
    written = []
    if truth.tree is not None:
        truth.tree.save(folder / "truth.json")
        written.append("truth.json")
    else:
        remove_stale(folder / "truth.json", lambda text: '"method": "planted"' in text)
    if truth.class_rows:
        write_csv(folder / "classes.csv", truth.class_header, truth.class_rows)
        written.append("classes.csv")
    else:
        ours = ("name,level_1", "name,class\n")
        remove_stale(folder / "classes.csv", lambda text: text.startswith(ours))
    with replacing(folder / "similarities.npy") as file:
        np.save(file, truth.similarities)
    return [*written, "similarities.npy"]
