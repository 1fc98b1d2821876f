"""A study: what is asked, how often, in which words. From a file, a folder or a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from ordlink._text import did_you_mean
from ordlink.collect.question_types import QUESTION_TYPES, QuestionType, passes_catch
from ordlink.collect.samplers import PLANS
from ordlink.collect.settings import (
    OUTCOMES,
    PARTICIPANT_COLUMNS,
    SAMPLERS,
    TRIAL_LISTS,
    Condition,
    Consent,
    Item,
    Name,
    Question,
    Texts,
    check_address,
    check_printable,
    one_of,
)
from ordlink.collect.stimuli import (
    FEWEST,
    Stimulus,
    short_repr,
    stimuli_of_folder,
    stimuli_of_list,
    stimuli_of_table,
)
from ordlink.collect.study_files import read_settings, read_trial_list
from ordlink.collect.texts import LANGUAGES, PROMPTS
from ordlink.datasets import load_zoo
from ordlink.errors import InputError
from ordlink.methods import DEFAULT_METHOD, METHODS

_TREE_METHODS = [name for name, method in METHODS.items() if method.needs == "comparisons"]


class Study(BaseModel):
    """Everything that a study file says; docs/collect.md describes each setting."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    stimuli: tuple[Stimulus, ...] = Field(exclude=True)
    name: Annotated[str, AfterValidator(check_printable)] = Field("Comparisons", max_length=100)
    question: Question = "triplet"
    sampler: Annotated[str, one_of(SAMPLERS)] = "adaptive"
    random_share: float = Field(0.2, ge=0.05, le=1)
    people_per_question: int = Field(1, ge=1, le=1000)
    questions_per_person: int = Field(60, ge=1, le=10_000)
    practice: int = Field(2, ge=0, le=50)
    break_every: int = Field(30, ge=0, le=10_000)  # 0 for never
    catch_trials: int = Field(2, ge=0, le=1000)  # per person, spread over the questions
    repeat_share: float = Field(0.05, ge=0, le=0.5)
    max_failed_catches: int | None = Field(None, ge=0, le=1000)
    min_seconds: float = Field(0.4, ge=0, le=60)
    abandon_after: float = Field(300.0, ge=1, le=86_400)
    cant_tell: bool = True
    undo: bool = True
    method: Annotated[str, one_of(_TREE_METHODS)] = DEFAULT_METHOD
    budget: int | None = Field(None, ge=1, le=1_000_000_000)
    stable_trees: int | None = Field(None, ge=2, le=1000)
    pay_per_person: float = Field(0.0, ge=0, le=10_000)
    currency: str = Field("EUR", max_length=10)
    completion_codes: dict[
        Annotated[str, one_of(OUTCOMES)], Annotated[str, Field(max_length=100)]
    ] = {}
    completion_url: Annotated[str, AfterValidator(check_address)] = Field("", max_length=500)
    # Never stored: the database must not name those who withdrew.
    participant_ids: list[Annotated[str, Field(max_length=100)]] = Field([], exclude=True)
    signed_links: bool = False
    seed: int = Field(0, ge=0, le=2**31 - 1)
    language: Annotated[str, one_of(LANGUAGES)] = "en"
    conditions: dict[Name, Condition] = {}
    leave_after: float = Field(1800.0, ge=1, le=864_000)
    # Lists of trials by the names of their stimuli; a file is read into such a list.
    trials: list[list[str]] = []
    trial_order: Annotated[str, one_of(("fixed", "random"))] = "random"
    practice_trials: list[list[str]] = []
    catch_list: list[list[str]] = []  # the first option is the right answer
    phones: bool = True
    consent: Consent = Consent()
    questionnaire_before: list[Item] = []
    questionnaire_after: list[Item] = []
    asked: list[str] | None = Field(None, exclude=True)  # stimuli of a condition
    texts: Texts = {}

    @property
    def n_objects(self) -> int:
        """Number of stimuli."""
        return len(self.stimuli)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the stimuli."""
        return tuple(stimulus.name for stimulus in self.stimuli)

    @property
    def kind(self) -> QuestionType:
        """The question type."""
        return QUESTION_TYPES[self.question]

    def text(self, key: str) -> str:
        """Return a text of the pages: the study's own, or that of its language."""
        texts = PROMPTS[self.language] | {"prompt": PROMPTS[self.language][self.question]}
        return self.texts.get(key) or (LANGUAGES[self.language] | texts)[key]

    @cached_property
    def objects(self) -> tuple[int, ...]:
        """Numbers of the stimuli that are asked about."""
        return tuple(self._numbers(self.names if self.asked is None else self.asked))

    @cached_property
    def listed(self) -> dict[str, list[tuple[int, ...]]]:
        """The lists of trials, by the numbers of their stimuli."""
        return {name: [self._numbers(one) for one in getattr(self, name)] for name in TRIAL_LISTS}

    def _numbers(self, names: Iterable[str]) -> tuple[int, ...]:
        number_of = {name: number for number, name in enumerate(self.names)}
        return tuple(number_of[name] for name in names)

    @property
    def n_questions(self) -> int:
        """Number of main questions for each person."""
        return len(self.trials) or self.questions_per_person

    @property
    def n_practice(self) -> int:
        """Number of practice questions for each person."""
        return len(self.practice_trials) or self.practice

    @property
    def endings(self) -> list[str]:
        """When the study ends by itself."""
        quotas = [one.quota for one in self.conditions.values()]
        endings = {
            f"after {self.budget} answers": self.budget,
            "when all quotas are complete": quotas and all(quotas),
            f"when the tree is unchanged in {self.stable_trees} checks in a row": self.stable_trees,
        }
        return [words for words, applies in endings.items() if applies]

    @property
    def questionnaires(self) -> dict[str, list[Item]]:
        """The questionnaires that are not empty, by the phase in which they are shown."""
        both = {"before": self.questionnaire_before, "after": self.questionnaire_after}
        return {phase: items for phase, items in both.items() if items}

    @property
    def items(self) -> list[Item]:
        """The items of both questionnaires."""
        return [*self.questionnaire_before, *self.questionnaire_after]

    @property
    def groupings(self) -> list[str]:
        """By what participants can be grouped: the condition, items with options."""
        items = [item.name for item in self.items if item.options]
        return ["condition"] * bool(self.conditions) + items

    def passes_catch(self, shown: Sequence[int], choice: Sequence[int]) -> bool:
        """Return whether a catch trial, of the list or with a stimulus twice, is answered right."""
        kind = self.kind
        for one in self.listed["catch_list"]:
            if kind.identity(one) == kind.identity(shown):
                return kind.chosen_objects(shown, choice)[:1] == kind.chosen_objects(one, (0,))[:1]
        return passes_catch(kind, shown, choice)

    def in_condition(self, name: str) -> Study:
        """Return the study as people in a condition see it; the study itself for no condition."""
        found = self.conditions.get(name)
        if found is None:
            return self
        changes: dict[str, Any] = {"texts": {**self.texts, **found.texts}, "asked": found.stimuli}
        for key in ("question", "trials"):
            if getattr(found, key) is not None:
                changes[key] = getattr(found, key)
        return self.changed(**changes)

    def questions(self, asked: Iterable[str]) -> list[str]:
        """Return the types of questions of all conditions, and of people's who were asked."""
        names = {*(self.conditions or ("",)), *asked}
        return sorted({self.in_condition(name).question for name in names})

    def changed(self, **changes: Any) -> Study:
        """Return a study with other settings, which are not checked again."""
        kept = {name: getattr(self, name) for name in Study.model_fields}
        return Study.model_construct(**kept | changes)

    def missing_codes(self) -> list[str]:
        """Return the outcomes that can happen and have no completion code, if others have one."""
        if not self.completion_codes and not self.completion_url:
            return []
        impossible = {"screened_out": self.max_failed_catches is None, "phone": self.phones}
        return [
            outcome
            for outcome in OUTCOMES
            if outcome not in self.completion_codes and not impossible.get(outcome)
        ]

    def completion(self, outcome: str | None) -> tuple[str, str]:
        """Return the code of an outcome and the address to return to; empty if there is none."""
        named = "withdrawn" if outcome == "asked_to_withdraw" else outcome or ""
        code = self.completion_codes.get(named, "")
        if outcome is None or ("{code}" in self.completion_url and not code):
            return code, ""
        return code, self.completion_url.replace("{code}", quote(code, safe=""))


