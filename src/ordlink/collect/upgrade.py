"""Bring a database up to date: its tables, and what earlier versions left in its file."""

from __future__ import annotations

import contextlib

import sqlalchemy as sa

from ordlink.collect import schema
from ordlink.errors import InputError

# New databases get the tables of `schema.py`; these changes bring older ones there, in SQL that
# SQLite and PostgreSQL share.
_COUNT_OF = """
    UPDATE participant SET {column} = (SELECT count(*) FROM answer JOIN serving
        ON serving.participant_id = answer.participant_id AND serving.number = answer.number
        WHERE answer.participant_id = participant.id AND NOT answer.undone
        AND serving.role = '{role}')"""
_CHANGES = {
    "0001": (),
    "0002": (  # what was found in events before: other devices, requests for removal
        "ALTER TABLE participant ADD COLUMN is_shared BOOLEAN DEFAULT false NOT NULL",
        "ALTER TABLE participant ADD COLUMN asks_removal BOOLEAN DEFAULT false NOT NULL",
        "ALTER TABLE participant ADD COLUMN n_undone INTEGER DEFAULT 0 NOT NULL",
        """UPDATE participant SET is_shared = true WHERE id IN (
            SELECT participant_id FROM event WHERE kind = 'came back elsewhere')""",
        """UPDATE participant SET asks_removal = true WHERE id IN (
            SELECT asked.participant_id FROM event AS asked
            WHERE asked.kind = 'asked to withdraw' AND NOT EXISTS (
                SELECT 1 FROM event AS kept WHERE kept.kind = 'kept by the owner'
                AND kept.participant_id = asked.participant_id AND kept.id > asked.id))""",
        """UPDATE participant SET n_undone = (SELECT count(*) FROM answer
            WHERE answer.participant_id = participant.id AND answer.undone)""",
        """UPDATE participant SET token_hash = 'withdrawn ' || id, source = 'link',
            last_number = 0, excluded = false, excluded_for = '', created_at = 0,
            finished_at = NULL WHERE outcome = 'withdrawn'""",
        "UPDATE event SET data = '{}' WHERE kind = 'came back elsewhere'",
    ),
    "0003": (  # conditions, questionnaires, planned catch trials; screening out excludes
        "ALTER TABLE participant ADD COLUMN condition VARCHAR(40) DEFAULT '' NOT NULL",
        "ALTER TABLE participant ADD COLUMN questionnaire TEXT DEFAULT '{}' NOT NULL",
        "ALTER TABLE participant ADD COLUMN n_catches INTEGER DEFAULT 0 NOT NULL",
        "ALTER TABLE participant ADD COLUMN seen_at FLOAT DEFAULT 0 NOT NULL",
        "ALTER TABLE question ADD COLUMN condition VARCHAR(40) DEFAULT '' NOT NULL",
        _COUNT_OF.format(column="n_catches", role="catch"),
        "UPDATE participant SET seen_at = created_at",
        """UPDATE participant SET excluded = true, excluded_for = 'screened out'
            WHERE outcome = 'screened_out' AND NOT excluded""",
        "UPDATE study SET revision = revision + 1",
    ),
    "0004": (  # repeats are planned for each person, as catch trials are
        "ALTER TABLE participant ADD COLUMN n_repeats INTEGER DEFAULT 0 NOT NULL",
        _COUNT_OF.format(column="n_repeats", role="repeat"),
    ),
}


def upgrade(connection: sa.Connection, where: str) -> None:
    """Create the tables, or bring those of an earlier version up to date."""
    version = schema.version
    version.create(connection, checkfirst=True)
    current = connection.scalar(sa.select(version))
    if current is None:
        schema.metadata.create_all(connection)
        connection.execute(version.insert().values(version_num=max(_CHANGES)))
    elif current not in _CHANGES:
        raise InputError(
            f"a newer ordlink wrote this database (revision {current}); update ordlink",
            where=where,
        )
    for revision, changes in _CHANGES.items():
        if current is not None and revision > current:
            for change in changes:
                connection.exec_driver_sql(change)
            connection.execute(version.update().values(version_num=revision))
    if problem := _find_incomplete(connection):
        # Starts of the first version could be killed between two tables, before any row.
        schema.metadata.create_all(connection)
        tables = schema.metadata.sorted_tables
        has_rows = any(
            connection.execute(sa.select(sa.text("1")).select_from(one)).first() for one in tables
        )
        if has_rows or connection.dialect.name != "sqlite":
            raise InputError(
                f"the database is incomplete ({problem}); restore a backup, or use a new database",
                where=where,
            )
        schema.metadata.drop_all(connection)
        schema.metadata.create_all(connection)


def _find_incomplete(connection: sa.Connection) -> str:
    """Return which table lacks columns or indexes, or an empty text if none does."""
    inspector = sa.inspect(connection)
    columns, indexes = inspector.get_multi_columns(), inspector.get_multi_indexes()
    for table in schema.metadata.sorted_tables:
        key = (None, table.name)
        found = {one["name"] for one in (*columns.get(key, ()), *indexes.get(key, ()))}
        wanted = [str(one.name) for one in (*table.c, *table.indexes)]
        if missing := [name for name in wanted if name not in found]:
            return f"table {table.name} has no {', '.join(missing)}"
    return ""


def vacuum_once(engine: sa.Engine) -> None:
    """Rewrite SQLite's file once: earlier versions did not overwrite what they deleted."""
    with contextlib.closing(engine.raw_connection()) as connection:
        cursor = connection.cursor()
        if not cursor.execute("PRAGMA user_version").fetchone()[0]:
            cursor.execute("VACUUM")
            cursor.execute("PRAGMA user_version=1")
