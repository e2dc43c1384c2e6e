"""How rows get into a table of PostgreSQL: COPY's binary form."""

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

# The type that psycopg writes for what a receive function reads, by the kind of value. Values of
# bytea are written as they are: rt.to_jsonb and rt.to_interval make the bytes themselves.
_TYPES = {
    ("bool", "boolrecv"): "bool", ("int16", "int2recv"): "int2", ("int32", "int4recv"): "int4", ("int64", "int8recv"): "int8",
    ("uint32", "oidrecv"): "oid", ("float32", "float4recv"): "float4", ("float64", "float8recv"): "float8", ("decimal", "numeric_recv"): "numeric",
    ("text", "textrecv"): "text", ("text", "varcharrecv"): "text", ("text", "bpcharrecv"): "text", ("text", "json_recv"): "text",
    ("text", "xml_recv"): "text", ("jsonb", "jsonb_recv"): "bytea", ("blob", "bytearecv"): "bytea", ("uuid", "uuid_recv"): "uuid",
    ("date", "date_recv"): "date", ("time", "time_recv"): "time", ("timetz", "timetz_recv"): "timetz", ("timestamp", "timestamp_recv"): "timestamp",
    ("timestamptz", "timestamptz_recv"): "timestamptz", ("interval", "interval_recv"): "bytea", ("enum", "enum_recv"): "text",
}  # fmt: skip

# Elements of arrays that psycopg writes by the array's own type.
_ELEMENTS = {
    ("bool", "boolrecv"), ("int16", "int2recv"), ("int32", "int4recv"), ("int64", "int8recv"), ("float32", "float4recv"), ("float64", "float8recv"),
    ("decimal", "numeric_recv"), ("text", "textrecv"), ("text", "varcharrecv"), ("uuid", "uuid_recv"), ("date", "date_recv"),
    ("timestamp", "timestamp_recv"), ("timestamptz", "timestamptz_recv"),
}  # fmt: skip

# Kinds of which equal values are equal in Python and in the database.
_EXACT = {"bool", "int16", "int32", "int64", "uuid", "date", "enum"}

_EXACT_RECEIVED = {
    "textrecv",
    "varcharrecv",
    "bytearecv",
    "timestamp_recv",
    "timestamptz_recv",
    "time_recv",
}

# Up to how many keys are remembered to tell whether one comes twice; of more the server looks.
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
    """How rows are written into a table. The server is asked every time: a table may have changed
    since the code was generated, and bytes of another type of the same size would be taken for it."""

    def __init__(
        self, cursor: psycopg.Cursor[core.Row], table: str, copy: core.Copy[Any], binary: bool
    ) -> None:
        # None for the text form.
        self.types: list[int | str] | None = None
        # Keys that the database holds equal are equal in Python.
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
    """Whether any two rows may have the same key."""

    def __init__(self, at: Sequence[int]) -> None:
        self._at = at[0] if len(at) == 1 else None
        self._all = at
        self._seen: set[int] = set()
        self.repeated = False

    def add(self, row: Sequence[Any]) -> None:
        """Two keys of one hash are taken for the same."""
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
    """The server's error with the row that it tells."""
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
    """The error with the row of the temporary table that the server refuses, as far as it can be told."""
    key = _KEY.match(error.diag.message_detail or "")
    column = error.diag.column_name
    if key is not None:
        # Of one that comes twice the second is refused. Only with the columns that the rows have
        # can a row be found.
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
    """What the server's function for jsonb receives: a version and the text."""
    return b"\x01" + v.encode()


def to_interval(v: core.Interval) -> bytes:
    """What the server's function for intervals receives."""
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
    """Copies rows; returns how many."""
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
