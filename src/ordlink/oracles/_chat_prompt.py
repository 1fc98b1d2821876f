"""The messages to a chat model, and the parsing of its replies."""

from __future__ import annotations

import base64
import io
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ordlink.errors import InputError

PROMPT = """\
You judge how similar things are. Answer each question with the letter of the alternative whose \
two things are more similar to each other.

{questions}

Reply with JSON alone, one letter for each question, such as {"answers": {"1": "A", "2": "B"}}. \
Use "?" where you cannot tell."""
"""What a model is asked; the questions take the place of ``{questions}``."""
PLACE = "{questions}"
LONGEST_SIDE = 512  # pixels
CANNOT_TELL = {"?", "TIE", "NONE", "NEITHER", "EQUAL", "UNSURE", "UNKNOWN", "CANNOT TELL", "NULL"}
Shown = tuple[int, int, int, int]
"""A question in the order in which it is shown: alternative A, then B."""


@dataclass(frozen=True)
class Picture:
    """A picture as the protocol takes it: JPEG, at most 512 pixels wide and high."""

    path: Path
    width: int
    height: int
    data: str

    @classmethod
    def read(cls, path: Path) -> Picture:
        """Read and shrink a picture file."""
        from PIL import Image, ImageOps, UnidentifiedImageError

        try:
            with Image.open(path) as file:
                file.draft("RGB", (LONGEST_SIDE, LONGEST_SIDE))  # JPEG: decode no more than needed
                image = ImageOps.exif_transpose(file).convert("RGBA")
        except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
            unknown = isinstance(error, UnidentifiedImageError)
            problem = "this is not a picture" if unknown else f"cannot be read ({error})"
            raise InputError(problem, where=str(path), remedy="save it as PNG or JPEG") from error
        image.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
        flat = Image.new("RGB", image.size, "white")
        flat.paste(image, mask=image.getchannel("A"))
        jpeg = io.BytesIO()
        flat.save(jpeg, "JPEG", quality=85)
        return cls(path, *flat.size, base64.b64encode(jpeg.getvalue()).decode())

    @property
    def part(self) -> dict[str, Any]:
        """The part of a message that holds the picture."""
        url = f"data:image/jpeg;base64,{self.data}"
        return {"type": "image_url", "image_url": {"url": url}}


def message(objects: Sequence[str | Picture], questions: Sequence[Shown], prompt: str) -> Any:
    """Return the content of a message: text, or pictures and text."""
    seen = dict.fromkeys(i for shown in questions for i in shown)
    pictures = [i for i in seen if isinstance(objects[i], Picture)]
    number = {i: n for n, i in enumerate(pictures, 1)}

    def called(i: int) -> str:
        one = objects[i]
        return (
            f"picture {number[i]}"
            if isinstance(one, Picture)
            else json.dumps(one, ensure_ascii=False)
        )

    lines = [f"{n}. {_in_words(shown, called)}" for n, shown in enumerate(questions, 1)]
    text = {"type": "text", "text": prompt.replace(PLACE, "\n".join(lines))}
    if not pictures:
        return text["text"]
    parts: list[dict[str, Any]] = []
    for i in pictures:
        parts += [{"type": "text", "text": f"Picture {number[i]}:"}, objects[i].part]  # type: ignore[union-attr]
    return [*parts, text]


def _in_words(shown: Shown, called: Callable[[int], str]) -> str:
    a, b, c, d = shown
    shared = {a, b} & {c, d}
    if shared:
        (x,) = shared
        first, second = called(b if a == x else a), called(d if c == x else c)
        return f"Is {called(x)} more similar to A: {first}, or to B: {second}?"
    first, second = f"{called(a)} and {called(b)}", f"{called(c)} and {called(d)}"
    return f"Which two are more similar to each other, A: {first}, or B: {second}?"


def preview(content: Any) -> str:
    """Return a message as text; pictures are only named."""
    if isinstance(content, str):
        return content
    lines = []
    for part in content:
        size = len(part["image_url"]["url"]) if "image_url" in part else 0
        lines.append(f"[a picture of {size:,} characters]" if size else part["text"])
    return "\n".join(lines)


