"""What the owner sees of a study: its progress, the participants' quality, downloads."""

from __future__ import annotations

import csv
import io
import json
import os
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from ordlink.collect.people import removal_requests
from ordlink.collect.question_types import passes_catch
from ordlink.collect.samplers import RANDOM_REASONS
from ordlink.collect.schema import answer, draw, event, participant, question, read_objects, serving
from ordlink.collect.site import Site
from ordlink.collect.stimuli import Stimulus, is_file_name
from ordlink.collect.study import Study
from ordlink.collect.worker import Record, count_main_answers, person_name
from ordlink.io import write_comparisons

N_BARS = 60  # bars of the chart of answers over time
FAST_SHARE = 0.2  # a larger share of too fast answers is flagged
LEAST_REPEAT_AGREEMENT = 0.6
LEAST_TREE_AGREEMENT = 0.55
FEWEST_TO_JUDGE = 5
_COPIED = ("source", "external_id", "phase", "outcome", "excluded", "excluded_for")


async def overview_of(site: Site) -> dict[str, Any]:
    """Return the state of the study and its counts, as JSON."""
    study = site.running.study
    counts = await site.database.read(count_all)
    n_completed = counts["participants"].get("completed", 0)
    settings = ("n_objects", "question", "sampler", "method", "budget", "stable_trees", "currency")
    return {
        **{name: getattr(study, name) for name in settings},
        "state": site.running.state,
        "is_spent": site.running.is_spent(counts["n_answers"]),
        "n_stable": site.running.latest.stability.n_stable,
        "cost": round(n_completed * study.pay_per_person, 2),
        **counts,
    }


def count_all(connection: sa.Connection) -> dict[str, Any]:
    """Return the numbers of answers, of participants by outcome, and of questions by sampler."""
    outcomes = connection.execute(
        sa.select(participant.c.outcome, sa.func.count()).group_by(participant.c.outcome)
    ).all()
    sampler = sa.case((question.c.reason.in_(RANDOM_REASONS), "random"), else_=draw.c.sampler)
    samplers = connection.execute(
        sa.select(sampler.label("drawn_by"), sa.func.count())
        .select_from(question.join(draw))
        .group_by(sa.literal_column("drawn_by"))
    ).all()
    return {
        "n_answers": count_main_answers(connection),
        "participants": {outcome or "taking part": int(number) for outcome, number in outcomes},
        "questions_by_sampler": {str(name): int(number) for name, number in samplers},
        "over_time": _over_time(connection),
    }


def _over_time(connection: sa.Connection) -> dict[str, Any]:
    """Return the numbers of main answers in equal intervals since the first one."""
    counted = (
        sa.select(answer.c.received_at)
        .select_from(answer.join(serving))
        .where(serving.c.role == "main", ~answer.c.undone)
        .subquery()
    )
    first = connection.scalar(sa.select(sa.func.min(counted.c.received_at)))
    if first is None:
        return {"start": None, "seconds": None, "counts": []}
    width = max((time.time() - first) / N_BARS, 1.0)
    place_of = sa.cast(sa.func.floor((counted.c.received_at - first) / width), sa.Integer)
    # PostgreSQL groups by columns: an expression with parameters is another one each time.
    bars = sa.select(place_of.label("place")).subquery()
    rows = connection.execute(sa.select(bars.c.place, sa.func.count()).group_by(bars.c.place)).all()
    counts = [0] * N_BARS
    for place, number in rows:
        counts[min(max(int(place), 0), N_BARS - 1)] += int(number)
    return {"start": first, "seconds": width, "counts": counts}


@dataclass(frozen=True)
class ParticipantQuality:
    """The quality of one participant's answers."""

    person: int
    source: str
    external_id: str | None
    phase: str
    outcome: str | None
    n_answers: int  # main answers
    median_seconds: float | None
    n_fast: int  # faster than the study's `min_seconds`
    n_cant_tell: int
    n_blurs: int  # how often they left the page
    n_catches: int
    n_failed: int  # failed catch trials
    n_repeats: int  # repeats with sides swapped
    n_same: int  # repeats with the same answer
    agreement: float | None  # share of their comparisons that the tree of everybody agrees with
    excluded: bool
    excluded_for: str
    flags: tuple[str, ...]  # what looks wrong
    asks_removal: bool  # asked on another device to have the answers removed


