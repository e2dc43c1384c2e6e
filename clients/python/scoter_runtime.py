"""The parts of the runtime that all drivers share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import starmap as starmap
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Generic, Protocol

if TYPE_CHECKING or __package__:
    from .scoter_values import *  # noqa: F403 (what generated code uses as rt)
else:
    from scoter_values import *  # noqa: F403


Row = tuple[Any, ...]
# Converts rows of the driver to typed rows. It takes all rows at once, because a call for each row
# would cost more than the driver itself.
Reader = Callable[[Iterable[Row]], Iterator[T]]


class ObserverScope(Protocol):
    """One running operation."""

    def end(self, row_count: int, error: BaseException | None) -> None:
        """Called once when the operation ends. row_count is -1 if it is not known."""


class Observer(Protocol):
    """Receives each operation, for tracing, timing or logging.

    Without an observer this costs nothing.
    """

    def start(self, operation: str) -> ObserverScope | None:
        """Called before an operation.

        Returns a scope whose end is called when the operation ends, or None to ignore it.
        """


@dataclass(frozen=True)
class Migration:
    """One schema change. It runs once per database and project."""

    id: str
    checksum: str
    statements: tuple[str, ...]


class MigrationChangedError(Exception):
    """A migration in the code differs from the version that was applied to the database."""


class RowError(ValueError):
    """A row of a bulk operation cannot be written. row is its number, counted from 1."""

    def __init__(self, operation: str, row: int, message: str) -> None:
        super().__init__(f"{operation}: row {row}: {message}")
        self.row = row


@dataclass(frozen=True)
class Stage:
    """The statements for a temporary table that is filled and then applied to the target."""

    table: str
    create: str
    dedupe: str | None
    apply: str
    drop: str


@dataclass(frozen=True)
class Arrow(Generic[T]):
    """How a bulk operation passes its rows to DuckDB as Arrow columns, which DuckDB reads in place.

    distinct is a query that counts the rows whose key occurred before. If it returns 0, the rows
    can be applied without a temporary table. It is None if the operation always needs one.
    """

    table: str
    names: Sequence[str]
    required: Sequence[bool]
    types: Callable[[Any], Sequence[Any]]
    values: Callable[[Sequence[T]], Sequence[Sequence[Any]]]
    distinct: str | None = None


@dataclass(frozen=True)
class Copy(Generic[T]):
    """How a bulk operation passes its rows to COPY (PostgreSQL).

    table is the table in SQL. target is the table with its columns. names, kinds and keys describe
    each column: its name, the kind of its values ("" if it has no binary format), and whether it is
    part of the key. values returns a row's values as psycopg writes them.
    """

    table: str
    target: str
    names: Sequence[str]
    kinds: Sequence[str]
    keys: Sequence[bool]
    values: Callable[[T], Sequence[Any]]


@dataclass(frozen=True)
class Bulk(Generic[T]):
    """A bulk operation on one table.

    - sql is the query that reads list parameters (DuckDB), the statement with a list per column
      (PostgreSQL, empty if there is none), or the path and query of the request (Scoter).
    - values returns a row's values for sql, and for COPY's text format.
    - stage is the temporary table, or None. An insert into DuckDB has one for use inside the
      application's transaction, because its rows could not be undone there.
    - columns are the columns of the rows (Scoter).
    - arrow describes the faster way through Arrow (DuckDB). It is None if Arrow does not have a
      column's type.
    - copy describes the way through COPY (PostgreSQL).
    - target is the table with its columns into which an insert writes directly (DuckDB).
    """

    name: str
    sql: str
    values: Callable[[T], Sequence[Any]]
    stage: Stage | None = None
    columns: Sequence[str] = ()
    arrow: Arrow[T] | None = None
    copy: Copy[T] | None = None
    target: str = ""


# Returns the only value of a row.
value_of = itemgetter(0)

# Sets a field of a frozen dataclass. The __init__ of generated row classes calls it by this name.
# The __init__ that dataclasses would make spends more time looking this function up than calling
# it.
set_field = object.__setattr__

CREATE_MIGRATIONS = (
    "CREATE TABLE IF NOT EXISTS _sqg_migrations (project TEXT NOT NULL, migration_id TEXT NOT NULL, "
    "applied_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, checksum TEXT, PRIMARY KEY (project, migration_id))"
)
ADD_CHECKSUM = "ALTER TABLE _sqg_migrations ADD COLUMN checksum TEXT"


def pending(
    project: str, migrations: Iterable[Migration], applied: Mapping[str, str | None]
) -> list[Migration]:
    """Returns the migrations that are not applied yet, in order.

    Raises a MigrationChangedError if an applied migration has changed.
    """
    todo = []
    for m in migrations:
        if m.id not in applied:
            todo.append(m)
        elif applied[m.id] not in (None, m.checksum):
            raise MigrationChangedError(
                f"migration {m.id} of {project} was changed after it had been applied"
            )
    return todo


class Observed:
    """Runs operations and reports them to the observer."""

    def __init__(self, observer: Observer | None) -> None:
        self._observer = observer

    def _run(self, name: str, body: Callable[[], T], count: Callable[[T], int]) -> T:
        scope = self._observer.start(name) if self._observer is not None else None
        if scope is None:
            return body()
        try:
            result = body()
        except BaseException as error:
            scope.end(-1, error)
            raise
        scope.end(count(result), None)
        return result

    def _each(self, name: str, rows: Callable[[], Iterator[T]]) -> Iterator[T]:
        scope = self._observer.start(name) if self._observer is not None else None
        failure: BaseException | None = None
        count = 0
        try:
            for row in rows():
                count += 1
                yield row
        except GeneratorExit:
            raise
        except BaseException as error:
            failure = error
            raise
        finally:
            if scope is not None:
                scope.end(count, failure)


def first_of(make: Callable[[Row], T], row: Row | None) -> T | None:
    """Returns the typed row, or None if there is no row."""
    return None if row is None else make(row)


def found(row: object) -> int:
    """Returns the number of rows in the result of a query for one row."""
    return 0 if row is None else 1


def same(count: int) -> int:
    """Returns the count unchanged."""
    return count


def unknown(result: object) -> int:
    """Returns -1, for results whose rows are not counted."""
    return -1


def chunks(rows: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yields the rows in lists of size rows each. The last list may be shorter."""
    chunk: list[T] = []
    for row in rows:
        chunk.append(row)
        if len(chunk) == size:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


class Appender(Generic[T]):
    """Collects rows and writes them in portions. Use it in a with block.

    Leaving the block without an error writes the last rows. After a failed write, nothing more is
    written, and flush and close raise the same error again.
    """

    def __init__(self, write: Callable[[list[T]], int], portion: int = 10_000) -> None:
        self._write = write
        self._portion = portion
        self._rows: list[T] = []
        self._failure: BaseException | None = None

    def append(self, row: T) -> Appender[T]:
        """Adds a row."""
        self._rows.append(row)
        return self.flush() if len(self._rows) >= self._portion else self

    def append_many(self, rows: Iterable[T]) -> Appender[T]:
        """Adds rows."""
        for row in rows:
            self.append(row)
        return self

    def flush(self) -> Appender[T]:
        """Writes the collected rows."""
        rows, self._rows = self._rows, []
        if self._failure is not None:
            raise self._failure
        if rows:
            try:
                self._write(rows)
            except BaseException as error:
                self._failure = error
                raise
        return self

    def close(self) -> None:
        """Writes the last rows. Raises an error if any write has failed."""
        self.flush()

    def __enter__(self) -> Appender[T]:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if error is None:
            self.close()
