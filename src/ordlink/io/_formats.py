"""The file formats, by name and by extension."""

from __future__ import annotations

from pathlib import Path

from ordlink.errors import InputError

EXTENSIONS: dict[str, str] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".npz": "npz",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}
"""Format of each extension."""


def find_format(path: Path | None, name: str | None) -> str:
    """Return the format: the one asked for, or what the extension tells, or csv for a stream.

    Examples
    --------
    >>> find_format(Path("answers.CSV"), None)
    'csv'
    """
    if name is not None:
        format_ = EXTENSIONS.get("." + name.lower().removeprefix("."))
        if format_ is None:
            known = ", ".join(dict.fromkeys(EXTENSIONS.values()))
            raise InputError(f"unknown format {name!r}; choose one of {known}")
        return format_
    if path is None:
        return "csv"
    format_ = EXTENSIONS.get(path.suffix.lower())
    if format_ is None:
        got = f"the extension {path.suffix!r}" if path.suffix else "no extension"
        raise InputError(
            f"{path}: expected a file name with one of {', '.join(EXTENSIONS)}, got {got}; "
            "rename the file or pass format="
        )
    return format_
