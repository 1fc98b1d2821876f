"""Conditions, questionnaires, planned catch trials, and when people were last there."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the columns; screened-out participants leave the tree, as they do from now on."""
    for table, name, kind, default in (
        ("participant", "condition", sa.String(40), ""),
        ("participant", "questionnaire", sa.Text, "{}"),
        ("participant", "n_catches", sa.Integer, "0"),
        ("participant", "seen_at", sa.Float, "0"),
        ("question", "condition", sa.String(40), ""),
    ):
        column = sa.Column(name, kind, nullable=False, server_default=default)
        op.add_column(table, column)
    for change in (
        "UPDATE participant SET n_catches = (SELECT count(*) FROM answer JOIN serving ON "
        "serving.participant_id = answer.participant_id AND serving.number = answer.number "
        "WHERE answer.participant_id = participant.id AND NOT answer.undone "
        "AND serving.role = 'catch')",
        "UPDATE participant SET seen_at = created_at",
        "UPDATE participant SET excluded = true, excluded_for = 'screened out' "
        "WHERE outcome = 'screened_out' AND NOT excluded",
        "UPDATE study SET revision = revision + 1",
    ):
        op.execute(change)
