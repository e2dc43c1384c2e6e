"""Runs the generated code on the driver psycopg."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Literal

import psycopg
from psycopg.adapt import PyFormat, Transformer
from psycopg.pq import TransactionStatus
from psycopg.rows import tuple_row
from psycopg.types.string import TextLoader

if TYPE_CHECKING or __package__:
    from . import scoter_copy as copy, scoter_runtime as core
    from .scoter_copy import to_interval as to_interval, to_jsonb as to_jsonb
    from .scoter_runtime import *  # noqa: F403 (what generated code uses as rt)
else:
    import scoter_copy as copy
    import scoter_runtime as core
    from scoter_copy import to_interval, to_jsonb  # noqa: F401
    from scoter_runtime import *  # noqa: F403

Connection = psycopg.Connection[Any]

# Types that are read as text, because psycopg's Python objects would lose information or differ
# from what the generated code returns.
_AS_TEXT = (
    *(
        "json",
        "jsonb",
        "interval",
        "inet",
        "cidr",
        "timestamptz",
        "timestamp",
        "date",
        "time",
        "timetz",
    ),
    *(
        kind + what
        for kind in ("int4", "int8", "num", "date", "ts", "tstz")
        for what in ("range", "multirange")
    ),
)

Values = Mapping[str, Any]

# Forces how a bulk operation sends its rows. Without a route, the number of rows decides. "unnest"
# is one statement with an array per column, which needs the fewest round trips. "binary" and "text"
# are formats of COPY. If the operation or a type does not support a route, the next one is used.
Route = Literal["unnest", "binary", "text"]

# Up to this number of values (rows times columns), one statement takes less time than COPY. The
# first limit is for operations without a temporary table, the second for those with one.
# `scoter-bench bulk` measures these limits.
UNNEST_INSERT = 320
UNNEST_STAGED = 1600

# The number of rows that a batch sends at a time.
BATCH_ROWS = 1000


class Runtime(core.Observed):
    """Runs statements on one connection.

    Single statements are committed as the connection is configured. Bulk operations run in a
    transaction.
    """

    def __init__(
        self, conn: psycopg.Connection[Any], observer: core.Observer | None = None
    ) -> None:
        super().__init__(observer)
        self._conn = conn
        # Cursors of finished calls, for reuse. Registering loaders on a new cursor takes longer
        # than a call of the generated code.
        self._idle: list[psycopg.Cursor[core.Row]] = []

    def _open(self) -> psycopg.Cursor[core.Row]:
        cursor = self._conn.cursor(row_factory=tuple_row)
        for name in _AS_TEXT:
            cursor.adapters.register_loader(name, TextLoader)
        return cursor

    @contextmanager
    def _cursor(self) -> Iterator[psycopg.Cursor[core.Row]]:
        """Yields a cursor that no other call uses.

        So calls can be nested, or come from several threads.
        """
        try:
            cursor = self._idle.pop()
        except IndexError:
            cursor = self._open()
        try:
            yield cursor
        finally:
            self._idle.append(cursor)

    def all(self, name: str, sql: str, values: Values, read: core.Reader[T]) -> list[T]:
        return self._run(name, lambda: list(read(self.fetch(sql, values))), len)

    def one(self, name: str, sql: str, values: Values, make: Callable[[core.Row], T]) -> T | None:
        return self._run(name, lambda: core.first_of(make, self.fetch_one(sql, values)), core.found)

    def fetch(self, sql: str, values: Values) -> list[core.Row]:
        with self._cursor() as cursor:
            return execute(cursor, sql, values).fetchall()

    def fetch_one(self, sql: str, values: Values) -> core.Row | None:
        with self._cursor() as cursor:
            return execute(cursor, sql, values).fetchone()

    def stream(self, name: str, sql: str, values: Values, read: core.Reader[T]) -> Iterator[T]:
        """Yields rows as they arrive from the server.

        The connection cannot be used for anything else until the loop ends.
        """

        def rows() -> Iterator[T]:
            with self._open() as cursor:
                yield from read(cursor.stream(sql.encode(), values or None))

        return self._each(name, rows)

    def exec(self, name: str, sql: str, values: Values) -> int:
        return self._run(name, lambda: self._count(sql, values), core.same)

    def _count(self, sql: str, values: Values) -> int:
        with self._cursor() as cursor:
            return max(0, execute(cursor, sql, values).rowcount)

    def batch(self, name: str, sql: str, values: Callable[[T], Values], rows: Iterable[T]) -> int:
        def body() -> int:
            count = 0
            with self._conn.transaction(), self._cursor() as cursor:
                for portion in core.chunks(map(values, rows), BATCH_ROWS):
                    cursor.executemany(sql.encode(), portion)
                    count += max(0, cursor.rowcount)
            return count

        return self._run(name, body, core.same)

    def bulk(self, bulk: core.Bulk[T], rows: Iterable[T], route: Route | None = None) -> int:
        """Runs a bulk operation in one transaction. Returns the number of changed rows.

        Raises a RowError with the row's number if a row cannot be written.
        """
        if bulk.copy is None or route not in (None, "unnest", "binary", "text"):
            raise ValueError(f"{bulk.name}: there is no route {route!r}")
        form = bulk.copy
        return self._run(bulk.name, lambda: self._bulk(bulk, form, iter(rows), route), core.same)

    def _bulk(
        self, bulk: core.Bulk[T], form: core.Copy[T], rows: Iterator[T], route: Route | None
    ) -> int:
        if bulk.sql != "" and route in (None, "unnest"):
            values = UNNEST_INSERT if bulk.stage is None else UNNEST_STAGED
            most = None if route == "unnest" else values // len(form.names)
            few = list(islice(rows, None if most is None else most + 1))
            if most is None or len(few) <= most:
                try:
                    return self._unnest(bulk, few)
                except (psycopg.Error, ValueError, TypeError, OverflowError):
                    # Nothing was written. COPY will fail too, but it says which row is to blame.
                    if self._conn.closed:
                        raise
            rows = chain(few, rows)
        with self._conn.transaction(), self._cursor() as cursor:
            try:
                if bulk.stage is not None:
                    return self._staged(cursor, bulk, form, bulk.stage, rows, route)
                # EXPLAIN INSERT takes the same lock as an INSERT, and needs only the privileges
                # that the INSERT needs. While the lock is held, the table's columns cannot change.
                defaults = ", ".join(["DEFAULT"] * len(form.names))
                execute(cursor, f"EXPLAIN INSERT INTO {form.target} VALUES ({defaults})", {})
                plan = copy.Plan(cursor, form.table, form, route != "text")
                return copy.write(cursor, form.target, plan, bulk, form, rows, None)
            except psycopg.Error as error:
                raise copy.named(bulk.name, error) from error

    def _unnest(self, bulk: core.Bulk[T], rows: list[T]) -> int:
        """Writes all rows with one statement. Returns the number of changed rows."""
        if not rows:
            return 0
        transform = Transformer(self._conn)

        def text(v: Any) -> str | None:
            return (
                None
                if v is None
                else bytes(transform.get_dumper(v, PyFormat.TEXT).dump(v) or b"").decode(
                    self._conn.info.encoding
                )
            )

        columns: list[list[Any]] = [list(c) for c in zip(*map(bulk.values, rows), strict=True)]
        # unnest would flatten nested arrays, so arrays are passed as text.
        lists = [list(map(text, c)) if any(isinstance(v, list) for v in c) else c for c in columns]
        arrays = {f"p{i}": c for i, c in enumerate(lists, 1)}
        if self._conn.autocommit and self._conn.info.transaction_status == TransactionStatus.IDLE:
            return self._count(bulk.sql, arrays)
        with self._conn.transaction():
            return self._count(bulk.sql, arrays)

    def _staged(
        self,
        cursor: psycopg.Cursor[core.Row],
        bulk: core.Bulk[T],
        form: core.Copy[T],
        stage: core.Stage,
        rows: Iterable[T],
        route: Route | None,
    ) -> int:
        """Fills a temporary table and applies it. Returns the number of changed rows."""
        execute(cursor, stage.create, {})
        table = f'"{stage.table}"'
        plan = copy.Plan(cursor, table, form, route != "text")
        keys = (
            copy.Keys([i for i, key in enumerate(form.keys) if key])
            if stage.dedupe is not None and plan.exact and plan.types is not None
            else None
        )
        copy.write(cursor, table, plan, bulk, form, rows, keys)
        try:
            with self._conn.transaction():
                if stage.dedupe is not None and (keys is None or keys.repeated):
                    execute(cursor, stage.dedupe, {})
                count = execute(cursor, stage.apply, {}).rowcount
        except psycopg.Error as error:
            raise copy.refused(cursor, bulk.name, stage, error) from error
        execute(cursor, stage.drop, {})
        return count

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Runs the block in a transaction, or in a savepoint if a transaction is already open."""
        with self._conn.transaction():
            yield


