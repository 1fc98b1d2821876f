"""Downloads: answers that `ordlink cluster` reads, people, raw events, the study file."""

from __future__ import annotations

import csv
import io
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from ordlink.collect.quality import PersonQuality
from ordlink.collect.reading import Record, person_name
from ordlink.collect.schema import answer, draw, event, question, serving
from ordlink.collect.study import Study
from ordlink.comparisons.files import write_comparisons


def export_answers(record: Record, format: str) -> bytes:
    """Return the comparisons of a record as a file: csv or parquet.

    ``ordlink cluster`` with the study's method makes the dashboard's tree of it.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"answers.{format}"
        write_comparisons(record.comparisons, path)
        return path.read_bytes()


def export_events(connection: sa.Connection) -> Iterator[str]:
    """Iterate over everything that happened, as lines of JSON: draws, servings, answers, events."""
    tables: tuple[tuple[str, sa.Select[Any]], ...] = (
        ("draw", sa.select(draw).order_by(draw.c.id)),
        ("question", sa.select(question).order_by(question.c.id)),
        (
            "serving",
            sa.select(serving).order_by(serving.c.participant_id, serving.c.number),
        ),
        ("answer", sa.select(answer).order_by(answer.c.id)),
        ("event", sa.select(event).order_by(event.c.id)),
    )
    for kind, query in tables:
        for row in connection.execute(query).mappings():
            yield json.dumps({"record": kind, **row}, ensure_ascii=False) + "\n"


def export_people(people: list[PersonQuality]) -> str:
    """Return a CSV file of the people: who they are in the answers, on the platform, how well."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    columns = [
        "annotator", "source", "external_id", "phase", "outcome", "n_answers", "median_seconds",
        "n_fast", "n_cant_tell", "n_blurs", "n_catches", "n_failed", "n_repeats", "n_same",
        "agreement", "excluded", "excluded_for", "flags",
    ]  # fmt: skip
    writer.writerow(columns)
    for one in people:
        fields = one.as_json() | {
            "annotator": person_name(one.person),
            "flags": "; ".join(one.flags),
        }
        writer.writerow([_harmless(fields[column]) for column in columns])
    return file.getvalue()


def export_study(study: Study) -> str:
    """Return the study file, with the names of the stimuli as a list."""
    import yaml

    stimuli = [one.text if one.path is None else one.path.name for one in study.stimuli]
    content = {**study.settings(), "stimuli": stimuli}
    return str(yaml.safe_dump(content, allow_unicode=True, sort_keys=False))


def _harmless(cell: object) -> object:
    """Return a cell that no spreadsheet takes for a formula."""
    if isinstance(cell, str) and cell.startswith(("=", "+", "-", "@", "\t", "\r")):
        return "'" + cell
    return cell
