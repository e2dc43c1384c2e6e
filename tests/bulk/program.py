"""Prints what Python's bulk writes into DuckDB do: a test compares it."""

import datetime
import decimal
import importlib
import random
import sys
import tracemalloc
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import duckdb

from . import scoter_arrow, scoter_duckdb as rt, writes as w

UTC = datetime.timezone.utc
PIECES = ["a", "ü", "€", "😀", "\n", "'", "long enough not to be inlined"]


def say(what: str, call: Callable[[], Any]) -> None:
    try:
        result = str(call())
    except Exception as error:
        result = f"{type(error).__name__}: {error}"
    print(what + ": " + result.split("\n")[0])


def text(c: duckdb.DuckDBPyConnection, sql: str) -> Any:
    row = c.execute(sql).fetchone()
    return row[0] if row is not None else None


def kv(k: int, v: Any, n: Any = None, three: Any = None) -> w.KvRow:
    return w.KvRow(k, v, n, three)


def kvs(start: int, end: int, v: str) -> list[w.KvRow]:
    return [kv(k, v) for k in range(start, end)]


def every(count: int) -> Iterator[w.EveryRow]:
    """Rows of every type, with many NULLs."""
    r = random.Random(1)

    def maybe(value: Any) -> Any:
        return None if r.randrange(4) == 0 else value

    def words() -> str:
        return "".join(r.choice(PIECES) for _ in range(r.randrange(9)))

    def texts() -> list[Any]:
        return [maybe(words()) for _ in range(r.randrange(5))]

    def moment() -> datetime.datetime:
        return datetime.datetime(1970, 1, 1) + datetime.timedelta(
            seconds=r.randrange(-(2**31), 2**31), microseconds=r.randrange(10**6)
        )

    def digits(of: int, scale: int) -> decimal.Decimal:
        return decimal.Decimal(r.randrange(-(10**of), 10**of)).scaleb(
            -scale, decimal.Context(prec=50)
        )

    values: dict[str, Callable[[int], Any]] = {
        "b": lambda i: r.random() < 0.5,
        "i8": lambda i: r.randrange(-128, 128),
        "i16": lambda i: r.randrange(-(2**15), 2**15),
        "i64": lambda i: r.randrange(-(2**63), 2**63),
        "i128": lambda i: r.randrange(-(2**127) + 1, 2**127),
        "u8": lambda i: r.randrange(2**8),
        "u16": lambda i: r.randrange(2**16),
        "u32": lambda i: r.randrange(2**32),
        "u64": lambda i: r.randrange(2**64),
        "u128": lambda i: r.randrange(2**128),
        "f4": lambda i: r.randrange(1000) / 8,
        "f8": lambda i: r.gauss(0, 1) * 1e100,
        "d4": lambda i: digits(4, 1),
        "d9": lambda i: digits(9, 3),
        "d18": lambda i: digits(18, 3),
        "d38": lambda i: digits(38, 10),
        "s": lambda i: words(),
        "raw": lambda i: r.randbytes(r.randrange(30)),
        "uid": lambda i: uuid.UUID(int=r.getrandbits(128)),
        "day": lambda i: moment().date(),
        "clock": lambda i: moment().time(),
        "clockz": lambda i: (
            moment().time().replace(tzinfo=datetime.timezone(datetime.timedelta(minutes=330)))
        ),
        "ts_s": lambda i: moment().replace(microsecond=0),
        "ts_ms": lambda i: moment().replace(microsecond=5000),
        "ts": lambda i: moment(),
        "ts_ns": lambda i: moment(),
        "tz": lambda i: moment().replace(tzinfo=datetime.timezone(datetime.timedelta(hours=-9))),
        "span": lambda i: rt.Interval(
            r.randrange(-50, 50), r.randrange(-50, 50), r.randrange(2**40)
        ),
        "doc": lambda i: f'{{"a": [{i}]}}',
        "feeling": lambda i: r.choice(list(w.Mood)),
        "tags": lambda i: texts(),
        "grid": lambda i: [[i, 2], None, []],
        "three": lambda i: [i, None, -i],
        "pt": lambda i: w.EveryPt(maybe(1.5), maybe(texts())),
        "pts": lambda i: [w.EveryPts(0.5, maybe(words())), None],
        "m": lambda i: {"x": maybe(1), "long enough not to be inlined": 2},
        "ml": lambda i: {i: maybe(texts())},
    }
    fields = list(w.EveryRow.__dataclass_fields__)
    for i in range(count):
        row: list[Any] = [i if f == "id" else maybe(values[f](i)) for f in fields]
        yield w.EveryRow(*row)


