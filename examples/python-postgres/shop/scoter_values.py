"""The types of values in Python. They are the same on every database.

- Decimals are decimal.Decimal.
- Dates and times are classes of datetime. An instant is in UTC.
- UUIDs are uuid.UUID.
- JSON is its text.
- Intervals are Interval.
- Structs are dataclasses.
"""

from __future__ import annotations

import datetime
import decimal
import json
import re
import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

T = TypeVar("T")
K = TypeVar("K")


@dataclass(frozen=True)
class Interval:
    """A time span of months, days and microseconds.

    The three parts are separate, because a month has no fixed number of days and a day no fixed
    number of hours.
    """

    months: int = 0
    days: int = 0
    micros: int = 0


# The functions below read values. A driver may return a type as text on one database and as an
# object on another.

_EPOCH = datetime.datetime(1970, 1, 1)
# These keep the first six digits of a second's fraction, which is what Python can hold.
_moment = datetime.datetime.fromisoformat
_clock = datetime.time.fromisoformat
# Matches a time of day after a date.
_CLOCK_BEHIND = re.compile(r"[T ]\d\d:[^B]*$")


def opt(read: Callable[[Any], T], value: Any) -> T | None:
    """Returns read(value), or None if value is None."""
    return None if value is None else read(value)


def boolean(v: Any) -> bool:
    """Reads a boolean."""
    return v != 0 if type(v) is int else v.startswith("t") if isinstance(v, str) else bool(v)


def integer(v: Any) -> int:
    """Reads an integer."""
    return int(v)


def real(v: Any) -> float:
    """Reads a floating point number."""
    return float(v)


def text(v: Any) -> str:
    """Reads text."""
    return str(v)


def dec(v: Any) -> decimal.Decimal:
    """Reads an exact decimal."""
    return v if isinstance(v, decimal.Decimal) else decimal.Decimal(str(v))


def blob(v: Any) -> bytes:
    """Reads bytes. Raises a ValueError for PostgreSQL's escape format, which is ambiguous."""
    if isinstance(v, str):
        if not v.startswith("\\x"):
            raise ValueError(f"not the hexadecimal form of bytes: {v!r:.60}")
        return bytes.fromhex(v[2:])
    return v if type(v) is bytes else bytes(memoryview(v))


def uid(v: Any) -> uuid.UUID:
    """Reads a UUID."""
    return v if isinstance(v, uuid.UUID) else uuid.UUID(str(v))


def _from_number(v: float) -> datetime.datetime:
    """Converts SQLite's two numeric forms of a time.

    Integers are Unix seconds, floats are Julian days.
    """
    seconds = (v - 2440587.5) * 86400 if isinstance(v, float) else v
    return _EPOCH + datetime.timedelta(milliseconds=round(seconds * 1000))


def _no_day(v: str) -> ValueError:
    return ValueError(f"{v} is not a day or moment of Python, which has the years 1 to 9999")


def date(v: Any) -> datetime.date:
    """Reads a date."""
    if isinstance(v, (int, float)):
        return _from_number(v).date()
    if isinstance(v, datetime.datetime):
        return v.date()
    if isinstance(v, datetime.date):
        return v
    if len(v) > 10 and not _CLOCK_BEHIND.match(v, 10):
        # The text has an era (BC) or a year of more than four digits.
        raise _no_day(v)
    try:
        return datetime.date.fromisoformat(v[:10])
    except ValueError:
        raise _no_day(v) from None


def time(v: Any) -> datetime.time:
    """Reads a time of day."""
    if isinstance(v, (int, float)):
        return _from_number(v).time()
    if isinstance(v, datetime.time):
        return v
    if v.startswith("24"):  # newer versions of Python would read 24:00 as midnight
        raise ValueError(f"{v} is no time of Python, whose days end before 24:00")
    return _clock(v)


def timestamp(v: Any) -> datetime.datetime:
    """Reads a timestamp without time zone."""
    try:
        moment = _moment(v) if type(v) is str else _other_moment(v)
        return (
            moment
            if moment.tzinfo is None
            else moment.astimezone(datetime.timezone.utc).replace(tzinfo=None)
        )
    except (ValueError, OverflowError):
        raise _no_day(v) from None


def instant(v: Any) -> datetime.datetime:
    """Reads an instant, in UTC."""
    try:
        moment = _moment(v) if type(v) is str else _other_moment(v)
        if moment.tzinfo is None:
            return moment.replace(tzinfo=datetime.timezone.utc)
        return moment.astimezone(datetime.timezone.utc)
    except (ValueError, OverflowError):
        raise _no_day(v) from None


def _other_moment(v: Any) -> datetime.datetime:
    """Converts a timestamp that is not a plain str."""
    if isinstance(v, str):
        return _moment(str(v))
    return _from_number(v) if isinstance(v, (int, float)) else v


_INTERVAL = re.compile(
    r"(?:([+-]?\d+) years? ?)?(?:([+-]?\d+) mon(?:th)?s? ?)?(?:([+-]?\d+) days? ?)?(?:([+-]?)(\d+):(\d\d):(\d\d)(?:\.(\d{1,6}))?)?"
)


