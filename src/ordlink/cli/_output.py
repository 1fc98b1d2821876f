"""The files that a tree is written to."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import click

from ordlink.atomic import write_text
from ordlink.errors import InputError
from ordlink.hierarchy import Hierarchy


def make_folder(path: str) -> Path:
    """Return the folder, made if need be; it must be writable before any work is done."""
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".ordlink-write-test"
        probe.write_bytes(b"")
        probe.unlink()
    except OSError as error:
        raise InputError(
            f"{path}: cannot write into this folder ({error.strerror or error}); "
            "choose another one with --out"
        ) from error
    return folder


def write_tree(tree: Hierarchy, folder: Path, *, n_clusters: int | None = None) -> None:
    """Write tree.json, tree.nwk, linkage.csv, tree.png and, for a cut, clusters.csv; list them."""
    tree.save(folder / "tree.json")
    write_text(folder / "tree.nwk", tree.to_newick() + "\n")
    merges = zip(tree.linkage, tree.scores, tree.tied, strict=True)
    header = ["cluster_1", "cluster_2", "height", "size", "score", "tied"]
    rows = [
        [
            int(a),
            int(b),
            int(height),
            int(size),
            "" if score != score else repr(float(score)),
            int(tie),
        ]
        for (a, b, height, size), score, tie in merges
    ]
    _write_csv(folder / "linkage.csv", header, rows)
    written = ["tree.json", "tree.nwk", "linkage.csv"]
    if n_clusters is not None:
        labels = tree.cut(n_clusters)
        table = [[i, tree.name_of(i), int(label)] for i, label in enumerate(labels)]
        _write_csv(folder / "clusters.csv", ["object", "name", "cluster"], table)
        written.append("clusters.csv")
    from ordlink.plotting import save_plot

    save_plot(tree, folder / "tree.png", n_clusters=n_clusters)
    click.echo(f"wrote {', '.join([*written, 'tree.png'])} to {folder}")


def _write_csv(path: Path, header: list[str], rows: list[list[object]]) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    write_text(path, text.getvalue())
