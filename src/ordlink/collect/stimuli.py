"""The stimuli: pictures, sounds, films or texts, found and checked."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from natsort import natsorted, ns

from ordlink.errors import InputError

PICTURES = (".jpg", ".jpeg", ".png", ".webp", ".gif", ".bmp", ".tif", ".tiff")
AUDIO = (".mp3", ".wav", ".ogg", ".oga", ".m4a", ".flac")
VIDEO = (".mp4", ".webm", ".ogv")
KINDS = {  # kinds of files, by extension
    **dict.fromkeys(PICTURES, "picture"),
    **dict.fromkeys(AUDIO, "audio"),
    **dict.fromkeys(VIDEO, "video"),
    ".txt": "text",
}
LONGEST_TEXT = 2000
FEWEST = 3


@dataclass(frozen=True)
class Stimulus:
    """One object of the study: a text, or a file whose path is never told to anybody."""

    name: str
    kind: str  # text, picture, audio or video
    text: str = ""  # empty for files
    path: Path | None = None

    @property
    def digest(self) -> str:
        """A hash of the content: a study resumes with the same stimuli only."""
        digest = hashlib.sha256(self.kind.encode() + b"\0" + self.text.encode())
        if self.path is not None:
            with self.path.open("rb") as file:  # films may be larger than memory
                while piece := file.read(2**20):
                    digest.update(piece)
        return digest.hexdigest()


def stimuli_of_folder(folder: Path) -> tuple[Stimulus, ...]:
    """Return the files of a folder as stimuli, in natural order of their names."""
    try:
        files = natsorted(
            (
                file
                for file in folder.iterdir()
                if file.suffix.lower() in KINDS
                and file.is_file()
                and not file.name.startswith((".", "_"))
            ),
            key=lambda file: file.name,
            alg=ns.IGNORECASE,
        )
    except OSError as error:
        raise InputError(
            f"{folder}: expected a folder of stimuli ({error.strerror}); check the path"
        ) from error
    return check_stimuli(
        [_stimulus_of_file(file, file.stem, str(folder)) for file in files], str(folder)
    )


def stimuli_of_table(path: Path) -> tuple[Stimulus, ...]:
    """Return the rows of a CSV file as stimuli.

    Columns `name`, and `file` (beside the CSV file) or `text`, separated by commas, semicolons or
    tabs; a file with one column, with or without the header `name` or `text`, is a list of texts.
    """
    try:
        content = path.read_text("utf-8-sig")
        rows = [
            row
            for row in csv.reader(io.StringIO(content), delimiter=_delimiter_of(content))
            if any(row)
        ]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(
            f"{path}: expected a CSV file of stimuli in UTF-8 ({error}); check the file"
        ) from error
    if not rows:
        raise InputError(f"{path}: the file is empty; list at least {FEWEST} stimuli, one a row")
    header = [cell.strip().lower() for cell in rows[0]]
    if len(header) == 1:
        texts = rows[1:] if header[0] in ("name", "text") else rows
        return stimuli_of_list([row[0] for row in texts], path.parent, str(path))
    if not set(header) & {"file", "text"}:
        raise InputError(
            f"{path}: expected the columns name and file, or name and text, got "
            f"{', '.join(rows[0])}; name the columns in the first row"
        )
    found = []
    for number, row in enumerate(rows[1:], start=2):
        where = f"{path}, row {number}"
        if len(row) != len(header):
            raise InputError(f"{where}: expected {len(header)} cells, got {len(row)}")
        cells = {column: cell.strip() for column, cell in zip(header, row, strict=True)}
        name = cells.get("name", "")
        if cells.get("file"):
            file = _beside(path.parent, cells["file"], where)
            found.append(_stimulus_of_file(file, name or file.stem, where))
        else:
            text = cells.get("text", "")
            found.append(Stimulus(name or text, "text", text or name))
    return check_stimuli(found, str(path))


def _delimiter_of(content: str) -> str:
    """Return the delimiter: a comma, unless the header fits a semicolon or tab only."""
    header = content.lstrip().partition("\n")[0].lower()
    for delimiter in (";", "\t"):
        cells = {cell.strip().strip('"') for cell in header.split(delimiter)}
        if len(cells) > 1 and cells & {"file", "text"} and cells <= {"name", "file", "text"}:
            return delimiter
    return ","


def stimuli_of_list(entries: Iterable[object], folder: Path, where: str) -> tuple[Stimulus, ...]:
    """Return a list of texts and files as stimuli; files lie in or below the folder.

    An entry is a text, the name of a file, or a mapping with `name`, and `file` or `text`.
    """
    found = []
    for number, entry in enumerate(entries, start=1):
        at = f"{where}: stimulus {number}"
        if isinstance(entry, dict):
            found.append(_stimulus_of_entry(entry, folder, at))
        elif not isinstance(entry, str):
            raise InputError(
                f"{at} is {entry!r}; expected a text or a file name; put numbers in quotation marks"
            )
        elif is_file_name(entry.strip()):
            file = _beside(folder, entry.strip(), at)
            found.append(_stimulus_of_file(file, file.stem, where))
        else:
            found.append(Stimulus(entry.strip(), "text", entry.strip()))
    return check_stimuli(found, where)


def is_file_name(text: str) -> bool:
    """Return whether an entry of a list is the name of a file."""
    return Path(text).suffix.lower() in KINDS and "\n" not in text


def check_stimuli(stimuli: Sequence[Stimulus], where: str) -> tuple[Stimulus, ...]:
    """Return the stimuli if there are enough, each has a name, and no two the same."""
    if len(stimuli) < FEWEST:
        raise InputError(
            f"{where}: expected at least {FEWEST} stimuli, got {len(stimuli)}; files end in "
            f"{', '.join(KINDS)}"
        )
    seen: set[str] = set()
    for number, stimulus in enumerate(stimuli, start=1):
        if not stimulus.name or not stimulus.name.isprintable():
            raise InputError(
                f"{where}: stimulus {number} has no printable name ({stimulus.name!r}); give it one"
            )
        if len(stimulus.text) > LONGEST_TEXT:
            raise InputError(
                f"{where}: stimulus {number} has {len(stimulus.text)} characters, more than "
                f"{LONGEST_TEXT}; shorten it"
            )
        if stimulus.name in seen:
            raise InputError(
                f"{where}: two stimuli are called {stimulus.name!r}; give each its own name"
            )
        seen.add(stimulus.name)
    return tuple(stimuli)


def _beside(folder: Path, name: str, where: str) -> Path:
    """Return a file in or below the folder; links and dots must not lead out of it."""
    try:
        file = (folder / name).resolve()
        inside = file.is_relative_to(folder.resolve()) and file.is_file()
    except (OSError, ValueError):
        inside = False
    if not inside:
        raise InputError(f"{where}: there is no file {name!r} in {folder} or below; put it there")
    return file


def _stimulus_of_entry(entry: dict[Any, Any], folder: Path, where: str) -> Stimulus:
    """Return the stimulus of a list entry with keys."""
    if set(entry) not in ({"name", "file"}, {"name", "text"}) or not all(
        isinstance(value, str) for value in entry.values()
    ):
        raise InputError(
            f"{where}: expected the keys name and file, or name and text, with texts, got "
            f"{entry!r}; correct it"
        )
    name = entry["name"].strip()
    if "text" in entry:
        return Stimulus(name, "text", entry["text"].strip())
    return _stimulus_of_file(_beside(folder, entry["file"], where), name, where)


def _stimulus_of_file(file: Path, name: str, where: str) -> Stimulus:
    kind = KINDS.get(file.suffix.lower())
    if kind is None:
        raise InputError(
            f"{where}: {file.name!r} has no known extension; files end in {', '.join(KINDS)}"
        )
    if kind != "text":
        return Stimulus(name, kind, path=file)
    try:
        return Stimulus(name, "text", file.read_text("utf-8").strip())
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: expected a text in UTF-8 ({error}); save it again") from error
