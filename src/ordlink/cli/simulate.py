"""`ordlink simulate`: answers with a known truth."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np

from ordlink._atomic import replacing
from ordlink._typing import FloatArray
from ordlink.cli import _options, _output
from ordlink.cli._console import progress_bar, progress_flag
from ordlink.cli._tables import read_features
from ordlink.comparisons import FORMS, RankedComparisons, list_answers, n_pairs
from ordlink.datasets import planted_hierarchy, simulate_answers
from ordlink.errors import InputError, OrdlinkError
from ordlink.hierarchy import Hierarchy
from ordlink.io import write_comparisons

MOST_ANSWERS = 100_000_000  # more would not fit into the memory of most machines


@dataclass(frozen=True)
class Truth:
    """Similarities that determine the answers, the table of known classes, and the true tree."""

    similarities: FloatArray
    names: tuple[str, ...]
    class_header: Sequence[str]
    class_rows: Sequence[Sequence[object]]
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
    help="Share of all quadruplets to observe, each once, instead of --answers.",
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
@progress_flag
@progress_bar("simulation")
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
    """Simulate answers; write them with the similarities and any known tree and classes."""
    if (n_answers is None) == (proportion is None):
        raise click.UsageError("give either --answers or --proportion")
    if proportion is not None and form != "quadruplet":
        raise click.UsageError("--proportion requires --form quadruplet; use --answers instead")
    if proportion is not None and error_rate > 0:
        raise click.UsageError("--errors requires --answers")
    folder = _output.check_folder(out)
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
    with _output.writing_into(folder):
        answers_file = f"answers.{format}"
        write_comparisons(comparisons, folder / answers_file)
        written = [answers_file, *_write_truth(truth, folder)]
    click.echo(str(comparisons.summary()))
    click.echo(f"wrote {', '.join(written)} to {folder}")


def _plant(*, depth: int, **model: Any) -> Truth:
    planted = planted_hierarchy(depth=depth, **model)
    header = ["name", *(f"level_{level}" for level in range(1, depth + 1))]
    rows = list(zip(planted.names, *planted.levels.tolist(), strict=True)) if depth else []
    return Truth(planted.similarities, planted.names, header, rows, planted.tree)


def _read_table(path: str, metric: str) -> Truth:
    features = read_features(path)
    rows = _output.class_rows(features) if len(features.class_names) > 1 else []
    return Truth(features.similarities(metric), features.names, _output.CLASS_HEADER, rows)


def _write_truth(truth: Truth, folder: Path) -> list[str]:
    written = []
    if truth.tree is not None:
        truth.tree.save(folder / "truth.json")
        written.append("truth.json")
    else:
        with contextlib.suppress(OrdlinkError):
            if Hierarchy.load(folder / "truth.json").method == "planted":
                _output.remove_stale(folder / "truth.json")
    if truth.class_rows:
        _output.write_csv(folder / "classes.csv", truth.class_header, truth.class_rows)
        written.append("classes.csv")
    else:
        _output.remove_stale(folder / "classes.csv", "name,level_1", "name,class\n")
    with replacing(folder / "similarities.npy") as file:
        np.save(file, truth.similarities)
    return [*written, "similarities.npy"]
