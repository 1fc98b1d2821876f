"""`ordlink cluster`: from a file of answers to a tree."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

import ordlink as ol
from ordlink._text import counted, either
from ordlink.cli import _options, _output
from ordlink.cli._answers import (
    find_pictures,
    picture_files,
    read_answers,
    refuse_scattered_numbers,
)
from ordlink.cli._app import flag_namer, parameters_called
from ordlink.cli._console import (
    for_terminal,
    progress_bar,
    progress_flag,
    text_tree,
    warn_in_a_line,
)
from ordlink.cli._pieces import cluster_pieces, rows_beyond_memory
from ordlink.cli._tables import read_initial_clusters
from ordlink.comparisons import ListedComparisons
from ordlink.errors import InputError, InputKindError, OrdlinkWarning
from ordlink.hierarchy import Hierarchy
from ordlink.methods import (
    DEFAULT_METHOD,
    METHODS,
    QUICK_METHOD,
    Method,
    cluster,
    find_method,
    method_for,
    repeatable,
)

LONGEST_WAIT = 2.0  # estimated seconds: where the tree takes longer, a first one is shown
FEWEST_ROWS = 1000  # of fewer comparisons, no tree takes so long
_FOR_FILES = [method.name for method in METHODS.values() if method.needs == "comparisons"]
_DETERMINISTIC = [name for name in _FOR_FILES if "seed" not in METHODS[name].options]
_METHODS = "\n".join(
    f"  {method.name:10} needs {method.needs}: {method.summary}" for method in METHODS.values()
)


@_options.command(
    "cluster",
    "ordlink cluster answers.csv --form triplet --clusters 4 --out results",
    "ordlink cluster cars.csv --form most-central --one-based --method 4K-AL",
    "ordlink cluster cars.csv --form most-central --one-based --pictures images --out cars",
    "ordlink cluster answers.csv --form triplet --support 200 --min-support 50 --out results",
    "ordlink cluster answers.csv --support 200 --consensus --test-hierarchy --exclude eve",
    "zcat answers.csv.gz | ordlink cluster - --form odd-one-out",
    listing=f"\b\nMethods:\n{_METHODS}\n\n",
)
@_options.answers
@click.option("--method", help=f"Name of a method, see below.  [default: {DEFAULT_METHOD}]")
@_options.clusters("Also show")
@_options.file(
    "--initial-clusters",
    help="Clusters to start from: one per line, objects separated by commas, semicolons or tabs.",
)
@_options.choice(
    "--repeats",
    ("majority", "net"),
    help="How repeated answers count: by majority (default) or by net count (answers for minus "
    "answers against).",
)
@_options.flag(
    "--weigh-people",
    help="4-AL, AddS-AL, tSTE-AL, FORTE-AL, SOE-AL: weight annotators by their agreement with the "
    "tree of the others; repeated answers then count by net count.",
)
@click.option(
    "--self-comparisons/--no-self-comparisons",
    default=None,
    help="4K-AL: whether each object counts as most similar to itself (default: yes).",
)
@_options.count(
    "--dimension",
    "n_components",
    help="tSTE-AL, FORTE-AL, SOE-AL: dimension of the embedding (default: 2).",
)
@_options.choice(
    "--metric",
    ("cosine", "euclidean"),
    help="tSTE-AL, FORTE-AL, SOE-AL: similarity of embedded points: their cosine (default), or "
    "their negative Euclidean distance.",
)
@_options.seed(
    help="Random seed (default: 0), for --support, --test-hierarchy, --weigh-people and all "
    f"methods but {', '.join(_DETERMINISTIC)}."
)
@_options.count(
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
    "the figure; tree.json and linkage.csv keep all.",
)
@_options.flag(
    "--consensus",
    help="With --support: also show the majority-rule consensus of the bootstrap trees, and write "
    "it to consensus.json and consensus.nwk.",
)
@_options.flag(
    "--test-hierarchy",
    help="Also test whether the answers show any hierarchy, and print the p-value.",
)
@_options.exclude
@_options.folder(
    "--out",
    help="Folder for tree.json, tree.nwk, linkage.csv, and the figure as tree.pdf, tree.svg and "
    "tree.png (see 'ordlink plot').",
)
@_options.pictures(" of the figure")
@_options.parallel
@progress_flag
def command(
    answers: tuple[str, ...],
    reading: dict[str, Any],
    method: str | None,
    n_clusters: int | str | None,
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
    n_jobs: int | None,
    **given: Any,
) -> None:
    """Build a tree from ANSWERS: tables of answers or trials, a folder of them, or - for stdin."""
    chosen = _find_method_for_a_file(method or ("4-AL" if weigh_people else DEFAULT_METHOD))
    options = _method_options(chosen, given)
    if weigh_people:
        _check_weighing(chosen, options, n_bootstrap)
        options["repeats"] = "net"
    if seed is not None and "seed" in chosen.options:
        options["seed"] = seed
    seed = seed or 0
    min_share = _check_support(n_bootstrap, min_support, consensus=consensus)
    folder = _check_output(answers, out, pictures)
    if n_rows := rows_beyond_memory(answers):
        needing: dict[str, Any] = {"--support": n_bootstrap, "--test-hierarchy": test_hierarchy}
        needing |= {"--exclude": exclude, "--initial-clusters": initial_clusters}
        needing |= {"--repeats majority": options.get("repeats") == "majority"}
        needing |= {"--weigh-people": weigh_people, "--pictures": pictures}
        tree = cluster_pieces(answers, n_rows, chosen.name, needing, reading)
        _show_tree(tree, f"{n_rows:,} rows", chosen.name, n_clusters, folder)
        return
    comparisons = _read(answers, exclude, n_clusters, reading)
    one_based = bool(reading["one_based"])
    start = read_initial_clusters(initial_clusters, comparisons, one_based=one_based)
    leaf_pictures = find_pictures(pictures, comparisons, one_based=one_based)

    weights = {}
    if weigh_people:
        with progress_bar("annotator weights") as progress:
            weights = ol.validation.annotator_weights(comparisons, seed=seed, progress=progress)
    weighted = ol.validation.weighted_comparisons(comparisons, weights) if weights else comparisons
    if method is None and not weigh_people:
        _show_first_tree(comparisons, start, folder, n_clusters)
    with progress_bar(chosen.name) as progress:
        how: Any = {"initial_clusters": start, "n_jobs": n_jobs, "progress": progress}
        tree = cluster(weighted, chosen.name, **how, **options)
    used, settled = repeatable(tree, chosen.name)
    of_method = {key: value for key, value in (options | settled).items() if key != "seed"}
    of_method["n_jobs"] = n_jobs
    test = _run_test(comparisons, used, seed, of_method) if test_hierarchy else None
    majority_tree = None
    if n_bootstrap is not None:
        settings = {"n_bootstrap": n_bootstrap, "seed": seed, "initial_clusters": start}
        tree, majority_tree = _add_support(
            tree, comparisons, used, consensus=consensus, **settings, **of_method
        )

    n_comparisons = counted(comparisons.n_comparisons, "comparison")
    click.echo(f"{tree.n_objects} objects, {n_comparisons}, {chosen.name}")
    if weights:
        low, high = min(weights, key=weights.__getitem__), max(weights, key=weights.__getitem__)
        click.echo(f"annotator weights: {weights[low]:.2f} ({low}) to {weights[high]:.2f} ({high})")
    if "chosen" in tree.parameters:
        reason = f"chose {tree.parameters['reason']}"
        click.echo(for_terminal(reason, lambda: reason.replace("±", "+-")))
    clusters = _output.choose_clusters(tree, n_clusters)
    click.echo(
        text_tree(tree, None if clusters is None else clusters.n_clusters, min_support=min_share)
    )
    _output.print_clusters(tree, clusters)
    _print_assessment(tree, majority_tree, test, min_share)
    if folder is not None:
        shown: Any = {"clusters": clusters, "min_support": min_share}
        _output.write_tree(tree, folder, consensus=majority_tree, pictures=leaf_pictures, **shown)


def _show_tree(
    tree: Hierarchy, of_what: str, method: str, n_clusters: int | str | None, folder: Path | None
) -> None:
    """Print and write a tree without an assessment."""
    click.echo(f"{tree.n_objects} objects, {of_what}, {method}")
    clusters = _output.choose_clusters(tree, n_clusters)
    click.echo(text_tree(tree, None if clusters is None else clusters.n_clusters))
    _output.print_clusters(tree, clusters)
    if folder is not None:
        _output.write_tree(tree, folder, clusters=clusters, min_support=None)


def _show_first_tree(
    comparisons: ListedComparisons,
    initial_clusters: list[list[int]] | None,
    folder: Path | None,
    n_clusters: int | str | None,
) -> None:
    """Write a quick tree, or print it on a terminal, if the default method takes long."""
    size = comparisons.n_objects, comparisons.n_rows
    seconds = ol.validation.estimate_seconds(DEFAULT_METHOD, *size)
    is_long = seconds > LONGEST_WAIT and comparisons.n_rows >= FEWEST_ROWS
    is_long &= method_for(comparisons, DEFAULT_METHOD).name != "blocks"  # tables would not fit
    if not is_long or (folder is None and not sys.stderr.isatty()):
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OrdlinkWarning)  # the better tree raises them
        tree = cluster(comparisons, QUICK_METHOD, initial_clusters=initial_clusters)
    clusters = _output.choose_clusters(tree, n_clusters)
    if folder is None:
        click.echo(text_tree(tree, None if clusters is None else clusters.n_clusters), err=True)
        done = f"first tree, by {QUICK_METHOD}"
    else:
        with _output.writing_into(folder):
            written = _output.write_data(tree, folder, clusters=clusters, min_support=None)
        done = f"first tree, by {QUICK_METHOD}: wrote {', '.join(written)} to {folder}"
    better = f"{DEFAULT_METHOD} looks for a better one (Ctrl-C: the best so far)"
    click.echo(f"{done}; {better}", err=True)


def _find_method_for_a_file(name: str) -> Method:
    chosen = find_method(name)
    if chosen.needs != "comparisons":
        problem = (
            "asks its own questions: it needs an oracle, not a file of answers"
            if chosen.needs == "an oracle"
            else "needs known similarities, not a file of answers"
        )
        raise InputKindError(f"{chosen.name} {problem}; use {either(_FOR_FILES)}")
    return chosen


def _method_options(chosen: Method, given: dict[str, Any]) -> dict[str, Any]:
    options = {name: value for name, value in given.items() if value is not None}
    for name in options:
        if name not in chosen.options:
            others = [other for other in _FOR_FILES if name in METHODS[other].options]
            flag = flag_namer(command.params)(name, "")
            raise click.UsageError(f"{flag} works with {', '.join(others)}, not {chosen.name}")
    return options


def _check_weighing(chosen: Method, options: dict[str, Any], n_bootstrap: int | None) -> None:
    possible = ol.validation.METHODS_FOR_WEIGHTS
    if chosen.name not in possible:
        others = ", ".join(possible)
        raise click.UsageError(f"--weigh-people works with {others}, not {chosen.name}")
    if options.get("repeats") == "majority":
        raise click.UsageError(
            "--weigh-people always takes the net count of repeated answers; omit --repeats"
        )
    if n_bootstrap is not None:
        raise click.UsageError("--support cannot be combined with --weigh-people")


def _check_support(
    n_bootstrap: int | None, min_support: float | None, *, consensus: bool
) -> float | None:
    """Return the smallest support as a share."""
    if n_bootstrap is None and (consensus or min_support is not None):
        flag = "--consensus" if min_support is None else "--min-support"
        raise click.UsageError(f"{flag} requires --support")
    return _output.support_share(min_support)


def _check_output(answers: Sequence[str], out: str | None, pictures: str | None) -> Path | None:
    if pictures is not None:
        if out is None:
            raise click.UsageError("--pictures requires --out, the folder for the figure")
        picture_files(pictures)  # refuses a folder that cannot be read
    if out is None:
        return None
    folder = _output.check_folder(out)
    _output.refuse_overwrite(answers, [folder / name for name in _output.TREE_FILES])
    return folder


def _read(
    answers: Sequence[str],
    exclude: tuple[str, ...],
    n_clusters: int | str | None,
    reading: dict[str, Any],
) -> ListedComparisons:
    comparisons = read_answers(answers, **reading)
    n_objects = comparisons.n_objects
    if comparisons.names is None and reading["n_objects"] is None:
        refuse_scattered_numbers(answers, comparisons)
    if isinstance(n_clusters, int) and n_clusters > n_objects:
        raise InputError(
            f"expected at most {n_objects:,}, the number of objects, got {n_clusters}",
            parameter="n_clusters",
        )
    if not exclude:
        return comparisons
    with parameters_called(names="exclude"):
        kept = ol.validation.without_annotators(comparisons, exclude)
    n_excluded = counted(comparisons.n_comparisons - kept.n_comparisons, "comparison")
    click.echo(f"excluded on request: {', '.join(dict.fromkeys(exclude))}, with {n_excluded}")
    return kept


def _run_test(
    comparisons: ListedComparisons, method: str, seed: int, options: dict[str, Any]
) -> ol.validation.HierarchyTest | None:
    """Return the test for a hierarchy, or warn why there is none."""
    try:
        with progress_bar("hierarchy test") as progress:
            return ol.validation.hierarchy_test(
                comparisons, method, seed=seed, progress=progress, **options
            )
    except InputError as error:
        warn_in_a_line(f"hierarchy test: {error}")
        return None


def _add_support(
    tree: Hierarchy, answers: ListedComparisons, method: str, *, consensus: bool, **settings: Any
) -> tuple[Hierarchy, Hierarchy | None]:
    """Return the tree with bootstrap support, and if wanted the consensus of bootstrap trees."""
    with progress_bar("support") as progress, warnings.catch_warnings():
        warnings.simplefilter("ignore", OrdlinkWarning)  # the tree itself has raised them all
        found = ol.validation.branch_support(
            answers, method, tree=tree, progress=progress, **settings
        )
    drawn = {name: settings[name] for name in ("n_bootstrap", "seed")}
    about = {**drawn, "shares": found.shares.tolist(), "transfers": found.transfers.tolist()}
    supported = found.tree.with_origin(
        tree.method or method, {**tree.parameters, "branch_support": about}
    )
    return supported, found.consensus().with_origin(_output.CONSENSUS, drawn) if consensus else None


def _print_assessment(
    tree: Hierarchy,
    consensus: Hierarchy | None,
    test: ol.validation.HierarchyTest | None,
    min_support: float | None,
) -> None:
    if "branch_support" in tree.parameters:
        drawn = tree.parameters["branch_support"]
        click.echo(
            f"numbers: bootstrap support in percent, from {drawn['n_bootstrap']:,} samples (seed "
            f"{drawn['seed']}), shown where there is room; 95 or more is firm, below 50 is no "
            f"evidence"
        )
        n_firm = len(ol.validation.firm_branches(tree))
        branches = counted(max(tree.n_objects - 2, 0), "branch", "branches")
        click.echo(f"firm: {n_firm} of {branches}")
    if min_support is not None:
        support = tree.support[:-1]
        click.echo(
            f"collapsed: {int((support < min_support).sum())} of {len(support)} branches, with "
            f"support below {100 * min_support:g}"
        )
    if consensus is not None:
        groups = counted(int((consensus.support[:-1] > _output.MAJORITY).sum()), "group")
        click.echo(f"\nconsensus: {groups}, each in more than half of the bootstrap trees")
        click.echo(text_tree(consensus, min_support=_output.MAJORITY))
    if test is not None:
        evidence = "evidence" if test.is_significant else "no evidence"
        click.echo(f"hierarchy test: p = {test.p_value:.3f}, {evidence} of a hierarchy")
