"""Writes rows into a PostgreSQL table with COPY, in its binary format if possible."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import psycopg

if TYPE_CHECKING or __package__:
    from . import scoter_runtime as core
else:
    import scoter_runtime as core

# The type that psycopg has to write for a kind of value and the column's receive function. For
# bytea, psycopg writes the given bytes: rt.to_jsonb and rt.to_interval make them.
_TYPES = {
    ("bool", "boolrecv"): "bool", ("int16", "int2recv"): "int2", ("int32", "int4recv"): "int4", ("int64", "int8recv"): "int8",
    ("uint32", "oidrecv"): "oid", ("float32", "float4recv"): "float4", ("float64", "float8recv"): "float8", ("decimal", "numeric_recv"): "numeric",
    ("text", "textrecv"): "text", ("text", "varcharrecv"): "text", ("text", "bpcharrecv"): "text", ("text", "json_recv"): "text",
    ("text", "xml_recv"): "text", ("jsonb", "jsonb_recv"): "bytea", ("blob", "bytearecv"): "bytea", ("uuid", "uuid_recv"): "uuid",
    ("date", "date_recv"): "date", ("time", "time_recv"): "time", ("timetz", "timetz_recv"): "timetz", ("timestamp", "timestamp_recv"): "timestamp",
    ("timestamptz", "timestamptz_recv"): "timestamptz", ("interval", "interval_recv"): "bytea", ("enum", "enum_recv"): "text",
}  # fmt: skip

# The kinds and receive functions of array elements that psycopg can write by the array's type.
_ELEMENTS = {
    ("bool", "boolrecv"), ("int16", "int2recv"), ("int32", "int4recv"), ("int64", "int8recv"), ("float32", "float4recv"), ("float64", "float8recv"),
    ("decimal", "numeric_recv"), ("text", "textrecv"), ("text", "varcharrecv"), ("uuid", "uuid_recv"), ("date", "date_recv"),
    ("timestamp", "timestamp_recv"), ("timestamptz", "timestamptz_recv"),
}  # fmt: skip

# The kinds of values that are equal in Python exactly if they are equal in the database.
_EXACT = {"bool", "int16", "int32", "int64", "uuid", "date", "enum"}

_EXACT_RECEIVED = {
    "textrecv",
    "varcharrecv",
    "bytearecv",
    "timestamp_recv",
    "timestamptz_recv",
    "time_recv",
}

# The maximum number of keys that are compared in Python. If there are more, the server deduplicates
# the rows.
_KEYS = 500_000

_PLAN = (
    "SELECT a.attname, coalesce(l.collisdeterministic, true) AND (a.atttypmod = -1 AND t.typbasetype = 0 OR t.typreceive = 'varcharrecv'::regproc),"
    " coalesce(b.oid, t.oid)::int8, CASE WHEN coalesce(b.typreceive, t.typreceive)::oid < 16384 THEN coalesce(b.typreceive, t.typreceive)::regproc::text END,"
    " CASE WHEN e.typreceive::oid < 16384 AND e.typbasetype = 0 THEN e.typreceive::regproc::text END"
    " FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid LEFT JOIN pg_type b ON b.oid = t.typbasetype"
    " LEFT JOIN pg_type e ON e.oid = coalesce(b.typelem, t.typelem) LEFT JOIN pg_collation l ON l.oid = a.attcollation"
    " WHERE a.attrelid = %s::regclass AND a.attnum > 0 AND NOT a.attisdropped"
)


class Plan:
    """Decides how rows are written into a table.

    The server is asked for the columns' types every time. The table may have changed since the code
    was generated, and the server would misread bytes of another type with the same size.
    """

    def __init__(
        self, cursor: psycopg.Cursor[core.Row], table: str, copy: core.Copy[Any], binary: bool
    ) -> None:
        # The types to write in binary format, or None for the text format.
        self.types: list[int | str] | None = None
        # Whether keys that are equal in the database are always equal in Python.
        self.exact = True
        if binary:
            self._look({r[0]: r[1:] for r in cursor.execute(_PLAN, [table]).fetchall()}, copy)

    def _look(self, rows: dict[str, Sequence[Any]], copy: core.Copy[Any]) -> None:
        types: list[int | str] = []
        for name, kind, key in zip(copy.names, copy.kinds, copy.keys, strict=True):
            exact, oid, receive, element = rows.get(name, (False, 0, None, None))
            written: int | str | None = _TYPES.get((kind, receive))
            if kind.startswith("["):
                of_built_in = receive == "array_recv" and oid < 16384
                written = oid if of_built_in and (kind.lstrip("[]"), element) in _ELEMENTS else None
            if written is None:
                return
            types.append(written)
            self.exact = self.exact and (
                not key or exact and (kind in _EXACT or receive in _EXACT_RECEIVED)
            )
        self.types = types


class Keys:
    """Detects whether two rows may have the same key. Sets repeated if so."""

    def __init__(self, at: Sequence[int]) -> None:
        self._at = at[0] if len(at) == 1 else None
        self._all = at
        self._seen: set[int] = set()
        self.repeated = False

    def add(self, row: Sequence[Any]) -> None:
        """Adds a row's key. Two keys with the same hash count as equal."""
        seen = self._seen
        before = len(seen)
        seen.add(hash(row[self._at] if self._at is not None else tuple(row[i] for i in self._all)))
        if len(seen) == before or before == _KEYS:
            self.repeated = True


