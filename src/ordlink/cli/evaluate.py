"""`ordlink evaluate`: how good a tree is."""

from __future__ import annotations

from typing import Any

import click

from ordlink.cli._console import warnings_as_lines
from ordlink.cli._tables import read_classes, read_similarities
from ordlink.comparisons.files import read_comparisons
from ordlink.errors import InputError
from ordlink.hierarchy import Hierarchy


@click.command(
    "evaluate",
    epilog="\b\nExamples:\n"
    "  ordlink evaluate results/tree.json --classes classes.csv\n"
    "  ordlink evaluate results/tree.json --truth truth/tree.json --levels 3\n"
    "  ordlink evaluate results/tree.json --similarities similarities.csv",
)
@click.argument("tree_file", metavar="TREE")
@click.option(
    "--classes",
    metavar="FILE",
    help="Class of each object: one line per object, or name,class[,finer class...].",
)
@click.option("--truth", metavar="FILE", help="The true tree (JSON).")
@click.option("--levels", type=click.IntRange(min=1), help="Levels of the true tree to compare.")
@click.option("--similarities", metavar="FILE", help="N x N matrix, CSV or .npy: Dasgupta's cost.")
@click.option("--answers", metavar="FILE", help="Answers (for example held out): share predicted.")
@click.option("--form", help="What a row of the answers means, see 'ordlink cluster --help'.")
@warnings_as_lines()
def command(
    tree_file: str,
    classes: str | None,
    truth: str | None,
    levels: int | None,
    similarities: str | None,
    answers: str | None,
    form: str | None,
) -> None:
    """Score TREE, a tree.json, against what is known."""
    if not (classes or truth or similarities or answers):
        raise click.UsageError("give at least one of --classes, --truth, --similarities, --answers")
    from ordlink import metrics

    tree = Hierarchy.load(tree_file)
    scores: dict[str, Any] = {}
    if classes is not None:
        labels = read_classes(classes, names=tree.labels_text)
        for level, value in zip(labels, metrics.ari_per_level(labels, tree), strict=True):
            scores[f"ARI at {level.max() + 1} classes"] = value
        if len(labels) > 1:
            scores["AARI"] = metrics.aari(labels, tree)
    if truth is not None:
        true_tree = Hierarchy.load(truth)
        if true_tree.n_objects != tree.n_objects:
            raise InputError(
                f"{truth} has {true_tree.n_objects} objects, {tree_file} has {tree.n_objects}"
            )
        n_levels = levels or max(1, tree.n_objects.bit_length() - 1)
        values = metrics.ari_per_level(true_tree, tree, n_levels=n_levels)
        for level, value in enumerate(values, start=1):
            scores[f"ARI at {2**level} clusters"] = value
        scores["AARI"] = values.mean()
    if similarities is not None:
        matrix = read_similarities(similarities, n_objects=tree.n_objects)
        scores["Dasgupta's cost"] = metrics.dasgupta_cost(tree, matrix)
        off_diagonal = matrix[~_diagonal(len(matrix))]
        if (off_diagonal >= 0).all():
            scores["normalised (0 best, 1 worst)"] = metrics.normalised_dasgupta_cost(tree, matrix)
    if answers is not None:
        comparisons = read_comparisons(
            answers, form=form, n_objects=tree.n_objects, names=tree.names
        )
        scores["comparisons predicted"] = metrics.comparison_accuracy(tree, comparisons)
    for name, value in scores.items():
        click.echo(f"{name:30} {value:.4f}")


def _diagonal(n: int) -> Any:
    import numpy as np

    return np.eye(n, dtype=bool)
