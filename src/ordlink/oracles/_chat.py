"""A language or vision model as an oracle."""

from __future__ import annotations

import copy
import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ordlink._typing import AnyArray, BoolArray, Int8Array, Int32Array
from ordlink._validate import check_number, check_whole_number
from ordlink.errors import InputError, InputKindError
from ordlink.oracles._base import BaseOracle
from ordlink.oracles._chat_client import ChatClient, Usage
from ordlink.oracles._chat_prompt import PLACE, PROMPT, Picture, Shown, message, preview, read_reply
from ordlink.oracles._drawing import random_questions
from ordlink.oracles._questions import QuestionLog, Questions

SIGNS = {"A": 1, "B": -1, "?": 0}
N_READINGS = 3  # requests for the same question, if its answer cannot be read
FEWEST_UNREADABLE = 10  # before they stop the run, if they are more than half of all
CHARACTERS_PER_TOKEN = 4
PIXELS_PER_TOKEN = 750
TOKENS_PER_ANSWER = 8


@dataclass(frozen=True)
class CostEstimate:
    """Expected requests, tokens and cost; tokens are estimated from the length of the prompt."""

    n_questions: int
    n_requests: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None
    """In the currency of the prices; None without prices."""


class ChatOracle(BaseOracle):
    """Asks a chat model on any server with an OpenAI-compatible API.

    A request contains several questions. The order of the two alternatives is randomised for each
    question, so that a preference for the first favours no objects; :func:`position_bias` measures
    it. A question whose answer cannot be parsed is asked up to three times in all, and then counts
    as "can't tell"; if more than half cannot be parsed, an error shows a reply.

    Wrap it in a :class:`ConcurrentOracle` for parallel requests and retries, and that in a
    :class:`RecordedOracle` to resume interrupted runs. The API key is read from the environment for
    each request and never stored.

    Parameters
    ----------
    objects : sequence of str or Path
        What is compared: a text, or a picture file as a Path. Pictures are sent as JPEGs of at most
        512 pixels.
    model : str
        Name of the model, as the server knows it.
    base_url : str
        URL of the server, such as "http://localhost:8000/v1".
    names : sequence of str, optional
        One name per object; by default the text, or the name of the file without its extension.
    prompt : str, optional
        The message, where "{questions}" marks where the questions go. It must ask for a reply such
        as {"answers": {"1": "A", "2": "B"}}.
    batch_size : int
        Number of questions per request.
    key_variable : str
        Environment variable with the API key, if the server needs one.
    timeout : float
        Seconds to wait for a reply.
    prices : (float, float), optional
        Prices per million prompt tokens and reply tokens.
    parameters : dict, optional
        Further fields of the request, such as ``{"temperature": 0}``.
    seed : int
        Random seed of the order of the alternatives.

    Attributes
    ----------
    usage : Usage
        Number of requests, tokens (if the server counts them), and questions so far.
    """

    def __init__(
        self,
        objects: Sequence[str | Path],
        *,
        model: str,
        base_url: str,
        names: Sequence[str] | None = None,
        prompt: str = PROMPT,
        batch_size: int = 10,
        key_variable: str = "OPENAI_API_KEY",
        timeout: float = 60.0,
        prices: tuple[float, float] | None = None,
        parameters: Mapping[str, Any] | None = None,
        seed: int = 0,
    ) -> None:
        self._client = ChatClient(base_url, model, key_variable, timeout, parameters)
        if PLACE not in prompt:
            problem = f"expected a text with {PLACE!r} where the questions go"
            raise InputError(problem, parameter="prompt")
        self._objects = _check_objects(objects)
        if names is None:
            names = [one.stem if isinstance(one, Path) else one for one in objects]
        super().__init__(len(self._objects), names=names)
        self._prompt = prompt
        self.batch_size = check_whole_number(batch_size, "batch_size", lowest=1)
        self._prices = None
        if prices is not None:
            self._prices = tuple(check_number(price, "prices", lowest=0) for price in prices)
        self._seed = check_whole_number(seed, "seed", lowest=0)
        self._is_reversed = False
        self._letters: dict[Shown, str] = {}  # of calls that have not ended

    @property
    def model(self) -> str:
        """Name of the model."""
        return self._client.model

    @property
    def usage(self) -> Usage:
        """Number of requests, tokens and questions so far."""
        return self._client.usage

    @property
    def source(self) -> str:
        """The model, and a digest of the objects, the prompt and the parameters."""
        asked = [
            self._prompt,
            repr(sorted(self._client.parameters.items())),
            *map(str, self.names or ()),
        ]
        asked += [one.data if isinstance(one, Picture) else one for one in self._objects]
        digest = hashlib.sha256("\0".join(asked).encode()).hexdigest()
        return f"{self.model}, {digest[:16]}" + self._is_reversed * ", other order"

    @property
    def cost(self) -> float | None:
        """Cost of the requests so far; None without prices."""
        return self._cost(self.usage.prompt_tokens, self.usage.completion_tokens)

    def estimate(self, n_questions: int) -> CostEstimate:
        """Return the requests, tokens and cost expected for this number of questions."""
        n_questions = check_whole_number(n_questions, "n_questions", lowest=0)
        n_requests = math.ceil(n_questions / self.batch_size)
        shown = self.content(random_questions(self.n_objects, min(n_questions, self.batch_size)))
        parts = [{"text": shown}] if isinstance(shown, str) else shown
        sizes = [one.width * one.height for one in self._objects if isinstance(one, Picture)]
        n_characters = sum(len(part.get("text", "")) for part in parts)
        n_pixels = sum("image_url" in part for part in parts) * float(np.mean(sizes or [0]))
        tokens = n_characters / CHARACTERS_PER_TOKEN + n_pixels / PIXELS_PER_TOKEN
        n_in, n_out = round(tokens * n_requests), TOKENS_PER_ANSWER * n_questions
        return CostEstimate(n_questions, n_requests, n_in, n_out, self._cost(n_in, n_out))

    def content(self, quadruplets: AnyArray) -> Any:
        """Return the message that asks these questions in one request."""
        rows = Questions.of(quadruplets, self.n_objects).quadruplets
        return message(self._objects, self._shown(rows), self._prompt)

    def preview(self, quadruplets: AnyArray) -> str:
        """Return the message that asks these questions as text; pictures are only named."""
        return preview(self.content(quadruplets))

    def shows_first(self, quadruplets: AnyArray) -> BoolArray:
        """Return whether the first pair of each question is shown as alternative A."""
        questions = Questions.of(quadruplets, self.n_objects)
        rows = questions.quadruplets
        signs = [_sign(*both) for both in zip(rows.tolist(), self._shown(rows), strict=True)]
        return np.asarray(np.array(signs, dtype=np.int8) == questions.signs)

    def reversed(self) -> ChatOracle:
        """Return this oracle showing the alternatives of each question in the other order."""
        other = copy.copy(self)
        other._asked, other._letters = QuestionLog(), {}
        other._is_reversed = not self._is_reversed
        return other

    def _cost(self, n_in: int, n_out: int) -> float | None:
        if self._prices is None:
            return None
        return (self._prices[0] * n_in + self._prices[1] * n_out) / 1e6

    def _shown(self, quadruplets: Int32Array) -> list[Shown]:
        """Return questions in the order of their alternatives, the same for the same question."""
        shown: list[Shown] = []
        for i, j, k, l in quadruplets.tolist():  # noqa: E741 - the paper's letters
            turns = np.random.default_rng([self._seed, i, j, k, l]).random(3) < 0.5
            first, second = ((j, i) if turns[0] else (i, j)), ((l, k) if turns[1] else (k, l))
            swap = turns[2] != self._is_reversed
            shown.append((*second, *first) if swap else (*first, *second))
        return shown

    def _answer(self, quadruplets: Int32Array) -> Int8Array:
        answers = np.empty(len(quadruplets), dtype=np.int8)
        for start in range(0, len(quadruplets), self.batch_size):
            rows = quadruplets[start : start + self.batch_size]
            shown = self._shown(rows)
            letters = self._ask_model(shown)
            for at, (row, one) in enumerate(zip(rows.tolist(), shown, strict=True)):
                answers[start + at] = _sign(row, one) * SIGNS[letters[one]]
        return answers

    def _ask_model(self, questions: Sequence[Shown]) -> dict[Shown, str]:
        """Return the letter of each question, repeating those that got none."""
        # What an earlier call heard before it failed is not asked again.
        letters = {one: self._letters[one] for one in questions if one in self._letters}
        reply = ""
        for _ in range(N_READINGS):
            left = [one for one in questions if one not in letters]
            if not left:
                break
            reply = self._client.complete(message(self._objects, left, self._prompt))
            heard = {
                left[number - 1]: letter for number, letter in read_reply(reply, len(left)).items()
            }
            letters |= heard
            self._letters |= heard
        unreadable = [one for one in questions if one not in letters]
        self.usage.add(n_questions=len(questions), n_unreadable=len(unreadable))
        for one in questions:
            self._letters.pop(one, None)
        if unreadable:
            self._refuse_unreadable(reply)
        return letters | dict.fromkeys(unreadable, "?")

    def _refuse_unreadable(self, reply: str) -> None:
        bad, total = self.usage.n_unreadable, self.usage.n_questions
        if bad >= FEWEST_UNREADABLE and 2 * bad > total:
            raise InputError(
                f"{bad} of {total} answers could not be parsed; last reply: {reply[:200]!r}",
                where=self.model,
                remedy="ask for JSON as the default prompt does, put fewer questions in a request, "
                "or choose another model",
            )


def _sign(row: Sequence[int], shown: Shown) -> int:
    """Return 1 if the first pair of a question is shown as alternative A, otherwise -1."""
    return 1 if {*row[:2]} == {*shown[:2]} else -1


def _check_objects(objects: Sequence[str | Path]) -> list[str | Picture]:
    if isinstance(objects, str | bytes | Path) or not isinstance(objects, Sequence):
        kind = type(objects).__name__
        problem = f"expected a list of texts or of picture files, got {kind}"
        raise InputKindError(problem, parameter="objects")
    checked: list[str | Picture] = []
    for number, one in enumerate(objects):
        given: object = one
        if not isinstance(given, str | Path) or given == "" or str(given).isspace():
            problem = f"expected a text or a Path for object {number}, got {one!r}"
            raise InputError(problem, parameter="objects")
        checked.append(Picture.read(one) if isinstance(one, Path) else one)
    return checked
