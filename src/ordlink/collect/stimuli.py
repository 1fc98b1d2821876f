"""The stimuli: pictures, sounds, videos or texts; found, checked, and served by opaque keys."""

from __future__ import annotations

import contextlib
import csv
import hashlib
import hmac
import io
import mimetypes
import os
import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from starlette.responses import FileResponse, Response

from ordlink._text import counted, listed, shorten
from ordlink.comparisons import natural_key
from ordlink.errors import InputError

KINDS = {  # kinds of files, by extension
    **dict.fromkeys([".jpg", ".jpeg", ".png", ".webp", ".gif", ".bmp", ".tif", ".tiff"], "picture"),
    **dict.fromkeys([".mp3", ".wav", ".ogg", ".oga", ".m4a", ".flac"], "audio"),
    **dict.fromkeys([".mp4", ".webm", ".ogv"], "video"),
    ".txt": "text",
}
LONGEST_TEXT = 2000
FEWEST = 3
LONGEST_SIDE = 1024  # pictures are shown at most this large, in pixels
MOST_PIXELS = 100_000_000
QUALITY = 88  # of JPEG
# What a picture may be, whatever its name says: the decoders of all others are never run.
FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF")
_HEADERS = {"cache-control": "private, max-age=86400"}


@dataclass(frozen=True)
class Stimulus:
    """One object of the study: a text, or a file whose path is never disclosed."""

    name: str
    kind: str  # text, picture, audio or video
    text: str = ""  # empty for files
    path: Path | None = None

    @property
    def digest(self) -> str:
        """A hash of the content: a study resumes with the same stimuli only."""
        digest = hashlib.sha256(self.kind.encode() + b"\0" + self.text.encode())
        if self.path is not None:
            with self.path.open("rb") as file:  # videos may be larger than memory
                hashlib.file_digest(file, lambda: digest)
        return digest.hexdigest()


def stimuli_of_folder(folder: Path) -> tuple[Stimulus, ...]:
    """Return the files of a folder as stimuli."""
    try:
        files = [
            file
            for file in folder.iterdir()
            if is_file_name(file.name) and file.is_file() and file.name[0] not in "._"
        ]
    except OSError as error:
        raise InputError(
            f"{folder}: expected a folder of stimuli ({error.strerror}); check the path"
        ) from error
    found = [_stimulus_of_file(folder, file.name, str(folder)) for file in files]
    kinds = Counter(one.kind for one in found)
    if len(kinds) > 1:  # a text among pictures may be notes
        rarest = min(kinds, key=kinds.__getitem__)
        strays = [file.name for file, one in zip(files, found, strict=True) if one.kind == rarest]
        others = ", ".join(counted(kinds[kind], kind) for kind in kinds if kind != rarest)
        raise InputError(
            f"{folder}: beside {others} there is {listed(sorted(strays))}; to leave such files "
            "out, begin their names with _, to show them together list all in a study file"
        )
    return check_stimuli(found, str(folder))


