"""`ordlink demo`: a first tree from data that ships with the package."""

from __future__ import annotations

import click

import ordlink as ol
from ordlink.cli import _options
from ordlink.cli._console import progress_bar, text_tree
from ordlink.cli._output import check_folder, print_clusters, write_tree

PROPORTION = 0.1
METHOD = "4-AL"  # so many answers say enough without the minute that the default would take


@_options.command("demo", "ordlink demo --out demo")
@_options.folder("--out", default="ordlink-demo", help="Output folder.")
@_options.seed(default=0, help="Random seed of the simulated answers.")
def command(out: str, seed: int) -> None:
    """Cluster 100 animals (Zoo) from simulated answers, and score the tree."""
    folder = check_folder(out)
    zoo = ol.datasets.load_zoo()
    similarities = zoo.similarities()
    comparisons = ol.Comparisons.from_similarities(
        similarities, PROPORTION, seed=seed, names=zoo.names
    )
    click.echo(f"Zoo: {PROPORTION:.0%} of all comparisons of 100 animals, drawn at random\n")
    click.echo(f"{comparisons.summary()}\n")
    with progress_bar(METHOD) as progress:
        tree = ol.cluster(comparisons, METHOD, progress=progress)
    n_classes = len(zoo.class_names)
    clusters = tree.partition(n_classes)
    click.echo(text_tree(tree, n_classes))
    print_clusters(tree, clusters)
    ari = ol.metrics.adjusted_rand_index(zoo.classes, clusters.labels)
    cost = ol.metrics.dasgupta_cost(similarities, tree)
    normalised = ol.metrics.normalised_dasgupta_cost(similarities, tree)
    click.echo(f"\nagreement with the {n_classes} known classes (ARI, 1 is perfect): {ari:.3f}")
    click.echo(f"Dasgupta's cost: {cost:,.0f} (normalised: {normalised:.3f}; 0 best, 1 worst)")
    click.echo(f"merges decided by a tie: {tree.n_tied_merges} of {tree.n_objects - 1}\n")
    write_tree(tree, folder, clusters=clusters)