def judge_participants(
    connection: sa.Connection, study: Study, agreement: Mapping[int, float]
) -> list[ParticipantQuality]:
    """Return the quality of all participants' answers, in the order in which they joined."""
    a = answer.c
    rows = connection.execute(
        sa.select(a.participant_id, serving.c.role, serving.c.shown, a.choice, a.seconds, a.n_blurs)
        .select_from(answer.join(serving))
        .where(~a.undone)
        .order_by(a.id)
    )
    by_person: dict[int, list[Any]] = {}
    for row in rows:
        by_person.setdefault(row.participant_id, []).append(row)
    people = connection.execute(sa.select(participant).order_by(participant.c.id))
    asking = removal_requests(connection)
    return [
        ParticipantQuality(
            **{name: getattr(one, name) for name in _COPIED},
            **_judge(by_person.get(one.id, []), study, agreement.get(one.id)),
            person=one.id,
            asks_removal=one.id in asking,
        )
        for one in people
    ]


def overall_agreement(people: list[ParticipantQuality]) -> float | None:
    """Return the mean agreement, weighted by the numbers of answers; None without any."""
    known = [(one.agreement, one.n_answers) for one in people if one.agreement is not None]
    total = sum(number for _, number in known)
    return sum(share * number for share, number in known) / total if total else None


def _judge(rows: list[Any], study: Study, agreement: float | None) -> dict[str, Any]:
    """Return the fields of `ParticipantQuality` that the answers of a participant say."""
    kind = study.kind
    main = [row for row in rows if row.role == "main"]
    catches = [row for row in rows if row.role == "catch"]
    seconds = sorted(row.seconds for row in main)
    first = {kind.identity(read_objects(row.shown)): row for row in reversed(main)}
    repeats = [
        (first.get(kind.identity(read_objects(row.shown))), row)
        for row in rows
        if row.role == "repeat"
    ]
    pairs = [(before, again) for before, again in repeats if before is not None]
    n_same = sum(_chosen(kind, before) == _chosen(kind, again) for before, again in pairs)
    n_failed = sum(
        not passes_catch(kind, read_objects(row.shown), read_objects(row.choice)) for row in catches
    )
    n_fast = sum(value < study.min_seconds for value in seconds)
    flags = []
    if main and n_fast > FAST_SHARE * len(main):
        flags.append(f"{n_fast} of {len(main)} answers in under {study.min_seconds:g} s")
    if n_failed:
        flags.append(f"{n_failed} of {len(catches)} catch trials failed")
    if len(pairs) >= FEWEST_TO_JUDGE and n_same < LEAST_REPEAT_AGREEMENT * len(pairs):
        flags.append(f"{n_same} of {len(pairs)} repeats answered the same")
    has_enough = len(main) >= 4 * FEWEST_TO_JUDGE
    if agreement is not None and has_enough and agreement < LEAST_TREE_AGREEMENT:
        flags.append(f"{agreement:.0%} agreement with the tree")
    return {
        "n_answers": len(main),
        "median_seconds": seconds[len(seconds) // 2] if seconds else None,
        "n_fast": n_fast,
        "n_cant_tell": sum(row.choice == "" for row in main),
        "n_blurs": sum(row.n_blurs for row in main),
        "n_catches": len(catches),
        "n_failed": n_failed,
        "n_repeats": len(pairs),
        "n_same": n_same,
        "agreement": agreement,
        "flags": tuple(flags),
    }


def _chosen(kind: Any, row: Any) -> tuple[int, ...]:
    return tuple(kind.chosen_objects(read_objects(row.shown), read_objects(row.choice)))


def export_answers(record: Record, format: str) -> bytes:
    """Return the comparisons as a file, from which ``ordlink cluster`` builds the same tree."""
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
        added = {"annotator": person_name(one.person), "flags": "; ".join(one.flags)}
        fields = asdict(one) | added
        writer.writerow([_harmless(fields[column]) for column in columns])
    return file.getvalue()


def export_study(study: Study) -> str:
    """Return a study file that starts the same study from the folder of its stimuli."""
    import yaml

    folders = [one.path.absolute().parent for one in study.stimuli if one.path is not None]
    root = Path(os.path.commonpath(folders)) if folders else Path()
    content = {**study.model_dump(), "stimuli": [_entry(one, root) for one in study.stimuli]}
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