def load_study(source: str | Path) -> Study:
    """Return the study of a folder of stimuli, a CSV file of them, or a study file."""
    path = Path(source)
    if stimuli := _stimuli_at(path):
        name = path.resolve().name if path.is_dir() else path.stem
        return make_study({"name": name}, stimuli, str(path))
    if path.suffix.lower() not in (".yaml", ".yml", ".toml"):
        raise InputError(
            "expected a folder, a .csv file or a study file (.yaml, .toml); check the path",
            where=str(path),
        )
    settings = read_settings(path)
    for part in (settings, *_parts(settings.get("conditions"))):
        for key in TRIAL_LISTS:
            if isinstance(part.get(key), str):
                part[key] = read_trial_list(path.parent / part[key])
    return make_study(settings, _stimuli(settings.pop("stimuli", None), path), str(path))


def make_study(
    settings: Mapping[str, Any], stimuli: tuple[Stimulus, ...], where: str = "the study"
) -> Study:
    """Return a study after checking every setting."""
    if "asked" in settings:
        raise InputError("unknown key 'asked'", where=where)
    try:
        study = Study(**{**settings, "stimuli": stimuli})
    except ValidationError as error:
        raise InputError(_describe(error.errors()[0]), where=where) from error
    for problem in _find_problems(study):
        raise InputError(problem, where=where)
    return study


