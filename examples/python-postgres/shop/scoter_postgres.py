"""Runs the generated code over psycopg."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg.rows import tuple_row
from psycopg.types.string import TextLoader

if TYPE_CHECKING or __package__:
    from . import scoter_copy as copy, scoter_runtime as core
    from .scoter_copy import to_interval as to_interval, to_jsonb as to_jsonb
    from .scoter_runtime import *  # noqa: F403 (what generated code uses as rt)
else:
    import scoter_copy as copy
    import scoter_runtime as core
    from scoter_copy import to_interval, to_jsonb
    from scoter_runtime import *  # noqa: F403

Connection = psycopg.Connection[Any]

# Types whose Python objects lose something or are not what the generated code
# returns: their text is read.
_AS_TEXT = (
    *("json", "jsonb", "interval", "inet", "cidr", "timestamptz", "timestamp", "date", "time", "timetz"),
    *(kind + what for kind in ("int4", "int8", "num", "date", "ts", "tstz") for what in ("range", "multirange")),
)

Values = Mapping[str, Any]

# Up to how many rows are written by a statement each, sent together: COPY and a temporary table take more
# round trips.
FEW = 32


class Runtime(core.Observed):
    """Runs statements over one connection, which commits as it is set up to;
    bulk operations are transactions."""

    def __init__(self, conn: psycopg.Connection[Any], observer: core.Observer | None = None) -> None:
        super().__init__(observer)
        self._conn = conn
        self._cursor = self._open()

    def _open(self) -> psycopg.Cursor[core.Row]:
        cursor = self._conn.cursor(row_factory=tuple_row)
        for name in _AS_TEXT:
            cursor.adapters.register_loader(name, TextLoader)
        return cursor

    def _execute(self, sql: str, values: Values) -> psycopg.Cursor[core.Row]:
        # Without parameters psycopg leaves every % alone.
        return self._cursor.execute(sql.encode(), values or None)

    def all(self, name: str, sql: str, values: Values, read: core.Reader[T]) -> list[T]:
        return self._run(name, lambda: list(read(self.fetch(sql, values))), len)

    def one(self, name: str, sql: str, values: Values, make: Callable[[core.Row], T]) -> T | None:
        return self._run(name, lambda: core.first_of(make, self.fetch_one(sql, values)), core.found)

    def fetch(self, sql: str, values: Values) -> list[core.Row]:
        return self._execute(sql, values).fetchall()

    def fetch_one(self, sql: str, values: Values) -> core.Row | None:
        return self._execute(sql, values).fetchone()

    def stream(self, name: str, sql: str, values: Values, read: core.Reader[T]) -> Iterator[T]:
        """Rows as the server sends them. The connection can do nothing else meanwhile."""

        def rows() -> Iterator[T]:
            with self._open() as cursor:
                yield from read(cursor.stream(sql.encode(), values or None))

        return self._each(name, rows)

    def exec(self, name: str, sql: str, values: Values) -> int:
        return self._run(name, lambda: max(0, self._execute(sql, values).rowcount), core.same)

    def batch(self, name: str, sql: str, values: Callable[[T], Values], rows: Iterable[T]) -> int:
        def body() -> int:
            with self._conn.transaction():
                self._cursor.executemany(sql.encode(), map(values, rows))
                return max(0, self._cursor.rowcount)

        return self._run(name, body, core.same)

    def bulk(self, bulk: core.Bulk[T], rows: Iterable[T]) -> int:
        """Runs a bulk operation in one transaction; returns the rows it changed.

        A row that cannot be written is a RowError.
        """
        return self._run(bulk.name, lambda: self._bulk(bulk, bulk.copy, iter(rows)), core.same)

    def _bulk(self, bulk: core.Bulk[T], form: core.Copy[T] | None, rows: Iterator[T]) -> int:
        if form is None:
            raise TypeError("a bulk operation of another database")
        few = list(islice(rows, FEW + 1))
        if len(few) <= FEW and (bulk.stage is None or bulk.stage.dedupe is None or copy.distinct(form, few)):
            return self._statements(bulk, few)
        every = chain(few, rows)
        with self._conn.transaction():
            try:
                if bulk.stage is None:
                    # To explain an INSERT takes its lock and asks for no other right: the columns stay as they are.
                    defaults = ", ".join(["DEFAULT"] * len(form.names))
                    self._execute(f"EXPLAIN INSERT INTO {form.target} VALUES ({defaults})", {})
                    return copy.write(self._cursor, form.target, copy.Plan(self._cursor, form.table, form), bulk, every, None)
                return self._staged(bulk, form, bulk.stage, every)
            except psycopg.Error as error:
                raise copy.named(bulk.name, error) from error

    def _staged(self, bulk: core.Bulk[T], form: core.Copy[T], stage: core.Stage, rows: Iterable[T]) -> int:
        """Fills a temporary table and applies it."""
        self._execute(stage.create, {})
        table = f'"{stage.table}"'
        plan = copy.Plan(self._cursor, table, form)
        keys = copy.Keys([i for i, key in enumerate(form.keys) if key]) if stage.dedupe is not None and plan.exact and plan.types is not None else None
        copy.write(self._cursor, table, plan, bulk, rows, keys)
        try:
            with self._conn.transaction():
                if stage.dedupe is not None and (keys is None or keys.repeated):
                    self._execute(stage.dedupe, {})
                count = self._execute(stage.apply, {}).rowcount
        except psycopg.Error as error:
            raise copy.refused(self._cursor, bulk.name, stage, error) from error
        self._execute(stage.drop, {})
        return count

    def _statements(self, bulk: core.Bulk[T], rows: list[T]) -> int:
        """Runs a statement per row, all sent at once."""
        sql = bulk.sql.encode()
        parameters = [{f"p{i}": v for i, v in enumerate(bulk.values(row), 1)} for row in rows]
        try:
            with self._conn.transaction():
                self._cursor.executemany(sql, parameters)
                return max(0, self._cursor.rowcount)
        except psycopg.Error as error:
            # A table that is not what it was is no row's fault.
            if (error.sqlstate or "").startswith("42"):
                raise
            # Which row it was is known to one after the other.
            with self._conn.transaction(force_rollback=True):
                for number, row in enumerate(parameters, 1):
                    try:
                        self._cursor.execute(sql, row)
                    except psycopg.Error as again:
                        raise copy.named(bulk.name, again, number) from error
            raise

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """A transaction, or a savepoint in the one that is open."""
        with self._conn.transaction():
            yield


def apply_migrations(
    conn: psycopg.Connection[Any], project: str, migrations: Sequence[core.Migration], dry_run: bool = False
) -> list[str]:
    """Applies the pending migrations under an advisory lock; returns their ids."""
    with conn.transaction(force_rollback=dry_run), conn.cursor(row_factory=tuple_row) as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext('_sqg_migrations'))")
        cursor.execute(core.CREATE_MIGRATIONS)
        cursor.execute("ALTER TABLE _sqg_migrations ADD COLUMN IF NOT EXISTS checksum TEXT")
        cursor.execute("SELECT migration_id, checksum FROM _sqg_migrations WHERE project = %s", (project,))
        applied = {str(row[0]): row[1] for row in cursor.fetchall()}
        todo = core.pending(project, migrations, applied)
        for m in migrations:
            if applied.get(m.id, "") is None:
                cursor.execute(
                    "UPDATE _sqg_migrations SET checksum = %s WHERE project = %s AND migration_id = %s", (m.checksum, project, m.id)
                )
        for m in todo:
            for statement in m.statements:
                cursor.execute(statement.encode())
            cursor.execute(
                "INSERT INTO _sqg_migrations (project, migration_id, checksum) VALUES (%s, %s, %s)", (project, m.id, m.checksum)
            )
        return [m.id for m in todo]