def interval(v: Any) -> Interval:
    """Reads an interval. Raises a ValueError for a format other than intervalstyle postgres."""
    parts = _INTERVAL.fullmatch(v)
    if parts is None or not v:
        raise ValueError(f"not an interval in the style postgres: {v!r:.60}")
    years, months, days, sign, h, m, s, fraction = parts.groups()
    micros = (int(h or 0) * 3600 + int(m or 0) * 60 + int(s or 0)) * 1_000_000 + int(
        (fraction or "").ljust(6, "0")
    )
    return Interval(
        12 * int(years or 0) + int(months or 0), int(days or 0), -micros if sign == "-" else micros
    )


def list_of(read: Callable[[Any], T]) -> Callable[[Any], list[Any]]:
    """Makes a reader of lists, which may be nested. Elements may be None."""

    def item(v: Any) -> Any:
        if v is None:
            return None
        return [item(e) for e in v] if isinstance(v, (list, tuple)) else read(v)

    def every(v: Any) -> list[Any]:
        items = parse_array(v) if isinstance(v, str) else v
        return [item(e) for e in items]

    return every


def map_of(key: Callable[[Any], K], value: Callable[[Any], T]) -> Callable[[Any], dict[K, Any]]:
    """Makes a reader of maps. Values may be None."""
    return lambda v: {key(k): opt(value, e) for k, e in v.items()}


def parse_array(v: str) -> list[Any]:
    """Parses PostgreSQL's text of an array into nested lists of text and None."""
    at = v.index("=") + 1 if v.startswith("[") else 0

    def item() -> Any:
        nonlocal at
        if v[at] == "{":
            at += 1
            items = []
            while v[at] != "}":
                items.append(item())
                if v[at] == ",":
                    at += 1
            at += 1
            return items
        parts = []
        if v[at] == '"':
            at += 1
            while v[at] != '"':
                if v[at] == "\\":
                    at += 1
                parts.append(v[at])
                at += 1
            at += 1
            return "".join(parts)
        start = at
        while v[at] not in ",}":
            at += 1
        return None if v[start:at] == "NULL" else v[start:at]

    result: list[Any] = item()
    return result


def fields(v: Any) -> Sequence[Any]:
    """Returns the fields of a struct from any form in which drivers return it."""
    if isinstance(v, dict):
        return list(v.values())
    if not isinstance(v, str):
        return tuple(v)
    values: list[str | None] = []
    at = 1
    while True:
        parts: list[str] | None = None
        while v[at] not in ",)":
            parts = [] if parts is None else parts
            if v[at] != '"':
                if v[at] == "\\":
                    at += 1
                parts.append(v[at])
                at += 1
                continue
            at += 1
            while v[at] != '"' or v[at + 1] == '"':
                if v[at] in '"\\':
                    at += 1
                parts.append(v[at])
                at += 1
            at += 1
        values.append(None if parts is None else "".join(parts))
        at += 1
        if v[at - 1] == ")":
            return values


# The functions below write values as text.


def _missing() -> TypeError:
    """Makes the error for None as a required value. Otherwise str() would write None as text."""
    return TypeError("None for a value that must not be")


def bit(v: bool | None) -> int:
    """Returns a boolean for SQLite."""
    if v is None:
        raise _missing()
    return 1 if v else 0


def to_text(v: Any) -> str:
    """Returns the text of a value of any type that is not nested."""
    if isinstance(v, bool):
        return "t" if v else "f"
    if isinstance(v, decimal.Decimal):
        return format(v, "f") if v.is_finite() else str(v)
    if isinstance(v, datetime.datetime):
        return v.isoformat(" ")
    if isinstance(v, (datetime.date, datetime.time)):
        return v.isoformat()
    if isinstance(v, (bytes, bytearray, memoryview)):
        return "\\x" + bytes(v).hex()
    if isinstance(v, Interval):
        return f"{v.months} mons {v.days} days {v.micros} microseconds"
    if v is None:
        raise _missing()
    return str(v)


def to_moment(v: datetime.datetime) -> str:
    """Returns the text of a timestamp for SQLite.

    It is in UTC without an offset, as SQLite's own functions write it.
    """
    return (
        v if v.tzinfo is None else v.astimezone(datetime.timezone.utc).replace(tzinfo=None)
    ).isoformat(" ")


def to_array(write: Callable[[Any], str]) -> Callable[[Any], str]:
    """Makes a writer of lists, which may be nested, in PostgreSQL's array format."""

    def item(v: Any) -> str:
        if v is None:
            return "NULL"
        if isinstance(v, (list, tuple)):
            return "{" + ",".join(map(item, v)) + "}"
        return '"' + write(v).replace("\\", "\\\\").replace('"', '\\"') + '"'

    def every(v: Any) -> str:
        if v is None:
            raise _missing()
        return item(v)

    return every


def to_fields(values: Iterable[str | None]) -> str:
    """Returns PostgreSQL's text of a composite value."""
    quoted = (
        "" if v is None else '"' + v.replace("\\", "\\\\").replace('"', '""') + '"' for v in values
    )
    return "(" + ",".join(quoted) + ")"


_to_json = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def json_list(values: Iterable[Any]) -> str:
    """Returns a JSON array of the values, for SQLite's json_each."""
    items = values if isinstance(values, list) else list(values)
    try:
        return _to_json(items)
    except ValueError:
        return "[" + ", ".join(map(_json_item, items)) + "]"


def _json_item(v: Any) -> str:
    """Returns the JSON of a value for SQLite.

    JSON has no NaN and no infinity. SQLite binds NaN as NULL, and reads a number that is too large
    as infinity.
    """
    if isinstance(v, float) and v - v != 0:
        return "null" if v != v else "9e999" if v > 0 else "-9e999"
    return _to_json(v)
