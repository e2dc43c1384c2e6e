"""Rows in Arrow's form, as results and as what bulk operations take. Needs pyarrow 18 or newer."""

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

# Rows of a batch of a result.
BATCH_ROWS = 65_536


@runtime_checkable
class ArrowStream(Protocol):
    """What gives its rows through Arrow's PyCapsule interface: a table, a batch or a reader of
    pyarrow, a data frame of polars or pandas (2.2), a relation of DuckDB."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """A stream of record batches, which is read once."""


class RecordBatches(ArrowStream, Protocol):
    """A result as record batches: a RecordBatchReader of pyarrow."""

    @property
    def schema(self) -> Any:
        """The columns' names and types."""

    def __iter__(self) -> Iterator[Any]:
        """The batches that were not read yet."""

    def read_all(self) -> Any:
        """A table of the batches that were not read yet."""

    def close(self) -> None:
        """Frees what is left of the result."""


@functools.cache
def pyarrow() -> Any:
    """The module, if it is installed and new enough to have UUIDs."""
    try:
        module = importlib.import_module("pyarrow")
    except ImportError:
        return None
    return module if hasattr(module, "uuid") else None


def required(operation: str) -> Any:
    """The module, without which the operation is a ModuleNotFoundError."""
    module = pyarrow()
    if module is None:
        raise ModuleNotFoundError(f"{operation}: pyarrow 18 or newer is not installed")
    return module


def tables(operation: str, rows: ArrowStream, names: Sequence[str], size: int) -> Iterator[Any]:
    """Rows as tables of so many rows; the last may be shorter. They must have just these columns,
    in any order."""
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
    """Rows, a list or what tables gives, as a table with the columns that the operation writes. A
    value that cannot be in its column names its row; before are the rows of earlier calls."""
    pa = pyarrow()
    make = _of_rows if isinstance(rows, list) else _of_table
    arrays = make(pa, operation, arrow, rows, before)
    for name, not_null, array in zip(arrow.names, arrow.required, arrays, strict=True):
        if not_null and array.null_count > 0:
            at = array.is_null().index(True).as_py()
            raise core.RowError(operation, before + at + 1, f"column {name} must not be null")
    return pa.Table.from_arrays(arrays, names=list(arrow.names))


def typed(arrow: core.Arrow[Any], table: Any) -> bool:
    """Whether the columns have the types that the operation wants: else the engine casts them."""
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
            arrays.append(column)  # of UUIDs there are several forms, which the engine casts
            continue
        try:
            arrays.append(column.cast(kind))
        except pa.ArrowNotImplementedError:
            arrays.append(column)  # an interval: the engine casts it
        except pa.ArrowInvalid as error:
            at = _first_refused(pa, column, kind)
            raise core.RowError(
                operation, before + at + 1, f"column {name}: {column[at].as_py()!r:.60}: {error}"
            ) from error
    return arrays


def _first_refused(pa: Any, column: Any, kind: Any) -> int:
    """The first row of a column that cannot be cast."""
    low, high = 0, len(column)
    while high - low > 1:
        middle = (low + high) // 2
        try:
            column.slice(low, middle - low).cast(kind)
            low = middle
        except pa.ArrowInvalid:
            high = middle
    return low