def stimuli_of_table(path: Path) -> tuple[Stimulus, ...]:
    """Return the rows of a CSV file: columns `name`, and `file` or `text`, or a list of texts."""
    try:
        content = path.read_text("utf-8-sig")
        reader = csv.reader(io.StringIO(content), delimiter=_delimiter_of(content))
        rows = [row for row in reader if any(row)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(
            f"{path}: expected a CSV file of stimuli in UTF-8 ({error}); check the file"
        ) from error
    if not rows:
        raise InputError(f"{path}: the file is empty; list at least {FEWEST} stimuli, one per row")
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
        cells = dict(zip(header, map(str.strip, row), strict=True))
        name, text = cells.get("name", ""), cells.get("text", "")
        if cells.get("file"):
            found.append(_stimulus_of_file(path.parent, cells["file"], where, name))
        else:
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
    """Return stimuli from texts, file names, or mappings with `name` and `file` or `text`."""
    found = []
    for number, entry in enumerate(entries, start=1):
        at = f"{where}: stimulus {number}"
        if isinstance(entry, dict):
            found.append(_stimulus_of_entry(entry, folder, at))
        elif not isinstance(entry, str):
            raise InputError(
                f"{at} is {short_repr(entry)}; expected text or a file name; put numbers in "
                "quotation marks"
            )
        elif is_file_name(entry.strip()):
            found.append(_stimulus_of_file(folder, entry.strip(), at))
        else:
            found.append(Stimulus(entry.strip(), "text", entry.strip()))
    return check_stimuli(found, where)


def short_repr(value: object) -> str:
    """Return a short text that shows the value."""
    try:
        return shorten(repr(value), 100)
    except (ValueError, RecursionError):  # Python refuses to print very large numbers
        return "something too long to print"


def is_file_name(text: str) -> bool:
    """Return whether an entry of a list is the name of a file."""
    return Path(text).suffix.lower() in KINDS and "\n" not in text


def check_stimuli(stimuli: Sequence[Stimulus], where: str) -> tuple[Stimulus, ...]:
    """Return the stimuli in natural order, if there are enough and each has its own name."""
    if len(stimuli) < FEWEST:
        raise InputError(
            f"{where}: expected at least {FEWEST} stimuli, got {len(stimuli)}; files end in "
            f"{', '.join(KINDS)}"
        )
    seen: set[str] = set()
    for number, stimulus in enumerate(stimuli, start=1):
        name, n_letters, problem = stimulus.name, len(stimulus.text), ""
        if not name or not name.isprintable():
            problem = f"stimulus {number} has no printable name ({name!r}); give it one"
        elif n_letters > LONGEST_TEXT:
            problem = f"stimulus {number} has {n_letters} characters; shorten it to {LONGEST_TEXT}"
        elif name in seen:
            problem = f"two stimuli are called {name!r}; give each its own name"
        if problem:
            raise InputError(f"{where}: {problem}")
        seen.add(name)
    return tuple(sorted(stimuli, key=lambda one: natural_key(one.name)))


def _beside(folder: Path, name: str, where: str) -> Path:
    """Return a file in or below the folder; links and dots must not lead out of it."""
    try:
        file = (folder / name).resolve()
        inside = file.is_relative_to(folder.resolve()) and file.is_file()
    except (OSError, ValueError):
        inside = False
    if not inside:
        raise InputError(
            f"{where}: there is no file {name!r} in {folder} or its subfolders; add it "
            "(a link that leads elsewhere is not followed)"
        )
    return file


def _stimulus_of_entry(entry: dict[Any, Any], folder: Path, where: str) -> Stimulus:
    """Return the stimulus of a list entry with keys."""
    are_texts = all(isinstance(value, str) for value in entry.values())
    if set(entry) not in ({"name", "file"}, {"name", "text"}) or not are_texts:
        raise InputError(
            f"{where}: expected text under the keys name and file, or name and text, got "
            f"{short_repr(entry)}; correct it"
        )
    name = entry["name"].strip()
    if "text" in entry:
        return Stimulus(name, "text", entry["text"].strip())
    found = _stimulus_of_file(folder, entry["file"], where)
    return replace(found, name=name)


def _stimulus_of_file(folder: Path, file_name: str, where: str, name: str = "") -> Stimulus:
    """Return a file in or below the folder as a stimulus, called like the file without a name."""
    file = _beside(folder, file_name, where)
    name, kind = name or file.stem, KINDS.get(file.suffix.lower())
    if kind is None:
        raise InputError(
            f"{where}: {file.name!r} has no known extension; files end in {', '.join(KINDS)}"
        )
    if kind != "text":
        return Stimulus(name, kind, path=file)
    try:
        return Stimulus(name, "text", file.read_text("utf-8").strip())
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: expected UTF-8 text ({error}); save it again") from error


def stimulus_keys(secret: bytes, n_objects: int, alias: str = "") -> tuple[str, ...]:
    """Return a key for each object that reveals neither its name nor its number.

    With an alias, another one: what is shown twice in a catch trial has two addresses.
    """
    return tuple(
        hmac.new(secret, f"stimulus {number}{alias}".encode(), hashlib.sha256).hexdigest()[:24]
        for number in range(n_objects)
    )


class Media:
    """Responses with the files of the stimuli, by key."""

    def __init__(
        self, stimuli: Sequence[Stimulus], keys: Sequence[str], aliases: Sequence[str] = ()
    ) -> None:
        both = (*zip(keys, stimuli, strict=True), *zip(aliases, stimuli, strict=False))
        self._by_key = dict(both)
        self._aliases = frozenset(aliases)
        self._sizes = {one.name: one.path.stat().st_size for one in stimuli if one.path}
        self.missing: dict[str, str] = {}  # keys of stimuli that cannot be read, by name
        self._encoded: dict[str, tuple[bytes, str]] = {}
        self._lock = threading.Lock()

    def respond(self, key: str) -> Response:
        """Return the file; KeyError if no file has this key, OSError if it cannot be read."""
        stimulus = self._by_key[key]
        if stimulus.path is None:
            raise KeyError(key)
        try:
            found = self._respond(key, stimulus, stimulus.path)
        except (InputError, OSError):
            self.missing[stimulus.name] = key
            raise
        if self.missing.get(stimulus.name) == key:  # what is kept under the other key is older
            del self.missing[stimulus.name]
        return found

    def look_again(self) -> None:
        """Forget what was missing and can be read now."""
        for key in list(self.missing.values()):
            with contextlib.suppress(InputError, OSError):
                self.respond(key)

    def _respond(self, key: str, stimulus: Stimulus, path: Path) -> Response:
        if path.resolve() != path:
            raise OSError("a link was put in place of the file")
        with path.open("rb") as file:  # being there is not enough
            found = os.fstat(file.fileno())
            if found.st_size != self._sizes[stimulus.name] or not file.read(1):
                raise OSError("the file has changed")
        if stimulus.kind == "picture":
            with self._lock:  # a picture is encoded once, however many ask for it at a time
                if key not in self._encoded:
                    # Under another address it has other bytes too.
                    quality = QUALITY - (key in self._aliases)
                    self._encoded[key] = encode_picture(path, quality=quality)
                content, media_type = self._encoded[key]
            return Response(content, media_type=media_type, headers=_HEADERS)
        media_type = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        return FileResponse(path, 200, _HEADERS, media_type, stat_result=found)


def encode_picture(
    path: Path, longest_side: int = LONGEST_SIDE, quality: int = QUALITY
) -> tuple[bytes, str]:
    """Return a picture as JPEG, or PNG if transparent; upright, not too large, no metadata."""
    from PIL import Image, ImageOps

    try:
        with Image.open(path, formats=FORMATS) as opened:
            if opened.width * opened.height > MOST_PIXELS:
                raise InputError(
                    f"the picture has more than {MOST_PIXELS:,} pixels; make it smaller",
                    where=str(path),
                )
            opened.draft("RGB", (longest_side, longest_side))
            picture = ImageOps.exif_transpose(opened)
            transparent = picture.has_transparency_data
            picture = picture.convert("RGBA" if transparent else "RGB")
    except InputError:
        raise
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise InputError(
            f"cannot be read as a picture ({error}); save it again", where=str(path)
        ) from error
    picture.thumbnail((longest_side, longest_side))
    picture.info.clear()
    file = io.BytesIO()
    if transparent:
        picture.save(file, "PNG", compress_level=6 if quality == QUALITY else 5)
        return file.getvalue(), "image/png"
    picture.save(file, "JPEG", quality=quality)
    return file.getvalue(), "image/jpeg"


def check_readable(stimuli: Sequence[Stimulus]) -> None:
    """Raise InputError if pictures cannot be shown: nobody can compare what they do not see."""
    with ThreadPoolExecutor() as several:
        decoded = {  # to the end; small, since nobody looks at it
            one.name: several.submit(encode_picture, one.path or Path(), longest_side=64)
            for one in stimuli
            if one.kind == "picture"
        }
    names = [name for name, done in decoded.items() if isinstance(done.exception(), InputError)]
    if names:
        raise InputError(
            f"{len(names)} of {len(decoded)} pictures cannot be read: {listed(names)}; save them "
            "again as JPEG or PNG, or remove them from the study"
        )
