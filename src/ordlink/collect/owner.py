"""The owner: a password, set once with a token printed at the start; sessions; CSRF tokens."""

from __future__ import annotations

import hmac
import secrets
import time
from dataclasses import dataclass
from functools import cached_property

import sqlalchemy as sa
from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from ordlink.collect.participants import hash_token
from ordlink.collect.schema import owner, owner_session
from ordlink.errors import InputError

SESSION_SECONDS = 12 * 3600.0
SHORTEST_PASSWORD = 10
LONGEST_PASSWORD = 200


@dataclass(frozen=True)
class Session:
    """An owner who is logged in; forms carry the CSRF token."""

    csrf: str


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
    connection.execute(
        owner_session.insert().values(
            token_hash=hash_token(token),
            csrf=secrets.token_urlsafe(24),
            expires_at=now + SESSION_SECONDS,
        )
    )


def find_session(connection: sa.Connection, token: str) -> Session | None:
    """Return the session of a token that has not expired."""
    csrf = connection.scalar(
        sa.select(owner_session.c.csrf).where(
            owner_session.c.token_hash == hash_token(token),
            owner_session.c.expires_at > time.time(),
        )
    )
    return None if csrf is None else Session(csrf)


def end_session(connection: sa.Connection, token: str) -> None:
    """Remove a session."""
    connection.execute(
        owner_session.delete().where(owner_session.c.token_hash == hash_token(token))
    )
