"""`ordlink evaluate`: how good a tree is."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import click
import numpy as np

from ordlink import metrics
from ordlink._atomic import write_text
from ordlink._text import counted, quoted
from ordlink._typing import AnyArray
from ordlink.cli import _options
from ordlink.cli._answers import read_answers_about
from ordlink.cli._app import flag_namer
from ordlink.cli._console import progress_bar, progress_flag, warn_in_a_line
from ordlink.cli._output import check_file, refuse_overwrite
from ordlink.cli._tables import read_classes, read_similarities
from ordlink.errors import InputError
from ordlink.hierarchy import Hierarchy

Scores = list[tuple[str, float]]
"""Names of measures and their values."""
MOST_COMPARED = 4_000
MOST_SCORED = 12_000
"""Objects whose pairs fit into a gigabyte: for two trees, and for a tree and answers."""


@_options.command(
    "evaluate",
    "ordlink evaluate results/tree.json --classes classes.csv",
    "ordlink evaluate results/tree.json --truth planted/truth.json",
    "ordlink evaluate results/tree.json --similarities similarities.csv --json scores.json",
    "ordlink evaluate results/tree.json --answers held-out.csv --form triplet --one-based",
)
@click.argument("tree_file", metavar="TREE")
@_options.file(
    "--classes",
    help="Class of each object: name,class[,finer class...] in any order, with or without a "
    "header 'name,...'; or a single column without a header, in the order of the objects.",
)
@_options.file("--truth", help="The true tree (JSON).")
@_options.count(
    "--levels",
    help="Number of levels of the true tree to compare: 2, 4, ... clusters (default: the planted "
    "levels, or as many as possible).",
)
@_options.file(
    "--similarities",
    help="N x N matrix, CSV or .npy: Dasgupta's cost, Moseley-Wang revenue, cophenetic "
    "correlation.",
)
@_options.file(
    "--answers",
    help="Answers (e.g. held-out): print the share predicted correctly and the revenue. The "
    "options below say how to read them.",
)
@_options.file(
    "--json",
    "json_file",
    help="Write the scores to this file, with the Fowlkes-Mallows index for each number of "
    "clusters.",
)
@_options.reading
@progress_flag
@progress_bar("scores")
def command(
    tree_file: str,
    classes: str | None,
    truth: str | None,
    levels: int | None,
    similarities: str | None,
    answers: str | None,
    json_file: str | None,
    reading: dict[str, Any],
) -> None:
    """Score TREE (a tree.json) against classes, a true tree, similarities or answers."""
    if classes is truth is similarities is answers is None:
        raise click.UsageError("give at least one of --classes, --truth, --similarities, --answers")
    if levels is not None and truth is None:
        raise click.UsageError("--levels requires --truth")
    given = [name for name, value in reading.items() if value is not None]
    if answers is None and given:
        raise click.UsageError(f"{flag_namer(command.params)(given[0], '')} requires --answers")
    check_file(json_file, "json_file")
    refuse_overwrite([tree_file, classes, truth, similarities, answers], [json_file])
    tree = Hierarchy.load(tree_file)
    scores: Scores = []
    others: Scores = []
    by_clusters: dict[str, Any] = {}
    if classes is not None:
        labels, names, numbers = read_classes(classes, tree)
        titles = [f"{t} ({counted(n, 'cluster')})" for t, n in zip(names, numbers, strict=True)]
        scores += _adjusted_rand(titles, metrics.ari_per_level(labels, tree), "classes")
        if tree.has_evidence:
            scores += _best_partitions(names, labels, tree, numbers)
        others += _measure_levels(tree, labels, "classes", classes)
        levels_cut = [int(level.max()) + 1 for level in labels]
        by_clusters["classes"] = _cuts(levels_cut, metrics.fowlkes_mallows(labels, tree))
    if truth is not None:
        true_tree = Hierarchy.load(truth)
        _check_same_objects(tree, tree_file, true_tree, truth)
        cuts = _true_cuts(true_tree, truth, levels)
        titles = [f"truth ({number} clusters)" for number in cuts]
        values = metrics.ari_per_level(true_tree, tree, n_levels=len(cuts))
        scores += _adjusted_rand(titles, values, "truth")
        if tree.n_objects > MOST_COMPARED:
            warn_in_a_line(
                f"only ARI is computed: the other measures compare all pairs of at most "
                f"{MOST_COMPARED:,} objects, and these are {tree.n_objects:,}"
            )
        elif levels is None and true_tree.method != "planted":
            others += _measure_tree(tree, true_tree, cuts)
            every = list(range(2, tree.n_objects))
            together = metrics.fowlkes_mallows(true_tree, tree, n_clusters=every) if every else ()
            by_clusters["truth"] = _cuts(every, together)
        else:
            labels = true_tree.levels(cuts)
            others += _measure_levels(tree, labels, "truth", truth)
            by_clusters["truth"] = _cuts(cuts, metrics.fowlkes_mallows(labels, tree))
    if similarities is not None:
        others += _score_similarities(tree, similarities)
    if answers is not None:
        others += _score_answers(tree, answers, reading)
    scores += others
    width = max(30, *(len(name) for name, _ in scores))
    right = max(len(f"{value:.4f}") for _, value in scores)
    for name, value in scores:
        click.echo(f"{name:{width}} {value:>{right}.4f}")
    if json_file is not None:
        content = {"scores": dict(scores), "fowlkes_mallows": by_clusters}
        write_text(json_file, json.dumps(content, indent=1) + "\n")
        click.echo(f"wrote {json_file}")


def _cuts(numbers: list[int], values: Iterable[float]) -> list[dict[str, float]]:
    pairs = zip(numbers, map(float, values), strict=True)
    return [{"n_clusters": number, "value": value} for number, value in pairs]


def _adjusted_rand(titles: list[str], values: AnyArray, what: str) -> Scores:
    """Return the ARI of each level, and their mean unless classes have a single level."""
    scores = [(f"ARI, {t}", float(value)) for t, value in zip(titles, values, strict=True)]
    if what == "truth" or len(values) > 1:
        scores.append((f"AARI, {what}", float(values.mean())))
    return scores


def _best_partitions(
    titles: list[str], labels: AnyArray, tree: Hierarchy, numbers: list[int]
) -> Scores:
    """Return the ARI of the clusters that the answers support best, as many as classes."""
    found = [tree.partition(min(number, tree.n_objects)).labels for number in numbers]
    return [
        (
            f"ARI, {title} ({number} clusters supported best)",
            metrics.adjusted_rand_index(level, own),
        )
        for title, number, level, own in zip(titles, numbers, labels, found, strict=True)
    ]


def _measure_levels(tree: Hierarchy, levels: AnyArray, what: str, path: str) -> Scores:
    purities = [metrics.dendrogram_purity(level, tree) for level in levels]
    scores = [
        (f"Fowlkes-Mallows, {what}", float(metrics.fowlkes_mallows(levels, tree).mean())),
        (f"dendrogram purity, {what}", sum(purities) / len(purities)),
    ]
    try:
        return [*scores, *_distances(tree, levels, what)]
    except InputError:
        warn_in_a_line(
            "Robinson-Foulds and triplet distance are left out: the columns of classes in "
            f"{path} are not nested"
        )
        return scores


def _measure_tree(tree: Hierarchy, truth: Hierarchy, cuts: list[int]) -> Scores:
    together = metrics.fowlkes_mallows(truth, tree, n_clusters=cuts)
    scores = [("Fowlkes-Mallows, truth", float(together.mean()))]
    scores += _distances(tree, truth, "truth")
    if tree.n_objects > 2:
        scores += [("cophenetic correlation, truth", metrics.cophenetic_correlation(truth, tree))]
    return scores


def _distances(tree: Hierarchy, truth: AnyArray | Hierarchy, what: str) -> Scores:
    return [
        (f"Robinson-Foulds, {what} (0 best)", metrics.normalised_robinson_foulds(truth, tree)),
        (f"triplet distance, {what} (0 best)", metrics.triplet_distance(truth, tree)),
    ]


def _check_same_objects(tree: Hierarchy, tree_file: str, truth: Hierarchy, path: str) -> None:
    if truth.n_objects != tree.n_objects:
        raise InputError(
            f"expected {counted(tree.n_objects, 'object')} as in {tree_file}, got "
            f"{truth.n_objects}; compare trees of the same objects",
            where=path,
        )
    for i, (name, other) in enumerate(zip(truth.names or (), tree.names or (), strict=False)):
        if name != other:
            raise InputError(
                f"object {i} is {quoted(name)}, but {quoted(other)} in {tree_file}; "
                "compare trees of the same objects in the same order",
                where=path,
            )


def _true_cuts(truth: Hierarchy, path: str, asked: int | None) -> list[int]:
    """Return the numbers of clusters to compare at: 2, 4, ... for the levels of the true tree."""
    most = truth.n_objects.bit_length() - 1  # the largest l with 2**l <= n_objects
    if most == 0:
        raise InputError("a tree of one object has no levels to compare", where=path)
    if asked is not None and asked > most:
        raise InputError(
            f"{path} has {counted(truth.n_objects, 'object')}, so at most "
            f"{counted(most, 'level')} ({2**most} clusters), got {asked}",
            parameter="levels",
        )
    planted = truth.parameters.get("depth") if truth.method == "planted" else None
    if planted == 0 and asked is None:
        raise InputError("this tree was planted without levels", where=path, remedy="pass {levels}")
    known = planted if isinstance(planted, int) and 0 < planted <= most else most
    return [2**level for level in range(1, (asked or known) + 1)]


def _score_similarities(tree: Hierarchy, path: str) -> Scores:
    matrix = read_similarities(path, n_objects=tree.n_objects)
    outside = matrix[np.triu_indices(len(matrix), 1)]
    scores = [("Dasgupta's cost", metrics.dasgupta_cost(matrix, tree))]
    if (outside < 0).any():
        warn_in_a_line(f"the normalised cost is left out: {path} has negative similarities")
    else:
        normalised = metrics.normalised_dasgupta_cost(matrix, tree)
        scores.append(("normalised (0 best, 1 worst)", normalised))
    scores.append(("Moseley-Wang revenue", metrics.moseley_wang_revenue(matrix, tree)))
    if tree.n_objects > 2 and outside.min() < outside.max():
        scores.append(("cophenetic correlation", metrics.cophenetic_correlation(matrix, tree)))
    return scores


def _score_answers(tree: Hierarchy, path: str, reading: dict[str, Any]) -> Scores:
    if tree.n_objects > MOST_SCORED:
        problem = f"a tree of {tree.n_objects:,} objects cannot be compared with answers"
        raise InputError(f"{problem}, which is limited to {MOST_SCORED:,} objects")
    try:
        comparisons = read_answers_about(
            [path], names=tree.names, n_objects=tree.n_objects, check_first_object=True, **reading
        )
    except InputError as error:
        raise InputError(_about_the_tree(error)) from error
    if tree.names is None and comparisons.names is not None:
        warn_in_a_line(
            f"{path} names its objects, the tree does not: {quoted(comparisons.names[0])} is taken "
            f"as object 0, and so on"
        )
    return [
        ("comparisons predicted", metrics.comparison_accuracy(comparisons, tree)),
        ("comparison revenue (-1 to 1)", metrics.normalised_comparison_revenue(comparisons, tree)),
    ]


def _about_the_tree(error: InputError) -> str:
    """Return a message about answers: names and number of objects are the tree's, not options."""
    of_tree, tree = ("names", "n_objects"), "another tree"
    if error.parameter in of_tree:
        tree, error.remedy = "the tree", None
    name_flag = flag_namer(command.params)
    return error.render(lambda name, value: tree if name in of_tree else name_flag(name, value))
