"""The folder for results, and the files that a tree is written to."""

from __future__ import annotations

import contextlib
import csv
import io
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click

from ordlink._atomic import write_text
from ordlink.errors import InputError, OrdlinkError
from ordlink.hierarchy import Hierarchy

CLUSTERS_HEADER = ("object", "name", "cluster")
CONSENSUS, MAJORITY = "consensus", 0.5
"""What a consensus tree says of its origin, and the share of the replicates that makes a group."""


def check_folder(path: str) -> Path:
    """Return the folder after checking that it can be made and written; it is not made yet."""
    if not path.strip():
        raise InputError("--out is empty; give the name of a folder, for example --out results")
    folder = Path(path)
    try:
        nearest = folder
        while not nearest.exists():
            nearest = nearest.parent
        if not nearest.is_dir():
            raise InputError(f"{path}: {nearest} is a file; choose another folder with --out")
        _try_to_write(nearest)
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise _unwritable(path, error) from error
    return folder


TREE_FILES = (
    "tree.json",
    "tree.nwk",
    "linkage.csv",
    "clusters.csv",
    "consensus.json",
    "consensus.nwk",
    "tree.png",
)
"""What `write_tree` may write."""


def check_file(path: str | None, option: str) -> Path | None:
    """Return the file after checking that its folder is there and can be written."""
    if path is None:
        return None
    file = Path(path)
    if not path.strip() or file.is_dir():
        raise InputError(f"{option} {path!r}: expected the name of a file")
    if not file.parent.is_dir():
        raise InputError(f"{option} {path}: there is no folder {file.parent}; make it first")
    if not file.exists() or file.is_file():  # no device or pipe
        try:
            _try_to_write(file.parent)
        except OSError as error:
            reason = error.strerror or error
            raise InputError(
                f"{option} {path}: no file can be made in {file.parent} ({reason}); choose another "
                "place"
            ) from error
    return file


def _try_to_write(folder: Path) -> None:
    """Make a file without a name, which is gone at once; permissions alone do not tell."""
    with tempfile.TemporaryFile(dir=folder):
        pass


def keep_answers(answers: str, *outputs: str | Path | None) -> None:
    """Refuse to write over the file of answers."""
    for output in outputs:
        keep_input(answers, output, "the answers")


def keep_input(given: str | None, output: str | Path | None, what: str) -> None:
    """Refuse to write over a file that was given; `what` it holds."""
    if given in (None, "-") or output is None:
        return
    if _are_one_file(str(given), output):
        raise InputError(
            f"{output}: this file holds {what}, and would be written over; choose another name or "
            "folder"
        )


def _are_one_file(one: str, other: str | Path) -> bool:
    try:
        return Path(one).samefile(other)
    except (OSError, ValueError):  # one of them is not there, or no path at all
        return False


@contextmanager
def writing_into(folder: Path) -> Iterator[Path]:
    """Make the folder; where the block fails, folders that were made and are empty go again."""
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
        f"{path}: cannot write into this folder ({reason}); choose another one with --out"
    )


def remove_stale(path: Path, is_ours: Callable[[str], bool]) -> None:
    """Remove a file that an earlier run left beside new ones that it does not belong to.

    Only what `is_ours` recognises by its text is removed.
    """
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
    """Write the tree and, where given, its cut and the consensus; list the files of `TREE_FILES`.

    Those of an earlier run that do not belong to this tree are removed.
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
        if n_clusters is None:
            header = ",".join(CLUSTERS_HEADER) + "\n"
            remove_stale(folder / "clusters.csv", lambda text: text.startswith(header))
        tree.save(folder / "tree.json")
        write_text(folder / "tree.nwk", tree.to_newick(min_support=min_support) + "\n")
        _write_linkage(tree, folder / "linkage.csv")
        written = ["tree.json", "tree.nwk", "linkage.csv"]
        if n_clusters is not None:
            labels = tree.cut(n_clusters)
            table = [[i, tree.name_of(i), int(label)] for i, label in enumerate(labels)]
            write_csv(folder / "clusters.csv", CLUSTERS_HEADER, table)
            written.append("clusters.csv")
        if consensus is None:
            _remove_stale_consensus(folder)
        else:
            consensus.save(folder / "consensus.json")
            newick = consensus.to_newick(min_support=MAJORITY)
            write_text(folder / "consensus.nwk", newick + "\n")
            written += ["consensus.json", "consensus.nwk"]
    click.echo(f"wrote {', '.join([*written, 'tree.png'])} to {folder}")


def _remove_stale_consensus(folder: Path) -> None:
    """Remove a consensus of an earlier run; consensus.json tells whether it is one of ours."""
    with contextlib.suppress(OrdlinkError):
        if Hierarchy.load(folder / "consensus.json").method == CONSENSUS:
            for name in ("consensus.nwk", "consensus.json"):
                remove_stale(folder / name, lambda _text: True)


def _write_linkage(tree: Hierarchy, path: Path) -> None:
    merges = zip(tree.linkage, tree.scores, tree.tied, strict=True)
    header = ["cluster_1", "cluster_2", "height", "size", "score", "tied"]
    support = tree.support
    if support is not None:
        header.append("support")
    rows = [
        [
            int(a),
            int(b),
            int(height),
            int(size),
            _known(score),
            int(tie),
            *([] if support is None else [_known(support[number])]),
        ]
        for number, ((a, b, height, size), score, tie) in enumerate(merges)
    ]
    write_csv(path, header, rows)


def _known(number: float) -> str:
    """Return a cell that is empty where the number is not known."""
    return "" if number != number else repr(float(number))


def write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a CSV file, whole or not at all."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    write_text(path, text.getvalue())
