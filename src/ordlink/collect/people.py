"""Participants, who join, return, withdraw or are excluded; the owner's password and sessions.

Whoever knows an id of a platform can return as that participant. So only the device on which they
joined first, known by its cookie, may remove their answers without asking the owner.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import sqlalchemy as sa
from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from ordlink.collect.database import inserted_id
from ordlink.collect.question_queue import counts_as_shown, return_questions
from ordlink.collect.rows import bump_revision, note_event
from ordlink.collect.schema import answer, event, owner, owner_session, participant, serving
from ordlink.errors import InputError

LONGEST_ID = 100
# Platforms and the query parameter that identifies a participant.
_PLATFORMS = {"prolific": "PROLIFIC_PID", "mturk": "workerId", "id": "participant"}
_ASKED, _KEPT = "asked to withdraw", "kept by the owner"
_RETURNED, _RETURNED_ELSEWHERE = "came back", "came back elsewhere"
SESSION_SECONDS = 12 * 3600.0
SHORTEST_PASSWORD = 10
LONGEST_PASSWORD = 200


@dataclass(frozen=True)
class Origin:
    """Where a participant comes from: a platform and its id for them, or a plain link."""

    source: str = "link"
    external_id: str | None = None


def origin_of(query: Mapping[str, str]) -> Origin:
    """Return the origin that an address names; everything else in it is dropped."""
    for source, key in _PLATFORMS.items():
        found = query.get(key, "").strip()
        if found and found.isprintable() and len(found) <= LONGEST_ID:
            return Origin(source, found)
    return Origin()


def is_preview(query: Mapping[str, str]) -> bool:
    """Return whether this is MTurk's preview of the task, before it is accepted."""
    return query.get("assignmentId") == "ASSIGNMENT_ID_NOT_AVAILABLE"


def new_token() -> str:
    """Return a secret that nobody can guess."""
    return secrets.token_urlsafe(24)


def hash_token(token: str) -> str:
    """Return what the database stores of a token: enough to recognise it, useless as a key."""
    return hashlib.sha256(token.encode()).hexdigest()


def is_known(connection: sa.Connection, origin: Origin) -> bool:
    """Return whether a participant has this id of a platform."""
    return connection.execute(_find(origin)).first() is not None


def is_theirs(connection: sa.Connection, origin: Origin, token_hash: str) -> bool:
    """Return whether a token belongs to the participant with this id."""
    known = connection.execute(_find(origin)).first()
    return known is not None and secrets.compare_digest(str(known.token_hash), token_hash)


def join(
    connection: sa.Connection, origin: Origin, token_hash: str, *, cookie_hash: str = ""
) -> int:
    """Add a participant, or let a known one return; `cookie_hash` is of their browser's token."""
    known = connection.execute(_find(origin).with_for_update()).first()
    if known is not None:
        _note_return(connection, known.id, known.token_hash, cookie_hash)
        connection.execute(
            participant.update().where(participant.c.id == known.id).values(token_hash=token_hash)
        )
        return int(known.id)
    counts = ("last_number", "n_main", "n_practice", "n_failed_catches", "undoable")
    made = connection.execute(
        participant.insert().values(
            token_hash=token_hash,
            source=origin.source,
            external_id=origin.external_id,
            phase="instructions",
            excluded=False,
            excluded_for="",
            created_at=time.time(),
            **dict.fromkeys(counts, 0),
        )
    )
    person = inserted_id(made)
    note_event(connection, "agreed", person=person)
    return person


def _is_first_device(connection: sa.Connection, person: int) -> bool:
    """Return whether a participant is on the device on which they joined."""
    last = connection.scalar(
        sa.select(event.c.kind)
        .where(event.c.participant_id == person, event.c.kind.in_((_RETURNED, _RETURNED_ELSEWHERE)))
        .order_by(event.c.id.desc())
        .limit(1)
    )
    return last != _RETURNED_ELSEWHERE


def _note_return(connection: sa.Connection, person: int, token_hash: str, cookie_hash: str) -> None:
    """Note whether a participant returns on their first device, by the tokens it has had."""
    was_first = _is_first_device(connection, person)
    notes = connection.scalars(
        sa.select(event.c.data).where(
            event.c.participant_id == person, event.c.kind == _RETURNED_ELSEWHERE
        )
    )
    own = {json.loads(note)["left"] for note in notes} - {""}
    if was_first:
        own.add(token_hash)
    if cookie_hash in own:
        note_event(connection, _RETURNED, person=person)
    else:
        left = token_hash if was_first else ""
        note_event(connection, _RETURNED_ELSEWHERE, person=person, left=left)


