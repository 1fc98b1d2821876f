"""The first tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "study",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("settings", sa.Text, nullable=False),
        sa.Column("secret", sa.String(64), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("created_at", sa.Float, nullable=False),
    )
    op.create_table(
        "stimulus",
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
    )
    op.create_table(
        "participant",
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
    op.create_table(
        "draw",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("sampler", sa.String(16), nullable=False),
        sa.Column("seed", sa.Integer, nullable=False),
        sa.Column("n_questions", sa.Integer, nullable=False),
        sa.Column("last_answer", sa.Integer, nullable=False),
        sa.Column("last_draw", sa.Integer, nullable=False),
        sa.Column("created_at", sa.Float, nullable=False),
    )
    op.create_table(
        "question",
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
    op.create_index("ix_question_draw", "question", ["draw_id"])
    op.create_index(
        "ix_question_waiting",
        "question",
        ["id"],
        sqlite_where=sa.text("n_served < n_wanted"),
        postgresql_where=sa.text("n_served < n_wanted"),
    )
    op.create_table(
        "serving",
        sa.Column("participant_id", sa.Integer, sa.ForeignKey("participant.id"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("question_id", sa.Integer, sa.ForeignKey("question.id")),
        sa.Column("role", sa.String(8), nullable=False),
        sa.Column("shown", sa.String(200), nullable=False),
        sa.Column("status", sa.String(8), nullable=False),
        sa.Column("served_at", sa.Float, nullable=False),
    )
    op.create_index(
        "ix_serving_open",
        "serving",
        ["participant_id"],
        unique=True,
        sqlite_where=sa.text("status = 'open'"),
        postgresql_where=sa.text("status = 'open'"),
    )
    op.create_table(
        "answer",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("participant_id", sa.Integer, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("choice", sa.String(16), nullable=False),
        sa.Column("seconds", sa.Float, nullable=False),
        sa.Column("n_blurs", sa.Integer, nullable=False),
        sa.Column("device", sa.String(8), nullable=False),
        sa.Column("received_at", sa.Float, nullable=False),
        sa.Column("undone", sa.Boolean, nullable=False),
        sa.UniqueConstraint("participant_id", "number"),
        sa.ForeignKeyConstraint(
            ["participant_id", "number"], ["serving.participant_id", "serving.number"]
        ),
    )
    op.create_table(
        "event",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("at", sa.Float, nullable=False),
        sa.Column("participant_id", sa.Integer),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("data", sa.Text, nullable=False),
    )
    op.create_index("ix_event_participant", "event", ["participant_id"])
    op.create_table(
        "owner",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("password_hash", sa.Text, nullable=False),
        sa.Column("created_at", sa.Float, nullable=False),
    )
    op.create_table(
        "owner_session",
        sa.Column("token_hash", sa.String(64), primary_key=True),
        sa.Column("csrf", sa.String(64), nullable=False),
        sa.Column("expires_at", sa.Float, nullable=False),
    )
