"""Participants, who join, return, withdraw or are excluded; the owner's password and sessions."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import sqlalchemy as sa
from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from ordlink.collect.question_queue import counts_as_shown, return_questions
from ordlink.collect.rows import bump_revision, note_event
from ordlink.collect.schema import answer, event, owner, owner_session, participant, serving
from ordlink.errors import InputError

LONGEST_ID = 100
# Platforms and the query parameter that identifies a participant.
_PLATFORMS = {"prolific": "PROLIFIC_PID", "mturk": "workerId", "id": "participant"}
NEW_PARTICIPANT: dict[str, Any] = {  # columns of a participant about whom nothing is known
    column.name: getattr(column.default, "arg", None)
    for column in participant.c
    if column.default is not None or column.nullable
}
_JOINING = 271828  # names the locks of ids
_ELSEWHERE = "came back on another device"
SESSION_SECONDS = 12 * 3600.0
SHORTEST_PASSWORD = 10
LONGEST_PASSWORD = 200


@dataclass(frozen=True)
class Origin:
    """Where a participant comes from: a platform and its id for them, or a plain link."""

    source: str = "link"
    external_id: str | None = None
    is_signed: bool = False  # the link says what only its receiver knows


def origin_of(query: Mapping[str, str], secret: bytes = b"") -> Origin:
    """Return the origin that an address names; everything else in it is dropped."""
    for source, key in _PLATFORMS.items():
        found = query.get(key, "").strip()
        if found and found.isprintable() and len(found) <= LONGEST_ID:
            origin = Origin(source, found)
            given = query.get("key", "").encode()
            expected = link_key(secret, found).encode()
            # Without a secret anybody could make a key.
            return replace(origin, is_signed=bool(secret) and hmac.compare_digest(given, expected))
    return Origin()


def is_preview(query: Mapping[str, str]) -> bool:
    """Return whether this is MTurk's preview of the task, before it is accepted."""
    return query.get("assignmentId") == "ASSIGNMENT_ID_NOT_AVAILABLE"


def new_token() -> str:
    """Return a random secret."""
    return secrets.token_urlsafe(24)


def hash_token(token: str) -> str:
    """Return the hash of a token, which the database stores instead of the token."""
    return hashlib.sha256(token.encode()).hexdigest()


def link_key(secret: bytes, external_id: str) -> str:
    """Return the signature of a participant's link."""
    return hmac.new(secret, f"link id {external_id}".encode(), hashlib.sha256).hexdigest()[:20]


def join(
    connection: sa.Connection,
    origin: Origin,
    token_hash: str,
    *,
    cookie_hash: str = "",
    can_add: bool = True,
    phase: str = "instructions",
    choose: Callable[[sa.Connection], str | None] = lambda _: "",
) -> int | None:
    """Let a participant return, or add a new one if that is possible; None if neither.

    `cookie_hash` is of the token that the browser had, `choose` returns the condition of somebody
    new, None if there is no place left. Without signed links, whoever knows an id
    can return: from then on, only the owner removes answers.
    """
    if origin.external_id is not None and connection.dialect.name == "postgresql":
        # Servers that add somebody with the same id take turns; SQLite has one writer.
        key = sa.func.hashtext(origin.external_id)
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_JOINING, key)))
    c = participant.c
    known = connection.execute(  # whatever the parameter that named the id
        sa.select(c.id, c.token_hash)
        .where(c.external_id == origin.external_id, c.external_id.is_not(None))
        .order_by(c.id)
        .with_for_update()
    ).first()
    if known is not None:
        is_same = origin.is_signed or secrets.compare_digest(known.token_hash, cookie_hash)
        changes = {"token_hash": token_hash} | ({} if is_same else {"is_shared": True})
        connection.execute(participant.update().where(c.id == known.id).values(changes))
        note_event(connection, "came back" if is_same else _ELSEWHERE, person=known.id)
        return int(known.id)
    condition = choose(connection) if can_add else None
    if condition is None:
        return None
    had_declined = sa.and_(c.token_hash == cookie_hash, c.outcome == "declined")
    connection.execute(participant.delete().where(had_declined))
    person = _add(connection, token_hash, origin, phase=phase, condition=condition)
    note_event(connection, "agreed", person=person)
    return person


