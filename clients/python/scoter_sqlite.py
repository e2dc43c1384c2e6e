"""Runs the generated code over sqlite3."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or __package__:
    from . import scoter_runtime as core
    from .scoter_runtime import *  # noqa: F403 (what generated code uses as rt)
else:
    import scoter_runtime as core
    from scoter_runtime import *  # noqa: F403

Connection = sqlite3.Connection


class Runtime(core.Observed):
    """Runs statements over one connection. Single statements are committed as
    the connection is set up to; bulk operations are transactions."""

    def __init__(self, conn: sqlite3.Connection, observer: core.Observer | None = None) -> None:
        super().__init__(observer)
        self._conn = conn

    def all(self, name: str, sql: str, values: Sequence[Any], read: core.Reader[T]) -> list[T]:
        if self._observer is None:  # what follows is for speed as if it were written by hand
            return list(read(self._execute(sql, values)))
        return self._run(name, lambda: list(read(self._execute(sql, values))), len)

    def one(self, name: str, sql: str, values: Sequence[Any], read: core.Reader[T]) -> T | None:
        if self._observer is None:
            cursor = self._conn.cursor()
            cursor.row_factory = None
            return next(read(cursor.execute(sql, values).fetchall()), None)
        return self._run(name, lambda: next(read(self.fetch(sql, values)), None), core.found)

    def _execute(self, sql: str, values: Sequence[Any]) -> sqlite3.Cursor:
        cursor = self._conn.cursor()
        cursor.row_factory = None  # the application may have set one
        return cursor.execute(sql, values)

    def fetch(self, sql: str, values: Sequence[Any]) -> list[core.Row]:
        return self._execute(sql, values).fetchall()

    def fetch_one(self, sql: str, values: Sequence[Any]) -> core.Row | None:
        rows = self.fetch(sql, values)
        return rows[0] if rows else None

    def stream(self, name: str, sql: str, values: Sequence[Any], read: core.Reader[T]) -> Iterator[T]:
        def rows() -> Iterator[T]:
            cursor = self._execute(sql, values)
            try:
                yield from read(cursor)
            finally:
                cursor.close()

        return self._each(name, rows)

    def exec(self, name: str, sql: str, values: Sequence[Any]) -> int:
        if self._observer is None:
            count = self._conn.execute(sql, values).rowcount
            return count if count > 0 else 0
        return self._run(name, lambda: max(0, self._conn.execute(sql, values).rowcount), core.same)

    def batch(self, name: str, sql: str, values: Callable[[T], Sequence[Any]], rows: Iterable[T]) -> int:
        def body() -> int:
            with transaction(self._conn):
                return max(0, self._conn.executemany(sql, map(values, rows)).rowcount)

        return self._run(name, body, core.same)

    def bulk(self, bulk: core.Bulk[T], rows: Iterable[T]) -> int:
        """Runs a bulk operation in one transaction; returns the rows it changed."""

        def body() -> int:
            number = 0

            def values() -> Iterator[Sequence[Any]]:
                nonlocal number
                for row in rows:
                    number += 1
                    yield bulk.values(row)

            with transaction(self._conn):
                try:
                    return max(0, self._conn.executemany(bulk.sql, values()).rowcount)
                except (sqlite3.Error, OverflowError) as error:
                    raise core.RowError(bulk.name, number, str(error)) from error

        return self._run(bulk.name, body, core.same)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """A transaction, or a savepoint in the one that is open."""
        with transaction(self._conn):
            yield


@contextmanager
def transaction(conn: sqlite3.Connection, commit: bool = True) -> Iterator[None]:
    """BEGIN IMMEDIATE and COMMIT, or a savepoint in the open transaction."""
    nested = conn.in_transaction
    conn.execute("SAVEPOINT scoter" if nested else "BEGIN IMMEDIATE")
    try:
        yield
        if commit:
            conn.execute("RELEASE scoter" if nested else "COMMIT")
    except BaseException:
        commit = False
        raise
    finally:
        if not commit and conn.in_transaction:
            conn.execute("ROLLBACK TO scoter" if nested else "ROLLBACK")
            if nested:
                conn.execute("RELEASE scoter")


def apply_migrations(
    conn: sqlite3.Connection, project: str, migrations: Sequence[core.Migration], dry_run: bool = False
) -> list[str]:
    """Applies the pending migrations under the write lock; returns their ids."""
    with transaction(conn, not dry_run):
        conn.execute(core.CREATE_MIGRATIONS)
        columns = Runtime(conn).fetch("SELECT name FROM pragma_table_info('_sqg_migrations')", ())
        if ("checksum",) not in columns:
            conn.execute(core.ADD_CHECKSUM)
        recorded = Runtime(conn).fetch("SELECT migration_id, checksum FROM _sqg_migrations WHERE project = ?", (project,))
        applied = {str(row[0]): row[1] for row in recorded}
        todo = core.pending(project, migrations, applied)
        for m in migrations:
            if applied.get(m.id, "") is None:
                conn.execute(
                    "UPDATE _sqg_migrations SET checksum = ? WHERE project = ? AND migration_id = ?", (m.checksum, project, m.id)
                )
        for m in todo:
            for statement in m.statements:
                conn.execute(statement)
            conn.execute(
                "INSERT INTO _sqg_migrations (project, migration_id, checksum) VALUES (?, ?, ?)", (project, m.id, m.checksum)
            )
        return [m.id for m in todo]
