"""Sources of public data, the data folder, and the class of the answers returned."""

from __future__ import annotations

import os
import shutil
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from operator import attrgetter
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from ordlink._atomic import replacing, write_text
from ordlink._typing import AnyArray, LabelArray, Progress
from ordlink.comparisons import ListedComparisons
from ordlink.errors import InputError, MissingDataError

TIMEOUT_SECONDS = 30
BLOCK = 1 << 16
"""Bytes of a download after which progress is reported."""


@dataclass(frozen=True)
class RemoteFile:
    """A file to download: its path below the data folder, its address, its name in a zip file."""

    path: str
    url: str
    member: str | None = None


@dataclass(frozen=True)
class Source:
    """A public data set: who made it, under which terms, and its files.

    `name` is also the name of its folder, `page` the web page that describes it, and `instead` the
    path of a file that replaces all `files` if it exists.
    """

    name: str
    description: str
    page: str
    citation: str
    terms: str
    files: tuple[RemoteFile, ...]
    instead: str | None = None

    def n_there(self, folder: Path) -> int:
        """Return how many of the files are in the data folder; they are not checked."""
        if self.instead is not None and (folder / self.instead).is_file():
            return len(self.files)
        return sum((folder / file.path).is_file() for file in self.files)

    def find(self, path: str, folder: Path) -> Path | None:
        """Return a file in the data folder after checking it, or None if it is not there."""
        place = folder / path
        if not place.is_file():
            return None
        expected = _checksums().get(path) or _noted_checksum(place)
        if expected is not None and _sha256(place) != expected:
            problem = f"this is not the file as published (its SHA-256 is not {expected})"
            remedy = "delete it, and it is downloaded again"
            raise InputError(problem, where=str(place), remedy=remedy)
        return place

    def get(self, path: str, folder: Path, progress: Progress | None = None) -> Path:
        """Return a file in the data folder, downloaded if it is not there."""
        found = self.find(path, folder)
        if found is not None:
            return found
        wanted = next(file for file in self.files if file.path == path)
        with tempfile.TemporaryDirectory() as temporary:
            content = Path(temporary) / "download"
            try:
                _download(wanted.url, content, progress)
                if wanted.member is None:
                    _keep(content, path, folder)
                else:
                    self._unpack(content, wanted, folder)
            except _DownloadFailedError as error:
                place = str(folder / path).replace("{", "{{").replace("}", "}}")
                download = f"{wanted.url} could not be downloaded ({error})"
                raise MissingDataError(
                    f"{path} is not in {folder}, and {download}",
                    remedy=f"download it yourself (see {self.page}) and put it at "
                    f"{place}, or pass {{data_home}} or set ORDLINK_DATA to the folder that has it",
                ) from error
        return folder / path

    def _unpack(self, archive: Path, wanted: RemoteFile, folder: Path) -> None:
        """Keep the wanted file and all others of the archive that are not there yet."""
        others = [f for f in self.files if f.url == wanted.url and f != wanted]
        for file in (wanted, *others):
            if file.member is None or (folder / file.path).exists():
                continue
            try:
                with zipfile.ZipFile(archive) as opened, opened.open(file.member) as packed:
                    content = archive.with_name("member")
                    with content.open("wb") as unpacked:
                        shutil.copyfileobj(packed, unpacked)
            except (zipfile.BadZipFile, KeyError) as error:
                why = f"it is not a zip archive that contains {file.member}"
                raise _DownloadFailedError(why) from error
            _keep(content, file.path, folder)


def data_folder(data_home: str | os.PathLike[str] | None = None) -> Path:
    """Return the folder for data: as given, else ORDLINK_DATA, else the user's cache."""
    from platformdirs import user_cache_path

    given = data_home if data_home is not None else os.environ.get("ORDLINK_DATA")
    return Path(given).expanduser() if given else user_cache_path("ordlink", appauthor=False)


class _DownloadFailedError(Exception):
    """A download did not work; the message says only why."""


class _PoochProgress:
    """Calls `progress` as Pooch calls its progress bars, which it fills once more at the end."""

    def __init__(self, progress: Progress) -> None:
        self.progress, self.total, self.done, self.said = progress, 0, 0, 0

    def update(self, n_bytes: int) -> None:
        self.done += n_bytes
        done = min(self.done, self.total) if self.total else self.done
        if done > self.said:
            self.said = done
            self.progress(done, max(done, self.total))

    def reset(self) -> None:
        self.done = 0

    def close(self) -> None:
        """Leave the bar to its owner."""