def _add(connection: sa.Connection, token_hash: str, origin: Origin, **columns: Any) -> int:
    now = time.time()
    columns |= {"source": origin.source, "external_id": origin.external_id}
    add = participant.insert().values(token_hash=token_hash, created_at=now, seen_at=now, **columns)
    return int(connection.execute(add.returning(participant.c.id)).scalar_one())


def decline(connection: sa.Connection, token_hash: str, cookie_hash: str) -> bool:
    """Note that somebody declines, without any id; False if the cookie is a participant's."""
    if find(connection, cookie_hash) is not None:
        return False
    person = _add(connection, token_hash, Origin(), phase="done", outcome="declined")
    note_event(connection, "declined", person=person)
    return True


def find(connection: sa.Connection, token_hash: str) -> Any:
    """Return external_id, condition and outcome of the participant with a token, if there is."""
    c = participant.c
    query = sa.select(c.external_id, c.condition, c.outcome)
    return connection.execute(query.where(c.token_hash == token_hash)).first()


def leave(connection: sa.Connection, token_hash: str) -> str | None:
    """Remove the answers of whoever has this token now; if others may be them, ask the owner."""
    c = participant.c
    # Locked: nobody joins, on this server or another one, before the answers are gone.
    known = connection.execute(
        sa.select(c.id, c.is_shared).where(c.token_hash == token_hash).with_for_update()
    ).first()
    if known is None:
        return None
    if not known.is_shared:
        withdraw(connection, known.id)
        return "withdrawn"
    set_asking(connection, known.id, is_asking=True)
    return "asked_to_withdraw"


def withdraw(connection: sa.Connection, person: int) -> bool:
    """Delete everything about a participant except a row noting the withdrawal.

    Their questions are asked again.
    """
    c = participant.c
    known = connection.execute(sa.select(c.outcome).where(c.id == person).with_for_update()).first()
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
    token_hash = f"withdrawn {secrets.token_hex(16)}"
    told = {"token_hash": token_hash, "source": "link", "phase": "done", "outcome": "withdrawn"}
    connection.execute(participant.update().where(c.id == person).values(NEW_PARTICIPANT | told))
    bump_revision(connection)
    note_event(connection, "withdrawn")
    return True


def set_asking(connection: sa.Connection, person: int, *, is_asking: bool) -> bool:
    """Note the wish to have answers removed, or that the owner keeps them; False if known."""
    c = participant.c
    changed = connection.execute(
        participant.update()
        .where(c.id == person, c.asks_removal != is_asking)
        .values(asks_removal=is_asking)
    ).rowcount
    if changed:
        kind = "asked to withdraw" if is_asking else "kept by the owner"
        note_event(connection, kind, person=person)
    return bool(changed)


def exclude(connection: sa.Connection, person: int, *, reason: str) -> bool:
    """Exclude a participant from the tree, or include them if the reason is empty."""
    c = participant.c
    found = connection.execute(
        participant.update()
        .where(c.id == person, sa.func.coalesce(c.outcome, "") != "withdrawn")
        .values(excluded=bool(reason), excluded_for=reason)
    )
    if not found.rowcount:
        return False
    bump_revision(connection)
    note_event(connection, "excluded" if reason else "included", person=person, reason=reason)
    return True


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
                f"a password must have {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters; "
                "choose another one"
            )
        return self._hasher.hash(password)

    def is_password(self, password: str, stored: str | None) -> bool:
        """Return whether a password is the stored one; slow on purpose."""
        try:
            self._hasher.verify(stored or self._no_password, password)
        except (VerificationError, InvalidHashError, UnicodeError):
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
    """Store a session, and note it; old ones are removed."""
    now = time.time()
    connection.execute(owner_session.delete().where(owner_session.c.expires_at < now))
    new = {"token_hash": hash_token(token), "csrf": new_token()}
    connection.execute(owner_session.insert().values(**new, expires_at=now + SESSION_SECONDS))
    note_event(connection, "owner logged in")


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
