"""Runs the generated code on the driver sqlite3."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import compress, count
from operator import length_hint
from typing import TYPE_CHECKING, Any, Generic

if TYPE_CHECKING or __package__:
    from . import scoter_runtime as core
    from .scoter_runtime import *  # noqa: F403 (what generated code uses as rt)
else:
    import scoter_runtime as core
    from scoter_runtime import *  # noqa: F403

Connection = sqlite3.Connection


@dataclass(frozen=True)
class EachRow(Generic[T]):
    """A bulk operation on one table that runs sql for each row.

    values converts all rows in one call, because a call for each row would take longer.
    """

    name: str
    sql: str
    values: Callable[[Iterable[T]], Iterator[Sequence[Any]]]


def _numbered(rows: Iterable[T]) -> tuple[Iterator[T], Callable[[], int]]:
    """Returns the rows as an iterator, and a function that tells how many rows were read from it.

    For a list the function uses the length of what is left. Counting each row would take as long as
    reading its values.
    """
    if type(rows) is list or type(rows) is tuple:
        source = iter(rows)
        return source, lambda: len(rows) - length_hint(source)
    numbers = count(1)  # all numbers are true, so compress drops no row
    return compress(rows, numbers), lambda: next(numbers) - 1


class Runtime(core.Observed):
    """Runs statements on one connection.

    Single statements are committed as the connection is configured. Bulk operations run in a
    transaction.
    """

    def __init__(self, conn: sqlite3.Connection, observer: core.Observer | None = None) -> None:
        super().__init__(observer)
        self._conn = conn
        # Cursors whose rows were read to the end, for reuse. Making a new cursor takes longer than
        # a call of the generated code.
        self._idle: list[sqlite3.Cursor] = []

    def _open(self) -> sqlite3.Cursor:
        """Returns a cursor that no other call uses.

        So calls can be nested, or come from several threads.
        """
        try:
            return self._idle.pop()
        except IndexError:
            cursor = self._conn.cursor()
            # the application may have set a row factory on the connection
            cursor.row_factory = None
            cursor.arraysize = 2  # one() fetches two rows to see whether there are more
            return cursor

    def all(self, name: str, sql: str, values: Sequence[Any], read: core.Reader[T]) -> list[T]:
        if self._observer is not None:
            return self._run(name, lambda: list(read(self.fetch(sql, values))), len)
        cursor = self._open()
        rows = list(read(cursor.execute(sql, values)))
        self._idle.append(cursor)
        return rows

    def one(
        self, name: str, sql: str, values: Sequence[Any], make: Callable[[core.Row], T]
    ) -> T | None:
        if self._observer is not None:
            return self._run(
                name, lambda: core.first_of(make, self.fetch_one(sql, values)), core.found
            )
        try:
            cursor = self._idle.pop()
        except IndexError:
            cursor = self._open()
        rows = cursor.execute(sql, values).fetchmany()
        if len(rows) < 2:  # otherwise the statement is still open
            self._idle.append(cursor)
        return make(rows[0]) if rows else None

    def fetch(self, sql: str, values: Sequence[Any]) -> list[core.Row]:
        cursor = self._open()
        rows = cursor.execute(sql, values).fetchall()
        self._idle.append(cursor)
        return rows

    def fetch_one(self, sql: str, values: Sequence[Any]) -> core.Row | None:
        rows = self.fetch(sql, values)
        return rows[0] if rows else None

    def stream(
        self, name: str, sql: str, values: Sequence[Any], read: core.Reader[T]
    ) -> Iterator[T]:
        def rows() -> Iterator[T]:
            cursor = self._open()
            try:
                yield from read(cursor.execute(sql, values))
            except BaseException:
                cursor.close()
                raise
            self._idle.append(cursor)

        return rows() if self._observer is None else self._each(name, rows)

    def exec(self, name: str, sql: str, values: Sequence[Any]) -> int:
        return (
            self._count(sql, values)
            if self._observer is None
            else self._run(name, lambda: self._count(sql, values), core.same)
        )

    def _count(self, sql: str, values: Sequence[Any]) -> int:
        cursor = self._open()
        changed = cursor.execute(sql, values).rowcount
        if cursor.description is None:  # otherwise the statement returns rows that were not read
            self._idle.append(cursor)
        return max(0, changed)

    def batch(
        self, name: str, sql: str, values: Callable[[T], Sequence[Any]], rows: Iterable[T]
    ) -> int:
        def body() -> int:
            with transaction(self._conn):
                return max(0, self._conn.executemany(sql, map(values, rows)).rowcount)

        return self._run(name, body, core.same)

    def bulk(self, bulk: EachRow[T], rows: Iterable[T]) -> int:
        """Runs a bulk operation in one transaction. Returns the number of changed rows.

        Raises a RowError with the row's number if a row cannot be written.
        """

        def body() -> int:
            source, taken = _numbered(rows)
            with transaction(self._conn):
                try:
                    return max(0, self._conn.executemany(bulk.sql, bulk.values(source)).rowcount)
                except (sqlite3.Error, OverflowError) as error:
                    raise core.RowError(bulk.name, taken(), str(error)) from error

        return self._run(bulk.name, body, core.same)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Runs the block in a transaction, or in a savepoint if a transaction is already open."""
        with transaction(self._conn):
            yield


def content(v: Any) -> bytes:
    """Reads bytes. A BLOB column can also contain text, because SQLite does not convert it."""
    return v if type(v) is bytes else v.encode() if isinstance(v, str) else bytes(memoryview(v))


@contextmanager
def transaction(conn: sqlite3.Connection, commit: bool = True) -> Iterator[None]:
    """Runs the block in an immediate transaction, or in a savepoint of the open transaction.

    If commit is False, the block's changes are rolled back at the end.
    """
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
    conn: sqlite3.Connection,
    project: str,
    migrations: Sequence[core.Migration],
    dry_run: bool = False,
) -> list[str]:
    """Applies the pending migrations in one transaction, under the write lock.

    Returns the ids of the applied migrations.
    """
    with transaction(conn, not dry_run):
        conn.execute(core.CREATE_MIGRATIONS)
        columns = Runtime(conn).fetch("SELECT name FROM pragma_table_info('_sqg_migrations')", ())
        if ("checksum",) not in columns:
            conn.execute(core.ADD_CHECKSUM)
        recorded = Runtime(conn).fetch(
            "SELECT migration_id, checksum FROM _sqg_migrations WHERE project = ?", (project,)
        )
        applied = {str(row[0]): row[1] for row in recorded}
        todo = core.pending(project, migrations, applied)
        for m in migrations:
            if applied.get(m.id, "") is None:
                conn.execute(
                    "UPDATE _sqg_migrations SET checksum = ? WHERE project = ? AND migration_id = ?",
                    (m.checksum, project, m.id),
                )
        for m in todo:
            for statement in m.statements:
                conn.execute(statement)
            conn.execute(
                "INSERT INTO _sqg_migrations (project, migration_id, checksum) VALUES (?, ?, ?)",
                (project, m.id, m.checksum),
            )
        return [m.id for m in todo]
