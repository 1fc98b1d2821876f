"""The folder for results, and the files that a tree is written to."""

from __future__ import annotations

import contextlib
import csv
import io
import itertools
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

import ordlink as ol
from ordlink._atomic import write_text
from ordlink._text import counted
from ordlink.cli._tables import CLUSTERS_HEADER
from ordlink.datasets import AnswerSet, FeatureTable
from ordlink.errors import InputError, OrdlinkError
from ordlink.hierarchy import Hierarchy, Partition

CLASS_HEADER = ("name", "class")
CONSENSUS, MAJORITY = "consensus", 0.5
"""The method that a consensus tree names, and the share of bootstrap trees that makes a group."""
CONSENSUS_FILES = ("consensus.json", "consensus.nwk")
FIGURES = ("tree.pdf", "tree.svg", "tree.png")
TREE_FILES = ("tree.json", "tree.nwk", "linkage.csv", "clusters.csv", *CONSENSUS_FILES, *FIGURES)
"""The files that `write_tree` may write."""
MOST_SIZES = 20  # of clusters that are printed


def check_folder(path: str) -> Path:
    """Return the folder after checking that it can be created and written to."""
    if not path.strip():
        raise InputError("expected the name of a folder, got an empty one", parameter="out")
    folder = nearest = Path(path)
    try:
        while not nearest.exists():
            nearest = nearest.parent
        is_folder = nearest.is_dir()
        if is_folder:
            _try_to_write(nearest)
    except (OSError, ValueError) as error:
        raise _unwritable(path, error) from error
    if not is_folder:
        raise InputError(
            f"{nearest} is a file", where=path, remedy="choose another folder with {out}"
        )
    return folder


def check_file(path: str | None, parameter: str) -> Path | None:
    """Return the file after checking that its folder exists and is writable."""
    if path is None:
        return None
    file = Path(path)
    if not path.strip() or file.is_dir():
        raise InputError(f"expected the name of a file, got {path!r}", parameter=parameter)
    if not file.parent.is_dir():
        raise InputError(
            f"there is no folder {file.parent}", parameter=parameter, remedy="create it first"
        )
    if not file.exists() or file.is_file():  # no device or pipe
        try:
            _try_to_write(file.parent)
        except OSError as error:
            raise InputError(
                f"no file can be created in {file.parent} ({error.strerror or error})",
                parameter=parameter,
                remedy="choose another folder",
            ) from error
    return file


def _try_to_write(folder: Path) -> None:
    with tempfile.TemporaryFile(dir=folder):  # permissions alone do not tell
        pass


TABLES = (".csv", ".tsv", ".json", ".jsonl", ".parquet", ".npz")


def refuse_overwrite(inputs: Iterable[str | None], outputs: Iterable[str | Path | None]) -> None:
    """Refuse to overwrite an input file."""
    for given, output in itertools.product(inputs, outputs):
        if given in (None, "-") or output is None:
            continue
        is_same = False
        # In a folder of answers, a table would be read as one of them.
        in_folder = Path(str(given)).is_dir() and Path(output).suffix in TABLES
        with contextlib.suppress(OSError, ValueError):  # one does not exist, or is not a path
            is_same = Path(str(given)).samefile(Path(output).parent if in_folder else output)
        if is_same:
            raise InputError(
                "the output would overwrite an input file",
                where=str(output),
                remedy="choose another name or folder",
            )