def execute(cursor: psycopg.Cursor[core.Row], sql: str, values: Values) -> psycopg.Cursor[core.Row]:
    """Runs a statement. Without parameters, psycopg does not interpret % in the SQL."""
    return cursor.execute(sql.encode(), values or None)


def to_local(v: datetime.datetime) -> str:
    """Returns the text of a timestamp without time zone. Raises a ValueError if it has a zone.

    COPY in binary format also requires a value without a zone, so both formats behave alike.
    """
    if v.tzinfo is not None:
        raise ValueError(f"{v.isoformat(' ')} has a zone, which the column has not")
    return v.isoformat(" ")


def to_instant(v: datetime.datetime) -> str:
    """Returns the text of an instant. Raises a ValueError if it has no zone.

    COPY in binary format also requires a value with a zone, so both formats behave alike.
    """
    if v.tzinfo is None:
        raise ValueError(f"{v.isoformat(' ')} has no zone, which the column wants")
    return v.isoformat(" ")


def apply_migrations(
    conn: psycopg.Connection[Any],
    project: str,
    migrations: Sequence[core.Migration],
    dry_run: bool = False,
) -> list[str]:
    """Applies the pending migrations in one transaction, under an advisory lock.

    Returns the ids of the applied migrations.
    """
    with conn.transaction(force_rollback=dry_run), conn.cursor(row_factory=tuple_row) as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext('_sqg_migrations'))")
        cursor.execute(core.CREATE_MIGRATIONS)
        cursor.execute("ALTER TABLE _sqg_migrations ADD COLUMN IF NOT EXISTS checksum TEXT")
        cursor.execute(
            "SELECT migration_id, checksum FROM _sqg_migrations WHERE project = %s", (project,)
        )
        applied = {str(row[0]): row[1] for row in cursor.fetchall()}
        todo = core.pending(project, migrations, applied)
        for m in migrations:
            if applied.get(m.id, "") is None:
                cursor.execute(
                    "UPDATE _sqg_migrations SET checksum = %s WHERE project = %s AND migration_id = %s",
                    (m.checksum, project, m.id),
                )
        for m in todo:
            for statement in m.statements:
                cursor.execute(statement.encode())
            cursor.execute(
                "INSERT INTO _sqg_migrations (project, migration_id, checksum) VALUES (%s, %s, %s)",
                (project, m.id, m.checksum),
            )
        return [m.id for m in todo]
