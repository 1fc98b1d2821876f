"""Bring a database up to date: its tables, and what earlier versions left in its file."""

from __future__ import annotations

import contextlib
from pathlib import Path

import sqlalchemy as sa
from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from ordlink.collect import schema
from ordlink.errors import InputError

MIGRATIONS = Path(__file__).parent / "migrations"


def upgrade(connection: sa.Connection, where: str) -> None:
    """Create the tables, or bring those of an earlier version up to date."""
    script = ScriptDirectory(str(MIGRATIONS))
    context = MigrationContext.configure(
        connection, opts={"fn": lambda revision, _: script._upgrade_revs("head", revision)}
    )
    current = context.get_current_revision()
    if current is None:
        schema.metadata.create_all(connection)
        context.stamp(script, "head")
    elif current not in {revision.revision for revision in script.walk_revisions()}:
        raise InputError(
            f"a newer ordlink wrote this database (revision {current}); update ordlink",
            where=where,
        )
    else:
        with Operations.context(context):
            context.run_migrations()
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
