"""Parts of a study file: choices of settings, questionnaires, the consent, conditions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from ordlink._text import did_you_mean
from ordlink.collect.question_types import QUESTION_TYPES
from ordlink.collect.samplers import PLANS
from ordlink.collect.stimuli import short_repr
from ordlink.collect.texts import TEXTS

TRIAL_LISTS = ("trials", "practice_trials", "catch_list")
SAMPLERS = ("adaptive", "random", *PLANS)
OUTCOMES = ("completed", "screened_out", "declined", "closed", "withdrawn", "phone")


def one_of(words: Iterable[str]) -> Any:
    """Return the check that a value is one of these words."""
    known = tuple(words)

    def check(value: object) -> object:
        if value not in known:
            given = short_repr(value)
            hint = did_you_mean(given.strip("'"), known)
            raise ValueError(f"expected {', '.join(known)}, got {given}{hint}")
        return value

    return BeforeValidator(check)


def check_printable(value: str) -> str:
    """Refuse characters that cannot be printed."""
    if not value.isprintable():
        raise ValueError(f"expected printable characters, got {short_repr(value)}")
    return value


def check_address(value: str) -> str:
    """Refuse what is no address of a web page; empty is none."""
    if value and not value.startswith(("https://", "http://")):
        given = short_repr(value)
        raise ValueError(f"expected an address that starts with https://, got {given}")
    return value


Words = Annotated[str, Field(max_length=2000)]
Label = Annotated[Words, BeforeValidator(lambda one: str(one) if type(one) is int else one)]
Name = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,39}$")]
Question = Annotated[str, one_of(QUESTION_TYPES)]
Texts = dict[Annotated[str, one_of(("prompt", *TEXTS))], Annotated[str, Field(max_length=20_000)]]

PARTICIPANT_COLUMNS = {  # of participants.csv, and what they mean; those of questionnaires follow
    "participant": "P1, P2, ...: the same as in trials.csv",
    "condition": "the condition; empty if the study has none",
    "source": "link, id (?participant=...), prolific or mturk",
    "external_id": "the id in the participant's link",
    "phase": "where the participant is: before (a questionnaire), instructions, practice, ready, "
    "questions, break, after (a questionnaire) or done",
    "outcome": "completed, screened_out, declined, closed or withdrawn; empty while taking part",
    "joined": "when the participant agreed (UTC)",
    "finished": "when they finished (UTC)",
    "n_answers": "main answers",
    "median_seconds": "median response time of the main answers",
    "n_fast": "main answers faster than min_seconds",
    "n_cant_tell": '"can\'t tell" among the main answers',
    "n_blurs": "how often the page was left during main questions",
    "n_catches": "catch trials answered",
    "n_failed": "catch trials failed",
    "n_repeats": "questions answered again with the sides swapped",
    "n_same": "how many of these were answered the same",
    "agreement": "share of the comparisons that a tree of the others' answers agrees with",
    "excluded": "True if excluded from the tree",
    "excluded_for": "why",
    "flags": "what looks unusual",
    "asks_removal": "True if the participant asked on another device to have the answers removed",
}


class _Part(BaseModel):
    """A part of a study file with keys of its own."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class Item(_Part):
    """A question of a questionnaire; its name is the column of the answers."""

    name: Name
    text: Words
    type: Literal["choice", "number", "text", "likert"] = "text"
    options: list[Label] = Field([], max_length=50)  # of a choice; labels of a scale's points
    minimum: float = -1e9
    maximum: float = 1e9
    required: bool = True

    def check(self, given: Any) -> str | float | None:
        """Return an answer as it is stored, None for none; raise ValueError for a wrong one."""
        text = str(given if given is not None else "").strip()[:2000]
        if not text:
            if self.required:
                raise ValueError(self.name)
            return None
        if self.type == "number":
            number = float(text.replace(",", "."))
            if not self.minimum <= number <= self.maximum:
                raise ValueError(self.name)
            return int(number) if number.is_integer() else number
        if self.type != "text" and text not in self.options:
            raise ValueError(self.name)
        return "".join(letter for letter in text if letter.isprintable() or letter == "\n")


class Consent(_Part):
    """What the consent page says, each part under a title of its own; empty ones are left out."""

    investigator: Words = ""
    contact: Words = ""
    approval: Words = ""
    duration: Words = ""
    pay: Words = ""
    storage: Words = ""
    links: list[Words] = []
    checkboxes: list[Words] = []  # statements that participants must tick


class Condition(_Part):
    """What is different in one condition, and how many people complete it."""

    quota: int | None = Field(None, ge=1, le=1_000_000)
    question: Question | None = None
    stimuli: list[str] | None = None  # names of those that are asked about
    trials: list[list[str]] | None = None
    texts: Texts = {}
