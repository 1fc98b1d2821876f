"""`ordlink cluster`: from a file of answers to a tree."""

from __future__ import annotations

from typing import Any

import click

from ordlink.cli._console import progress_bar, text_tree, warnings_as_lines
from ordlink.cli._options import answers_argument, read_answers
from ordlink.cli._output import make_folder, write_tree
from ordlink.cli._tables import read_initial_clusters
from ordlink.errors import InputError
from ordlink.methods import METHODS, cluster, find_method

_METHODS = "\n".join(
    f"  {method.name:10} needs {method.needs}: {method.summary}" for method in METHODS.values()
)


@click.command(
    "cluster",
    epilog="\b\nMethods:\n"
    + _METHODS
    + "\n\n\b\nExamples:\n"
    + "  ordlink cluster answers.csv --form triplet --clusters 4 --out results\n"
    + "  ordlink cluster cars.csv --form most-central --one-based --method 4K-AL\n"
    + "  zcat answers.csv.gz | ordlink cluster - --form odd-one-out",
)
@answers_argument
@click.option("--method", default="4-AL", show_default=True, help="Name of the method, see below.")
@click.option(
    "--clusters",
    "n_clusters",
    type=click.IntRange(min=1),
    help="Also cut the tree into K clusters.",
)
@click.option(
    "--initial-clusters",
    "initial_file",
    metavar="FILE",
    help="Clusters to start from: one per line, objects between commas.",
)
@click.option(
    "--repeats",
    type=click.Choice(["majority", "net"]),
    help="How repeated answers count: their majority (default), or their net number.",
)
@click.option(
    "--self-comparisons/--no-self-comparisons",
    default=None,
    help="4K-AL: whether an object counts as most alike to itself (default: yes).",
)
@click.option("--seed", type=int, help="Seed of methods that draw at random.")
@click.option("--out", metavar="DIR", help="Folder for tree.json, tree.nwk, linkage.csv, tree.png.")
@warnings_as_lines()
def command(
    answers: str,
    method: str,
    n_clusters: int | None,
    initial_file: str | None,
    repeats: str | None,
    self_comparisons: bool | None,
    seed: int | None,
    out: str | None,
    one_based: bool,
    **reading: Any,
) -> None:
    """Turn ANSWERS, a CSV, TSV, Parquet, NPZ or JSON-lines file (or - for stdin), into a tree."""
    chosen = find_method(method)
    folder = None if out is None else make_folder(out)
    comparisons = read_answers(answers, one_based=one_based, **reading)
    if n_clusters is not None and n_clusters > comparisons.n_objects:
        raise InputError(f"--clusters {n_clusters}: there are only {comparisons.n_objects} objects")
    initial_clusters = None
    if initial_file is not None:
        initial_clusters = read_initial_clusters(
            initial_file,
            n_objects=comparisons.n_objects,
            names=comparisons.names,
            one_based=one_based,
        )
    given = {"repeats": repeats, "self_comparisons": self_comparisons}
    options: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if seed is not None and "seed" in chosen.options:
        options["seed"] = seed
    with progress_bar(chosen.name) as progress:
        tree = cluster(
            comparisons,
            chosen.name,
            initial_clusters=initial_clusters,
            progress=progress,
            **options,
        )
    click.echo(
        f"{comparisons.n_objects} objects, {comparisons.n_comparisons:,} comparisons, {chosen.name}"
    )
    click.echo(text_tree(tree, n_clusters))
    if folder is not None:
        write_tree(tree, folder, n_clusters=n_clusters)
