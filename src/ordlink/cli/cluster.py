"""`ordlink cluster`: from a file of answers to a tree."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import numpy as np

from ordlink.cli._console import progress_bar, text_tree, warn_in_a_line, warnings_as_lines
from ordlink.cli._initial_clusters import read_initial_clusters
from ordlink.cli._messages import counted
from ordlink.cli._options import answers_argument, read_answers, seed_option
from ordlink.cli._output import TREE_FILES, check_folder, keep_answers, write_tree
from ordlink.cli._pictures import find_pictures, picture_files
from ordlink.cli._support import (
    in_a_line,
    leave_out,
    method_taken,
    say_consensus,
    say_support,
    with_support,
)
from ordlink.comparisons import ListedComparisons, pair_members
from ordlink.errors import InputError, InputKindError
from ordlink.methods import METHODS, Method, cluster, find_method

MANY_OBJECTS = 1000
"""From so many objects on, it matters that most of them exist: time and memory grow as N^2."""
SMALLEST_SHARE_NAMED = 0.1
_FOR_FILES = [method.name for method in METHODS.values() if method.needs == "comparisons"]
_DRAW_NOTHING = [name for name in _FOR_FILES if "seed" not in METHODS[name].options]
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
    + "  ordlink cluster cars.csv --form most-central --one-based --pictures images --out cars\n"
    + "  ordlink cluster answers.csv --form triplet --support 200 --min-support 50 --out results\n"
    + "  ordlink cluster answers.csv --support 200 --consensus --test-hierarchy --exclude eve\n"
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
    help="Clusters to start from: one per line, objects between commas, semicolons or tabs.",
)
@click.option(
    "--repeats",
    type=click.Choice(["majority", "net"]),
    help="How repeated answers count: their majority (default), or their net number.",
)
@click.option(
    "--weigh-people",
    is_flag=True,
    help="4-AL, AddS-AL, tSTE-AL, FORTE-AL, SOE-AL: let answers count by how far each person "
    "agrees with the tree of the others, and repeated ones by their net number.",
)
@click.option(
    "--self-comparisons/--no-self-comparisons",
    default=None,
    help="4K-AL: whether an object counts as most alike to itself (default: yes).",
)
@click.option(
    "--dimension",
    type=click.IntRange(min=1),
    help="tSTE-AL, FORTE-AL, SOE-AL: number of coordinates of the embedding (default: 2).",
)
@click.option(
    "--metric",
    type=click.Choice(["cosine", "euclidean"]),
    help="tSTE-AL, FORTE-AL, SOE-AL: which points are alike: those in the same direction from the "
    "centre (cosine, the default), or those at a small distance (euclidean).",
)
@seed_option(
    help="Seed of all that is drawn (default: 0): by methods that draw at random, all but "
    f"{', '.join(_DRAW_NOTHING)}, and with any method by --support, --test-hierarchy and "
    "--weigh-people."
)
@click.option(
    "--support",
    "n_replicates",
    metavar="N",
    type=click.IntRange(min=1),
    help="Also say how firm each branch is, from N replicates (200 is usual): in percent on the "
    "branches, and in all files.",
)
@click.option(
    "--min-support",
    type=click.FloatRange(min=0, max=100),
    metavar="PERCENT",
    help="With --support: leave out branches with less support in the tree that is printed, in "
    "tree.nwk and tree.png; tree.json and linkage.csv hold all.",
)
@click.option(
    "--consensus",
    "wants_consensus",
    is_flag=True,
    help="With --support: also show the majority-rule consensus of the replicates, and write it to "
    "consensus.json and consensus.nwk.",
)
@click.option(
    "--test-hierarchy",
    "wants_test",
    is_flag=True,
    help="Also test whether there is any hierarchy, and print the p-value.",
)
@click.option(
    "--exclude",
    multiple=True,
    metavar="NAME",
    help="Leave out all answers of this person; may be given several times.",
)
@click.option("--out", metavar="DIR", help="Folder for tree.json, tree.nwk, linkage.csv, tree.png.")
@click.option(
    "--pictures",
    metavar="DIR",
    help="Folder with pictures for the leaves of tree.png: files named after the objects' names "
    "or numbers (1.jpg; also .png, .webp).",
)
@warnings_as_lines()
def command(
    answers: str,
    method: str,
    n_clusters: int | None,
    initial_file: str | None,
    repeats: str | None,
    weigh_people: bool,
    self_comparisons: bool | None,
    dimension: int | None,
    metric: str | None,
    seed: int | None,
    n_replicates: int | None,
    min_support: float | None,
    wants_consensus: bool,
    wants_test: bool,
    exclude: tuple[str, ...],
    out: str | None,
    pictures: str | None,
    one_based: bool | None,
    **reading: Any,
) -> None:
    """Turn ANSWERS, a CSV, TSV, Parquet, NPZ or JSON-lines file (or - for stdin), into a tree."""
    chosen = _find_method_for_a_file(method)
    given = {
        "repeats": repeats,
        "self_comparisons": self_comparisons,
        "n_components": dimension,
        "metric": metric,
    }
    options: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    for name in options:
        _refuse_option_of_others(name, chosen)
    if weigh_people:
        _check_weighing(chosen, repeats, n_replicates)
        options["repeats"] = "net"
    if min_support is not None:
        if n_replicates is None:
            raise click.UsageError("--min-support goes with --support")
        if 0 < min_support < 1:
            raise InputError(
                f"--min-support {min_support:g}: expected percent; for a share of {min_support:g} "
                f"pass --min-support {100 * min_support:g}"
            )
        min_support /= 100
    if wants_consensus and n_replicates is None:
        raise click.UsageError("--consensus goes with --support")
    if pictures is not None:
        if out is None:
            raise click.UsageError("--pictures goes with --out, the folder for tree.png")
        picture_files(pictures)
    folder = None if out is None else check_folder(out)
    if folder is not None:
        keep_answers(answers, *(folder / name for name in TREE_FILES))
    comparisons = read_answers(answers, one_based=one_based, **reading)
    n_objects = comparisons.n_objects
    if comparisons.names is None and reading["n_objects"] is None:
        _refuse_scattered_numbers(answers, comparisons)
    if one_based and comparisons.names is None:  # the tree shows the numbers of the file
        numbers = tuple(str(i) for i in range(1, n_objects + 1))
        comparisons = replace(comparisons, names=numbers)
    if n_objects < 2:
        raise InputError(f"{answers}: a tree needs at least two objects, got {n_objects}")
    if n_clusters is not None and n_clusters > n_objects:
        raise InputError(f"--clusters {n_clusters}: there are only {n_objects} objects")
    if exclude:
        comparisons = leave_out(comparisons, exclude)
    about: Any = {
        "n_objects": n_objects,
        "names": comparisons.names,
        "one_based": bool(one_based),
    }
    leaf_pictures: list[Path | None] | None = None
    if pictures is not None:
        leaf_pictures = find_pictures(pictures, **about)
    initial_clusters = None
    if initial_file is not None:
        initial_clusters = read_initial_clusters(initial_file, **about)
    if seed is not None and "seed" in chosen.options:
        options["seed"] = seed
    weights: dict[str, float] = {}
    counted_answers = comparisons
    if weigh_people:
        counted_answers, weights = _weigh_people(comparisons, seed or 0)
    with progress_bar(chosen.name) as progress:
        tree = cluster(
            counted_answers,
            chosen.name,
            initial_clusters=initial_clusters,
            progress=progress,
            **options,
        )
    taken, of_taken = method_taken(tree, chosen, options)
    test = None
    if wants_test:
        from ordlink.validation import hierarchy_test

        try:
            test = hierarchy_test(comparisons, taken, seed=seed or 0, **of_taken)
        except InputError as error:
            warn_in_a_line(f"hierarchy test: {error}")
    consensus = None
    if n_replicates is not None:
        found = with_support(
            tree, comparisons, n_replicates, seed or 0, initial_clusters, taken, of_taken
        )
        tree, consensus = found.tree, found.consensus if wants_consensus else None
    n_comparisons = counted(comparisons.n_comparisons, "comparison")
    click.echo(f"{n_objects} objects, {n_comparisons}, {chosen.name}")
    if weights:
        low, high = min(weights, key=weights.__getitem__), max(weights, key=weights.__getitem__)
        click.echo(
            f"answers of {len(weights)} people count {weights[low]:.2f} ({low}) to "
            f"{weights[high]:.2f} ({high}) times"
        )
    if "chosen" in tree.parameters:
        click.echo(f"took {tree.parameters['chosen']['candidate']}: {tree.parameters['reason']}")
    click.echo(text_tree(tree, n_clusters, min_support=min_support))
    if n_replicates is not None:
        say_support(tree, min_support)
    if consensus is not None:
        say_consensus(consensus)
    if test is not None:
        click.echo(in_a_line(test))
    if folder is not None:
        write_tree(
            tree,
            folder,
            n_clusters=n_clusters,
            pictures=leaf_pictures,
            min_support=min_support,
            consensus=consensus,
        )


def _check_weighing(chosen: Method, repeats: str | None, n_replicates: int | None) -> None:
    """Refuse what does not go with weights of people."""
    from ordlink.validation import METHODS_FOR_WEIGHTS

    if chosen.name not in METHODS_FOR_WEIGHTS:
        raise click.UsageError(
            f"--weigh-people goes with {', '.join(METHODS_FOR_WEIGHTS)}, not with {chosen.name}"
        )
    if repeats == "majority":
        raise click.UsageError("--weigh-people counts repeated answers: leave out --repeats")
    if n_replicates is not None:
        raise click.UsageError("--support goes without --weigh-people: all answers count alike")


def _weigh_people(
    comparisons: ListedComparisons, seed: int
) -> tuple[ListedComparisons, dict[str, float]]:
    """Return the answers counted by weights of people, and these weights."""
    from ordlink.validation import annotator_weights, weighted_comparisons

    with progress_bar("people") as progress:
        weights = annotator_weights(comparisons, seed=seed, progress=progress)
    return weighted_comparisons(comparisons, weights), weights


def _find_method_for_a_file(name: str) -> Method:
    """Return the method, which must be one that works on answers given beforehand."""
    chosen = find_method(name)
    if chosen.needs != "comparisons":
        problem = (
            "asks its own questions: it needs an oracle, not a file of answers"
            if chosen.needs == "an oracle"
            else "needs known similarities, not a file of answers"
        )
        use = f"{', '.join(_FOR_FILES[:-1])} or {_FOR_FILES[-1]}"
        raise InputKindError(f"{chosen.name} {problem}; use {use}")
    return chosen


def _refuse_option_of_others(name: str, chosen: Method) -> None:
    """Refuse an option that other methods have and the chosen one has not."""
    if name not in chosen.options:
        others = [other for other in _FOR_FILES if name in METHODS[other].options]
        flag = "--dimension" if name == "n_components" else "--" + name.replace("_", "-")
        raise click.UsageError(f"{flag} goes with {', '.join(others)}, not with {chosen.name}")


def _refuse_scattered_numbers(answers: str, comparisons: ListedComparisons) -> None:
    """Refuse numbers that are no numbering of the objects: a typo, or ids such as 10482."""
    n_objects = comparisons.n_objects
    if n_objects < MANY_OBJECTS:
        return
    pairs = np.unique(np.concatenate([comparisons.winners, comparisons.losers]))
    n_named = len(np.unique(pair_members(pairs, n_objects)))
    if n_named < SMALLEST_SHARE_NAMED * n_objects:
        raise InputError(
            f"{answers}: only {counted(n_named, 'object')} of {n_objects:,} are ever named; number "
            f"the objects 0, 1, 2, ... without gaps, or pass --n-objects {n_objects} if the others "
            "belong to the tree"
        )
