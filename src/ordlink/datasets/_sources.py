"""Where data of others comes from and where it is kept: a folder, filled as files are needed."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass
from functools import cache
from importlib import resources
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from ordlink._atomic import replacing, write_text
from ordlink._typing import Progress
from ordlink.datasets._download import DownloadFailedError, downloaded, read_member, sha256
from ordlink.errors import InputError, MissingDataError


@dataclass(frozen=True)
class RemoteFile:
    """A file that can be downloaded.

    Attributes
    ----------
    path : str
        Its place below the data folder.
    url : str
        Its public address, or that of the zip archive it is in.
    member : str or None
        Its name in the archive.
    """

    path: str
    url: str
    member: str | None = None


@dataclass(frozen=True)
class Source:
    """A set of data: who made it, under which terms, and its files.

    Attributes
    ----------
    name : str
        Short name, also that of its folder.
    description : str
        What it is, in a sentence.
    page : str
        Where it is described or offered to people.
    citation : str
        What to cite when using it.
    terms : str
        Under which terms it may be used.
    files : tuple of RemoteFile
        All its files.
    instead : str or None
        Path of a file that does as well as all of them, where somebody has put it.
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
        if expected is not None and _checksum_of(place) != expected:
            raise InputError(
                f"{place}: this is not the file as published (its SHA-256 is not {expected}); "
                "delete it, and it is downloaded again"
            )
        return place

    def get(self, path: str, folder: Path, progress: Progress | None = None) -> Path:
        """Return a file in the data folder, downloaded if it is not there.

        Raises
        ------
        InputError
            If the file there is not the one published, or the folder cannot be written.
        MissingDataError
            If it is not there and cannot be downloaded; the message says what to do.
        """
        found = self.find(path, folder)
        if found is not None:
            return found
        wanted = next(file for file in self.files if file.path == path)
        try:
            with downloaded(wanted.url, progress) as content:
                if wanted.member is None:
                    _keep(content, path, folder)
                else:
                    self._unpack(content, wanted, folder)
        except DownloadFailedError as error:
            raise MissingDataError(
                f"{path} is not in {folder}, and {wanted.url} could not be downloaded ({error}); "
                f"get it yourself (it is described at {self.page}) and put it at {folder / path}, "
                "or pass data_home= (--data-home) or set ORDLINK_DATA to the folder that has it"
            ) from error
        return folder / path

    def _unpack(self, archive: BinaryIO, wanted: RemoteFile, folder: Path) -> None:
        """Keep the wanted file and all others of the archive that are not there yet."""
        others = [f for f in self.files if f.url == wanted.url and f != wanted]
        for file in (wanted, *others):
            if file.member is not None and not (folder / file.path).exists():
                _keep(BytesIO(read_member(archive, file.member)), file.path, folder)


def data_folder(data_home: str | os.PathLike[str] | None) -> Path:
    """Return the folder for data: as given, else ORDLINK_DATA, else the user's cache.

    Examples
    --------
    >>> data_folder("data").name
    'data'
    """
    given = data_home if data_home is not None else os.environ.get("ORDLINK_DATA")
    return Path(given).expanduser() if given else _cache_folder()


def _cache_folder() -> Path:
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "ordlink"


def _keep(content: BinaryIO, path: str, folder: Path) -> None:
    """Write a downloaded file to its place after checking it; note an unknown checksum."""
    checksum = sha256(content)
    expected = _checksums().get(path)
    if expected is not None and checksum != expected:
        raise DownloadFailedError(f"its SHA-256 is {checksum}, expected {expected}")
    place = folder / path
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"{place.parent}: cannot be made ({error.strerror}); choose another folder with "
            "data_home= (--data-home) or ORDLINK_DATA"
        ) from error
    content.seek(0)
    with replacing(place) as file:
        shutil.copyfileobj(content, file)
    if expected is None:
        write_text(_note_of(place), f"{checksum}  {place.name}\n")


@cache
def _checksums() -> dict[str, str]:
    text = (resources.files("ordlink.datasets") / "data" / "checksums.txt").read_text("utf-8")
    lines = [line.split(maxsplit=1) for line in text.splitlines() if not line.startswith("#")]
    return {path: checksum for checksum, path in lines}


def _note_of(place: Path) -> Path:
    return place.with_name(place.name + ".sha256")


def _noted_checksum(place: Path) -> str | None:
    """Return the checksum noted at the download, if the file was downloaded."""
    note = _note_of(place)
    return note.read_text("utf-8").split()[0] if note.is_file() else None


def _checksum_of(place: Path) -> str:
    with place.open("rb") as file:
        return sha256(file)
