"""Coming and leaving: joining with or without an id of a platform, coming back, withdrawing."""

from __future__ import annotations

import hashlib
import json
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass

import sqlalchemy as sa

from ordlink.collect.changes import bump_revision
from ordlink.collect.schema import answer, event, participant, serving
from ordlink.collect.waiting import give_back, inserted_id

LONGEST_ID = 100
_PLATFORMS = {"prolific": "PROLIFIC_PID", "mturk": "workerId", "id": "participant"}
"""Platforms and the part of the address that names a person."""


@dataclass(frozen=True)
class Origin:
    """Where a person comes from: a platform and its id for them, or nowhere."""

    source: str = "link"
    external_id: str | None = None


def origin_of(query: Mapping[str, str]) -> Origin:
    """Return who comes, from the address with which they came; all else in it is dropped.

    Examples
    --------
    >>> origin_of({"PROLIFIC_PID": "5f0c", "SESSION_ID": "x"})
    Origin(source='prolific', external_id='5f0c')
    """
    for source, key in _PLATFORMS.items():
        found = query.get(key, "").strip()
        if found and found.isprintable() and len(found) <= LONGEST_ID:
            return Origin(source, found)
    return Origin()


def is_preview(query: Mapping[str, str]) -> bool:
    """Return whether somebody only looks at the task before accepting it (MTurk)."""
    return query.get("assignmentId") == "ASSIGNMENT_ID_NOT_AVAILABLE"


def new_token() -> str:
    """Return a secret that nobody can guess."""
    return secrets.token_urlsafe(24)


def hash_token(token: str) -> str:
    """Return what the database keeps of a token: it tells who it is, but is no key itself."""
    return hashlib.sha256(token.encode()).hexdigest()


def join(connection: sa.Connection, origin: Origin, token_hash: str) -> int:
    """Add a person who agreed; one who was here before gets their place back.

    Returns
    -------
    int
        Number of the person.
    """
    if origin.external_id is not None:
        known = connection.execute(
            sa.select(participant.c.id)
            .where(
                participant.c.source == origin.source,
                participant.c.external_id == origin.external_id,
            )
            .with_for_update()
        ).scalar()
        if known is not None:
            connection.execute(
                participant.update().where(participant.c.id == known).values(token_hash=token_hash)
            )
            note_event(connection, "came back", person=known)
            return int(known)
    made = connection.execute(
        participant.insert().values(
            token_hash=token_hash,
            source=origin.source,
            external_id=origin.external_id,
            phase="instructions",
            last_number=0,
            n_main=0,
            n_practice=0,
            n_failed_catches=0,
            undoable=0,
            excluded=False,
            excluded_for="",
            created_at=time.time(),
        )
    )
    person = inserted_id(made)
    note_event(connection, "agreed", person=person)
    return person


def withdraw(connection: sa.Connection, person: int) -> None:
    """Remove a person's answers, what was shown to them, their events and their id.

    What stays is a row that says that somebody withdrew. Their questions are asked again.
    """
    connection.execute(
        sa.select(participant.c.id).where(participant.c.id == person).with_for_update()
    )
    shown = connection.execute(
        sa.select(serving.c.question_id).where(
            serving.c.participant_id == person,
            serving.c.question_id.is_not(None),
            # An undone answer was asked again: both servings count once.
            serving.c.status.in_(("open", "answered")),
            ~sa.exists().where(
                answer.c.participant_id == person,
                answer.c.number == serving.c.number,
                answer.c.undone,
            ),
        )
    ).scalars()
    give_back(connection, list(shown))
    for table in (answer, serving, event):
        connection.execute(table.delete().where(table.c.participant_id == person))
    connection.execute(
        participant.update()
        .where(participant.c.id == person)
        .values(
            external_id=None,
            phase="done",
            outcome="withdrawn",
            n_main=0,
            n_practice=0,
            n_failed_catches=0,
            undoable=0,
            finished_at=time.time(),
        )
    )
    bump_revision(connection)
    note_event(connection, "withdrawn")


def find_person(connection: sa.Connection, token_hash: str) -> int | None:
    """Return the number of the person with this token."""
    found = connection.execute(
        sa.select(participant.c.id).where(participant.c.token_hash == token_hash)
    ).scalar()
    return None if found is None else int(found)


def exclude(connection: sa.Connection, person: int, *, reason: str) -> bool:
    """Leave a person out of trees, or take them in again without a reason; nothing is deleted.

    Returns
    -------
    bool
        Whether there is such a person.
    """
    found = connection.execute(
        participant.update()
        .where(participant.c.id == person)
        .values(excluded=bool(reason), excluded_for=reason)
    )
    if not found.rowcount:
        return False
    bump_revision(connection)
    note_event(connection, "excluded" if reason else "included", person=person, reason=reason)
    return True


def note_event(
    connection: sa.Connection, kind: str, *, person: int | None = None, **data: object
) -> None:
    """Note that something happened, for the record."""
    connection.execute(
        event.insert().values(
            at=time.time(),
            participant_id=person,
            kind=kind,
            data=json.dumps(data, ensure_ascii=False),
        )
    )