@contextmanager
def writing_into(folder: Path) -> Iterator[Path]:
    """Create the folder; if the block fails, new folders that are still empty are removed."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _unwritable(str(folder), error) from error
        yield folder
    except BaseException:
        for path in missing:
            with contextlib.suppress(OSError):
                path.rmdir()
        raise


def _unwritable(path: str, error: Exception) -> InputError:
    reason = getattr(error, "strerror", None) or error
    return InputError(
        f"cannot write into this folder ({reason})",
        where=path,
        remedy="choose another one with {out}",
    )


def remove_stale(path: Path, *starts: str) -> None:
    """Remove a file left by an earlier run, if its text starts like one of ours."""
    with contextlib.suppress(OSError, ValueError):
        if path.is_file() and path.read_text(encoding="utf-8").startswith(starts or ""):
            path.unlink()
            click.echo(f"removed {path.name}, left by an earlier run, from {path.parent}")


def choose_clusters(tree: Hierarchy, n_clusters: int | str | None) -> Partition | None:
    """Return the clusters of a number or of "auto", or None without one."""
    if n_clusters is None:
        return None
    if isinstance(n_clusters, int) and n_clusters > tree.n_objects:
        raise InputError(
            f"expected at most {tree.n_objects:,}, the number of objects, got {n_clusters}",
            parameter="n_clusters",
        )
    return tree.partition(n_clusters if isinstance(n_clusters, int) else None)


def print_clusters(tree: Hierarchy, clusters: Partition | None) -> None:
    """Print the sizes of clusters and what is set aside; without clusters, a suggestion."""
    if clusters is None:
        if tree.has_evidence and tree.n_objects > 2:
            found = tree.partition()
            click.echo(f"suggested: --clusters {found.n_clusters}, since {found.reason}")
        return
    sizes = ", ".join(f"{size:,}" for size in clusters.sizes[:MOST_SIZES])
    sizes += " ..." if clusters.n_clusters > MOST_SIZES else ""
    why = "" if clusters.reason.startswith("as requested") else f": {clusters.reason}"
    number = counted(clusters.n_clusters, "cluster")
    click.echo(f"{number} of {sizes} {'object' if sizes == '1' else 'objects'}{why}")
    if clusters.set_aside:
        names = ", ".join(tree.name_of(i) for i in clusters.set_aside)
        click.echo(f"set aside: {names}")
    if not tree.has_evidence:
        click.echo("clusters by merge order: without answers, none are better supported")


def write_tree(
    tree: Hierarchy,
    folder: Path,
    *,
    clusters: Partition | None = None,
    min_support: float | None = None,
    consensus: Hierarchy | None = None,
    pictures: Sequence[Path | None] | None = None,
) -> None:
    """Write the tree, its clusters and the consensus as `TREE_FILES`; print their names.

    Files left by an earlier run that do not belong to this tree are removed.
    """
    n_clusters = None if clusters is None else clusters.n_clusters
    drawing: Any = {"n_clusters": n_clusters, "min_support": min_support, "pictures": pictures}
    with writing_into(folder):
        figures = [folder / name for name in FIGURES]
        ol.plotting.save_plots(tree, figures, **drawing)  # first: pictures may be unreadable
        written = write_data(tree, folder, clusters=clusters, min_support=min_support)
        if consensus is None:
            with contextlib.suppress(OrdlinkError):  # consensus.json tells whether they are ours
                if Hierarchy.load(folder / "consensus.json").method == CONSENSUS:
                    for name in reversed(CONSENSUS_FILES):
                        remove_stale(folder / name)
        else:
            consensus.save(folder / "consensus.json")
            newick = consensus.to_newick(min_support=MAJORITY)
            write_text(folder / "consensus.nwk", newick + "\n")
            written += CONSENSUS_FILES
    click.echo(f"wrote {', '.join([*written, *FIGURES])} to {folder}")
    if not tree.has_heights:
        click.echo("lengths in tree.nwk are merge ranks, not distances: there are no answers")


def write_data(
    tree: Hierarchy, folder: Path, *, clusters: Partition | None, min_support: float | None
) -> list[str]:
    """Write the tree and its clusters, without figures; return the names of the files."""
    tree.save(folder / "tree.json")
    write_text(folder / "tree.nwk", tree.to_newick(min_support=min_support) + "\n")
    _write_linkage(tree, folder / "linkage.csv")
    written = ["tree.json", "tree.nwk", "linkage.csv"]
    if clusters is None:
        remove_stale(folder / "clusters.csv", ",".join(CLUSTERS_HEADER) + "\n")
        return written
    numbers = ["" if label < 0 else label + 1 for label in clusters.labels.tolist()]
    table = [[i, tree.name_of(i), number] for i, number in enumerate(numbers)]
    write_csv(folder / "clusters.csv", CLUSTERS_HEADER, table)
    return [*written, "clusters.csv"]


def support_share(min_support: float | None) -> float | None:
    """Return the smallest support as a share, or refuse what is one already."""
    if min_support is None:
        return None
    if 0 < min_support < 1:
        raise InputError(
            f"expected a percentage, got {min_support:g}",
            parameter="min_support",
            remedy=f"for a share of {min_support:g} pass {{min_support:{100 * min_support:g}}}",
        )
    return min_support / 100


def _write_linkage(tree: Hierarchy, path: Path) -> None:
    """Write one line per merge; what the tree does not have has no column.

    The column "rank" is SciPy's height, which is not a distance.
    """
    columns = tree.merge_columns() | {"tied": tree.tied.astype(int).tolist()}
    write_csv(path, list(columns), zip(*columns.values(), strict=True))


def write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    write_text(path, text.getvalue())


def class_rows(data: AnswerSet | FeatureTable) -> list[tuple[str, str]]:
    """Return the name and the class of each object."""
    labels = [] if data.classes is None else data.classes.tolist()
    return [(name, data.class_names[label]) for name, label in zip(data.names, labels, strict=True)]