def read_reply(reply: str, n_questions: int) -> dict[int, str]:
    """Return the letter, "A", "B" or "?", of each question that a reply answers, from 1.

    Text around the JSON is ignored; of several JSON objects, the one with the most answers counts,
    or the last of these. Without JSON, lines such as "2: B" are read.

    Examples
    --------
    >>> read_reply('Sure! {"answers": {"1": "B", "2": "a"}} I hope this helps.', 2)
    {1: 'B', 2: 'A'}
    """
    text = re.sub(r"<think>.*?</think>", " ", reply, flags=re.DOTALL | re.IGNORECASE)
    found: dict[int, str] = {}
    for value in _json_values(text):
        letters = _letters(value, n_questions)
        if len(letters) >= len(found):
            found = letters
    return found or _letters_in_lines(text, n_questions)


def _json_values(text: str) -> Iterator[Any]:
    decoder, at = json.JSONDecoder(), 0
    while start := re.compile(r"[{\[]").search(text, at):
        try:
            value, at = decoder.raw_decode(text, start.start())
            yield value
        except (ValueError, RecursionError):
            at = start.end()


def _letters(value: Any, n_questions: int) -> dict[int, str]:
    if isinstance(value, dict):
        plain = {str(key).strip().lower(): entry for key, entry in value.items()}
        for key in ("answers", "answer", "choices", "choice", "results"):
            if key in plain:
                return _letters(plain[key], n_questions)
        entries = [(_number(key), entry) for key, entry in plain.items()]
    elif isinstance(value, list):
        whole = len(value) == n_questions
        entries = [
            (_own_number(entry) or (place if whole else None), entry)
            for place, entry in enumerate(value, 1)
        ]
    else:
        entries = [(1 if n_questions == 1 else None, value)]
    letters = ((number, _letter(entry)) for number, entry in entries)
    return {
        number: letter
        for number, letter in letters
        if letter and number is not None and 1 <= number <= n_questions
    }


def _number(key: object) -> int | None:
    match = re.fullmatch(r"\D{0,12}(\d{1,6})\D?", str(key).strip())
    return int(match[1]) if match else None


def _own_number(entry: Any) -> int | None:
    if isinstance(entry, dict):
        for key, value in entry.items():
            if str(key).lower() in ("question", "number", "id", "index", "q", "n"):
                return _number(value)
    return None


def _letter(entry: Any) -> str:
    if isinstance(entry, dict):
        for key, value in entry.items():
            if str(key).lower() in ("choice", "answer", "letter", "alternative", "option", "pair"):
                return _letter(value)
        return ""
    text = "?" if entry is None else str(entry).strip().strip("\"'*.").upper()
    if text in CANNOT_TELL:
        return "?"
    match = re.fullmatch(
        r"(?:(?:PAIR|OPTION|ALTERNATIVE|ANSWER)\W*)?\(?([AB])\)?(?:\W*|[:.,)-].*)", text
    )
    return match[1] if match else ""


_LINE = re.compile(
    r"^\W*(?:question|q)?\W*(\d+)\W+(?:(?:the )?(?:answer|choice)(?: is)?\W*)?"
    r"(?:(?:pair|option|alternative)\W*)?([AB?])(?:\W*$|\s*[-:(,.)].*$)",
    re.IGNORECASE | re.MULTILINE,
)
_ALONE = re.compile(
    r"(?:answer|choice|choose|pick)\W*(?:(?:is|would be)\W*)?"
    r"(?:(?:pair|option|alternative)\W*)?\b([AB])\b(?!\s+[a-z])",
    re.IGNORECASE,
)


def _letters_in_lines(text: str, n_questions: int) -> dict[int, str]:
    letters = {int(number): letter.upper() for number, letter in _LINE.findall(text)}
    letters = {number: letter for number, letter in letters.items() if 1 <= number <= n_questions}
    if letters or n_questions > 1:
        return letters
    alone = _letter(text) or "".join(_ALONE.findall(text)[-1:]).upper()
    return {1: alone} if alone else {}
