"""Requests to a server with an OpenAI-compatible chat API; the key stays in the environment."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from ordlink._text import shorten
from ordlink._validate import check_number
from ordlink.errors import InputError, InputKindError, OracleError, OrdlinkError
from ordlink.oracles._base import COUNTING

LARGEST_REPLY = 1 << 24  # bytes
PASSING = {408, 409, 425, 429}
"""HTTP status codes below 500 that are worth a retry."""
ANSWER_FORMAT = {"type": "json_object"}


@dataclass
class Usage:
    """What was asked of the server so far."""

    n_requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    n_questions: int = 0
    n_unreadable: int = 0  # questions without a readable answer

    def add(self, **counts: int) -> None:
        """Add to some of the counts; several threads may do so."""
        with COUNTING:
            for name, count in counts.items():
                setattr(self, name, getattr(self, name) + count)


class ChatClient:
    """Sends messages to one model; its parameters are those of :class:`ChatOracle`."""

    def __init__(
        self,
        base_url: str,
        model: str,
        key_variable: str,
        timeout: float,
        parameters: Mapping[str, Any] | None,
    ) -> None:
        self.base_url = _check_address(base_url)
        given: object = model
        if not isinstance(given, str) or not given.strip():
            raise InputError(f"expected the name of a model, got {model!r}", parameter="model")
        self.model = model
        self._key_variable = key_variable
        self._timeout = check_number(timeout, "timeout", lowest=0.001)
        self.parameters = dict(parameters or {})
        self._is_structured = "response_format" not in self.parameters
        self.usage = Usage()

    def complete(self, content: Any) -> str:
        """Return the model's reply to a message."""
        message = {"role": "user", "content": content}
        body = {"model": self.model, "messages": [message], **self.parameters}
        structured = self._is_structured
        if structured:
            body["response_format"] = ANSWER_FORMAT
        self.usage.add(n_requests=1)
        code, retry_after, text = self._post(json.dumps(body).encode())
        if code in (400, 422) and structured and "response_format" in text:
            self._is_structured = False  # a server that does not know it
            return self.complete(content)
        if code != 200:
            raise self._refusal(code, retry_after, text)
        return self._read(text)

    def _post(self, body: bytes) -> tuple[int, str | None, str]:
        """Return the code, the header Retry-After and the text of the server's answer."""
        from http.client import HTTPException
        from urllib.error import HTTPError
        from urllib.request import HTTPRedirectHandler, Request, build_opener

        class NoRedirects(HTTPRedirectHandler):
            """A redirect could take the request and its key to another server."""

            def redirect_request(self, *_: Any, **__: Any) -> None:
                return None

        request = Request(f"{self.base_url}/chat/completions", data=body, method="POST")
        request.add_header("Content-Type", "application/json")
        key = self._key()
        if key:
            request.add_unredirected_header("Authorization", f"Bearer {key}")
        try:
            try:
                reply = build_opener(NoRedirects).open(request, timeout=self._timeout)
            except HTTPError as error:
                reply = error
            with reply:
                text = reply.read(LARGEST_REPLY).decode(errors="replace")
                header = reply.headers.get("Retry-After")
                return int(reply.status or 0), header, self._without_key(text)
        except (OSError, HTTPException) as error:
            failure = self._without_key(str(error) or type(error).__name__)
        # Raised outside, so that no request with its headers hangs on the error.
        raise OracleError(f"no answer ({failure})", where=self.base_url)

    def _key(self) -> str:
        key = os.environ.get(self._key_variable, "").strip()
        if not key.isascii() or not key.isprintable() or " " in key:
            problem = f"the environment variable {self._key_variable} does not hold a key"
            raise InputError(problem, remedy="set it to the key alone")
        return key

    def _without_key(self, text: str) -> str:
        key = self._key()
        return text.replace(key, "***") if key else text

    def _refusal(self, code: int, retry_after: str | None, text: str) -> OrdlinkError:
        """Return the error for a code, with what the server said unless it is about the key."""
        if code in (401, 403):
            return InputError(
                f"the server refused the key (HTTP {code})",
                where=self.base_url,
                remedy=f"set the environment variable {self._key_variable}",
            )
        problem = f"HTTP {code}: {shorten(' '.join(_said(text).split()), 200)}"
        if (code in PASSING or code >= 500) and "insufficient_quota" not in text:
            passing = OracleError(problem, where=self.base_url)
            passing.retry_after = _seconds(retry_after)
            return passing
        remedy = "check the address, the model and its parameters"
        return InputError(problem, where=self.base_url, remedy=remedy)

    def _read(self, text: str) -> str:
        try:
            reply = json.loads(text)
            content = reply["choices"][0]["message"].get("content")
            used = reply.get("usage") or {}
            counts = {
                name: int(used.get(name) or 0) for name in ("prompt_tokens", "completion_tokens")
            }
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
            problem = f"expected a chat completion, got {shorten(text)!r}"
            raise OracleError(problem, where=self.base_url) from None
        self.usage.add(**counts)
        return content if isinstance(content, str) else ""


def _check_address(base_url: object) -> str:
    if not isinstance(base_url, str):
        kind = type(base_url).__name__
        raise InputKindError(f"expected an address, got {kind}", parameter="base_url")
    example = "give a URL such as http://localhost:8000/v1"
    try:
        parts = urlsplit(base_url.strip())
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        raise InputError("this is not an address", parameter="base_url", remedy=example) from None
    if parts.username or parts.password or parts.query or parts.fragment:
        problem = "expected an address without a password or a query"
        raise InputError(problem, parameter="base_url", remedy="put the key into the environment")
    if not is_address:
        problem = f"expected an address with http:// or https://, got {shorten(base_url)!r}"
        raise InputError(problem, parameter="base_url", remedy=example)
    return base_url.strip().rstrip("/").removesuffix("/chat/completions")


def _said(text: str) -> str:
    """Return the message of a server's error, or its text."""
    try:
        error = json.loads(text)["error"]
        return str(error["message"] if isinstance(error, dict) else error)
    except (ValueError, TypeError, LookupError, RecursionError):
        return text


def _seconds(retry_after: str | None) -> float | None:
    """Return the header Retry-After, a number of seconds or a date, as seconds from now."""
    from email.utils import parsedate_to_datetime

    if retry_after is None:
        return None
    try:
        return max(0.0, float(retry_after))
    except ValueError:
        pass
    try:
        then = parsedate_to_datetime(retry_after)
        return max(0.0, (then - then.now(then.tzinfo)).total_seconds())
    except ValueError:
        return None
