"""A study: what is asked, how often, in which words. From a file, a folder or a table."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, get_args
from urllib.parse import quote

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from ordlink._text import did_you_mean
from ordlink.collect.question_types import QUESTION_TYPES, QuestionType
from ordlink.collect.stimuli import (
    FEWEST,
    Stimulus,
    short_repr,
    stimuli_of_folder,
    stimuli_of_list,
    stimuli_of_table,
)
from ordlink.collect.texts import TEXTS
from ordlink.datasets import load_zoo
from ordlink.errors import InputError
from ordlink.methods import DEFAULT_METHOD, METHODS

LARGEST_FILE = 10_000_000  # bytes of a study file
Outcome = Literal["completed", "screened_out", "declined", "closed", "withdrawn"]
CHOICES: dict[str, tuple[str, ...]] = {  # the words that a setting, or a key of it, may be
    "question": tuple(QUESTION_TYPES),
    "sampler": ("adaptive", "random", "SL", "CL", "4K-AL-act"),
    "method": tuple(name for name, method in METHODS.items() if method.needs == "comparisons"),
    "completion_codes": get_args(Outcome),
    "texts": ("prompt", *TEXTS),
}


def _choice(setting: str) -> Any:
    def check(value: str) -> str:
        if value not in CHOICES[setting]:
            raise ValueError(value)
        return value

    return AfterValidator(check)


def _check_printable(value: str) -> str:
    if not value.isprintable():
        raise ValueError(value)
    return value


def _check_address(value: str) -> str:
    if value and not value.startswith(("https://", "http://")):
        raise ValueError(value)
    return value


class Study(BaseModel):
    """Everything that a study file says; docs/collect.md describes each setting."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    stimuli: tuple[Stimulus, ...] = Field(exclude=True)
    name: Annotated[str, AfterValidator(_check_printable)] = Field("Comparisons", max_length=100)
    question: Annotated[str, _choice("question")] = "triplet"
    sampler: Annotated[str, _choice("sampler")] = "adaptive"
    random_share: float = Field(0.2, ge=0.05, le=1)
    people_per_question: int = Field(1, ge=1, le=1000)
    questions_per_person: int = Field(60, ge=1, le=10_000)
    practice: int = Field(2, ge=0, le=50)
    break_every: int = Field(30, ge=0, le=10_000)  # 0 for never
    catch_share: float = Field(0.03, ge=0, le=0.5)
    repeat_share: float = Field(0.05, ge=0, le=0.5)
    max_failed_catches: int | None = Field(None, ge=0, le=1000)
    min_seconds: float = Field(0.4, ge=0, le=60)
    abandon_after: float = Field(300.0, ge=1, le=86_400)
    cant_tell: bool = True
    undo: bool = True
    method: Annotated[str, _choice("method")] = DEFAULT_METHOD
    budget: int | None = Field(None, ge=1, le=1_000_000_000)
    stable_trees: int | None = Field(None, ge=2, le=1000)
    pay_per_person: float = Field(0.0, ge=0, le=10_000)
    currency: str = Field("EUR", max_length=10)
    completion_codes: dict[Outcome, Annotated[str, Field(max_length=100)]] = {}
    completion_url: Annotated[str, AfterValidator(_check_address)] = Field("", max_length=500)
    # Never stored: the database must not name those who withdrew.
    participant_ids: list[Annotated[str, Field(max_length=100)]] = Field([], exclude=True)
    signed_links: bool = False
    seed: int = Field(0, ge=0, le=2**31 - 1)
    texts: dict[Annotated[str, _choice("texts")], Annotated[str, Field(max_length=20_000)]] = {}

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
        """Return a text of the pages: the study's own, or the default."""
        return self.texts.get(key) or (self.kind.prompt if key == "prompt" else TEXTS[key])

    def completion(self, outcome: str | None) -> tuple[str, str]:
        """Return the code of an outcome and the address to return to; empty if there is none."""
        codes: Mapping[str, str] = self.completion_codes  # type: ignore[assignment]
        code = codes.get(outcome or "", "")
        if outcome is None or ("{code}" in self.completion_url and not code):
            return code, ""
        return code, self.completion_url.replace("{code}", quote(code, safe=""))


def load_study(source: str | Path) -> Study:
    """Return the study of a folder of stimuli, a CSV file of them, or a study file."""
    path = Path(source)
    if path.is_dir():
        return make_study({"name": path.resolve().name}, stimuli_of_folder(path), str(path))
    suffix = path.suffix.lower()
    if suffix in (".csv", ".tsv"):
        return make_study({"name": path.stem}, stimuli_of_table(path), str(path))
    if suffix not in (".yaml", ".yml", ".toml"):
        raise InputError(
            "expected a folder, a .csv file or a study file (.yaml, .toml); check the path",
            where=str(path),
        )
    settings = _read(path)
    return make_study(settings, _stimuli(settings.pop("stimuli", None), path), str(path))


