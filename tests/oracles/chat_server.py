"""A small server that speaks the chat protocol on the loopback, as good or bad as it is told."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = "sk-very-secret-0123456789"
QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"|picture (\d+)')


class ChatServer:
    """Answers questions about numbers, the closer pair; `behave` may answer a request itself.

    `behave(server, body)` returns None for the usual reply, a text to be the reply, or a tuple
    (code, headers, text) to send.
    """

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.behave: Callable[[ChatServer, dict[str, Any]], Any] = lambda server, body: None
        self.answered: list[tuple[str, str]] = []  # questions, and the letters that were sent
        self.lock = threading.Lock()
        self.url = ""

    def reply(self, body: dict[str, Any]) -> Any:
        with self.lock:
            self.requests.append(body)
        return self.behave(self, body)

    def letters(self, body: dict[str, Any]) -> dict[str, str]:
        """Return the right letter for each question of a request."""
        content = body["messages"][0]["content"]
        text = content if isinstance(content, str) else content[-1]["text"]
        values = {} if isinstance(content, str) else picture_values(content)
        found = {}
        for number, question in re.findall(r"^(\d+)\. (.*\?)$", text, flags=re.MULTILINE):
            things = [
                float(quoted) if quoted else values[int(picture)]
                for quoted, picture in QUOTED.findall(question)
            ]
            a, b, c, d = (
                things if len(things) == 4 else (things[0], things[1], things[0], things[2])
            )
            found[number] = "A" if abs(a - b) < abs(c - d) else "B"
            with self.lock:
                self.answered.append((question, found[number]))
        return found


def picture_values(content: list[dict[str, Any]]) -> dict[int, float]:
    """Return the grey level of each picture of a message."""
    import base64
    import io

    from PIL import Image

    values = {}
    for label, part in zip(content[:-1:2], content[1::2], strict=True):
        kind, _, data = part["image_url"]["url"].partition(";base64,")
        assert kind == "data:image/jpeg"
        image = Image.open(io.BytesIO(base64.b64decode(data))).convert("L")
        assert max(image.size) <= 512
        values[int(re.findall(r"\d+", label["text"])[0])] = float(image.getpixel((0, 0)))
    return values


def completion(text: str) -> str:
    message = {"role": "assistant", "content": text}
    usage = {"prompt_tokens": 100, "completion_tokens": 10}
    return json.dumps({"choices": [{"message": message}], "usage": usage})


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        chat: ChatServer = self.server.chat  # type: ignore[attr-defined]
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        chat.headers.append(dict(self.headers))
        assert self.path == "/v1/chat/completions"
        answer = chat.reply(body)
        if answer is None:
            answer = json.dumps({"answers": chat.letters(body)})
        code, headers, text = answer if isinstance(answer, tuple) else (200, {}, completion(answer))
        data = text.encode()
        self.send_response(code)
        for name, value in {"Content-Length": str(len(data)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)
        self.close_connection = True

    def log_message(self, *_: Any) -> None:
        """Print nothing."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, *_: Any) -> None:
        """A client that did not wait is no error here."""


@contextmanager
def serving() -> Iterator[ChatServer]:
    """Run a server until the block ends."""
    chat = ChatServer()
    server = _Server(("127.0.0.1", 0), _Handler)
    server.chat = chat  # type: ignore[attr-defined]
    chat.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield chat
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
