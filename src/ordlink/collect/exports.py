"""The downloads: trials and participants as tables, answers, raw events, links, the study file."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pyarrow as pa
import pyarrow.parquet as pq
import sqlalchemy as sa

from ordlink.collect.groups import iso_time, person_name
from ordlink.collect.people import link_key
from ordlink.collect.question_types import QUESTION_TYPES, QuestionType
from ordlink.collect.results import CHUNK_SIZE, judge, participants_after
from ordlink.collect.schema import answer, draw, event, participant, question, read_objects, serving
from ordlink.collect.session import TOOK_PART, count_people
from ordlink.collect.settings import PARTICIPANT_COLUMNS
from ordlink.collect.site import Site
from ordlink.collect.stimuli import Stimulus, is_file_name
from ordlink.collect.study import Study
from ordlink.collect.trees import cluster_command
from ordlink.collect.worker import Record
from ordlink.comparisons import FORMS
from ordlink.io import write_comparisons

_TRIALS = {  # columns of trials.csv and what they mean; SHOWN stands for those of the stimuli
    "participant": "who answered, as in participants.csv",
    "condition": "the participant's condition; empty if the study has none",
    "trial": "the participant's own count of questions, from 1; gaps are undone or returned ones",
    "kind": "practice, main, catch (a check of attention) or repeat (an earlier question again)",
    "SHOWN": "",
    "cant_tell": '1 if the participant chose "can\'t tell": then there is no response',
    "correct": "1 or 0 for catch trials, empty otherwise",
    "response_time": "seconds from the moment all stimuli were shown to the response",
    "time": "when the server received the response (UTC)",
    "device": "mouse, touch or keyboard",
    "left_page": "how often the participant left the page during the question",
    "sampler": "which sampler drew the question; empty for practice, catch and repeat",
    "reason": "why the sampler chose it",
    "excluded": "1 if the participant is excluded from the tree",
}
_SHOWN = {  # columns by question type: stimuli by name in their places, then responses
    "reference": "the stimulus that the others were compared with",
    "option": "name of the stimulus in this place on the screen",
    "item": "name of the stimulus in this place; pairs are 1 and 2, 3 and 4",
    "response": "name of the chosen stimulus; first or second where two pairs were shown",
    "odd_one_out": "name of the stimulus chosen as the odd one out",
    "most_central": "name of the stimulus chosen as the most central one",
    "position": "place of the chosen one on the screen, from 1",
}


def shown_columns(kind: QuestionType) -> tuple[list[str], list[str], list[str]]:
    """Return the columns of a type's stimuli, of its responses, and of their positions."""

    def numbered(stem: str, most: int) -> list[str]:
        return [f"{stem}_{number}" for number in range(1, most + 1)]

    if kind.has_anchor:
        shown, response = ["reference", *numbered("option", kind.n_options)], "response"
    else:
        column = kind.form.replace("-", "_")
        shown, response = (
            numbered("item", kind.n_objects),
            column if column in _SHOWN else "response",
        )
    if kind.n_chosen == 1:
        return shown, [response], ["position"]
    return shown, numbered(response, kind.n_chosen), numbered("position", kind.n_chosen)


def trial_columns(connection: sa.Connection, study: Study) -> list[str]:
    """Return the columns of trials.csv."""
    types = study.questions(count_people(connection, TOOK_PART))
    parts = [shown_columns(QUESTION_TYPES[name]) for name in types]
    shown = dict.fromkeys(name for role in range(3) for part in parts for name in part[role])
    return [one for name in _TRIALS for one in (shown if name == "SHOWN" else [name])]


def read_trials(connection: sa.Connection, study: Study) -> Iterator[dict[str, Any]]:
    """Iterate over all answered trials, participant by participant, as rows of trials.csv."""
    a, s = answer.c, serving.c
    query = (
        sa.select(
            *(s.participant_id, s.number, s.role, s.shown, a.choice, a.seconds, a.received_at),
            *(a.device, a.n_blurs, draw.c.sampler, question.c.reason, participant.c.excluded),
            participant.c.condition,
        )
        .select_from(
            answer.join(serving)
            .join(participant, participant.c.id == s.participant_id)
            .outerjoin(question, question.c.id == s.question_id)
            .outerjoin(draw, draw.c.id == question.c.draw_id)
        )
        .where(~a.undone)
        .order_by(s.participant_id, s.number)
    )
    studies = {name: study.in_condition(name) for name in study.conditions}
    for row in connection.execution_options(yield_per=CHUNK_SIZE).execute(query):
        is_main = row.role == "main"
        seen = studies.get(row.condition, study)
        shown, choice = read_objects(row.shown), read_objects(row.choice)
        yield {
            "participant": person_name(row.participant_id),
            "condition": row.condition,
            "trial": row.number,
            "kind": row.role,
            **_shown(seen, shown, choice),
            "cant_tell": int(not row.choice),
            "correct": int(seen.passes_catch(shown, choice)) if row.role == "catch" else None,
            "response_time": row.seconds,
            "time": iso_time(row.received_at),
            "device": row.device,
            "left_page": row.n_blurs,
            "sampler": (row.sampler or "list") if is_main else None,
            "reason": (row.reason or "list of trials") if is_main else None,
            "excluded": int(row.excluded),
        }


def _shown(study: Study, shown: Sequence[int], choice: Sequence[int]) -> dict[str, Any]:
    kind, names = study.kind, study.names
    columns, responses, positions = shown_columns(kind)
    chosen = [names[one] for one in kind.chosen_objects(shown, choice)]
    if kind.form == "quadruplet":
        chosen = [("first", "second")[place] for place in choice]
    absent = [None] * kind.n_chosen
    return {
        **dict(zip(columns, (names[one] for one in shown), strict=True)),
        **dict(zip(responses, chosen or absent, strict=True)),
        **dict(zip(positions, [place + 1 for place in choice] or absent, strict=True)),
    }