def make_study(
    settings: Mapping[str, Any], stimuli: tuple[Stimulus, ...], where: str = "the study"
) -> Study:
    """Return a study after checking every setting."""
    try:
        study = Study(**{**settings, "stimuli": stimuli})
    except ValidationError as error:
        raise InputError(_describe(error.errors()[0]), where=where) from error
    kind = study.kind
    problem = ""
    if study.sampler in ("SL", "CL", "4K-AL-act") and study.question != "quadruplet":
        problem = (
            f"sampler: {study.sampler} compares any two pairs, expected question: quadruplet with "
            f"it, got {study.question}; change one of the two"
        )
    elif study.n_objects < max(kind.n_objects, FEWEST):
        problem = (
            f"question: {kind.name} shows {kind.n_objects} stimuli at a time, there are "
            f"{study.n_objects}; choose another question or add stimuli"
        )
    elif study.catch_share + study.repeat_share > 0.5:
        problem = (
            "catch_share and repeat_share: expected at most 0.5 together, got "
            f"{study.catch_share + study.repeat_share:g}; lower one of them"
        )
    elif study.signed_links and not study.participant_ids:
        problem = "signed_links: expected a list of participant_ids with it; add the list"
    if problem:
        raise InputError(problem, where=where)
    return study


def _describe(error: Any) -> str:
    """Return one mistake in one line: the key, what is expected, and what was given."""
    key, *inner = map(str, error["loc"])
    given = error["input"]
    if error["type"] == "extra_forbidden":
        known = [name for name in Study.model_fields if name != "stimuli"]
        hint = did_you_mean(key, [*known, "stimuli"]) or f"; the keys are {', '.join(known)}"
        return f"unknown key {key!r}{hint}"
    schema = Study.model_json_schema()["properties"][key]
    schema = schema.get("anyOf", [schema])[0]  # without "or null"
    is_key = inner[-1:] == ["[key]"]
    if inner and not is_key:
        key, schema = f"{key}: {inner[0]}", {"type": "string"}
    where = f"{key}: a key" if is_key else key
    choices = CHOICES.get(key, ()) if is_key or schema["type"] != "object" else ()
    if choices:
        hint = did_you_mean(str(given), choices)
        return f"{where}: expected {', '.join(choices)}, got {short_repr(given)}{hint}"
    if error["type"] == "value_error" and key == "name":
        return f"{where}: expected printable characters, got {short_repr(given)}"
    if error["type"] == "value_error":
        return f"{where}: expected an address that starts with https://, got {short_repr(given)}"
    if schema["type"] == "string":
        most = error.get("ctx", {}).get("max_length")
        expected = f"at most {most} characters" if most else "a text; put it in quotation marks"
        return f"{where}: expected {expected}, got {len(given) if most else short_repr(given)}"
    expected = {
        "boolean": "true or false",
        "object": "keys and texts",
        "array": "a list of texts",
        "integer": "a whole number from {minimum} to {maximum}",
        "number": "a number from {minimum:g} to {maximum:g}",
    }[schema["type"]].format_map(schema)
    return f"{where}: expected {expected}, got {short_repr(given)}"


def _read(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise ValueError(f"it has more than {LARGEST_FILE:,} bytes")
        text = path.read_text("utf-8")
        if path.suffix.lower() == ".toml":
            found: object = tomllib.loads(text)
        else:
            found = _read_yaml(text)
    except (OSError, UnicodeDecodeError, ValueError, RecursionError) as error:
        raise InputError(
            f"cannot be read as a study file ({error}); correct it", where=str(path)
        ) from error
    if not isinstance(found, dict) or not all(isinstance(key, str) for key in found):
        raise InputError(
            f"expected lines such as 'question: triplet', got {type(found).__name__}; see the "
            "documentation of study files",
            where=str(path),
        )
    return found


def _read_yaml(text: str) -> object:
    """Return the content of a YAML file without aliases, merge keys and numbers such as 1:30."""
    import yaml

    class Loader(yaml.SafeLoader):
        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.AliasEvent):
                line = self.peek_event().start_mark.line + 1  # type: ignore[no-untyped-call]
                raise ValueError(f"line {line}: aliases (*) are not allowed")
            return super().compose_node(parent, index)

    def number(loader: Any, node: Any) -> object:
        if ":" in node.value or len(node.value) > 40:
            raise ValueError(f"line {node.start_mark.line + 1}: put this in quotation marks")
        return loaders[node.tag](loader, node)

    loaders = dict(yaml.SafeLoader.yaml_constructors)
    for tag in ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float"):
        Loader.add_constructor(tag, number)
    try:
        return yaml.load(text, Loader)
    except yaml.YAMLError as error:
        raise ValueError(" ".join(str(error).split())) from error


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
