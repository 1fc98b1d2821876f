"""What was found in events before: other devices, requests for removal; and counts of undo."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_ASKS = """
    SELECT asked.participant_id FROM event AS asked
    WHERE asked.kind = 'asked to withdraw' AND NOT EXISTS (
        SELECT 1 FROM event AS kept WHERE kept.kind = 'kept by the owner'
        AND kept.participant_id = asked.participant_id AND kept.id > asked.id)"""


def upgrade() -> None:
    """Add the columns, fill them, and forget what withdrawn participants left behind."""
    for name in ("is_shared", "asks_removal"):
        column = sa.Column(name, sa.Boolean, nullable=False, server_default=sa.false())
        op.add_column("participant", column)
    count = sa.Column("n_undone", sa.Integer, nullable=False, server_default="0")
    op.add_column("participant", count)
    for change in (
        "UPDATE participant SET is_shared = true WHERE id IN (SELECT participant_id FROM event "
        "WHERE kind = 'came back elsewhere')",
        f"UPDATE participant SET asks_removal = true WHERE id IN ({_ASKS})",
        "UPDATE participant SET n_undone = (SELECT count(*) FROM answer "
        "WHERE answer.participant_id = participant.id AND answer.undone)",
        "UPDATE participant SET token_hash = 'withdrawn ' || id, source = 'link', last_number = 0, "
        "excluded = false, excluded_for = '', created_at = 0, finished_at = NULL "
        "WHERE outcome = 'withdrawn'",
        "UPDATE event SET data = '{}' WHERE kind = 'came back elsewhere'",
    ):
        op.execute(change)
