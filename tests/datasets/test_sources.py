"""Files of others: downloaded whole and checked, or found in a folder, or asked for in words."""

from __future__ import annotations

import hashlib
import io
import socket
import zipfile
from pathlib import Path

import pytest

from ordlink.datasets import _sources
from ordlink.datasets._sources import RemoteFile, Source, data_folder
from ordlink.errors import InputError, MissingDataError

CONTENT = b"0,1,2\n" * 50_000


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _source(*files: RemoteFile) -> Source:
    return Source("set", "A set.", "https://example.org/set", "Somebody 1999", "free", files)


def _know(monkeypatch: pytest.MonkeyPatch, **checksums: str) -> None:
    known = {f"set/{name}.csv": checksum for name, checksum in checksums.items()}
    monkeypatch.setattr(_sources, "_checksums", lambda: known)


def _files_in(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def source(site) -> Source:
    site.pages["/a.csv"] = CONTENT
    return _source(RemoteFile("set/a.csv", f"{site.address}/a.csv"))


def test_a_file_is_downloaded_once_and_found_afterwards(source, site, tmp_path, monkeypatch):
    _know(monkeypatch, a=_sha256(CONTENT))
    steps = []

    first = source.get("set/a.csv", tmp_path / "data", lambda *step: steps.append(step))
    second = source.get("set/a.csv", tmp_path / "data")

    assert first == second == tmp_path / "data" / "set" / "a.csv"
    assert first.read_bytes() == CONTENT
    assert site.requests == ["/a.csv"]
    assert steps[-1] == (len(CONTENT), len(CONTENT))
    assert all(total == len(CONTENT) for _, total in steps)
    assert [done for done, _ in steps] == sorted({done for done, _ in steps})
    assert len(steps) > 1
    assert _files_in(tmp_path) == {"data/set/a.csv"}


def test_a_download_with_a_wrong_checksum_is_not_kept(source, tmp_path, monkeypatch):
    _know(monkeypatch, a=_sha256(b"something else"))

    with pytest.raises(MissingDataError, match=f"SHA-256 is {_sha256(CONTENT)}, expected"):
        source.get("set/a.csv", tmp_path)

    assert _files_in(tmp_path) == set()


def test_a_download_that_is_cut_off_is_not_kept(source, site, tmp_path):
    site.cut.add("/a.csv")

    with pytest.raises(MissingDataError, match="the connection ended early"):
        source.get("set/a.csv", tmp_path)

    assert _files_in(tmp_path) == set()


def test_a_file_that_is_gone_is_said_with_all_that_helps(source, site, tmp_path):
    site.pages.clear()

    with pytest.raises(MissingDataError) as caught:
        source.get("set/a.csv", tmp_path)

    message = str(caught.value)
    for part in (
        f"{site.address}/a.csv could not be downloaded (the server says 404 Not Found)",
        "https://example.org/set",
        f"put it at {tmp_path / 'set' / 'a.csv'}",
        "data_home",
        "ORDLINK_DATA",
    ):
        assert part in message


@pytest.mark.parametrize("host", ["127.0.0.1", "nowhere.invalid"])
def test_without_network_the_message_says_what_to_do(host, tmp_path, monkeypatch):
    monkeypatch.setenv("no_proxy", "*")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # nobody listens
        url = f"http://{host}:{taken.getsockname()[1]}/a.csv"

        with pytest.raises(MissingDataError, match=r"could not be downloaded \(.+\); download it"):
            _source(RemoteFile("set/a.csv", url)).get("set/a.csv", tmp_path)

    assert _files_in(tmp_path) == set()


def test_an_interrupted_download_leaves_nothing(source, tmp_path):
    def interrupt(*_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        source.get("set/a.csv", tmp_path, interrupt)

    assert _files_in(tmp_path) == set()


def test_all_files_of_an_archive_come_with_one_download(site, tmp_path, monkeypatch):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in "abc":
            archive.writestr(f"top/{name}.csv", name)
    site.pages["/all.zip"] = buffer.getvalue()
    source = _source(
        *(RemoteFile(f"set/{n}.csv", f"{site.address}/all.zip", f"top/{n}.csv") for n in "abc")
    )
    _know(monkeypatch, **{name: _sha256(name.encode()) for name in "abc"})
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "b.csv").write_text("mine")

    assert source.get("set/c.csv", tmp_path).read_text() == "c"
    assert source.get("set/a.csv", tmp_path).read_text() == "a"
    assert site.requests == ["/all.zip"]
    assert (tmp_path / "set" / "b.csv").read_text() == "mine"
    assert source.n_there(tmp_path) == 3


@pytest.mark.parametrize("content", [b"no archive", None])
def test_what_is_no_archive_or_lacks_the_file_is_refused(content, site, tmp_path):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("top/other.csv", "x")
    site.pages["/all.zip"] = content or buffer.getvalue()
    source = _source(RemoteFile("set/a.csv", f"{site.address}/all.zip", "top/a.csv"))

    with pytest.raises(MissingDataError, match=r"not a zip archive that contains top/a\.csv"):
        source.get("set/a.csv", tmp_path)


def test_an_unknown_checksum_is_noted_and_checked_from_then_on(source, tmp_path):
    place = source.get("set/a.csv", tmp_path)

    note = tmp_path / "set" / "a.csv.sha256"
    assert note.read_text() == f"{_sha256(CONTENT)}  a.csv\n"
    assert source.get("set/a.csv", tmp_path) == place
    place.write_bytes(b"changed")
    with pytest.raises(InputError, match="not the file as published"):
        source.get("set/a.csv", tmp_path)


def test_a_file_put_there_by_hand_is_taken_if_its_checksum_is_unknown(source, site, tmp_path):
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "a.csv").write_text("mine")

    assert source.get("set/a.csv", tmp_path).read_text() == "mine"
    assert site.requests == []


def test_a_file_that_differs_from_the_published_one_is_refused(source, tmp_path, monkeypatch):
    _know(monkeypatch, a=_sha256(CONTENT))
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "a.csv").write_bytes(CONTENT + b"0,1,3\n")

    with pytest.raises(InputError, match=r"set.a\.csv: this is not the file as published.*delete"):
        source.get("set/a.csv", tmp_path)


def test_a_folder_that_cannot_be_made_is_said(source, tmp_path):
    (tmp_path / "file").write_text("in the way")

    with pytest.raises(InputError, match="cannot be made"):
        source.get("set/a.csv", tmp_path / "file")


def test_the_argument_comes_before_the_environment_and_the_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ORDLINK_DATA", str(tmp_path / "environment"))
    assert data_folder(tmp_path / "argument") == tmp_path / "argument"
    assert data_folder(None) == tmp_path / "environment"
    monkeypatch.setenv("ORDLINK_DATA", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("sys.platform", "linux")
    assert data_folder(None) == tmp_path / "cache" / "ordlink"


def test_every_published_file_in_the_data_folder_has_its_checksum(data_folder):
    checksums = _sources._checksums()

    for path, checksum in checksums.items():
        assert len(checksum) == 64
        if (data_folder / path).is_file():
            assert _sha256((data_folder / path).read_bytes()) == checksum
    assert sum((data_folder / path).is_file() for path in checksums) >= 80
