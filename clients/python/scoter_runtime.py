"""What every driver of the generated code shares."""

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
# What makes typed rows of the driver's: of all at once, since a call for each
# would cost more than the driver takes.
Reader = Callable[[Iterable[Row]], Iterator[T]]


class ObserverScope(Protocol):
    """One operation under way."""

    def end(self, row_count: int, error: BaseException | None) -> None:
        """Called once; row_count is -1 when it is not known."""


class Observer(Protocol):
    """Sees every operation; costs nothing when absent."""

    def start(self, operation: str) -> ObserverScope | None:
        """Called before an operation."""


@dataclass(frozen=True)
class Migration:
    """One schema change, run once per database and project."""

    id: str
    checksum: str
    statements: tuple[str, ...]


class MigrationChangedError(Exception):
    """An applied migration is not the one in the code any more."""


class RowError(ValueError):
    """A row of a bulk operation that cannot be written. Rows count from 1."""

    def __init__(self, operation: str, row: int, message: str) -> None:
        super().__init__(f"{operation}: row {row}: {message}")
        self.row = row


@dataclass(frozen=True)
class Stage:
    """A temporary table that is filled and then applied."""

    table: str
    create: str
    dedupe: str | None
    apply: str
    drop: str


@dataclass(frozen=True)
class Arrow(Generic[T]):
    """A bulk operation's rows as columns of Arrow, which DuckDB reads in place.

    distinct, where rows can be applied without a temporary table, tells how many
    have a key that came before.
    """

    table: str
    names: Sequence[str]
    required: Sequence[bool]
    types: Callable[[Any], Sequence[Any]]
    values: Callable[[Sequence[T]], Sequence[Sequence[Any]]]
    distinct: str | None = None


@dataclass(frozen=True)
class Copy(Generic[T]):
    """A bulk operation's rows for COPY's binary form (PostgreSQL).

    table is the table in SQL, target with its columns; of each column there are
    the name, the kind of value, "" if it has no such form, and whether it is of
    the key. values are those of a row as psycopg writes them.
    """

    table: str
    target: str
    names: Sequence[str]
    kinds: Sequence[str]
    keys: Sequence[bool]
    values: Callable[[T], Sequence[Any]]


@dataclass(frozen=True)
class Bulk(Generic[T]):
    """A bulk operation on a table.

    sql is the query of the rows (DuckDB) or the statement (PostgreSQL, empty if
    there is none) of a list per column, or the path and query of the request
    (Scoter), whose rows have the columns. arrow is DuckDB's other way, for rows
    without a type that Arrow does not have, and copy PostgreSQL's; values are then
    for the statement and for COPY's text form. target is the table of DuckDB, with
    its columns, that an insert writes into; in a transaction of the application it
    has a stage: what was inserted could not be taken back there.
    """

    name: str
    sql: str
    values: Callable[[T], Sequence[Any]]
    stage: Stage | None = None
    columns: Sequence[str] = ()
    arrow: Arrow[T] | None = None
    copy: Copy[T] | None = None
    target: str = ""


# Of a row the only value.
value_of = itemgetter(0)

# Sets a field of a frozen dataclass. Those of rows have an __init__ that calls it by this name: the
# one that dataclasses makes takes longer to find it than to call it.
set_field = object.__setattr__

CREATE_MIGRATIONS = (
    "CREATE TABLE IF NOT EXISTS _sqg_migrations (project TEXT NOT NULL, migration_id TEXT NOT NULL, "
    "applied_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, checksum TEXT, PRIMARY KEY (project, migration_id))"
)
ADD_CHECKSUM = "ALTER TABLE _sqg_migrations ADD COLUMN checksum TEXT"


def pending(
    project: str, migrations: Iterable[Migration], applied: Mapping[str, str | None]
) -> list[Migration]:
    """The migrations that are not applied yet. Fails when an applied one has changed."""
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
    """Runs operations under an observer."""

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
    """The typed row of a row, if there is one."""
    return None if row is None else make(row)


def found(row: object) -> int:
    """The rows in the result of a query for one."""
    return 0 if row is None else 1


def same(count: int) -> int:
    """A count as it is."""
    return count


def unknown(result: object) -> int:
    """The rows of a result that are not counted."""
    return -1


def chunks(rows: Iterable[T], size: int) -> Iterator[list[T]]:
    """Rows in lists of a size; the last may be shorter."""
    chunk: list[T] = []
    for row in rows:
        chunk.append(row)
        if len(chunk) == size:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


class Appender(Generic[T]):
    """Collects rows and writes them in portions; leaving the block writes the last. One that could
    not write a portion writes nothing more: to write the next, or to close it, raises that error again."""

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
        """Writes what is waiting."""
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
        """Writes what is waiting."""
        self.flush()

    def __enter__(self) -> Appender[T]:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if error is None:
            self.close()
