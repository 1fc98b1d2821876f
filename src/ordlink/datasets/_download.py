"""Downloading a file: whole, checked, or not at all."""

from __future__ import annotations

import hashlib
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPException
from typing import BinaryIO
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from ordlink._typing import Progress
from ordlink.errors import MissingDataError

BLOCK = 1 << 16
TIMEOUT_SECONDS = 30


class DownloadFailedError(MissingDataError):
    """A download did not work; the message says only why."""


@contextmanager
def downloaded(url: str, progress: Progress | None = None) -> Iterator[BinaryIO]:
    """Open what is at an address, complete, as a temporary file.

    Raises
    ------
    DownloadFailedError
        If there is no network, no such file, or the connection ends too early.
    """
    with tempfile.TemporaryFile() as file:
        try:
            _copy(url, file, progress)
        except HTTPError as error:
            raise DownloadFailedError(f"the server says {error.code} {error.reason}") from error
        except URLError as error:
            raise DownloadFailedError(_reason(error.reason)) from error
        except (OSError, HTTPException) as error:
            raise DownloadFailedError(_reason(error)) from error
        file.seek(0)
        yield file


def read_member(archive: BinaryIO, member: str) -> bytes:
    """Return a file of a zip archive."""
    try:
        with zipfile.ZipFile(archive) as opened:
            return opened.read(member)
    except (zipfile.BadZipFile, KeyError) as error:
        raise DownloadFailedError(f"it is no zip archive with the file {member}") from error


def sha256(file: BinaryIO) -> str:
    """Return the checksum of a file from its beginning."""
    file.seek(0)
    checksum = hashlib.sha256()
    while block := file.read(BLOCK):
        checksum.update(block)
    return checksum.hexdigest()


def _copy(url: str, file: BinaryIO, progress: Progress | None) -> None:
    request = Request(url, headers={"User-Agent": "ordlink"})
    with urlopen(request, timeout=TIMEOUT_SECONDS) as response:
        announced = response.headers.get("Content-Length") or ""
        total = int(announced) if announced.isdigit() else None
        done = 0
        while block := response.read(BLOCK):
            file.write(block)
            done += len(block)
            if progress is not None:
                progress(done, max(done, total or 0))
    # http.client does not say so where it reads in blocks.
    if total is not None and done < total:
        raise DownloadFailedError(f"the connection ended after {done:,} of {total:,} bytes")


def _reason(error: object) -> str:
    return str(getattr(error, "strerror", None) or error or type(error).__name__)