def leave(connection: sa.Connection, token_hash: str) -> str | None:
    """Remove a participant's answers; on another device than the first, ask the owner to."""
    person = connection.scalar(
        sa.select(participant.c.id).where(participant.c.token_hash == token_hash)
    )
    if person is None:
        return None
    if _is_first_device(connection, person):
        withdraw(connection, person)
        return "withdrawn"
    if person not in removal_requests(connection):
        note_event(connection, _ASKED, person=person)
    return "asked_to_withdraw"


def withdraw(connection: sa.Connection, person: int) -> bool:
    """Remove all of a participant but a row that says so; their questions are asked again."""
    known = connection.execute(
        sa.select(participant.c.outcome).where(participant.c.id == person).with_for_update()
    ).first()
    if known is None or known.outcome == "withdrawn":
        return known is not None
    shown = connection.scalars(
        sa.select(serving.c.question_id).where(
            serving.c.participant_id == person, counts_as_shown()
        )
    )
    return_questions(connection, list(shown))
    for table in (answer, serving, event):
        connection.execute(table.delete().where(table.c.participant_id == person))
    counts = ("n_main", "n_practice", "n_failed_catches", "undoable")
    connection.execute(
        participant.update()
        .where(participant.c.id == person)
        .values(
            external_id=None,
            phase="done",
            outcome="withdrawn",
            finished_at=time.time(),
            **dict.fromkeys(counts, 0),
        )
    )
    bump_revision(connection)
    note_event(connection, "withdrawn")
    return True


def removal_requests(connection: sa.Connection) -> set[int]:
    """Return the participants who asked to have their answers removed and got no reply yet."""
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
    """Keep the answers of a participant who asked to have them removed; False if they did not."""
    if person not in removal_requests(connection):
        return False
    note_event(connection, _KEPT, person=person)
    return True


def exclude(connection: sa.Connection, person: int, *, reason: str) -> bool:
    """Exclude a participant from the tree, or include them if the reason is empty."""
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


def _find(origin: Origin) -> sa.Select[tuple[int, str]]:
    """Return the query for the participant with an id of a platform; without an id, for nobody."""
    return sa.select(participant.c.id, participant.c.token_hash).where(
        participant.c.source == origin.source,
        participant.c.external_id == origin.external_id,
        participant.c.external_id.is_not(None),
    )


class OwnerAuth:
    """Checks the owner's token and password."""

    def __init__(self, setup_token: str, *, hasher: PasswordHasher | None = None) -> None:
        self._setup_token = setup_token
        self._hasher = hasher or PasswordHasher()

    @cached_property
    def _no_password(self) -> str:
        """Verified where no password is set, so that it takes as long as with one."""
        return self._hasher.hash(secrets.token_hex(16))

    def is_setup_token(self, token: str) -> bool:
        """Return whether this is the printed token."""
        return hmac.compare_digest(token.encode(), self._setup_token.encode())

    def hash_password(self, password: str) -> str:
        """Return the hash of a password; slow on purpose."""
        if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
            raise InputError(
                f"a password has {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters; "
                "choose another one"
            )
        return self._hasher.hash(password)

    def is_password(self, password: str, stored: str | None) -> bool:
        """Return whether a password is the stored one; slow on purpose."""
        try:
            self._hasher.verify(stored or self._no_password, password)
        except (VerificationError, InvalidHashError):
            return False
        return stored is not None


def stored_password(connection: sa.Connection) -> str | None:
    """Return the hash of the owner's password, None before it is set."""
    return connection.scalar(sa.select(owner.c.password_hash))


def set_password(connection: sa.Connection, password_hash: str) -> bool:
    """Store the password; False if there is one already."""
    if stored_password(connection) is not None:
        return False
    connection.execute(
        owner.insert().values(id=1, password_hash=password_hash, created_at=time.time())
    )
    return True


def reset_password(connection: sa.Connection) -> None:
    """Forget the password and all sessions: the next start prints a new token."""
    connection.execute(owner.delete())
    connection.execute(owner_session.delete())


def begin_session(connection: sa.Connection, token: str) -> None:
    """Store a session; old ones are removed."""
    now = time.time()
    connection.execute(owner_session.delete().where(owner_session.c.expires_at < now))
    new = {"token_hash": hash_token(token), "csrf": new_token()}
    connection.execute(owner_session.insert().values(**new, expires_at=now + SESSION_SECONDS))


def find_session(connection: sa.Connection, token: str) -> str | None:
    """Return the CSRF token of a session that has not expired."""
    c = owner_session.c
    return connection.scalar(
        sa.select(c.csrf).where(c.token_hash == hash_token(token), c.expires_at > time.time())
    )


def end_session(connection: sa.Connection, token: str) -> None:
    """Remove a session."""
    connection.execute(
        owner_session.delete().where(owner_session.c.token_hash == hash_token(token))
    )
