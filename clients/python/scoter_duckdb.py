"""Runs the generated code on the driver duckdb."""

from __future__ import annotations

import decimal
import functools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Literal

import duckdb

if TYPE_CHECKING or __package__:
    from . import scoter_arrow, scoter_runtime as core
    from .scoter_arrow import ArrowStream as ArrowStream, RecordBatches as RecordBatches
    from .scoter_runtime import *  # noqa: F403 (what generated code uses as rt)
else:
    import scoter_arrow
    import scoter_runtime as core
    from scoter_arrow import ArrowStream, RecordBatches
    from scoter_runtime import *  # noqa: F403

Connection = duckdb.DuckDBPyConnection

# Forces how a bulk operation passes its rows to DuckDB: as Arrow columns or as list parameters.
# Without a route, Arrow is used if pyarrow is installed.
Route = Literal["arrow", "lists"]

# The number of rows per INSERT if the rows are passed as list parameters. The driver has no
# appender.
LIST_ROWS = 10_000

# The number of rows that are converted to Arrow columns at a time. For a stream of Arrow batches it
# is STREAM_ROWS, because such rows may need no additional memory. That is several of DuckDB's row
# groups, so that several threads can work on them.
ARROW_ROWS = 61_440
STREAM_ROWS = 491_520

_NAN = decimal.Decimal("nan")

DEFAULT_TYPE = "SELECT type FROM duckdb_databases() WHERE database_name = current_database()"


