"""The tables. A new database gets these; older ones get there by `migrations/versions`.

A *draw* is a set of questions chosen at one time; a *question* is shown to `n_wanted` people; a
*serving* is one showing to one person, with the objects in the order in which they stood on the
screen; it takes one *answer*, the positions that were chosen.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)

metadata = MetaData()

study = Table(
    "study",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("settings", Text, nullable=False),
    Column("secret", String(64), nullable=False),
    Column("state", String(16), nullable=False),
    # Counts changes after which trees are built anew: undone, excluded, withdrawn.
    Column("revision", Integer, nullable=False),
    Column("created_at", Float, nullable=False),
)

stimulus = Table(
    "stimulus",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("digest", String(64), nullable=False),
)

participant = Table(
    "participant",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("token_hash", String(64), nullable=False, unique=True),
    Column("source", String(16), nullable=False),
    Column("external_id", String(100)),
    Column("phase", String(16), nullable=False),
    Column("outcome", String(16)),
    Column("last_number", Integer, nullable=False),
    Column("n_main", Integer, nullable=False),
    Column("n_practice", Integer, nullable=False),
    Column("n_failed_catches", Integer, nullable=False),
    Column("undoable", Integer, nullable=False),
    Column("excluded", Boolean, nullable=False),
    Column("excluded_for", Text, nullable=False),
    Column("created_at", Float, nullable=False),
    Column("finished_at", Float),
    UniqueConstraint("source", "external_id"),
)

draw = Table(
    "draw",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("sampler", String(16), nullable=False),
    Column("seed", Integer, nullable=False),
    Column("n_questions", Integer, nullable=False),
    Column("last_answer", Integer, nullable=False),
    Column("last_draw", Integer, nullable=False),
    Column("created_at", Float, nullable=False),
)

question = Table(
    "question",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("draw_id", Integer, ForeignKey("draw.id"), nullable=False),
    Column("objects", String(200), nullable=False),
    Column("reason", String(200), nullable=False),
    Column("n_wanted", Integer, nullable=False),
    Column("n_served", Integer, nullable=False),
    Column("leased_by", String(32)),
    Column("leased_at", Float),
    CheckConstraint("n_served >= 0 AND n_served <= n_wanted", name="not_over_served"),
)
Index("ix_question_draw", question.c.draw_id)
Index(
    "ix_question_waiting",
    question.c.id,
    sqlite_where=text("n_served < n_wanted"),
    postgresql_where=text("n_served < n_wanted"),
)

serving = Table(
    "serving",
    metadata,
    Column("participant_id", Integer, ForeignKey("participant.id"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("question_id", Integer, ForeignKey("question.id")),
    Column("role", String(8), nullable=False),
    Column("shown", String(200), nullable=False),
    Column("status", String(8), nullable=False),
    Column("served_at", Float, nullable=False),
)
Index(
    "ix_serving_open",
    serving.c.participant_id,
    unique=True,  # nobody has two questions open
    sqlite_where=text("status = 'open'"),
    postgresql_where=text("status = 'open'"),
)

answer = Table(
    "answer",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("participant_id", Integer, nullable=False),
    Column("number", Integer, nullable=False),
    Column("choice", String(16), nullable=False),
    Column("seconds", Float, nullable=False),
    Column("n_blurs", Integer, nullable=False),
    Column("device", String(8), nullable=False),
    Column("received_at", Float, nullable=False),
    Column("undone", Boolean, nullable=False),
    UniqueConstraint("participant_id", "number"),  # a serving takes one answer
    ForeignKeyConstraint(
        ["participant_id", "number"], ["serving.participant_id", "serving.number"]
    ),
)

event = Table(
    "event",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("at", Float, nullable=False),
    Column("participant_id", Integer),
    Column("kind", String(32), nullable=False),
    Column("data", Text, nullable=False),
)
Index("ix_event_participant", event.c.participant_id)

owner = Table(
    "owner",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("password_hash", Text, nullable=False),
    Column("created_at", Float, nullable=False),
)

owner_session = Table(
    "owner_session",
    metadata,
    Column("token_hash", String(64), primary_key=True),
    Column("csrf", String(64), nullable=False),
    Column("expires_at", Float, nullable=False),
)


def write_objects(objects: Sequence[int]) -> str:
    """Return objects or positions as they are stored: 4,7,9."""
    return ",".join(map(str, objects))


def read_objects(text: str) -> tuple[int, ...]:
    """Return the objects that `write_objects` wrote."""
    return tuple(map(int, text.split(","))) if text else ()
