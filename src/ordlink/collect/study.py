"""A study: what is asked, of whom, how often, in which words. From a file, a folder or a table."""

from __future__ import annotations

import dataclasses
import difflib
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ordlink.collect.question_types import QUESTION_TYPES, QuestionType
from ordlink.collect.stimuli import (
    FEWEST,
    Stimulus,
    stimuli_of_folder,
    stimuli_of_list,
    stimuli_of_table,
)
from ordlink.collect.texts import TEXTS
from ordlink.errors import InputError
from ordlink.methods import METHODS

SAMPLER_NAMES = ("adaptive", "random", "SL", "CL", "4K-AL-act")
METHODS_OF_STUDIES = tuple(
    name for name, method in METHODS.items() if method.needs == "comparisons" and name != "auto"
)
"""How the tree may be built; "auto" is too slow to be run again and again."""
OUTCOMES = ("completed", "screened_out", "declined", "closed", "withdrawn")
"""How a person's visit can end; each may have its own completion code."""


@dataclass(frozen=True)
class Study:
    """Everything that a study file says; every field but the stimuli has a default.

    Attributes
    ----------
    stimuli : tuple of Stimulus
        The objects, in order.
    name : str
        Title of the pages.
    question : str
        One of quadruplet, triplet, most-central, odd-one-out, rank-2-of-8.
    sampler : str
        Which question next: adaptive, random, SL, CL or 4K-AL-act; the plans of the last three
        compare any two pairs, so they go with quadruplets.
    random_share : float
        Share of questions that are drawn at random whatever the sampler says.
    people_per_question : int
        To how many people each question is shown.
    questions_per_person : int
        Main questions after which a person is done.
    practice : int
        Practice questions before them.
    break_every : int
        A break is offered after so many questions; 0 for never.
    catch_share, repeat_share : float
        How many catch trials and repeats (sides swapped) come on top, as shares of the questions.
    max_failed_catches : int or None
        A person who fails more is screened out; None for nobody.
    min_seconds : float
        Faster answers are flagged.
    abandon_after : float
        Seconds after which a question that was not answered is shown to somebody else.
    cant_tell, undo : bool
        Whether these are offered.
    method : str
        How the tree is built from the answers.
    budget : int or None
        Main answers after which the study ends.
    stable_trees : int or None
        The study ends once the tree stayed the same over so many checks in a row; a check counts
        after as many new answers, "can't tell" aside, as there are stimuli.
    pay_per_person : float
        What a completed visit costs.
    currency : str
    completion_codes : mapping from outcome to str
        Codes for completed, screened_out, declined, closed, withdrawn.
    completion_url : str
        Where people go in the end; ``{code}`` in it is replaced by the code.
    seed : int
        Of all that is drawn at random; each of several servers adds numbers of its own.
    texts : mapping from str to str
        Replaced texts.
    """

    stimuli: tuple[Stimulus, ...]
    name: str = "Comparisons"
    question: str = "triplet"
    sampler: str = "adaptive"
    random_share: float = 0.2
    people_per_question: int = 1
    questions_per_person: int = 60
    practice: int = 2
    break_every: int = 30
    catch_share: float = 0.03
    repeat_share: float = 0.05
    max_failed_catches: int | None = None
    min_seconds: float = 0.4
    abandon_after: float = 300.0
    cant_tell: bool = True
    undo: bool = True
    method: str = "tSTE-AL"
    budget: int | None = None
    stable_trees: int | None = None
    pay_per_person: float = 0.0
    currency: str = "EUR"
    completion_codes: Mapping[str, str] = field(default_factory=dict)
    completion_url: str = ""
    seed: int = 0
    texts: Mapping[str, str] = field(default_factory=dict)

    @property
    def n_objects(self) -> int:
        """Number of objects."""
        return len(self.stimuli)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the objects."""
        return tuple(stimulus.name for stimulus in self.stimuli)

    @property
    def kind(self) -> QuestionType:
        """How people are asked."""
        return QUESTION_TYPES[self.question]

    def text(self, key: str) -> str:
        """Return a text in the study's words, or else in ours."""
        return self.texts.get(key) or (self.kind.prompt if key == "prompt" else TEXTS[key])

    def completion(self, outcome: str | None) -> tuple[str, str]:
        """Return the code of an outcome and where people go with it; empty if there is none.

        Examples
        --------
        >>> url = "https://example.org/?cc={code}"
        >>> study = Study((), completion_codes={"completed": "A&B"}, completion_url=url)
        >>> study.completion("completed"), study.completion("closed")
        (('A&B', 'https://example.org/?cc=A%26B'), ('', ''))
        """
        code = self.completion_codes.get(outcome or "", "")
        has_place = "{code}" in self.completion_url
        if outcome is None or (has_place and not code):
            return code, ""
        return code, self.completion_url.replace("{code}", quote(code, safe=""))

    def settings(self) -> dict[str, Any]:
        """Return all fields but the stimuli, as values that JSON and YAML can hold."""
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        del fields["stimuli"]
        return {
            name: dict(value) if isinstance(value, Mapping) else value
            for name, value in fields.items()
        }


