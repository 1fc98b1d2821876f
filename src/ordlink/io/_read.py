"""Comparisons from a file of any format."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ordlink.comparisons._listed import ListedComparisons
from ordlink.comparisons._pairs import check_n_objects
from ordlink.io._formats import find_format
from ordlink.io._jsonl import read_jsonl
from ordlink.io._npz import read_npz
from ordlink.io._parquet import read_parquet
from ordlink.io._source import Readable, Source
from ordlink.io._table import Options
from ordlink.io._text import read_text

_READERS: dict[str, Callable[[Source, Options], ListedComparisons]] = {
    "csv": lambda source, options: read_text(source, options, delimiters="\t;,"),
    "tsv": lambda source, options: read_text(source, options, delimiters="\t"),
    "parquet": read_parquet,
    "npz": read_npz,
    "jsonl": read_jsonl,
}


def read_comparisons(
    path: Readable,
    *,
    form: str | None = None,
    names: Sequence[str] | None = None,
    n_objects: int | None = None,
    one_based: bool = False,
    columns: Sequence[str] | None = None,
    header: bool | None = None,
    format: str | None = None,
    skip_repeated: bool = False,
) -> ListedComparisons:
    r"""Return the comparisons in a file.

    Files that :func:`write_comparisons` wrote need no options. Any other table of answers has one
    row per answer and a column for each object; ``docs/file-format.md`` says how columns are
    recognised.

    Parameters
    ----------
    path : path or binary file object
        .csv, .tsv, .parquet, .npz, .jsonl or .ndjson; or e.g. ``sys.stdin.buffer``.
    form : str, optional
        What a row means: quadruplet, triplet, most-central or odd-one-out. Needed for three
        columns whose names do not tell it.
    names : sequence of str, optional
        Name of each object. Objects in the file may be numbers or these names.
    n_objects : int, optional
        Number of objects, if some may never be named.
    one_based : bool
        Whether numbers count from 1.
    columns : sequence of str, optional
        Names of the columns that hold the objects, in the order of the form.
    header : bool, optional
        Whether the first row of a text file names the columns; recognised by default.
    format : str, optional
        csv, tsv, parquet, npz or jsonl, if the extension does not tell it; csv for file objects.
    skip_repeated : bool
        Whether to leave out rows that name an object twice where different ones are needed, such
        as attention checks, with a warning; they are refused by default.

    Returns
    -------
    ListedComparisons

    Raises
    ------
    InputError
        If the file cannot be read, or a row is not an answer about known objects; the message
        names file, line and remedy.

    Examples
    --------
    >>> import io
    >>> c = read_comparisons(io.BytesIO(b"anchor,closer,farther\ncat,dog,bee\ndog,cat,bee\n"))
    >>> c.names, c.quadruplets.tolist()
    (('bee', 'cat', 'dog'), [[1, 2, 0, 1], [1, 2, 0, 2]])
    """
    source = Source.of(path)
    reader = _READERS[find_format(source.path, format)]
    n_objects = None if n_objects is None else check_n_objects(n_objects)
    return reader(
        source, Options(form, names, n_objects, one_based, columns, header, skip_repeated)
    )