class Runtime(core.Observed):
    """Runs statements on one connection."""

    def __init__(
        self, conn: duckdb.DuckDBPyConnection, observer: core.Observer | None = None
    ) -> None:
        super().__init__(observer)
        self._conn = conn
        self._open = False

    def all(self, name: str, sql: str, values: Sequence[Any], read: core.Reader[T]) -> list[T]:
        return self._run(name, lambda: list(read(self.fetch(sql, values))), len)

    def one(
        self, name: str, sql: str, values: Sequence[Any], make: Callable[[core.Row], T]
    ) -> T | None:
        return self._run(name, lambda: core.first_of(make, self.fetch_one(sql, values)), core.found)

    def fetch(self, sql: str, values: Sequence[Any]) -> list[core.Row]:
        rows: list[core.Row] = self._conn.execute(sql, list(values)).fetchall()
        return rows

    def fetch_one(self, sql: str, values: Sequence[Any]) -> core.Row | None:
        row: core.Row | None = self._conn.execute(sql, list(values)).fetchone()
        return row

    def stream(
        self, name: str, sql: str, values: Sequence[Any], read: core.Reader[T]
    ) -> Iterator[T]:
        def rows() -> Iterator[T]:
            # A relation has its own result, so the loop may run other statements on the connection.
            relation = self._conn.sql(sql, params=list(values))
            while relation is not None:
                portion = relation.fetchmany(2048)
                if not portion:
                    return
                yield from read(portion)

        return self._each(name, rows)

    def arrow(self, name: str, sql: str, values: Sequence[Any]) -> RecordBatches:
        def body() -> RecordBatches:
            scoter_arrow.required(name)
            relation = self._conn.sql(sql, params=list(values))
            # This makes DuckDB store the whole result. Otherwise the reader would end early and
            # without an error as soon as another statement runs on the connection.
            relation.execute()
            reader: RecordBatches = relation.to_arrow_reader(scoter_arrow.BATCH_ROWS)
            return reader

        return self._run(name, body, core.unknown)

    def exec(self, name: str, sql: str, values: Sequence[Any]) -> int:
        return self._run(name, lambda: changed(self._conn, sql, values), core.same)

    def batch(
        self, name: str, sql: str, values: Callable[[T], Sequence[Any]], rows: Iterable[T]
    ) -> int:
        def body() -> int:
            with self.transaction():
                return sum(changed(self._conn, sql, values(row)) for row in rows)

        return self._run(name, body, core.same)

    def bulk(
        self, bulk: core.Bulk[T], rows: Iterable[T] | ArrowStream, route: Route | None = None
    ) -> int:
        """Runs a bulk operation in one transaction. Returns the number of changed rows.

        The rows are passed through Arrow if pyarrow is installed. That is more than a hundred times
        as fast as list parameters. Raises a ValueError if the given route is not possible.
        """
        if route not in (None, "arrow", "lists"):
            raise ValueError(f"{bulk.name}: there is no route {route!r}")
        arrow = bulk.arrow if route != "lists" and scoter_arrow.pyarrow() is not None else None
        if arrow is None and (route == "arrow" or isinstance(rows, ArrowStream)):
            why = (
                "pyarrow 18 is not installed"
                if bulk.arrow is not None
                else "a column's type is not one of Arrow's"
            )
            raise ValueError(
                f"{bulk.name}: rows in Arrow's form: {why if route != 'lists' else 'the route is lists'}"
            )
        portions: Iterator[Any]
        fill: Callable[[str, Iterator[Any]], int]
        if isinstance(rows, ArrowStream):
            if isinstance(rows, duckdb.DuckDBPyRelation):
                # it may belong to this connection, on which other statements will run
                rows.execute()
            # If several rows may have the same key, the last one wins. So the order must be kept:
            # each portion is a single chunk, which one thread reads.
            one = bulk.stage is not None and bulk.stage.dedupe is not None
            portions = scoter_arrow.tables(
                bulk.name,
                rows,
                arrow.names if arrow is not None else (),
                ARROW_ROWS if one else STREAM_ROWS,
            )
            portions = (table.combine_chunks() for table in portions) if one else portions
        else:
            portions = core.chunks(rows, LIST_ROWS if arrow is None else ARROW_ROWS)
        fill = (
            functools.partial(self._fill_arrow, bulk, arrow)
            if arrow is not None
            else functools.partial(self._fill_lists, bulk)
        )

        def body() -> int:
            with self._part() as joined:
                if bulk.target and not joined:
                    return fill(bulk.target, portions)
                first = next(portions, None)
                second = next(portions, None)
                # The first two portions were read to find out whether there are more.
                head = [p for p in (first, second) if p is not None]
                if second is None and bulk.target:
                    return fill(
                        bulk.target, iter(head)
                    )  # one statement is atomic: if it fails, nothing stays
                if (
                    first is not None
                    and second is None
                    and arrow is not None
                    and bulk.stage is not None
                ):
                    count = self._apply_arrow(bulk, arrow, bulk.stage, first)
                    if count is not None:
                        return count
                first = second = None
                return self._staged(bulk.stage, lambda into: fill(into, _joined(head, portions)))

        return self._run(bulk.name, body, core.same)

    def _staged(self, stage: core.Stage | None, fill: Callable[[str], int]) -> int:
        """Fills a temporary table with fill and applies it. Returns the number of changed rows.

        If that fails, the temporary table is dropped with all rows in it.
        """
        assert stage is not None
        self._conn.execute(stage.create)
        try:
            fill(f'"{stage.table}"')
            if stage.dedupe is not None:
                self._conn.execute(stage.dedupe)
            count = changed(self._conn, stage.apply, ())
        except BaseException:
            with suppress(duckdb.Error):  # the database may have ended the transaction
                self._conn.execute(stage.drop)
            raise
        self._conn.execute(stage.drop)
        return count

    def _fill_lists(self, bulk: core.Bulk[T], into: str, portions: Iterator[list[T]]) -> int:
        count = 0
        for portion in portions:
            columns = zip(*map(bulk.values, portion), strict=True)
            self._conn.execute(f"INSERT INTO {into} {bulk.sql}", [list(c) for c in columns])
            count += len(portion)
        return count

    def _fill_arrow(
        self, bulk: core.Bulk[T], arrow: core.Arrow[T], into: str, portions: Iterator[Any]
    ) -> int:
        count = 0
        for portion in portions:
            table = scoter_arrow.columns(bulk.name, arrow, portion, count)
            self._conn.register("_scoter_rows", table)
            try:
                self._conn.execute(f"INSERT INTO {into} SELECT * FROM _scoter_rows")
            except duckdb.ConstraintException as error:
                row = duplicate(self._conn, arrow, table, str(error))
                if row is None:
                    raise
                said = str(error).splitlines()[0]
                raise core.RowError(
                    bulk.name, count + row[0], f"duplicate key {row[1]} ({said})"
                ) from error
            finally:
                self._conn.unregister("_scoter_rows")
            count += table.num_rows
        return count

    def _apply_arrow(
        self, bulk: core.Bulk[T], arrow: core.Arrow[T], stage: core.Stage, rows: Any
    ) -> int | None:
        """Applies rows without a temporary table. Returns None if they need one."""
        if arrow.distinct is None:
            return None
        table = scoter_arrow.columns(bulk.name, arrow, rows, 0)
        if not scoter_arrow.typed(arrow, table):
            return None
        self._conn.register(stage.table, table)
        try:
            again = self._conn.execute(arrow.distinct).fetchone()
            return None if again is None or again[0] > 0 else changed(self._conn, stage.apply, ())
        finally:
            self._conn.unregister(stage.table)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Runs the block in a transaction. If one is already open, the block joins it."""
        with self._part():
            yield

    @contextmanager
    def _part(self) -> Iterator[bool]:
        """Runs the block in a transaction. Yields whether it joined one that was already open."""
        if self._open:
            yield True
            return
        with transaction(self._conn) as joined:
            self._open = True
            try:
                yield joined
            finally:
                self._open = False


def _joined(head: list[T], tail: Iterator[T]) -> Iterator[T]:
    while head:
        yield head.pop(0)
    yield from tail


def duplicate(
    conn: duckdb.DuckDBPyConnection, arrow: core.Arrow[T], table: Any, message: str
) -> tuple[int, str] | None:
    """Finds the row to which a duplicate-key error belongs. Returns its number and its key.

    Rows are counted from 1. Returns None if the error is about something else or the row cannot be
    found.
    """
    match = re.search(r'[Dd]uplicate key "(.*)"', message, re.DOTALL)
    if match is None:
        return None
    # The transaction has failed, so another cursor has to read the constraints.
    with conn.cursor() as other:
        other.register("_scoter_rows", table)
        sql = "SELECT constraint_column_names FROM duckdb_constraints() WHERE table_name = $1 AND constraint_type IN ('PRIMARY KEY', 'UNIQUE')"
        for (names,) in other.execute(sql, [arrow.table]).fetchall():
            if not all(n in arrow.names for n in names):
                continue
            texts = ['CAST("' + n.replace('"', '""') + '" AS VARCHAR)' for n in names]
            labels = ["'" + n.replace("'", "''") + ": '" for n in names]
            plain = "concat_ws(', ', " + ", ".join(texts) + ")"
            named = (
                "concat_ws(', ', "
                + ", ".join(f"{label} || {text}" for label, text in zip(labels, texts, strict=True))
                + ")"
            )
            found = other.execute(
                f"SELECT n, p FROM (SELECT row_number() OVER () AS n, {plain} AS p, {named} AS m FROM _scoter_rows) WHERE p = $1 OR m = $1 ORDER BY n LIMIT 2",
                [match.group(1)],
            ).fetchall()
            if found:
                # If the rows contain the key twice, this is the second of them. Otherwise the key
                # was already in the table.
                return int(found[-1][0]), ", ".join(names) + ": " + str(found[-1][1])
    return None


def changed(conn: duckdb.DuckDBPyConnection, sql: str, values: Sequence[Any]) -> int:
    """Runs a statement.

    Returns the count that INSERT, UPDATE and DELETE return, and 0 for other statements.
    """
    result = conn.execute(sql, list(values))
    description = result.description
    if not description or description[0][0] != "Count":
        return 0
    row = result.fetchone()
    return int(row[0]) if row is not None else 0


def in_transaction(conn: duckdb.DuckDBPyConnection) -> bool:
    """Returns whether a transaction is open.

    Two statements see the same transaction id only inside one transaction. (A failing BEGIN would
    show it too, but would abort the open transaction.)

    The id is that of the default database. If that is not a DuckDB database, an open transaction is
    not detected, and the BEGIN that follows fails.
    """
    if conn.execute(DEFAULT_TYPE).fetchall() != [("duckdb",)]:
        return False
    first, second = (conn.execute("SELECT txid_current()").fetchall() for _ in range(2))
    return first == second


@contextmanager
def transaction(conn: duckdb.DuckDBPyConnection, commit: bool = True) -> Iterator[bool]:
    """Runs the block in a transaction. Yields True if it joined one that was already open."""
    if in_transaction(conn):
        yield True
        return
    conn.execute("BEGIN TRANSACTION")
    try:
        yield False
    except BaseException:
        conn.execute("ROLLBACK")
        raise
    conn.execute("COMMIT" if commit else "ROLLBACK")


def apply_migrations(
    conn: duckdb.DuckDBPyConnection,
    project: str,
    migrations: Sequence[core.Migration],
    dry_run: bool = False,
) -> list[str]:
    """Applies the pending migrations in one transaction.

    Returns the ids of the applied migrations.
    """
    if dry_run and in_transaction(conn):
        raise ValueError(
            "DuckDB has no savepoints: what a dry run does in an open transaction would stay"
        )
    # These statements run before the transaction: DuckDB cannot alter a table and write to it in
    # the same transaction.
    conn.execute(core.CREATE_MIGRATIONS)
    conn.execute("ALTER TABLE _sqg_migrations ADD COLUMN IF NOT EXISTS checksum TEXT")
    with transaction(conn, not dry_run):
        rows = conn.execute(
            "SELECT migration_id, checksum FROM _sqg_migrations WHERE project = $1", [project]
        ).fetchall()
        applied = {str(row[0]): row[1] for row in rows}
        todo = core.pending(project, migrations, applied)
        for m in migrations:
            if applied.get(m.id, "") is None:
                conn.execute(
                    "UPDATE _sqg_migrations SET checksum = $1 WHERE project = $2 AND migration_id = $3",
                    [m.checksum, project, m.id],
                )
        for m in todo:
            for statement in m.statements:
                conn.execute(statement)
            conn.execute(
                "INSERT INTO _sqg_migrations (project, migration_id, checksum) VALUES ($1, $2, $3)",
                [project, m.id, m.checksum],
            )
        return [m.id for m in todo]


def attach_postgres(conn: duckdb.DuckDBPyConnection, sql_name: str, dsn: str) -> None:
    """Attaches a PostgreSQL database.

    sql_name is used in SQL as it is, so the caller must quote it.
    """
    quoted = dsn.replace("'", "''")
    conn.execute(f"ATTACH '{quoted}' AS {sql_name} (TYPE postgres)")


def plain(v: Any) -> Any:
    """Returns a value that the driver accepts unchanged."""
    return v


def to_float(v: float) -> float | decimal.Decimal:
    """Converts a float inside a list or struct.

    The driver would turn a float NaN into NULL there, but not a decimal NaN.
    """
    return v if v == v else _NAN


def to_list(write: Callable[[Any], Any]) -> Callable[[Any], list[Any]]:
    """Makes a writer of list parameters."""
    return lambda v: [core.opt(write, e) for e in v]


def to_pairs(
    key: Callable[[Any], Any], value: Callable[[Any], Any]
) -> Callable[[Any], list[tuple[Any, Any]]]:
    """Makes a writer of maps for Arrow: lists of pairs."""
    return lambda v: [(key(k), core.opt(value, e)) for k, e in v.items()]


def to_map(
    key: Callable[[Any], Any], value: Callable[[Any], Any]
) -> Callable[[Any], dict[str, Any]]:
    """Makes a writer of map parameters, in the form that the driver expects."""
    return lambda v: {"key": [key(k) for k in v], "value": [core.opt(value, e) for e in v.values()]}
