"""`ordlink cluster`: from a file of answers to a tree."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np

from ordlink._text import counted, either
from ordlink.cli._assessment import Assessment, assess, print_assessment
from ordlink.cli._command import Command, flag_namer, parameters_called
from ordlink.cli._console import progress_bar, text_tree, warnings_as_lines
from ordlink.cli._options import (
    answers_argument,
    count_option,
    exclude_option,
    file_option,
    find_pictures,
    picture_files,
    pictures_option,
    read_answers,
    seed_option,
    source_name,
)
from ordlink.cli._output import TREE_FILES, check_folder, refuse_overwrite, write_tree
from ordlink.cli._tables import read_initial_clusters
from ordlink.comparisons import ListedComparisons, pair_members
from ordlink.errors import InputError, InputKindError
from ordlink.hierarchy import Hierarchy
from ordlink.methods import METHODS, Method, cluster, find_method

MANY_OBJECTS = 1000
"""From here on time and memory, which grow as N^2, matter: most objects should be in the file."""
SMALLEST_SHARE_NAMED = 0.1
_FOR_FILES = [method.name for method in METHODS.values() if method.needs == "comparisons"]
_DETERMINISTIC = [name for name in _FOR_FILES if "seed" not in METHODS[name].options]
_METHODS = "\n".join(
    f"  {method.name:10} needs {method.needs}: {method.summary}" for method in METHODS.values()
)


@click.command(
    "cluster",
    cls=Command,
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
@click.option("--method", default="4-AL", help="Name of a method, see below.")
@count_option("--clusters", "n_clusters", help="Also cut the tree into K clusters.")
@file_option(
    "--initial-clusters",
    help="Clusters to start from: one per line, objects separated by commas, semicolons or tabs.",
)
@click.option(
    "--repeats",
    type=click.Choice(["majority", "net"]),
    help="How repeated answers count: by majority (default) or by their net number.",
)
@click.option(
    "--weigh-people",
    is_flag=True,
    help="4-AL, AddS-AL, tSTE-AL, FORTE-AL, SOE-AL: weight each annotator by the agreement with "
    "the tree of the others; repeated answers then count by their net number.",
)
@click.option(
    "--self-comparisons/--no-self-comparisons",
    default=None,
    help="4K-AL: whether each object counts as most similar to itself (default: yes).",
)
@count_option(
    "--dimension",
    "n_components",
    help="tSTE-AL, FORTE-AL, SOE-AL: dimension of the embedding (default: 2).",
)
@click.option(
    "--metric",
    type=click.Choice(["cosine", "euclidean"]),
    help="tSTE-AL, FORTE-AL, SOE-AL: similarity of embedded points: their cosine (default), or "
    "their Euclidean distance.",
)
@seed_option(
    help="Random seed (default: 0), for --support, --test-hierarchy, --weigh-people and all "
    f"methods but {', '.join(_DETERMINISTIC)}."
)
@count_option(
    "--support",
    "n_bootstrap",
    metavar="N",
    help="Annotate each branch with its bootstrap support in percent, from N bootstrap samples "
    "(200 is usual).",
)
@click.option(
    "--min-support",
    type=click.FloatRange(min=0, max=100),
    metavar="PERCENT",
    help="With --support: collapse branches with less support in the printed tree, tree.nwk and "
    "tree.png; tree.json and linkage.csv keep all.",
)
@click.option(
    "--consensus",
    is_flag=True,
    help="With --support: also show the majority-rule consensus of the bootstrap trees, and write "
    "it to consensus.json and consensus.nwk.",
)
@click.option(
    "--test-hierarchy",
    is_flag=True,
    help="Also test whether the answers show any hierarchy, and print the p-value.",
)
@exclude_option
@click.option("--out", metavar="DIR", help="Folder for tree.json, tree.nwk, linkage.csv, tree.png.")
@pictures_option(" of tree.png")
@warnings_as_lines()
def command(
    answers: str,
    method: str,
    n_clusters: int | None,
    initial_clusters: str | None,
    weigh_people: bool,
    seed: int | None,
    n_bootstrap: int | None,
    min_support: float | None,
    consensus: bool,
    test_hierarchy: bool,
    exclude: tuple[str, ...],
    out: str | None,
    pictures: str | None,
    repeats: str | None,
    self_comparisons: bool | None,
    n_components: int | None,
    metric: str | None,
    **reading: Any,
) -> None:
    """Build a tree from ANSWERS: a CSV, TSV, Parquet, NPZ or JSON-lines file, or - for stdin."""
    chosen = _find_method_for_a_file(method)
    options = _method_options(
        chosen,
        repeats=repeats,
        self_comparisons=self_comparisons,
        n_components=n_components,
        metric=metric,
    )
    if weigh_people:
        _check_weighing(chosen, repeats, n_bootstrap)
        options["repeats"] = "net"
    if seed is not None and "seed" in chosen.options:
        options["seed"] = seed
    min_share = _check_support(n_bootstrap, min_support, consensus=consensus)
    folder = _check_output(answers, out, pictures)
    inputs = _read(answers, reading, exclude, initial_clusters, pictures, n_clusters)

    weights = _weigh_people(inputs.comparisons, seed or 0) if weigh_people else {}
    tree = _build(inputs, chosen.name, weights, options)

    assessment = assess(
        tree,
        inputs.comparisons,
        initial_clusters=inputs.initial_clusters,
        chosen=chosen,
        options=options,
        n_bootstrap=n_bootstrap,
        seed=seed or 0,
        wants_consensus=consensus,
        wants_test=test_hierarchy,
    )

    _print(inputs.comparisons, chosen.name, weights, assessment, n_clusters, min_share)
    if folder is not None:
        write_tree(
            assessment.tree,
            folder,
            n_clusters=n_clusters,
            pictures=inputs.pictures,
            min_support=min_share,
            consensus=assessment.consensus,
        )


# --- validate -----------------------------------------------------------------------------------


def _find_method_for_a_file(name: str) -> Method:
    """Return the method, which must work on answers given beforehand."""
    chosen = find_method(name)
    if chosen.needs != "comparisons":
        problem = (
            "asks its own questions: it needs an oracle, not a file of answers"
            if chosen.needs == "an oracle"
            else "needs known similarities, not a file of answers"
        )
        raise InputKindError(f"{chosen.name} {problem}; use {either(_FOR_FILES)}")
    return chosen


def _method_options(chosen: Method, **given: Any) -> dict[str, Any]:
    """Return the options that were given, which must be options of the method."""
    options = {name: value for name, value in given.items() if value is not None}
    for name in options:
        if name not in chosen.options:
            others = [other for other in _FOR_FILES if name in METHODS[other].options]
            flag = flag_namer(command.params)(name, "")
            raise click.UsageError(f"{flag} works with {', '.join(others)}, not {chosen.name}")
    return options


def _check_weighing(chosen: Method, repeats: str | None, n_bootstrap: int | None) -> None:
    """Refuse options that cannot be combined with weights of annotators."""
    from ordlink.validation import METHODS_FOR_WEIGHTS

    if chosen.name not in METHODS_FOR_WEIGHTS:
        others = ", ".join(METHODS_FOR_WEIGHTS)
        raise click.UsageError(f"--weigh-people works with {others}, not {chosen.name}")
    if repeats == "majority":
        raise click.UsageError("--weigh-people needs the net number of repeats: omit --repeats")
    if n_bootstrap is not None:
        raise click.UsageError("--support cannot be combined with --weigh-people")


def _check_support(
    n_bootstrap: int | None, min_support: float | None, *, consensus: bool
) -> float | None:
    """Return the smallest support as a share."""
    if n_bootstrap is None and (consensus or min_support is not None):
        flag = "--consensus" if min_support is None else "--min-support"
        raise click.UsageError(f"{flag} requires --support")
    if min_support is None:
        return None
    if 0 < min_support < 1:
        raise InputError(
            f"expected percent, got {min_support:g}",
            parameter="min_support",
            remedy=f"for a share of {min_support:g} pass {{min_support:{100 * min_support:g}}}",
        )
    return min_support / 100


def _check_output(answers: str, out: str | None, pictures: str | None) -> Path | None:
    """Return the output folder; the folder of pictures must exist too."""
    if pictures is not None:
        if out is None:
            raise click.UsageError("--pictures requires --out, the folder for tree.png")
        picture_files(pictures)
    if out is None:
        return None
    folder = check_folder(out)
    refuse_overwrite([answers], [folder / name for name in TREE_FILES])
    return folder


@dataclass(frozen=True)
class _Inputs:
    """What is read from files."""

    comparisons: ListedComparisons
    initial_clusters: list[list[int]] | None
    pictures: list[Path | None] | None


def _read(
    answers: str,
    reading: dict[str, Any],
    exclude: tuple[str, ...],
    initial_clusters: str | None,
    pictures: str | None,
    n_clusters: int | None,
) -> _Inputs:
    """Read the answers and the files that go with them."""
    comparisons = read_answers(answers, **reading)
    n_objects = comparisons.n_objects
    if comparisons.names is None and reading["n_objects"] is None:
        _refuse_scattered_numbers(answers, comparisons)
    if n_clusters is not None and n_clusters > n_objects:
        raise InputError(
            f"expected at most {n_objects:,}, the number of objects, got {n_clusters}",
            parameter="n_clusters",
        )
    if exclude:
        comparisons = _exclude(comparisons, exclude)
    objects: Any = {
        "names": comparisons.names,
        "n_objects": n_objects,
        "one_based": bool(reading["one_based"]),
    }
    return _Inputs(
        comparisons,
        None if initial_clusters is None else read_initial_clusters(initial_clusters, **objects),
        None if pictures is None else find_pictures(pictures, **objects),
    )


def _refuse_scattered_numbers(answers: str, comparisons: ListedComparisons) -> None:
    """Refuse numbers that do not number the objects: a typo, or ids such as 10482."""
    n_objects = comparisons.n_objects
    if n_objects < MANY_OBJECTS:
        return
    pairs = np.unique(np.concatenate([comparisons.winners, comparisons.losers]))
    n_named = len(np.unique(pair_members(pairs, n_objects)))
    if n_named < SMALLEST_SHARE_NAMED * n_objects:
        raise InputError(
            f"only {counted(n_named, 'object')} of {n_objects:,} appear in the answers",
            where=source_name(answers),
            remedy="number the objects 0, 1, 2, ... without gaps, or pass "
            f"{{n_objects:{n_objects}}} if the others belong to the tree",
        )


def _exclude(comparisons: ListedComparisons, names: tuple[str, ...]) -> ListedComparisons:
    """Return the answers of all other annotators, and say so."""
    from ordlink.validation import without_annotators

    with parameters_called(names="exclude"):
        kept = without_annotators(comparisons, names)
    n_excluded = counted(comparisons.n_comparisons - kept.n_comparisons, "comparison")
    click.echo(f"excluded on request: {', '.join(dict.fromkeys(names))}, with {n_excluded}")
    return kept


# --- build and print ----------------------------------------------------------------------------


def _weigh_people(comparisons: ListedComparisons, seed: int) -> dict[str, float]:
    from ordlink.validation import annotator_weights

    with progress_bar("annotator weights") as progress:
        return annotator_weights(comparisons, seed=seed, progress=progress)


def _build(
    inputs: _Inputs, method: str, weights: dict[str, float], options: dict[str, Any]
) -> Hierarchy:
    """Return the tree of the answers, weighted by annotators if there are weights."""
    comparisons = inputs.comparisons
    if weights:
        from ordlink.validation import weighted_comparisons

        comparisons = weighted_comparisons(comparisons, weights)
    with progress_bar(method) as progress:
        return cluster(
            comparisons,
            method,
            initial_clusters=inputs.initial_clusters,
            progress=progress,
            **options,
        )


def _print(
    comparisons: ListedComparisons,
    method: str,
    weights: dict[str, float],
    assessment: Assessment,
    n_clusters: int | None,
    min_support: float | None,
) -> None:
    """Print what was clustered how, the tree, and how far it can be trusted."""
    tree = assessment.tree
    n_comparisons = counted(comparisons.n_comparisons, "comparison")
    click.echo(f"{tree.n_objects} objects, {n_comparisons}, {method}")
    if weights:
        low, high = min(weights, key=weights.__getitem__), max(weights, key=weights.__getitem__)
        click.echo(f"annotator weights: {weights[low]:.2f} ({low}) to {weights[high]:.2f} ({high})")
    if "chosen" in tree.parameters:
        click.echo(f"chose {tree.parameters['chosen']['candidate']}: {tree.parameters['reason']}")
    click.echo(text_tree(tree, n_clusters, min_support=min_support))
    print_assessment(assessment, min_support)
