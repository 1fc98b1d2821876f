"""The tables. A new database gets these; older ones get there by `migrations/versions`.

A *draw* is a set of questions chosen at one time; a *question* is shown to `n_wanted` participants;
a *serving* is one showing to one participant, with the objects in the order on the screen; it
takes one *answer*, the positions that were chosen.
"""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

metadata = sa.MetaData()

study = sa.Table(
    "study",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("settings", sa.Text, nullable=False),
    sa.Column("secret", sa.String(64), nullable=False),
    sa.Column("state", sa.String(16), nullable=False),
    # Counts changes after which trees are built anew: undone, excluded, withdrawn.
    sa.Column("revision", sa.Integer, nullable=False),
    sa.Column("created_at", sa.Float, nullable=False),
)

stimulus = sa.Table(
    "stimulus",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("digest", sa.String(64), nullable=False),
)

participant = sa.Table(
    "participant",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("token_hash", sa.String(64), nullable=False, unique=True),
    sa.Column("source", sa.String(16), nullable=False),
    sa.Column("external_id", sa.String(100)),
    sa.Column("phase", sa.String(16), nullable=False),
    sa.Column("outcome", sa.String(16)),
    sa.Column("last_number", sa.Integer, nullable=False),
    sa.Column("n_main", sa.Integer, nullable=False),
    sa.Column("n_practice", sa.Integer, nullable=False),
    sa.Column("n_failed_catches", sa.Integer, nullable=False),
    sa.Column("undoable", sa.Integer, nullable=False),
    sa.Column("excluded", sa.Boolean, nullable=False),
    sa.Column("excluded_for", sa.Text, nullable=False),
    sa.Column("created_at", sa.Float, nullable=False),
    sa.Column("finished_at", sa.Float),
    sa.UniqueConstraint("source", "external_id"),
)

draw = sa.Table(
    "draw",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("sampler", sa.String(16), nullable=False),
    sa.Column("seed", sa.Integer, nullable=False),
    sa.Column("n_questions", sa.Integer, nullable=False),
    sa.Column("last_answer", sa.Integer, nullable=False),
    sa.Column("last_draw", sa.Integer, nullable=False),
    sa.Column("created_at", sa.Float, nullable=False),
)

question = sa.Table(
    "question",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("draw_id", sa.Integer, sa.ForeignKey("draw.id"), nullable=False),
    sa.Column("objects", sa.String(200), nullable=False),
    sa.Column("reason", sa.String(200), nullable=False),
    sa.Column("n_wanted", sa.Integer, nullable=False),
    sa.Column("n_served", sa.Integer, nullable=False),
    sa.Column("leased_by", sa.String(32)),
    sa.Column("leased_at", sa.Float),
    sa.CheckConstraint("n_served >= 0 AND n_served <= n_wanted", name="not_over_served"),
)
sa.Index("ix_question_draw", question.c.draw_id)
sa.Index(
    "ix_question_waiting",
    question.c.id,
    sqlite_where=sa.text("n_served < n_wanted"),
    postgresql_where=sa.text("n_served < n_wanted"),
)

serving = sa.Table(
    "serving",
    metadata,
    sa.Column("participant_id", sa.Integer, sa.ForeignKey("participant.id"), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("question_id", sa.Integer, sa.ForeignKey("question.id")),
    sa.Column("role", sa.String(8), nullable=False),
    sa.Column("shown", sa.String(200), nullable=False),
    sa.Column("status", sa.String(8), nullable=False),
    sa.Column("served_at", sa.Float, nullable=False),
)
sa.Index(
    "ix_serving_open",
    serving.c.participant_id,
    unique=True,  # nobody has two questions open
    sqlite_where=sa.text("status = 'open'"),
    postgresql_where=sa.text("status = 'open'"),
)

answer = sa.Table(
    "answer",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("participant_id", sa.Integer, nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("choice", sa.String(16), nullable=False),
    sa.Column("seconds", sa.Float, nullable=False),
    sa.Column("n_blurs", sa.Integer, nullable=False),
    sa.Column("device", sa.String(8), nullable=False),
    sa.Column("received_at", sa.Float, nullable=False),
    sa.Column("undone", sa.Boolean, nullable=False),
    sa.UniqueConstraint("participant_id", "number"),  # a serving takes one answer
    sa.ForeignKeyConstraint(
        ["participant_id", "number"], ["serving.participant_id", "serving.number"]
    ),
)

event = sa.Table(
    "event",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("at", sa.Float, nullable=False),
    sa.Column("participant_id", sa.Integer),
    sa.Column("kind", sa.String(32), nullable=False),
    sa.Column("data", sa.Text, nullable=False),
)
sa.Index("ix_event_participant", event.c.participant_id)

owner = sa.Table(
    "owner",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("password_hash", sa.Text, nullable=False),
    sa.Column("created_at", sa.Float, nullable=False),
)

owner_session = sa.Table(
    "owner_session",
    metadata,
    sa.Column("token_hash", sa.String(64), primary_key=True),
    sa.Column("csrf", sa.String(64), nullable=False),
    sa.Column("expires_at", sa.Float, nullable=False),
)


def write_objects(objects: Sequence[int]) -> str:
    """Return objects or positions as they are stored: 4,7,9."""
    return ",".join(map(str, objects))


def read_objects(text: str) -> tuple[int, ...]:
    """Return the objects that `write_objects` wrote."""
    return tuple(map(int, text.split(","))) if text else ()
