"""Parts of a study file: choices of settings, questionnaires, the consent, conditions."""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from ordlink.collect.question_types import QUESTION_TYPES
from ordlink.collect.texts import LANGUAGES, TEXTS
from ordlink.methods import METHODS

Outcome = Literal["completed", "screened_out", "declined", "closed", "withdrawn", "phone"]
Words = Annotated[str, Field(max_length=2000)]
Name = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,39}$")]
CHOICES: dict[str, tuple[str, ...]] = {  # the words that a setting, or a key of it, may be
    "question": tuple(QUESTION_TYPES),
    "sampler": ("adaptive", "random", "SL", "CL", "4K-AL-act"),
    "method": tuple(name for name, method in METHODS.items() if method.needs == "comparisons"),
    "completion_codes": get_args(Outcome),
    "texts": ("prompt", *TEXTS),
    "language": tuple(LANGUAGES),
    "trial_order": ("fixed", "random"),
}
TRIAL_LISTS = ("trials", "practice_trials", "catch_list")


def one_of(setting: str) -> Any:
    """Return the check that a text is one of the words of a setting."""

    def check(value: str) -> str:
        if value not in CHOICES[setting]:
            raise ValueError(value)
        return value

    return AfterValidator(check)


def check_printable(value: str) -> str:
    """Refuse characters that cannot be printed."""
    if not value.isprintable():
        raise ValueError(value)
    return value


def check_address(value: str) -> str:
    """Refuse what is no address of a web page; empty is none."""
    if value and not value.startswith(("https://", "http://")):
        raise ValueError(value)
    return value


class _Part(BaseModel):
    """A part of a study file with keys of its own."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class Item(_Part):
    """A question of a questionnaire; its name is the column of the answers."""

    name: Name
    text: Words
    type: Literal["choice", "number", "text", "likert"] = "text"
    options: list[Words] = Field([], max_length=50)  # of a choice; labels of a scale's points
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
            return number
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
    question: Annotated[str, one_of("question")] | None = None
    stimuli: list[str] | None = None  # names of those that are asked about
    trials: list[list[str]] | None = None
    texts: dict[Annotated[str, one_of("texts")], Annotated[str, Field(max_length=20_000)]] = {}
