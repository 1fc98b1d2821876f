"""The tables. A new database gets these; `upgrade.py` brings older ones there.

A *draw* is a set of questions chosen at one time; a *question* is shown to `n_wanted` participants;
a *serving* is one showing to one participant, with the objects in the order on the screen; it
takes one *answer*, the positions that were chosen.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

metadata = sa.MetaData()


def _table(name: str, *columns: Any) -> sa.Table:
    """Return a table; (type, names) or (type, names, default) are columns that are never null."""
    made: list[Any] = []
    for one in columns:
        if isinstance(one, tuple):
            kind, names, default = (*one, None)[:3]
            for column in names.split():
                made.append(sa.Column(column, kind, nullable=False, default=default))
        else:
            made.append(one)
    return sa.Table(name, metadata, *made)


def _id(name: str = "id", *reference: sa.ForeignKey, **options: Any) -> sa.Column[int]:
    return sa.Column(name, sa.Integer, *reference, primary_key=True, **options)


def _partial_index(name: str, column: sa.Column[Any], where: str, *, unique: bool = False) -> None:
    condition = sa.text(where)
    sa.Index(name, column, unique=unique, sqlite_where=condition, postgresql_where=condition)


study = _table(
    "study",
    _id(),
    (sa.Text, "settings"),
    (sa.String(64), "secret"),
    (sa.String(16), "state"),
    (sa.Integer, "revision"),  # counts changes after which trees are rebuilt
    (sa.Float, "created_at"),
)
stimulus = _table(
    "stimulus",
    _id("number", autoincrement=False),
    (sa.Text, "name"),
    (sa.String(16), "kind"),
    (sa.String(64), "digest"),
)
participant = _table(
    "participant",
    _id(),
    sa.Column("token_hash", sa.String(64), nullable=False, unique=True),
    (sa.String(16), "source"),
    sa.Column("external_id", sa.String(100)),
    (sa.String(16), "phase"),
    sa.Column("outcome", sa.String(16)),
    (sa.Integer, "last_number n_main n_practice n_catches n_failed_catches n_repeats undoable", 0),
    (sa.Integer, "n_undone", 0),
    (sa.String(40), "condition", ""),
    (sa.Text, "questionnaire", "{}"),  # answers by the names of the items, as JSON
    (sa.Float, "seen_at", 0.0),  # when the row last changed
    (sa.Boolean, "excluded asks_removal", False),
    (sa.Boolean, "is_shared", False),  # whether somebody used this id on another device
    (sa.Text, "excluded_for", ""),
    (sa.Float, "created_at", 0.0),
    sa.Column("finished_at", sa.Float),
    sa.UniqueConstraint("source", "external_id"),
)
draw = _table(
    "draw",
    _id(),
    (sa.String(16), "sampler"),
    (sa.Integer, "seed n_questions last_answer last_draw"),
    (sa.Float, "created_at"),
)
question = _table(
    "question",
    _id(),
    sa.Column("draw_id", sa.Integer, sa.ForeignKey("draw.id"), nullable=False),
    (sa.String(200), "objects reason"),
    (sa.String(40), "condition"),
    (sa.Integer, "n_wanted n_served"),
    sa.Column("leased_by", sa.String(32)),
    sa.Column("leased_at", sa.Float),
    sa.CheckConstraint("n_served >= 0 AND n_served <= n_wanted", name="not_over_served"),
)
sa.Index("ix_question_draw", question.c.draw_id)
_partial_index("ix_question_waiting", question.c.id, "n_served < n_wanted")
serving = _table(
    "serving",
    _id("participant_id", sa.ForeignKey("participant.id")),
    _id("number", autoincrement=False),
    sa.Column("question_id", sa.Integer, sa.ForeignKey("question.id")),
    (sa.String(8), "role"),
    (sa.String(200), "shown"),
    (sa.String(8), "status"),
    (sa.Float, "served_at"),
)
# Nobody has two questions open.
_partial_index("ix_serving_open", serving.c.participant_id, "status = 'open'", unique=True)
answer = _table(
    "answer",
    _id(),
    (sa.Integer, "participant_id number"),
    (sa.String(16), "choice"),
    (sa.Float, "seconds"),
    (sa.Integer, "n_blurs"),
    (sa.String(8), "device"),
    (sa.Float, "received_at"),
    (sa.Boolean, "undone"),
    sa.UniqueConstraint("participant_id", "number"),  # a serving takes one answer
    sa.ForeignKeyConstraint(
        ["participant_id", "number"], ["serving.participant_id", "serving.number"]
    ),
)
event = _table(
    "event",
    _id(),
    (sa.Float, "at"),
    sa.Column("participant_id", sa.Integer),
    (sa.String(32), "kind"),
    (sa.Text, "data"),
)
sa.Index("ix_event_participant", event.c.participant_id)
owner = _table("owner", _id(), (sa.Text, "password_hash"), (sa.Float, "created_at"))
owner_session = _table(
    "owner_session",
    sa.Column("token_hash", sa.String(64), primary_key=True),
    (sa.String(64), "csrf"),
    (sa.Float, "expires_at"),
)


version = sa.Table(  # one row: the last change of `upgrade.py`
    "alembic_version", sa.MetaData(), sa.Column("version_num", sa.String(32), primary_key=True)
)


def write_objects(objects: Sequence[int]) -> str:
    """Return objects or positions as they are stored: 4,7,9."""
    return ",".join(map(str, objects))


def read_objects(text: str) -> tuple[int, ...]:
    """Return the objects that `write_objects` wrote."""
    return tuple(map(int, text.split(","))) if text else ()