def _download(url: str, content: Path, progress: Progress | None) -> None:
    """Download a file completely."""
    import pooch  # type: ignore[import-untyped]
    import requests

    bar = False if progress is None else _PoochProgress(progress)
    options = {"timeout": TIMEOUT_SECONDS, "headers": {"User-Agent": "ordlink"}}
    loader = pooch.HTTPDownloader(progressbar=bar, chunk_size=BLOCK, **options)
    try:
        loader(url, str(content), None)
    except requests.HTTPError as error:
        response: Any = error.response
        said = f"the server says {response.status_code} {response.reason}"
        raise _DownloadFailedError(said) from error
    except requests.Timeout as error:
        raise _DownloadFailedError(f"no answer within {TIMEOUT_SECONDS} seconds") from error
    except requests.ConnectionError as error:
        raise _DownloadFailedError(f"no connection to {urlsplit(url).hostname}") from error
    except requests.RequestException as error:
        raise _DownloadFailedError("the connection ended early") from error


def _keep(content: Path, path: str, folder: Path) -> None:
    """Copy a downloaded file to its place after checking it; note an unknown checksum."""
    checksum = _sha256(content)
    expected = _checksums().get(path)
    if expected is not None and checksum != expected:
        raise _DownloadFailedError(f"its SHA-256 is {checksum}, expected {expected}")
    place = folder / path
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        problem = f"cannot be made ({error.strerror})"
        remedy = "choose another folder with {data_home} or ORDLINK_DATA"
        raise InputError(problem, where=str(place.parent), remedy=remedy) from error
    with replacing(place) as file, content.open("rb") as downloaded:
        shutil.copyfileobj(downloaded, file)
    if expected is None:
        write_text(_note_of(place), f"{checksum}  {place.name}\n")


@cache
def _checksums() -> dict[str, str]:
    text = (resources.files("ordlink.datasets") / "data" / "checksums.txt").read_text("utf-8")
    lines = [line.split(maxsplit=1) for line in text.splitlines() if not line.startswith("#")]
    return {path: checksum for checksum, path in lines}


def _sha256(place: Path) -> str:
    import pooch

    return str(pooch.file_hash(str(place)))


def _note_of(place: Path) -> Path:
    return place.with_name(place.name + ".sha256")


def _noted_checksum(place: Path) -> str | None:
    """Return the checksum noted at the download, if the file was downloaded."""
    note = _note_of(place)
    return note.read_text("utf-8").split()[0] if note.is_file() else None


@dataclass(frozen=True, eq=False)
class AnswerSet:
    """Human answers, as the `fetch_...` functions return them.

    Attributes
    ----------
    source : Source
        Where they come from; its description, citation and terms are also attributes of this.
    comparisons : ListedComparisons
        `comparisons.details` has the annotators and response times, where known.
    classes : ndarray of shape (n_objects,), dtype intp, or None
        A known class of each object, an index into `class_names`; read-only.
    pictures : tuple of Path or None
        A picture of each object.
    answer_columns : mapping of str to ndarray of shape (n_answers,)
        Other columns of the source, in the order of the answers.
    """

    source: Source
    comparisons: ListedComparisons
    classes: LabelArray | None = None
    class_names: tuple[str, ...] = ()
    pictures: tuple[Path, ...] | None = None
    answer_columns: Mapping[str, AnyArray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        columns = dict(self.answer_columns)
        for array in (self.classes, *columns.values()):
            if array is not None:
                array.flags.writeable = False
        object.__setattr__(self, "answer_columns", MappingProxyType(columns))

    @property
    def names(self) -> tuple[str, ...]:
        """Name of each object."""
        return self.comparisons.names or ()

    @property
    def n_objects(self) -> int:
        """Number of objects."""
        return self.comparisons.n_objects

    description = property(attrgetter("source.description"), doc="What it is.")
    citation = property(attrgetter("source.citation"), doc="What to cite.")
    terms = property(attrgetter("source.terms"), doc="Under which terms it may be used.")
