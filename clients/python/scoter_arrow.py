"""Arrow tables as query results and as input of bulk operations. Needs pyarrow 18 or newer."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING or __package__:
    from . import scoter_runtime as core
    from .scoter_values import T
else:
    import scoter_runtime as core
    from scoter_values import T

# The number of rows in a record batch of a result.
BATCH_ROWS = 65_536


@runtime_checkable
class ArrowStream(Protocol):
    """An object that provides its rows through Arrow's PyCapsule interface.

    Examples are tables, batches and readers of pyarrow, data frames of polars and pandas (2.2 or
    newer), and relations of DuckDB.
    """

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Returns a stream of record batches, which can be read once."""


class RecordBatches(ArrowStream, Protocol):
    """A query result as record batches: a RecordBatchReader of pyarrow."""

    @property
    def schema(self) -> Any:
        """The names and types of the columns."""

    def __iter__(self) -> Iterator[Any]:
        """Iterates over the batches that were not read yet."""

    def read_all(self) -> Any:
        """Returns a table of the batches that were not read yet."""

    def close(self) -> None:
        """Frees the rest of the result."""


@functools.cache
def pyarrow() -> Any:
    """Returns the module pyarrow, or None if it is not installed or too old to have UUIDs."""
    try:
        module = importlib.import_module("pyarrow")
    except ImportError:
        return None
    return module if hasattr(module, "uuid") else None


def required(operation: str) -> Any:
    """Returns the module pyarrow. Raises a ModuleNotFoundError if it is not available."""
    module = pyarrow()
    if module is None:
        raise ModuleNotFoundError(f"{operation}: pyarrow 18 or newer is not installed")
    return module


def tables(operation: str, rows: ArrowStream, names: Sequence[str], size: int) -> Iterator[Any]:
    """Yields the rows as tables of size rows each. The last table may be shorter.

    The rows must have exactly the columns in names, in any order. Otherwise raises a ValueError.
    """
    pa = required(operation)
    reader = pa.RecordBatchReader.from_stream(rows)
    given = reader.schema.names
    for name in names:
        if given.count(name) != 1:
            why = "no column" if name not in given else "more than one column"
            raise ValueError(
                f"{operation}: the rows have {why} {name}: they have {', '.join(given) or 'none'}"
            )
    for name in given:
        if name not in names:
            raise ValueError(
                f"{operation}: there is no column {name}, which the rows have, but {', '.join(names)}"
            )
    waiting: list[Any] = []
    held = 0
    for batch in reader:
        at = 0
        while at < batch.num_rows:
            part = batch.slice(at, size - held)
            at += part.num_rows
            held += part.num_rows
            waiting.append(part)
            if held == size:
                yield pa.Table.from_batches(waiting).select(names)
                waiting, held = [], 0
    if waiting:
        yield pa.Table.from_batches(waiting).select(names)


def columns(operation: str, arrow: core.Arrow[T], rows: Any, before: int) -> Any:
    """Returns rows as a table with the columns that the operation writes.

    rows is a list or a table from tables(). before is the number of rows in earlier calls. Raises a
    RowError with the row's number if a value does not fit its column.
    """
    pa = pyarrow()
    make = _of_rows if isinstance(rows, list) else _of_table
    arrays = make(pa, operation, arrow, rows, before)
    for name, not_null, array in zip(arrow.names, arrow.required, arrays, strict=True):
        if not_null and array.null_count > 0:
            at = array.is_null().index(True).as_py()
            raise core.RowError(operation, before + at + 1, f"column {name} must not be null")
    return pa.Table.from_arrays(arrays, names=list(arrow.names))


def typed(arrow: core.Arrow[Any], table: Any) -> bool:
    """Returns whether the columns have exactly the operation's types.

    If not, the database casts them.
    """
    return list(table.schema.types) == list(arrow.types(pyarrow()))


def _of_rows(
    pa: Any, operation: str, arrow: core.Arrow[T], rows: list[T], before: int
) -> list[Any]:
    arrays = []
    try:
        values = arrow.values(rows)
    except Exception:
        for at, row in enumerate(rows):
            try:
                arrow.values([row])
            except Exception as error:
                raise core.RowError(operation, before + at + 1, str(error)) from error
        raise
    for name, kind, column in zip(arrow.names, arrow.types(pa), values, strict=True):
        try:
            arrays.append(pa.array(column, type=kind))
        except Exception:
            for at, value in enumerate(column):
                try:
                    pa.array([value], type=kind)
                except Exception as error:
                    raise core.RowError(
                        operation, before + at + 1, f"column {name}: {value!r:.60}: {error}"
                    ) from error
            raise
    return arrays


def _of_table(
    pa: Any, operation: str, arrow: core.Arrow[Any], table: Any, before: int
) -> list[Any]:
    arrays = []
    for name, kind in zip(arrow.names, arrow.types(pa), strict=True):
        column = table.column(name)
        if column.type == kind or kind == pa.uuid():
            arrays.append(column)  # UUIDs come in several types, which the database casts
            continue
        try:
            arrays.append(column.cast(kind))
        except pa.ArrowNotImplementedError:
            # pyarrow cannot cast this, for example an interval; the database casts it
            arrays.append(column)
        except pa.ArrowInvalid as error:
            at = _first_refused(pa, column, kind)
            raise core.RowError(
                operation, before + at + 1, f"column {name}: {column[at].as_py()!r:.60}: {error}"
            ) from error
    return arrays


def _first_refused(pa: Any, column: Any, kind: Any) -> int:
    """Returns the index of the first value in a column that cannot be cast."""
    low, high = 0, len(column)
    while high - low > 1:
        middle = (low + high) // 2
        try:
            column.slice(low, middle - low).cast(kind)
            low = middle
        except pa.ArrowInvalid:
            high = middle
    return low
