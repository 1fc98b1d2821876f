"""`ordlink simulate`: answers with a known truth."""

from __future__ import annotations

from pathlib import Path

import click
import numpy as np

from ordlink.atomic import replacing, write_text
from ordlink.cli._console import warnings_as_lines
from ordlink.cli._output import make_folder
from ordlink.cli._tables import read_rows
from ordlink.comparisons import FORMS, ListedComparisons, RankedComparisons, list_answers
from ordlink.comparisons.files import write_comparisons
from ordlink.datasets import FeatureTable, planted_hierarchy, simulate_answers
from ordlink.errors import InputError
from ordlink.typing import FloatArray


@click.command(
    "simulate",
    epilog="\b\nExamples:\n"
    "  ordlink simulate --depth 3 --leaf-size 10 --gap 0.2 --proportion 0.01 --out planted\n"
    "  ordlink simulate --table zoo.csv --form triplet --answers 5000 --errors 0.1 --out zoo",
)
@click.option(
    "--table",
    metavar="FILE",
    help="CSV of features, header first: an optional column 'name', an optional column 'class', "
    "numbers in all others. Without it, the planted model is used.",
)
@click.option(
    "--metric", default="cosine", show_default=True, help="cosine or euclidean (--table)."
)
@click.option("--depth", default=3, show_default=True, help="Levels of the planted tree.")
@click.option("--leaf-size", default=10, show_default=True, help="Objects per planted cluster.")
@click.option("--mean", default=0.8, show_default=True, help="Mean similarity inside a cluster.")
@click.option("--gap", default=0.1, show_default=True, help="Loss of similarity per level.")
@click.option("--noise", default=0.1, show_default=True, help="Standard deviation of similarities.")
@click.option("--form", type=click.Choice(list(FORMS)), default="quadruplet", show_default=True)
@click.option("--answers", "n_answers", type=click.IntRange(min=1), help="Number of answers.")
@click.option(
    "--proportion",
    type=click.FloatRange(0, 1, min_open=True),
    help="Instead of --answers: share of all comparisons, each observed once (quadruplets).",
)
@click.option(
    "--errors",
    "error_rate",
    type=click.FloatRange(0, 1),
    default=0.0,
    help="Share of wrong answers.",
)
@click.option("--seed", default=0, show_default=True, help="Seed of all that is drawn.")
@click.option("--out", required=True, metavar="DIR", help="Folder for the files.")
@click.option(
    "--format",
    "file_format",
    type=click.Choice(["csv", "tsv", "parquet", "npz", "jsonl"]),
    default="csv",
    show_default=True,
    help="Format of the answers.",
)
@warnings_as_lines()
def command(
    table: str | None,
    metric: str,
    depth: int,
    leaf_size: int,
    mean: float,
    gap: float,
    noise: float,
    form: str,
    n_answers: int | None,
    proportion: float | None,
    error_rate: float,
    seed: int,
    out: str,
    file_format: str,
) -> None:
    """Write answers, the similarities behind them, and the truth where it is known."""
    _check_amount(n_answers, proportion, form, error_rate)
    folder = make_folder(out)
    written = []
    if table is None:
        planted = planted_hierarchy(
            depth=depth, leaf_size=leaf_size, mean=mean, gap=gap, noise=noise, seed=seed
        )
        similarities, names = planted.similarities, planted.names
        planted.tree.save(folder / "truth.json")
        written.append("truth.json")
        _write_lines(
            folder / "classes.csv",
            ["name," + ",".join(f"level_{level + 1}" for level in range(len(planted.levels)))]
            + [
                ",".join([name, *map(str, column)])
                for name, column in zip(names, planted.levels.T.tolist(), strict=True)
            ],
        )
        written.append("classes.csv")
    else:
        features = _read_table(table)
        similarities, names = features.similarities(metric), features.names
        if len(features.class_names) > 1:
            lines = [
                f"{_quoted(name)},{_quoted(features.class_names[label])}"
                for name, label in zip(names, features.classes.tolist(), strict=True)
            ]
            _write_lines(folder / "classes.csv", ["name,class", *lines])
            written.append("classes.csv")
    comparisons = _draw(similarities, names, form, n_answers, proportion, error_rate, seed)
    answers_file = f"answers.{file_format}"
    write_comparisons(comparisons, folder / answers_file)
    with replacing(folder / "similarities.npy") as file:
        np.save(file, similarities)
    click.echo(str(comparisons.summary()))
    click.echo(f"wrote {', '.join([answers_file, *written, 'similarities.npy'])} to {folder}")


def _check_amount(
    n_answers: int | None, proportion: float | None, form: str, error_rate: float
) -> None:
    if (n_answers is None) == (proportion is None):
        raise click.UsageError("give either --answers or --proportion")
    if proportion is not None and form != "quadruplet":
        raise click.UsageError("--proportion goes with --form quadruplet; give --answers instead")
    if proportion is not None and error_rate > 0:
        raise click.UsageError("--errors goes with --answers; each is drawn on its own")


def _draw(
    similarities: FloatArray,
    names: tuple[str, ...],
    form: str,
    n_answers: int | None,
    proportion: float | None,
    error_rate: float,
    seed: int,
) -> ListedComparisons:
    if proportion is not None:
        everything = RankedComparisons.of_similarities(similarities, names=names)
        return everything.sample(proportion, seed=seed)
    rows = simulate_answers(
        similarities, n_answers or 0, form=form, error_rate=error_rate, seed=seed
    )
    return list_answers(rows, form, names=names)


def _read_table(path: str) -> FeatureTable:
    rows = read_rows(path)
    if len(rows) < 4:
        raise InputError(
            f"{path}: expected a header and at least three objects, got {len(rows)} lines"
        )
    header = [cell.lower() for cell in rows[0][1]]
    columns = [number for number, name in enumerate(header) if name not in {"name", "class"}]
    if not columns:
        raise InputError(f"{path}: expected columns of numbers besides 'name' and 'class'")
    features, names, classes = [], [], []
    for number, (line, cells) in enumerate(rows[1:]):
        if len(cells) != len(header):
            raise InputError(
                f"{path}, line {line}: expected {len(header)} columns, got {len(cells)}"
            )
        try:
            features.append([float(cells[column]) for column in columns])
        except ValueError as error:
            raise InputError(f"{path}, line {line}: {error}; features must be numbers") from error
        names.append(cells[header.index("name")] if "name" in header else f"object {number}")
        classes.append(cells[header.index("class")] if "class" in header else "")
    class_names, labels = np.unique(classes, return_inverse=True)
    return FeatureTable(
        features=np.array(features),
        feature_names=tuple(header[column] for column in columns),
        names=tuple(names),
        classes=labels,
        class_names=tuple(map(str, class_names)),
        citation="",
        licence="",
    )


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if any(c in cell for c in ',"') else cell


def _write_lines(path: Path, lines: list[str]) -> None:
    write_text(path, "\n".join(lines) + "\n")