def load_study(source: str | Path) -> Study:
    """Return the study of a folder of stimuli, a CSV file of them, or a study file.

    Raises
    ------
    InputError
        If something is wrong; the message names the file, the key, what is expected and what to do.
    """
    path = Path(source)
    if path.is_dir():
        return make_study({"name": path.resolve().name}, stimuli_of_folder(path), str(path))
    suffix = path.suffix.lower()
    if suffix in (".csv", ".tsv"):
        return make_study({"name": path.stem}, stimuli_of_table(path), str(path))
    if suffix not in (".yaml", ".yml", ".toml"):
        raise InputError(
            f"{path}: expected a folder, a .csv file or a study file (.yaml, .toml); check the path"
        )
    settings = _read(path)
    return make_study(settings, _stimuli(settings.pop("stimuli", None), path), str(path))


def make_study(
    settings: Mapping[str, Any], stimuli: tuple[Stimulus, ...], where: str = "the study"
) -> Study:
    """Return a study after checking every setting.

    Examples
    --------
    >>> animals = tuple(Stimulus(name, "text", name) for name in ("cat", "dog", "bee"))
    >>> make_study({"question": "odd-one-out"}, animals).kind.n_objects
    3
    """
    checked: dict[str, Any] = {}
    for key, value in settings.items():
        if key not in CHECKS:
            close = difflib.get_close_matches(str(key), [*CHECKS, "stimuli"], n=1)
            hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(CHECKS)}"
            raise InputError(f"{where}: unknown key {key!r}; {hint}")
        checked[key] = CHECKS[key](value, f"{where}: {key}")
    study = Study(stimuli, **checked)
    _check_together(study, where)
    return study


def _check_together(study: Study, where: str) -> None:
    kind = study.kind
    if study.sampler in ("SL", "CL", "4K-AL-act") and study.question != "quadruplet":
        raise InputError(
            f"{where}: sampler: {study.sampler} compares any two pairs, expected question: "
            f"quadruplet with it, got {study.question}; change one of the two"
        )
    if study.n_objects < max(kind.n_objects, FEWEST):
        raise InputError(
            f"{where}: question: {kind.name} shows {kind.n_objects} stimuli at a time, there are "
            f"{study.n_objects}; choose another question or add stimuli"
        )
    if study.catch_share + study.repeat_share > 0.5:
        raise InputError(
            f"{where}: catch_share and repeat_share: expected at most 0.5 together, got "
            f"{study.catch_share + study.repeat_share:g}; lower one of them"
        )