def failing(start: int, at: int) -> Iterator[w.KvRow]:
    yield from kvs(start, start + at, "x")
    raise LookupError(f"no row {at}")


def types() -> None:
    c = duckdb.connect()
    w.Writes.apply_migrations(c)
    say("every", lambda: w.Writes(c).insert_all_every(every(300)))
    for (row,) in c.execute("SELECT every::VARCHAR FROM every ORDER BY id").fetchall():
        print(repr(row))


def results() -> None:
    c = duckdb.connect()
    q = w.Writes(c)
    w.Writes.apply_migrations(c)

    total = "SELECT concat_ws(' ', count(*), sum(k), count(DISTINCT v), min(v)) FROM kv"

    say("insert", lambda: q.insert_all_kv(kvs(0, 100_000, "a")))
    say("null", lambda: q.insert_all_kv([kv(200_000, "x"), kv(200_001, "x"), kv(200_002, None)]))
    say("type", lambda: q.insert_all_kv([kv(200_000, "x"), kv("seven", "x")]))  # type: ignore[arg-type]
    say(
        "digits",
        lambda: q.insert_all_kv([kv(200_000, "x"), kv(200_001, "x", decimal.Decimal("1.234"))]),
    )
    say("length", lambda: q.insert_all_kv([kv(200_000, "x"), kv(200_001, "x", None, [1, 2])]))
    say("duplicate", lambda: q.insert_all_kv([kv(200_000, "x"), kv(7, "x")]))
    say("twice", lambda: q.insert_all_kv([kv(200_000, "x"), kv(200_001, "x"), kv(200_000, "x")]))
    late = kvs(200_000, 400_000, "x")
    late[150_000] = kv(999_999, None)
    say("late", lambda: q.insert_all_kv(late))
    say("broken", lambda: q.insert_all_kv(failing(200_000, 150_000)))
    say("nothing behind", lambda: text(c, total))

    say(
        "update",
        lambda: q.update_all_kv(
            kv(i % 90_000, "first" if i < 90_000 else "last") for i in range(200_000)
        ),
    )
    say("update some", lambda: q.update_all_kv([kv(1, "some"), kv(2, "some"), kv(200_000, "none")]))
    say(
        "last wins",
        lambda: text(
            c, "SELECT count(*) FILTER (v = 'first') || ' ' || count(*) FILTER (v = 'last') FROM kv"
        ),
    )
    say("update twice", lambda: q.update_all_kv([kv(1, "first"), kv(1, "last")]))
    say(
        "upsert",
        lambda: q.upsert_all_kv(kv(i % 120_000, f"u{i % 120_000}") for i in range(160_000)),
    )
    say("upsert some", lambda: q.upsert_all_kv([kv(1, "u1"), kv(120_000, "u120000")]))
    say("upserted", lambda: text(c, total))
    say("delete", lambda: q.delete_all_kv(w.KvKey(i // 2) for i in range(100_000)))
    say("delete some", lambda: q.delete_all_kv([w.KvKey(50_000), w.KvKey(1)]))
    say("deleted", lambda: text(c, total))
    say(
        "no rows",
        lambda: (
            q.insert_all_kv([]) + q.update_all_kv([]) + q.delete_all_kv([]) + q.upsert_all_kv([])
        ),
    )

    c.execute("BEGIN")
    say("own transaction", lambda: q.insert_all_kv(kvs(300_000, 400_000, "t")))
    c.execute("ROLLBACK")
    say("rolled back", lambda: text(c, total))
    c.execute("BEGIN")
    q.insert_all_kv(kvs(300_000, 300_010, "t"))
    c.execute("COMMIT")
    say("committed", lambda: text(c, total))
    say(
        "left",
        lambda: (
            text(c, "SELECT count(*) FROM duckdb_tables() WHERE temporary")
            + text(c, "SELECT count(*) FROM duckdb_views() WHERE NOT internal")
        ),
    )


def arrow() -> None:
    """Rows in Arrow's form, read and written."""
    pa: Any = importlib.import_module("pyarrow")
    c = duckdb.connect()
    q = w.Writes(c)
    w.Writes.apply_migrations(c)
    total = "SELECT concat_ws(' ', count(*), sum(k), count(DISTINCT v), min(v)) FROM kv"

    def texts(conn: duckdb.DuckDBPyConnection) -> list[Any]:
        return conn.execute("SELECT every::VARCHAR FROM every ORDER BY id").fetchall()

    def columns(**values: Any) -> Any:
        return pa.table(
            {
                "v": ["x"] * len(values["k"]),
                "n": pa.nulls(len(values["k"])),
                "three": pa.nulls(len(values["k"])),
                **values,
            }
        )

    q.insert_all_every(every(3000))
    other = duckdb.connect()
    w.Writes.apply_migrations(other)
    say("every", lambda: w.Writes(other).insert_all_every(q.all_every_arrow()))
    say("every the same", lambda: texts(other) == texts(c))
    say("read as", lambda: " ".join(str(f.type) for f in q.all_every_arrow().schema))

    numbers = q.numbers_arrow(200_000)
    first = next(iter(numbers)).num_rows
    say("beside", lambda: c.execute("SELECT 42").fetchone())
    say("whole", lambda: first + sum(b.num_rows for b in numbers))

    say("insert", lambda: q.insert_all_kv(columns(k=range(600_000))))
    say("once more", lambda: text(c, total))
    say(
        "null",
        lambda: q.insert_all_kv(columns(k=range(600_000, 1_200_000), v=["x"] * 599_999 + [None])),
    )
    say(
        "type",
        lambda: q.insert_all_kv(
            columns(k=[str(-i) for i in range(1, 500_001)] + ["seven"] * 100_000)
        ),
    )
    say(
        "digits",
        lambda: q.insert_all_kv(
            columns(k=[-1, -2], n=[decimal.Decimal("1.2"), decimal.Decimal("1.234")])
        ),
    )
    say("duplicate", lambda: q.insert_all_kv(columns(k=[-1, 7])))
    say("missing", lambda: q.insert_all_kv(pa.table({"k": [1], "v": ["x"], "n": [None]})))
    say("unknown", lambda: q.insert_all_kv(columns(k=[1], w=[2])))
    say("nested", lambda: q.insert_all_kv(columns(k=[-1], three=[[1, 2]])))
    say("lists", lambda: q.insert_all_kv(columns(k=[-1]), route="lists"))
    say("nothing behind", lambda: text(c, total))
    say(
        "update",
        lambda: q.update_all_kv(
            columns(k=[1, 1, 2, -1], v=pa.array(["first", "last", "b", "none"]).dictionary_encode())
        ),
    )
    say(
        "upsert",
        lambda: q.upsert_all_kv(
            columns(
                k=pa.array([1, 600_000, 600_000], pa.int64()),
                v=pa.array(["u", "u", "w"], pa.string_view()),
            )
        ),
    )
    say(
        "changed",
        lambda: c.execute(
            "SELECT string_agg(v, ' ' ORDER BY k) FROM kv WHERE k IN (1, 2, 600000)"
        ).fetchone(),
    )
    c.execute("SET preserve_insertion_order = false")
    say(
        "update twice",
        lambda: q.update_all_kv(
            columns(
                k=[i % 100_000 for i in range(600_000)], v=["first"] * 500_000 + ["last"] * 100_000
            )
        ),
    )
    say("last wins", lambda: text(c, "SELECT count(*) FROM kv WHERE v = 'last'"))
    say("delete", lambda: q.delete_all_kv(c.sql("SELECT k FROM kv WHERE k % 2 = 0")))
    say("of the connection", lambda: text(c, total))
    say(
        "left",
        lambda: (
            text(c, "SELECT count(*) FROM duckdb_tables() WHERE temporary")
            + text(c, "SELECT count(*) FROM duckdb_views() WHERE NOT internal")
        ),
    )


def memory() -> None:
    """The most that Python holds for many rows of a generator, in megabytes."""
    c = duckdb.connect()
    w.Writes.apply_migrations(c)
    tracemalloc.start()
    w.Writes(c).insert_all_kv(kv(i, "x" * 100) for i in range(300_000))
    print(tracemalloc.get_traced_memory()[1] >> 20)


if sys.argv[1] == "lists":
    setattr(scoter_arrow, "pyarrow", lambda: None)  # noqa: B010 (mypy refuses an assignment)
{"lists": types, "types": types, "results": results, "arrow": arrow, "memory": memory}[
    sys.argv[1]
]()