_LINE = re.compile(r"COPY .*?, line (\d+)(?:, column ([^\n]*?))?(?:: |$)", re.DOTALL)
_KEY = re.compile(
    r"Key \((.*?)\)=\((.*)\) (?:already exists|is not present|is still referenced|conflicts)",
    re.DOTALL,
)


def named(operation: str, error: psycopg.Error, row: int | None = None) -> Exception:
    """Returns a RowError if row is given or the server's error names a row.

    Otherwise returns the error unchanged.
    """
    diag = error.diag
    line = _LINE.search(diag.context or "")
    column = diag.column_name
    if row is None and line is not None:
        row = int(line.group(1))
        column = column or line.group(2)
    if row is None:
        return error
    text = ": ".join(t for t in (diag.message_primary or str(error), diag.message_detail) if t)
    if column and f'"{column}"' not in text:
        text = f"column {column}: {text}"
    return core.RowError(operation, row, text)


def refused(
    cursor: psycopg.Cursor[core.Row], operation: str, stage: core.Stage, error: psycopg.Error
) -> Exception:
    """Returns a RowError if the row that the server refuses can be found in the temporary table.

    Otherwise returns the server's error unchanged.
    """
    key = _KEY.match(error.diag.message_detail or "")
    column = error.diag.column_name
    if key is not None:
        # If the key occurs twice, the second row is refused. The row can only be found if all
        # columns of the key are among the columns of the rows.
        which, where, value = "max", f"concat_ws(', ', {key.group(1)}) = ", [key.group(2)]
    elif isinstance(error, psycopg.errors.NotNullViolation) and column:
        quoted = column.replace('"', '""')
        which, where, value = "min", f'"{quoted}" IS NULL', []
    else:
        return named(operation, error)
    where = where.replace("%", "%%") + "%s" * len(value)
    numbered = f'SELECT row_number() OVER (ORDER BY ctid) AS _scoter_row, * FROM "{stage.table}"'
    try:
        found = cursor.execute(
            f"SELECT {which}(_scoter_row) FROM ({numbered}) AS s WHERE {where}".encode(), value
        ).fetchone()
    except psycopg.Error:
        found = None
    return named(operation, error, found[0] if found is not None else None)


_INTERVAL = struct.Struct(">qii").pack


def to_jsonb(v: str) -> bytes:
    """Returns the bytes for the receive function of jsonb: a version and the text."""
    return b"\x01" + v.encode()


def to_interval(v: core.Interval) -> bytes:
    """Returns the bytes for the receive function of interval."""
    return _INTERVAL(v.micros, v.days, v.months)


def write(
    cursor: psycopg.Cursor[core.Row],
    target: str,
    plan: Plan,
    bulk: core.Bulk[core.T],
    form: core.Copy[core.T],
    rows: Iterable[core.T],
    keys: Keys | None,
) -> int:
    """Copies rows into a table. Returns the number of copied rows."""
    binary, values = ("", bulk.values) if plan.types is None else (" BINARY", form.values)
    with cursor.copy(f"COPY {target} FROM STDIN{binary}".encode()) as out:
        if plan.types is not None:
            out.set_types(plan.types)
        write_row = out.write_row
        for number, row in enumerate(rows, 1):
            try:
                written = values(row)
                write_row(written)
            except psycopg.OperationalError:
                raise
            except Exception as error:
                raise core.RowError(bulk.name, number, str(error)) from error
            if keys is not None and not keys.repeated:
                keys.add(written)
    return cursor.rowcount
