"""The study in its database: stored at the first start, compared at every other one."""

from __future__ import annotations

import json
import secrets
import time
from typing import Any

import sqlalchemy as sa

from ordlink.collect import schema
from ordlink.collect.database import hide_password, is_sqlite
from ordlink.collect.rows import note_event
from ordlink.collect.session import TOOK_PART, count_people
from ordlink.collect.study import Study
from ordlink.errors import InputError


def keep_numbers(engine: sa.Engine, study: Study) -> Study:
    """Return the study with its stimuli in the order of the database; new ones come last."""
    with engine.connect() as connection:
        number_of = {one.name: one.number for one in connection.execute(sa.select(schema.stimulus))}
    key = lambda one: number_of.get(one.name, len(number_of))  # noqa: E731
    return study.changed(stimuli=tuple(sorted(study.stimuli, key=key)))


def register_study(engine: sa.Engine, study: Study) -> bytes:
    """Store the study and return its secret; once somebody took part, stimuli are only added."""
    settings = json.dumps(study.model_dump(), ensure_ascii=False)
    rows = [
        {"number": number, "name": one.name, "kind": one.kind, "digest": one.digest}
        for number, one in enumerate(study.stimuli)
    ]
    with engine.begin() as connection:
        if not is_sqlite(engine):  # two servers may start at the same time
            connection.execute(sa.text("LOCK TABLE study IN EXCLUSIVE MODE"))
        row = connection.execute(sa.select(schema.study)).one_or_none()
        if row is None:
            secret = secrets.token_hex(32)
            first = {"id": 1, "secret": secret, "state": "open", "revision": 0}
            connection.execute(
                schema.study.insert().values(**first, settings=settings, created_at=time.time())
            )
            connection.execute(schema.stimulus.insert(), rows)
            note_event(connection, "settings", **study.model_dump())
            return bytes.fromhex(secret)
        stored = sa.select(schema.stimulus).order_by(schema.stimulus.c.number)
        known = [dict(one) for one in connection.execute(stored).mappings()]
        difference = _difference(known, rows)
        someone = sa.select(schema.participant.c.id).limit(1)
        if difference and connection.execute(someone).first() is None:
            for table in (schema.question, schema.draw, schema.stimulus):
                connection.execute(table.delete())
            known, difference = [], ""
        changed, asked = _changed_types(connection, study), count_people(connection, TOOK_PART)
        difference = difference or next((changed[name] for name in changed if asked[name]), "")
        if difference:
            raise InputError(
                f"the answers in this database belong to another study: {difference}",
                where=hide_password(str(engine.url)),
                remedy="undo the change, or collect into another folder ({data})",
            )
        waiting = schema.question.c.condition.in_(changed)  # nobody was asked any of them
        connection.execute(schema.question.delete().where(waiting))
        if len(known) < len(rows):
            connection.execute(schema.stimulus.insert(), rows[len(known) :])
        if settings != row.settings:
            connection.execute(schema.study.update().values(settings=settings))
            note_event(connection, "settings", **study.model_dump())
        return bytes.fromhex(row.secret)


def _changed_types(connection: sa.Connection, study: Study) -> dict[str, str]:
    """Return what the type of question was, and is now, by condition; only where it has changed.

    A condition that was taken away and is there again has the type that it had before.
    """
    before: dict[str, str] = {}
    c = schema.event.c
    for data in connection.scalars(sa.select(c.data).where(c.kind == "settings").order_by(c.id)):
        settings = json.loads(data)
        before[""] = settings["question"]
        for name, one in settings.get("conditions", {}).items():
            before[name] = one["question"] or settings["question"]
    changed = {}
    for name, question in before.items():
        now, of = study.in_condition(name).question, f" in condition {name}" if name else ""
        if question != now:
            changed[name] = f"it is about {question} questions{of}, the study asks {now}"
    return changed


def _difference(known: list[dict[str, Any]], given: list[dict[str, Any]]) -> str:
    """Return how the stimuli differ from the stored ones; nothing where they are the same."""
    if len(known) > len(given):
        return f"it has {len(known)} stimuli, the study {len(given)}"
    for old, new in zip(known, given, strict=False):
        if old["name"] != new["name"]:
            return f"stimulus {old['number'] + 1} was {old['name']!r}, now it is {new['name']!r}"
        if old != new:
            return f"stimulus {old['number'] + 1}, {old['name']!r}, has changed"
    return ""
