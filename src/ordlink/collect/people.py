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
from ordlink.collect.devices import describe_return, is_own_device
from ordlink.collect.schema import answer, event, participant, serving
from ordlink.collect.waiting import counts_as_shown, give_back, inserted_id

LONGEST_ID = 100
_PLATFORMS = {"prolific": "PROLIFIC_PID", "mturk": "workerId", "id": "participant"}
"""Platforms and the part of the address that names a person."""
_ASKED, _KEPT = "asked to withdraw", "kept by the owner"


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


def is_known(connection: sa.Connection, origin: Origin) -> bool:
    """Return whether somebody with this id of a platform takes part already."""
    return connection.execute(_find(origin)).first() is not None


def is_theirs(connection: sa.Connection, origin: Origin, token_hash: str) -> bool:
    """Return whether a token is that of the person with this id."""
    known = connection.execute(_find(origin)).first()
    return known is not None and secrets.compare_digest(str(known.token_hash), token_hash)


def join(
    connection: sa.Connection, origin: Origin, token_hash: str, *, shown_hash: str = ""
) -> int:
    """Add a person who agreed; one who was here before gets their place back.

    Parameters
    ----------
    connection : sqlalchemy.Connection
    origin : Origin
    token_hash : str
        By which the person is known from now on.
    shown_hash : str, optional
        Of the cookie with which the browser came.

    Returns
    -------
    int
        Number of the person.
    """
    known = connection.execute(_find(origin).with_for_update()).first()
    if known is not None:
        kind, notes = describe_return(connection, known.id, known.token_hash, shown_hash)
        connection.execute(
            participant.update().where(participant.c.id == known.id).values(token_hash=token_hash)
        )
        note_event(connection, kind, person=known.id, **notes)
        return int(known.id)
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


def leave(connection: sa.Connection, person: int) -> str:
    """Remove a person's answers, or ask the owner to, if they came back on another device.

    Returns
    -------
    {"withdrawn", "asked_to_withdraw"}
    """
    if is_own_device(connection, person):
        withdraw(connection, person)
        return "withdrawn"
    if person not in removal_requests(connection):
        note_event(connection, _ASKED, person=person)
    return "asked_to_withdraw"


def withdraw(connection: sa.Connection, person: int) -> None:
    """Remove a person's answers, what was shown to them, their events and their id.

    What stays is a row that says that somebody withdrew. Their questions are asked again. A second
    time, there is nothing to do.
    """
    outcome = connection.execute(
        sa.select(participant.c.outcome).where(participant.c.id == person).with_for_update()
    ).scalar()
    if outcome == "withdrawn":
        return
    shown = connection.execute(
        sa.select(serving.c.question_id).where(
            serving.c.participant_id == person, counts_as_shown()
        )
    ).scalars()
    give_back(connection, list(shown))
    first_answer = connection.execute(
        sa.select(sa.func.min(answer.c.id)).where(answer.c.participant_id == person)
    ).scalar()
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
    note_event(
        connection, "withdrawn", revision=bump_revision(connection), first_answer=first_answer
    )


def removal_requests(connection: sa.Connection) -> set[int]:
    """Return who asks to have their answers removed, and has no reply of the owner yet."""
    rows = connection.execute(
        sa.select(event.c.participant_id, event.c.kind)
        .where(event.c.kind.in_((_ASKED, _KEPT)))
        .order_by(event.c.id)
    )
    asking: set[int] = set()
    for person, kind in rows:
        (asking.add if kind == _ASKED else asking.discard)(person)
    return asking


def refuse_removal(connection: sa.Connection, person: int) -> bool:
    """Keep the answers of somebody who asks to have them removed; False if nobody asks."""
    if person not in removal_requests(connection):
        return False
    note_event(connection, _KEPT, person=person)
    return True


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
    note_event(
        connection,
        "excluded" if reason else "included",
        person=person,
        reason=reason,
        revision=bump_revision(connection),
    )
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


def _find(origin: Origin) -> sa.Select[tuple[int, str]]:
    """Return the query for the person with an id of a platform; it finds nobody without an id."""
    return sa.select(participant.c.id, participant.c.token_hash).where(
        participant.c.source == origin.source,
        participant.c.external_id == origin.external_id,
        participant.c.external_id.is_not(None),
    )