def write_trials(connection: sa.Connection, study: Study, path: Path) -> None:
    """Write all trials to a CSV or Parquet file, as its name says."""
    columns, rows = trial_columns(connection, study), read_trials(connection, study)
    if path.suffix == ".parquet":
        found = list(rows)
        table = {name: [row.get(name) for row in found] for name in columns}
        pq.write_table(pa.table(table), path)
        return
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def write_answers(record: Record, path: Path) -> None:
    """Write answers as the tree uses them: names in CSV, ordlink's own format in Parquet."""
    asked = {record.condition_of.get(one.person, "") for one in record.answers}
    kind, *others = [QUESTION_TYPES[name] for name in record.study.questions(asked)]
    if path.suffix == ".parquet" or others:  # answers of several types have no table of one form
        write_comparisons(record.timed_comparisons(), path)
        return
    said = [one for one in record.answers if one.choice]
    names = record.study.names
    rows = kind.rows([one.shown for one in said], [one.choice for one in said]).tolist()
    each = len(rows) // len(said) if said else 1
    ending = "_name" if any(map(_is_number, names)) else ""  # or 7.jpg would be read as number 7
    header = [f"{column}{ending}" for column in FORMS[kind.form].columns]
    header += ["annotator", "time", "response_time"]
    has_sides = kind.n_chosen == 1 and kind.form != "quadruplet"  # i, j, k, l have no sides
    header += ["chose_first"] * has_sides
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        for number, row in enumerate(rows):
            one = said[number // each]
            first = [int(one.choice[0] == 0)] * has_sides
            who = [person_name(one.person), iso_time(one.received_at), one.seconds, *first]
            writer.writerow([*(names[at] for at in row), *who])


def _is_number(name: str) -> bool:
    return re.fullmatch(r"[+-]?[0-9.]+", name) is not None


def export_events(connection: sa.Connection) -> Iterator[str]:
    """Iterate over all draws, questions, servings, answers and events, as lines of JSON."""
    streaming = connection.execution_options(yield_per=CHUNK_SIZE)
    for table in (draw, question, serving, answer, event):
        for row in streaming.execute(sa.select(table).order_by(*table.primary_key)).mappings():
            yield json.dumps({"record": table.name, **row}, ensure_ascii=False) + "\n"


def export_participants(connection: sa.Connection, site: Site) -> Iterator[str]:
    """Iterate over pieces of a CSV file of the participants and the quality of their answers."""
    columns = [*PARTICIPANT_COLUMNS, *(item.name for item in site.running.study.items)]
    yield _csv([columns])
    last = 0
    while people := judge(connection, site, participants_after(last)):
        last = people[-1]["person"]
        for one in people:
            finished = one["finished_at"]
            own = {
                "participant": person_name(one["person"]),
                "flags": "; ".join(one["flags"]),
                "joined": iso_time(one["created_at"]) if one["created_at"] else None,
                "finished": None if finished is None else iso_time(finished),
            }
            yield _csv([map((one | own | json.loads(one["questionnaire"])).get, columns)])


def _csv(rows: Iterable[Iterable[Any]]) -> str:
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows(
        [_harmless(cell) for cell in row] for row in rows
    )
    return file.getvalue()


def _harmless(cell: object) -> object:
    """Return a cell that spreadsheets do not take for a formula."""
    if isinstance(cell, str) and cell.startswith(("=", "+", "-", "@", "\t", "\r")):
        return "'" + cell
    return cell


def export_readme(connection: sa.Connection, study: Study) -> str:
    """Return a text that says what the downloaded files are, and what each column means."""
    described = {}
    for name in trial_columns(connection, study):
        stem = name if name in _TRIALS or name in _SHOWN else name.rpartition("_")[0]
        described[name] = _TRIALS.get(stem) or _SHOWN[stem]
    answers = {item.name: f"answer to: {item.text}" for item in study.items}
    tables = {"trials.csv": described, "participants.csv": PARTICIPANT_COLUMNS | answers}
    command = cluster_command(study.method).replace("answers.csv", "trials.csv")
    parts = [_README.format(name=study.name, command=command)]
    for title, columns in tables.items():
        lines = [f"| `{name}` | {meaning} |" for name, meaning in columns.items()]
        parts.append("\n".join([f"## {title}\n", "| column | meaning |", "|---|---|", *lines]))
    return "\n\n".join(parts) + "\n"


_README = """# Data of the study "{name}"

- `trials.csv`: one row for each question that was answered. `participants.csv`: one row for each
  participant. Join them by `participant`.
- `answers.csv`: the main answers of participants who are not excluded, as the tree uses them.
- `study.yaml`: the study file.

The tree of the dashboard:

    {command}

`ordlink` leaves out practice, catch trials, repeats, "can't tell" and excluded participants."""


def export_links(study: Study, secret: bytes) -> str:
    """Return a CSV file of the addresses, without the host, for the participants of a list."""
    rows = [["participant", "address"]]
    for name in study.participant_ids:
        query = {"participant": name}
        if study.signed_links:
            query["key"] = link_key(secret, name)
        rows.append([name, f"/?{urlencode(query)}"])
    return _csv(rows)


def export_study(study: Study) -> str:
    """Return a study file that starts the same study from the folder of its stimuli."""
    import yaml

    folders = [one.path.absolute().parent for one in study.stimuli if one.path is not None]
    root = Path(os.path.commonpath(folders)) if folders else Path()
    content = study.model_dump() | {
        "participant_ids": study.participant_ids,
        "stimuli": [_entry(one, root) for one in study.stimuli],
    }
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
