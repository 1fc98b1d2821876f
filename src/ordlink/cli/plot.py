"""`ordlink plot`: the figure of a tree, for a paper."""

from __future__ import annotations

from typing import Any

import click

import ordlink as ol
from ordlink.cli import _options, _output
from ordlink.cli._answers import find_pictures, picture_files, read_answers_about
from ordlink.cli._console import progress_bar, progress_flag
from ordlink.hierarchy import Hierarchy
from ordlink.io import read_names
from ordlink.methods.adds import adds_similarity

_WIDTHS = {"one-column": 1, "two-columns": 2}
SECONDS_PER_LEAF, MOST_DRAWN = 2e-3, 1000  # about; more leaves than fit a page are not drawn
_HEIGHTS = ("auto", "cladogram", "dissimilarity", *ol.plotting.HEIGHTS)


@_options.command(
    "plot",
    "ordlink plot results/tree.json --out figure.pdf",
    "ordlink plot tree.json --clusters 4 --cluster-names 'vans,sports cars,trucks,others'",
    "ordlink plot tree.json --pictures images --shape radial --out figure.pdf --out figure.png",
    "ordlink plot tree.json --width one-column --page letter --order name --min-support 50",
    "ordlink plot tree.json --order optimal --answers answers.csv --form triplet",
)
@click.argument("tree_file", metavar="TREE")
@click.option(
    "--out",
    "outs",
    multiple=True,
    metavar="FILE",
    help="Figure to write: .pdf, .svg or .png; can be repeated (default: figure.pdf).",
)
@_options.choice(
    "--shape",
    ol.plotting.SHAPES,
    default="left",
    help="Root on the left, on top, or in the middle (radial).",
)
@_options.choice(
    "--page",
    (*ol.plotting.PAGES, ol.plotting.TALL),
    default="A4",
    help="Page that the figure must fit; tall: as tall as the names need.",
)
@_options.choice(
    "--width",
    _WIDTHS,
    default="two-columns",
    help="One text column, or the full text width.",
)
@_options.choice(
    "--heights",
    _HEIGHTS,
    default="auto",
    help="What heights show. cladogram: topology only. rank: the order of merges. auto: "
    "dissimilarity if the tree has it, else cladogram.",
)
@_options.clusters("Colour and number")
@click.option(
    "--cluster-names",
    metavar="A,B,...",
    help="Names of the clusters in the order of their numbers (1 is the largest).",
)
@click.option(
    "--order",
    metavar="|".join((*ol.plotting.ORDERS, "FILE")),
    default="tree",
    help="Order of the leaves: as in the file, larger clusters first, by name, similar neighbours "
    "(needs --answers), or as listed in a file, one name per line. Branches are only flipped.",
)
@_options.file("--answers", help="With --order optimal: the answers the tree was built from.")
@_options.count(
    "--max-leaves",
    lowest=2,
    help="Draw at most this many leaves; groups become triangles (default: as many as fit).",
)
@_options.pictures("")
@_options.choice(
    "--pictures-at",
    ol.plotting.PICTURES_AT,
    default="leaves",
    help="With --pictures: one at each leaf, or some for each cluster.",
)
@_options.choice(
    "--support",
    ol.plotting.SUPPORT_STYLES,
    default="signs",
    help="How bootstrap support is shown, if the tree has it.",
)
@click.option(
    "--min-support",
    type=click.FloatRange(min=0, max=100),
    metavar="PERCENT",
    help="Collapse branches with less support.",
)
@click.option("--title", help="Title above the tree.")
@click.option("--dpi", type=click.FloatRange(min=20, max=2400), default=300, help="For .png.")
@_options.reading
@progress_flag
def command(
    tree_file: str,
    reading: dict[str, Any],
    outs: tuple[str, ...],
    shape: str,
    width: str,
    cluster_names: str | None,
    order: str,
    answers: str | None,
    pictures: str | None,
    min_support: float | None,
    **settings: Any,
) -> None:
    """Draw TREE, a tree.json of 'cluster', as a figure that fits a page."""
    files = outs or ("figure.pdf",)
    for file in files:
        ol.plotting.check_drawing(file)
        _output.check_file(file, "outs")
    _output.refuse_overwrite([tree_file, answers, order], files)
    if pictures is not None:
        picture_files(pictures)  # refuses a folder that cannot be read
    if (order == "optimal") != (answers is not None):
        wrong = (
            "--answers requires --order optimal" if answers else "--order optimal needs --answers"
        )
        raise click.UsageError(wrong)
    tree = Hierarchy.load(tree_file)
    clusters = _output.choose_clusters(tree, settings["n_clusters"])
    settings["n_clusters"] = None if clusters is None else clusters.n_clusters
    of_tree: Any = tree  # it has names and a number of objects, like comparisons
    drawing = {
        **settings,
        "orientation": shape,
        "columns": _WIDTHS[width],
        "cluster_names": cluster_names and [name.strip() for name in cluster_names.split(",")],
        "order": order if order in ol.plotting.ORDERS else read_names(order),
        "similarities": None if answers is None else _similarities(tree, answers, reading),
        "min_support": _output.support_share(min_support),
        "pictures": find_pictures(pictures, of_tree, one_based=reading["one_based"]),
    }
    n_drawn = min(tree.n_objects, settings["max_leaves"] or tree.n_objects)
    with progress_bar("drawing", len(files) * (1.0 + SECONDS_PER_LEAF * min(n_drawn, MOST_DRAWN))):
        ol.plotting.save_plots(tree, files, **drawing)
    if clusters is not None and tree.has_evidence:
        _output.print_clusters(tree, clusters)
    click.echo(f"wrote {', '.join(files)}")


def _similarities(tree: Hierarchy, answers: str, reading: dict[str, Any]) -> Any:
    comparisons = read_answers_about(
        [answers], names=tree.names, n_objects=tree.n_objects, check_first_object=True, **reading
    )
    return adds_similarity(comparisons)
