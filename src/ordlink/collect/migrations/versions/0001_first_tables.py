"""The first tables: new databases get those of `schema.py`, so there is nothing to do here."""

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Do nothing: databases start at this revision."""