def _find_problems(study: Study) -> Iterator[str]:
    """Iterate over settings that do not fit each other, and wrong names."""
    kind = study.kind
    if study.sampler in PLANS and study.question != "quadruplet":
        yield (
            f"sampler: {study.sampler} compares any two pairs, expected question: quadruplet with "
            f"it, got {study.question}; change one of the two"
        )
    if study.n_objects < max(kind.n_objects, FEWEST):
        yield (
            f"question: {kind.name} shows {kind.n_objects} stimuli at a time, there are "
            f"{study.n_objects}; choose another question or add stimuli"
        )
    if study.signed_links and not study.participant_ids:
        yield "signed_links: expected a list of participant_ids with it; add the list"
    if study.conditions and study.sampler in PLANS:
        yield f"sampler: {study.sampler} plans one tree; with conditions use adaptive or random"
    for item in study.items:
        if item.type in ("choice", "likert") and len(item.options) < 2:
            yield f"questionnaire: {item.name}: expected at least 2 options, got {item.options}"
        if item.name in PARTICIPANT_COLUMNS:
            yield f"questionnaire: {item.name!r} is a column of participants.csv; rename the item"
        if sum(one.name == item.name for one in study.items) > 1:
            yield f"questionnaire: two items are called {item.name!r}; give each its own name"
    for name in (*study.conditions, ""):
        one = study.in_condition(name)
        where, known = f"conditions: {name}: " if name else "", set(one.names)
        lists = [(key, row) for key in TRIAL_LISTS for row in getattr(one, key)]
        for key, row in [("stimuli", one.asked or []), *lists]:
            if unknown := [stimulus for stimulus in row if stimulus not in known]:
                hint = did_you_mean(unknown[0], known) or "; use the names of the stimuli"
                yield f"{where}{key}: there is no stimulus {unknown[0]!r}{hint}"
            n_shown = one.kind.n_objects
            if key != "stimuli" and (len(row) != n_shown or len(set(row)) != n_shown):
                yield f"{where}{key}: {one.question} shows {n_shown} stimuli, got {row}"
        if len(one.objects) < max(one.kind.n_objects, FEWEST):
            yield f"{where}stimuli: {one.question} needs more stimuli, got {len(one.objects)}"


_EXPECTED = {  # of a setting, by its type in the schema
    "boolean": "true or false",
    "object": "keys and texts",
    "array": "a list",
    "integer": "a whole number from {minimum} to {maximum}",
    "number": "a number from {minimum:g} to {maximum:g}",
}


def _describe(error: Any) -> str:
    """Return one mistake in one line: the key, what is expected, and what was given."""
    key, *inner = map(str, error["loc"])
    where = ": ".join([key, *(one for one in inner if one != "[key]")])
    given, details = error["input"], error.get("ctx", {})
    if error["type"] == "extra_forbidden" and not inner:
        known = [name for name in Study.model_fields if name != "asked"]
        hint = did_you_mean(key, known) or f"; the keys are {', '.join(known)}"
        return f"unknown key {key!r}{hint}"
    if error["type"] == "value_error":
        return f"{where}: {details['error']}"
    schema = Study.model_json_schema()["properties"][key]
    schema = schema.get("anyOf", [schema])[0]  # without "or null"
    if error["type"] == "string_too_long":
        expected, given = f"expected at most {details['max_length']} characters", len(given)
    elif error["type"] == "string_type":
        expected = "expected a text; put it in quotation marks"
    elif not inner and schema.get("type") in _EXPECTED:
        expected = f"expected {_EXPECTED[schema['type']].format_map(schema)}"
    else:
        expected = error["msg"][:1].lower() + error["msg"][1:]
    return f"{where}: {expected}, got {short_repr(given)}"


def _parts(conditions: object) -> list[dict[str, Any]]:
    found = conditions.values() if isinstance(conditions, dict) else ()
    return [one for one in found if isinstance(one, dict)]


def _stimuli_at(path: Path) -> tuple[Stimulus, ...]:
    """Return the stimuli of a folder or a table; none for anything else."""
    if path.is_dir():
        return stimuli_of_folder(path)
    return stimuli_of_table(path) if path.suffix.lower() in (".csv", ".tsv") else ()


def _stimuli(given: object, path: Path) -> tuple[Stimulus, ...]:
    where = f"{path}: stimuli"
    if isinstance(given, list):
        return stimuli_of_list(given, path.parent, where)
    if isinstance(given, str) and (found := _stimuli_at(path.parent / given)):
        return found
    raise InputError(
        "expected a folder, a .csv file or a list of texts and files, got "
        f"{short_repr(given)}; paths are relative to the folder of the study file",
        where=where,
    )


def demo_study() -> Study:
    """Return a study of the animals of the Zoo data."""
    names = dict.fromkeys(load_zoo().names)  # two animals are called frog: one is enough
    stimuli = tuple(Stimulus(name, "text", name) for name in names)
    settings = {"name": "Animals", "questions_per_person": 30, "break_every": 15}
    return make_study(settings, stimuli, "the demo")
