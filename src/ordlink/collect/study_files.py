"""Study files and lists of trials as they are on the disk: YAML, TOML, CSV."""

from __future__ import annotations

import csv
import re
import tomllib
from pathlib import Path
from typing import Any

from ordlink.errors import InputError

LARGEST_FILE = 10_000_000  # bytes of a study file


def read_settings(path: Path) -> dict[str, Any]:
    """Return the keys and values of a study file."""
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise ValueError(f"it has more than {LARGEST_FILE:,} bytes")
        text = path.read_text("utf-8")
        if path.suffix.lower() == ".toml":
            found: object = tomllib.loads(text)
        else:
            found = read_yaml(text)
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


def read_yaml(text: str) -> object:
    """Return the content of a YAML file without aliases, merge keys and numbers such as 1:30.

    As in YAML 1.2, yes and no are texts: they are common answers to a question.
    """
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

    bool_tag = "tag:yaml.org,2002:bool"
    Loader.yaml_implicit_resolvers = {
        letter: [one for one in found if one[0] != bool_tag]
        for letter, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    is_bool = re.compile("true|True|TRUE|false|False|FALSE")
    Loader.add_implicit_resolver(bool_tag, is_bool, list("tTfF"))
    loaders = dict(yaml.SafeLoader.yaml_constructors)
    for tag in ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float"):
        Loader.add_constructor(tag, number)
    try:
        return yaml.load(text, Loader)
    except yaml.MarkedYAMLError as error:
        line = f"line {error.problem_mark.line + 1}: " if error.problem_mark else ""
        hint = "put texts with : ? , # or brackets in quotation marks"
        raise ValueError(f"{line}{error.problem}; {hint}") from error
    except yaml.YAMLError as error:
        raise ValueError(" ".join(str(error).split())) from error


def read_trial_list(path: Path) -> list[list[str]]:
    """Return the rows below the header of a CSV file of trials: stimuli in their places."""
    try:
        content = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read ({error}); check the path", where=str(path)) from error
    lines = content.splitlines()
    delimiter = max(",;\t", key=lines[0].count) if lines else ","  # as spreadsheets write it
    rows = list(csv.reader(lines, delimiter=delimiter))
    return [[cell.strip() for cell in row] for row in rows[1:] if any(row)]
