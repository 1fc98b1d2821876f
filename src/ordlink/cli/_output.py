"""The folder for results, and the files that a tree is written to."""

from __future__ import annotations

import contextlib
import csv
import io
import itertools
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click
import numpy as np

from ordlink._atomic import write_text
from ordlink.errors import InputError, OrdlinkError
from ordlink.hierarchy import Hierarchy

CLUSTERS_HEADER = ("object", "name", "cluster")
CONSENSUS, MAJORITY = "consensus", 0.5
"""The method that a consensus tree names, and the share of bootstrap trees that makes a group."""
TREE_FILES = (
    "tree.json",
    "tree.nwk",
    "linkage.csv",
    "clusters.csv",
    "consensus.json",
    "consensus.nwk",
    "tree.png",
)
"""The files that `write_tree` may write."""


def check_folder(path: str) -> Path:
    """Return the folder after checking that it can be made and written; it is not made yet."""
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
    """Return the file after checking that its folder exists and can be written."""
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
    """Create an unnamed file, which disappears at once; permissions alone do not tell."""
    with tempfile.TemporaryFile(dir=folder):
        pass


def refuse_overwrite(inputs: Iterable[str | None], outputs: Iterable[str | Path | None]) -> None:
    """Refuse to write over a file that is read."""
    for given, output in itertools.product(inputs, outputs):
        if given in (None, "-") or output is None:
            continue
        is_same = False
        with contextlib.suppress(OSError, ValueError):  # one does not exist, or is not a path
            is_same = Path(str(given)).samefile(output)
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


def remove_stale(path: Path, is_ours: Callable[[str], bool]) -> None:
    """Remove a file of an earlier run that does not belong to the new ones, if its text is ours."""
    with contextlib.suppress(OSError, ValueError):
        if path.is_file() and is_ours(path.read_text(encoding="utf-8")):
            path.unlink()
            click.echo(f"removed {path.name} of an earlier run from {path.parent}")


def write_tree(
    tree: Hierarchy,
    folder: Path,
    *,
    n_clusters: int | None = None,
    pictures: Sequence[Path | None] | None = None,
    min_support: float | None = None,
    consensus: Hierarchy | None = None,
) -> None:
    """Write the tree, its cut and the consensus as `TREE_FILES`; print their names.

    Files of an earlier run that do not belong to this tree are removed.
    """
    from ordlink.plotting import save_plot

    with writing_into(folder):
        save_plot(  # first of all: pictures may turn out to be unreadable
            tree,
            folder / "tree.png",
            n_clusters=n_clusters,
            pictures=pictures,
            min_support=min_support,
        )
        tree.save(folder / "tree.json")
        write_text(folder / "tree.nwk", tree.to_newick(min_support=min_support) + "\n")
        _write_linkage(tree, folder / "linkage.csv")
        written = ["tree.json", "tree.nwk", "linkage.csv"]
        if n_clusters is None:
            header = ",".join(CLUSTERS_HEADER) + "\n"
            remove_stale(folder / "clusters.csv", lambda text: text.startswith(header))
        else:
            labels = tree.cut(n_clusters)
            table = [[i, tree.name_of(i), int(label)] for i, label in enumerate(labels)]
            write_csv(folder / "clusters.csv", CLUSTERS_HEADER, table)
            written.append("clusters.csv")
        if consensus is None:
            with contextlib.suppress(OrdlinkError):  # consensus.json tells whether they are ours
                if Hierarchy.load(folder / "consensus.json").method == CONSENSUS:
                    for name in ("consensus.nwk", "consensus.json"):
                        remove_stale(folder / name, lambda _text: True)
        else:
            consensus.save(folder / "consensus.json")
            newick = consensus.to_newick(min_support=MAJORITY)
            write_text(folder / "consensus.nwk", newick + "\n")
            written += ["consensus.json", "consensus.nwk"]
    click.echo(f"wrote {', '.join([*written, 'tree.png'])} to {folder}")


def _write_linkage(tree: Hierarchy, path: Path) -> None:
    """Write one line per merge; the column "support" only if the tree has support."""
    has_support = bool(np.isfinite(tree.support).any())
    header = ["cluster_1", "cluster_2", "height", "size", "score", "tied"]
    rows = [
        [*map(int, merge), _known(score), int(tied)] + [_known(support)] * has_support
        for merge, score, tied, support in zip(
            tree.linkage, tree.scores, tree.tied, tree.support, strict=True
        )
    ]
    write_csv(path, header + ["support"] * has_support, rows)


def _known(number: float) -> str:
    """Return the cell for a number: empty for NaN."""
    return "" if np.isnan(number) else repr(float(number))


def write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a CSV file, whole or not at all."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    write_text(path, text.getvalue())
