"""Prints one line per call: case, number of the call, result."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import itertools
import json
import os
import re
import traceback
import uuid
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import psycopg


class Rollback(Exception):
    pass


class Counter:
    def __init__(self) -> None:
        self.begun = 0
        self.ended = 0

    def start(self, operation: str) -> Counter:
        self.begun += 1
        return self

    def end(self, row_count: int, error: BaseException | None) -> None:
        self.ended += 1


def report(name: str, index: int, body: Callable[[], object]) -> None:
    try:
        text = "ok\t" + json.dumps(canon(body()))
    except Exception:
        text = "error\t" + json.dumps(traceback.format_exc(limit=-3))
    print(name, index, text, sep="\t")


def take(rows: Iterable[object], count: int) -> list[object]:
    return list(itertools.islice(rows, count) if count else rows)


def same_rows(batches: Any, rows: Sequence[object], pluck: bool) -> None:
    """Fails if a result in Arrow's form is not what the rows are."""
    given = [alike(list(r.values())) for r in batches.read_all().to_pylist()]
    expected = [alike(canon([r] if pluck else r)) for r in rows]
    if given != expected:
        raise AssertionError(f"Arrow gives {given}, the rows are {expected}")


def alike(v: Any) -> object:
    """Values as they are the same in Arrow's and the generated code's types."""
    if isinstance(v, dict):
        return [alike(e) for e in v.values()]
    if hasattr(v, "nanoseconds"):  # pyarrow's MonthDayNano
        return [str(n) for n in (v.months, v.days, v.nanoseconds // 1000)]
    if isinstance(v, (list, tuple)):
        return [alike(e) for e in v]
    if isinstance(v, datetime.datetime) and v.tzinfo is not None:
        v = v.astimezone(datetime.timezone.utc)
    if v is None or isinstance(v, (bool, float)):
        return v
    # A HUGEINT is a Decimal in Arrow's form, and DuckDB's text of a TIMETZ is shorter.
    return re.sub(r"^(\d\d:\d\d:[\d.]+[+-]\d\d)$", r"\1:00", str(canon(v)))


def postgres() -> psycopg.Connection[Any]:
    """An empty database."""
    with psycopg.connect(dbname="cases", autocommit=True) as admin:
        admin.execute(os.environ["EMPTY_POSTGRES"].encode())
    return psycopg.connect(dbname="cases", autocommit=True, host=os.environ["PGHOST"])


def canon(v: object) -> object:
    if v is None or isinstance(v, (bool, int, float, str)):
        return v
    if isinstance(v, bytes):
        return v.hex()
    if isinstance(v, (uuid.UUID, decimal.Decimal)):
        return str(v)
    if isinstance(v, datetime.datetime):
        return v.isoformat().replace("+00:00", "Z")
    if isinstance(v, (datetime.date, datetime.time)):
        return v.isoformat()
    if isinstance(v, enum.Enum):
        return v.value
    if isinstance(v, dict):
        return [[canon(k), canon(e)] for k, e in v.items()]
    if isinstance(v, (list, tuple)):
        return [canon(e) for e in v]
    if dataclasses.is_dataclass(v):
        return [canon(getattr(v, f.name)) for f in dataclasses.fields(v)]
    raise TypeError(f"unexpected {type(v)}")
