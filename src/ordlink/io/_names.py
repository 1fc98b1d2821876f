"""Lists of object names."""

from __future__ import annotations

import csv

from ordlink.io._source import (
    DELIMITERS,
    InputFile,
    Readable,
    check_names_found,
    find_delimiter,
    reading,
    refuse,
    utf8_bytes,
)


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
    source = InputFile.of(path)
    text = utf8_bytes(source.read_bytes(), source.name).decode()
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    names = [line.strip() for line in lines]
    extension = "" if source.path is None else source.path.suffix.lower().removeprefix(".")
    if extension in DELIMITERS:
        delimiter = find_delimiter(lines[:1], DELIMITERS[extension])
        with reading(source.name, "text"):
            records = csv.reader(lines, delimiter=delimiter)
            names = [record[0].strip() if record else "" for record in records]
        if names[0].lower() == "name":
            names = names[1:]
    while names and not names[-1]:
        names.pop()
    if not names:
        refuse(source.name, "there are no names in this file")
    if "" in names:
        refuse(
            source.name,
            f"name {names.index('') + 1} is empty",
            "give one name per line, without empty lines in between",
        )
    check_names_found(names, source.name)
    return names
