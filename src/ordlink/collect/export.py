"""Downloads: answers that `ordlink cluster` reads, participants, raw events, the study file."""

from __future__ import annotations

import csv
import io
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import sqlalchemy as sa

from ordlink.collect.quality import ParticipantQuality
from ordlink.collect.reading import Record, person_name
from ordlink.collect.schema import answer, draw, event, question, serving
from ordlink.collect.stimuli import Stimulus, is_file_name
from ordlink.collect.study import Study
from ordlink.io import write_comparisons


def export_answers(record: Record, format: str) -> bytes:
    """Return the comparisons of a record as a file: csv or parquet.

    ``ordlink cluster`` with the study's method builds the dashboard's tree from it.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"answers.{format}"
        write_comparisons(record.comparisons, path)
        return path.read_bytes()


def export_events(connection: sa.Connection) -> Iterator[str]:
    """Iterate over all draws, questions, servings, answers and events, as lines of JSON."""
    for table in (draw, question, serving, answer, event):
        query = sa.select(table).order_by(*table.primary_key)
        for row in connection.execute(query).mappings():
            yield json.dumps({"record": table.name, **row}, ensure_ascii=False) + "\n"


def export_participants(people: list[ParticipantQuality]) -> str:
    """Return a CSV file of the participants and the quality of their answers."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    columns = [
        "annotator", "source", "external_id", "phase", "outcome", "n_answers", "median_seconds",
        "n_fast", "n_cant_tell", "n_blurs", "n_catches", "n_failed", "n_repeats", "n_same",
        "agreement", "excluded", "excluded_for", "flags", "asks_removal",
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
    """Return a study file that starts the same study from the folder of its stimuli."""
    import yaml

    folders = [one.path.absolute().parent for one in study.stimuli if one.path is not None]
    root = Path(os.path.commonpath(folders)) if folders else Path()
    content = {**study.settings(), "stimuli": [_entry(one, root) for one in study.stimuli]}
    written = yaml.safe_dump(content, allow_unicode=True, sort_keys=False)
    place = "# To start it again, put this file in the folder of the stimuli.\n" if folders else ""
    return place + str(written)


def _entry(stimulus: Stimulus, root: Path) -> str | dict[str, str]:
    """Return a stimulus as an entry of the list in a study file."""
    if stimulus.path is not None:
        file = stimulus.path.absolute().relative_to(root).as_posix()
        return {"name": stimulus.name, "file": file}
    if stimulus.name == stimulus.text and not is_file_name(stimulus.text):
        return stimulus.text
    return {"name": stimulus.name, "text": stimulus.text}


def _harmless(cell: object) -> object:
    """Return a cell that spreadsheets do not take for a formula."""
    if isinstance(cell, str) and cell.startswith(("=", "+", "-", "@", "\t", "\r")):
        return "'" + cell
    return cell
