"""A simulated browser that answers questions and remembers what was acknowledged.

One connection, kept open. Plain sockets, so that measuring costs little beside what is measured.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import time
from dataclasses import dataclass, field
from typing import Any

MOST_TRIES = 3000
"""For one request: some five minutes, for a server that is killed as soon as it is up again."""


class ServerGone(Exception):
    """The server does not answer any more."""


@dataclass
class Browser:
    """One participant; tries every request again until it is answered."""

    port: int
    seed: int
    n_options: int = 2
    thinking: float = 0.0  # seconds before each answer
    source: str = ""  # address from which it connects
    cookie: str = ""
    acknowledged: list[tuple[int, tuple[int, ...]]] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    statuses: dict[int, int] = field(default_factory=dict)
    n_retries: int = 0
    _reader: asyncio.StreamReader | None = None
    _writer: asyncio.StreamWriter | None = None

    @property
    def token_hash(self) -> str:
        """What the database knows this participant by."""
        return hashlib.sha256(self.cookie.split("=", 1)[-1].encode()).hexdigest()

    async def join(self) -> dict[str, Any]:
        """Take part, and go through the pages before the questions."""
        state = await self.ask("POST", "/api/join", {"agree": True, "search": ""})
        while state["number"] == 0 and state["phase"] != "done":
            state = await self.ask("POST", "/api/continue", {"phase": state["phase"]})
        return state

    async def answer_until(self, state: dict[str, Any], stop: asyncio.Event) -> None:
        """Answer questions until told to stop."""
        rng = random.Random(self.seed)
        while not stop.is_set() and state["phase"] != "done":
            if state["number"] == 0:
                if state["phase"] == "questions":  # nothing to ask: paused
                    await asyncio.sleep(0.1)
                    state = await self.ask("GET", "/api/state")
                else:
                    state = await self.ask("POST", "/api/continue", {"phase": state["phase"]})
                continue
            if self.thinking:
                await asyncio.sleep(rng.uniform(0.5, 1.5) * self.thinking)
            choice = [rng.randrange(self.n_options)]
            body = {"number": state["number"], "choice": choice, "seconds": 1.25, "blurs": 0}
            begun = time.perf_counter()
            state = await self.ask("POST", "/api/answer", body, until=stop)
            self.seconds.append(time.perf_counter() - begun)
            if state["stored"]:
                self.acknowledged.append((body["number"], tuple(choice)))

    async def ask(
        self,
        method: str,
        path: str,
        body: dict[str, Any] | None = None,
        *,
        until: asyncio.Event | None = None,
    ) -> Any:
        """Send a request, again and again until it is answered, and return its JSON."""
        content = b"" if body is None else json.dumps(body).encode()
        for attempt in range(MOST_TRIES):
            try:
                status, reply = await self._send(method, path, content)
            except (OSError, asyncio.IncompleteReadError, ValueError):
                self.close()
                if until is not None and until.is_set():
                    raise ServerGone from None
                self.n_retries += 1
                await asyncio.sleep(0.02 if attempt < 5 else 0.1)
                continue
            self.statuses[status] = self.statuses.get(status, 0) + 1
            if status == 200:
                return json.loads(reply)
            if status not in (429, 503):
                raise RuntimeError(f"{path}: {status} {reply[:300]!r}")
            await asyncio.sleep(0.2)
        raise ServerGone(path)

    def close(self) -> None:
        """Drop the connection."""
        if self._writer is not None:
            self._writer.close()
        self._reader = self._writer = None

    async def _send(self, method: str, path: str, content: bytes) -> tuple[int, bytes]:
        if self._reader is None or self._writer is None:
            here = (self.source, 0) if self.source else None
            self._reader, self._writer = await asyncio.open_connection(
                "127.0.0.1", self.port, local_addr=here
            )
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
            f"Cookie: {self.cookie}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(content)}\r\n\r\n"
        )
        self._writer.write(head.encode() + content)
        header = await asyncio.wait_for(self._reader.readuntil(b"\r\n\r\n"), 30)
        lines = header.decode("latin-1").split("\r\n")
        length = 0
        for line in lines[1:]:
            name, _, value = line.partition(":")
            if name.lower() == "content-length":
                length = int(value)
            elif name.lower() == "set-cookie":
                self.cookie = value.strip().split(";")[0]
        reply = await self._reader.readexactly(length)
        return int(lines[0].split()[1]), reply
