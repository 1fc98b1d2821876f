"""Lists of object names."""

from __future__ import annotations

import csv

from ordlink.comparisons._objects import check_names
from ordlink.errors import InputError
from ordlink.io._encoding import utf8_bytes
from ordlink.io._source import Readable, Source, prefixed, reading


def read_names(path: Readable) -> list[str]:
    r"""Return the names of the objects, in order.

    Parameters
    ----------
    path : path or binary file object
        Text with one name per line; of a table (.csv, .tsv) the first column, where a first row
        "name" is skipped.

    Returns
    -------
    list of str
        They may repeat.

    Raises
    ------
    InputError
        If the file cannot be read or a line in between is empty.

    Examples
    --------
    >>> import io
    >>> read_names(io.BytesIO(b"cat\ndog\n"))
    ['cat', 'dog']
    """
    source = Source.of(path)
    text = utf8_bytes(source.read_bytes(), source.name).decode()
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    extension = "" if source.path is None else source.path.suffix.lower()
    names = [line.strip() for line in lines]
    if extension in (".csv", ".tsv"):
        delimiter = "\t" if extension == ".tsv" else _delimiter(names[0])
        with reading(source.name, "text"):
            records = csv.reader(lines, delimiter=delimiter)
            names = [record[0].strip() if record else "" for record in records]
        if names[0].lower() == "name":
            names = names[1:]
    while names and not names[-1]:
        names.pop()
    if not names:
        raise InputError(f"{source.name}: there are no names in this file")
    if "" in names:
        raise InputError(
            f"{source.name}: name {names.index('') + 1} is empty; give one name per line, "
            "without empty lines in between"
        )
    with prefixed(source.name):
        check_names(names, None)
    return names


def _delimiter(line: str) -> str:
    return max(",;\t", key=line.count)
