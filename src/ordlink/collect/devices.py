"""On which device a person answers: an id from an address is known to more than the person.

Whoever knows the id of a platform can come back as that person. Only the device with which the
person came first, known by its cookie, may remove their answers without asking the owner.
"""

from __future__ import annotations

import json

import sqlalchemy as sa

from ordlink.collect.schema import event

CAME_BACK = "came back"
CAME_BACK_ELSEWHERE = "came back elsewhere"


def is_own_device(connection: sa.Connection, person: int) -> bool:
    """Return whether the device on which a person is now is the one with which they came first."""
    last = connection.execute(
        sa.select(event.c.kind)
        .where(event.c.participant_id == person, event.c.kind.in_((CAME_BACK, CAME_BACK_ELSEWHERE)))
        .order_by(event.c.id.desc())
        .limit(1)
    ).scalar()
    return last != CAME_BACK_ELSEWHERE


def describe_return(
    connection: sa.Connection, person: int, token_hash: str, shown_hash: str
) -> tuple[str, dict[str, str]]:
    """Return the event of a person who comes back: its kind and what is noted with it.

    Parameters
    ----------
    connection : sqlalchemy.Connection
    person : int
    token_hash : str
        By which the person was known so far.
    shown_hash : str
        Of the cookie that the browser has now; empty without any.
    """
    was_own = is_own_device(connection, person)
    notes = connection.execute(
        sa.select(event.c.data).where(
            event.c.participant_id == person, event.c.kind == CAME_BACK_ELSEWHERE
        )
    ).scalars()
    own = {json.loads(note)["left"] for note in notes} - {""}
    if was_own:
        own.add(token_hash)
    if shown_hash in own:
        return CAME_BACK, {}
    return CAME_BACK_ELSEWHERE, {"left": token_hash if was_own else ""}