def _read(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text("utf-8")
        if path.suffix.lower() == ".toml":
            found: object = tomllib.loads(text)
        else:
            import yaml

            try:
                found = yaml.safe_load(text)
            except yaml.YAMLError as error:
                raise ValueError(" ".join(str(error).split())) from error
    except (OSError, UnicodeDecodeError, ValueError, RecursionError) as error:
        raise InputError(f"{path}: cannot be read as a study file ({error}); correct it") from error
    if not isinstance(found, dict) or not all(isinstance(key, str) for key in found):
        raise InputError(
            f"{path}: expected lines such as 'question: triplet', got {type(found).__name__}; "
            "see the documentation of study files"
        )
    return found


def _stimuli(given: object, path: Path) -> tuple[Stimulus, ...]:
    where = f"{path}: stimuli"
    if isinstance(given, list):
        return stimuli_of_list(given, path.parent, where)
    if isinstance(given, str):
        source = path.parent / given
        if source.is_dir():
            return stimuli_of_folder(source)
        if source.suffix.lower() in (".csv", ".tsv"):
            return stimuli_of_table(source)
    raise InputError(
        f"{where}: expected a folder, a .csv file or a list of texts and files, got {given!r}; "
        "paths count from the folder of the study file"
    )


# --- checks of single settings ----------------------------------------------------------------

Check = Callable[[Any, str], Any]


def _one_of(*choices: str) -> Check:
    def check(value: object, where: str) -> str:
        if not isinstance(value, str) or value not in choices:
            close = difflib.get_close_matches(str(value), choices, n=1, cutoff=0.5)
            hint = f"; did you mean {close[0]}?" if close else "; choose one of them"
            raise InputError(f"{where}: expected {', '.join(choices)}, got {value!r}{hint}")
        return value

    return check


def _whole(lowest: int, highest: int, *, optional: bool = False) -> Check:
    def check(value: object, where: str) -> int | None:
        if value is None and optional:
            return None
        if not isinstance(value, int) or isinstance(value, bool) or not lowest <= value <= highest:
            raise InputError(
                f"{where}: expected a whole number from {lowest} to {highest}, got {value!r}; "
                "correct it"
            )
        return value

    return check


def _number(lowest: float, highest: float) -> Check:
    def check(value: object, where: str) -> float:
        good = isinstance(value, int | float) and not isinstance(value, bool)
        if not good or not lowest <= value <= highest:  # type: ignore[operator]
            raise InputError(
                f"{where}: expected a number from {lowest:g} to {highest:g}, got {value!r}; "
                "correct it"
            )
        return float(value)  # type: ignore[arg-type]

    return check


def _switch(value: object, where: str) -> bool:
    if not isinstance(value, bool):
        raise InputError(f"{where}: expected true or false, got {value!r}; correct it")
    return value


def _words(longest: int) -> Check:
    def check(value: object, where: str) -> str:
        if not isinstance(value, str) or len(value) > longest:
            raise InputError(
                f"{where}: expected a text of at most {longest} letters, got "
                f"{type(value).__name__}; put it in quotation marks or shorten it"
            )
        return value

    return check


def _table(keys: tuple[str, ...], longest: int) -> Check:
    def check(value: object, where: str) -> dict[str, str]:
        if not isinstance(value, dict):
            raise InputError(f"{where}: expected keys and texts, got {value!r}; correct it")
        for key, text in value.items():
            _one_of(*keys)(key, f"{where}: a key")
            _words(longest)(text, f"{where}: {key}")
        return dict(value)

    return check


def _web_address(value: object, where: str) -> str:
    text: str = _words(500)(value, where)
    if text and not text.startswith(("https://", "http://")):
        raise InputError(f"{where}: expected an address that starts with https://, got {text!r}")
    return text


CHECKS: dict[str, Check] = {
    "name": _words(100),
    "question": _one_of(*QUESTION_TYPES),
    "sampler": _one_of(*SAMPLER_NAMES),
    "random_share": _number(0.05, 1),
    "people_per_question": _whole(1, 1000),
    "questions_per_person": _whole(1, 10_000),
    "practice": _whole(0, 50),
    "break_every": _whole(0, 10_000),
    "catch_share": _number(0, 0.5),
    "repeat_share": _number(0, 0.5),
    "max_failed_catches": _whole(0, 1000, optional=True),
    "min_seconds": _number(0, 60),
    "abandon_after": _number(1, 86_400),
    "cant_tell": _switch,
    "undo": _switch,
    "method": _one_of(*METHODS_OF_STUDIES),
    "budget": _whole(1, 1_000_000_000, optional=True),
    "stable_trees": _whole(2, 1000, optional=True),
    "pay_per_person": _number(0, 10_000),
    "currency": _words(10),
    "completion_codes": _table(OUTCOMES, 100),
    "completion_url": _web_address,
    "seed": _whole(0, 2**31 - 1),
    "texts": _table(("prompt", *TEXTS), 20_000),
}
"""How each key of a study file is checked."""
