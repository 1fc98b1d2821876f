"""A web server on this machine, to download from."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest


@dataclass
class Site:
    """What the server offers: path to content; `cut` paths end half way; requests are listed."""

    address: str = ""
    pages: dict[str, bytes] = field(default_factory=dict)
    cut: set[str] = field(default_factory=set)
    requests: list[str] = field(default_factory=list)


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """Run a server for the test."""
    offered = Site()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            offered.requests.append(self.path)
            content = offered.pages.get(self.path)
            if content is None:
                self.send_error(404)
                return
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            half = len(content) // 2
            self.wfile.write(content[:half] if self.path in offered.cut else content)

        def log_message(self, *_: object) -> None:
            """Stay silent."""

    monkeypatch.setenv("no_proxy", "*")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    offered.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield offered
    server.shutdown()
    server.server_close()
    thread.join()
