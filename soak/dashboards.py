"""What owners see: every server's dashboard shows the tree of all answers that are stored."""

from __future__ import annotations

import json
import time
import urllib.parse
import urllib.request
from http.cookiejar import CookieJar
from typing import Any

from argon2 import PasswordHasher

from ordlink.collect.database import make_engine
from ordlink.collect.people import set_password
from ordlink.collect.worker import read_main_answers

PASSWORD = "only for this run"


class Owner:
    """A browser that is logged in as the owner."""

    def __init__(self, port: int) -> None:
        self._address = f"http://127.0.0.1:{port}"
        self._open = urllib.request.build_opener(
            urllib.request.HTTPCookieProcessor(CookieJar())
        ).open
        form = urllib.parse.urlencode({"password": PASSWORD}).encode()
        with self._open(f"{self._address}/owner/login", form, timeout=30):
            pass

    def get(self, path: str) -> bytes:
        """Return what is at an address."""
        with self._open(f"{self._address}{path}", timeout=60) as reply:
            content: bytes = reply.read()
        return content

    def tree(self) -> dict[str, Any]:
        """Return the tree of everybody; empty while there is none."""
        return json.loads(self.get("/owner/api/tree"))["everybody"] or {}


def compare_dashboards(ports: list[int], database: str, *, seconds: float = 300) -> list[str]:
    """Return what is wrong with the trees and downloads of servers on one database.

    Parameters
    ----------
    ports : list of int
        Of the servers; nobody answers any more.
    database : str
        Its address; the owner's password must not be set yet.
    seconds : float
        How long to wait for the trees of the last answers.
    """
    engine = make_engine(database)
    with engine.execution_options(begin="BEGIN IMMEDIATE").begin() as connection:
        set_password(connection, PasswordHasher().hash(PASSWORD))
        stored = list(read_main_answers(connection))
    engine.dispose()
    owners = {port: Owner(port) for port in ports}
    problems = []
    deadline = time.monotonic() + seconds
    for port, owner in owners.items():
        while owner.tree().get("n_answers") != len(stored) and time.monotonic() < deadline:
            time.sleep(1)
        n_answers = owner.tree().get("n_answers")
        if n_answers != len(stored):
            problems.append(f"port {port}: a tree of {n_answers} answers, {len(stored)} are stored")
        n_downloaded = _count_rows(owner.get("/owner/download/answers-of-everybody.csv"))
        n_told = sum(bool(one.choice) for one in stored)
        if n_downloaded != n_told:
            problems.append(f"port {port}: {n_downloaded} answers downloaded, {n_told} say a thing")
    if len({owner.tree().get("newick") for owner in owners.values()}) > 1:
        problems.append("the dashboards show different trees")
    return problems


def _count_rows(table: bytes) -> int:
    """Return how many rows a file of answers has below its header."""
    lines = [line for line in table.splitlines() if not line.startswith(b"# ")]
    return len(lines) - 1
