"""Prints what Python's bulk writes do on one engine: a test compares it."""

import datetime
import decimal
import enum
import random
import sys
import time
import typing
import uuid
from collections.abc import Callable, Iterator
from typing import Any

engine = sys.argv[1]
if engine == "postgres":
    import psycopg

    from .postgres import writes as w

    db: Any = psycopg.connect(sys.argv[3], autocommit=True)
    EVERY = "SELECT every::text FROM every ORDER BY id"
    LEFT = r"SELECT count(*)::text FROM pg_class WHERE relname LIKE '\_scoter%'"
elif engine == "duckdb":
    import duckdb

    from .duckdb_ import writes as w

    db = duckdb.connect(sys.argv[3] if len(sys.argv) > 3 else ":memory:")
    EVERY = "SELECT every::VARCHAR FROM every ORDER BY id"
    LEFT = "SELECT CAST(count(*) AS VARCHAR) FROM (SELECT table_name FROM duckdb_tables() WHERE temporary UNION ALL SELECT view_name FROM duckdb_views() WHERE NOT internal)"
else:
    import sqlite3

    from .sqlite import writes as w

    db = sqlite3.connect(sys.argv[3] if len(sys.argv) > 3 else ":memory:", isolation_level=None)
    EVERY = "SELECT id || quote(b) || quote(i) || quote(f) || quote(d) || quote(s) || quote(raw) || quote(uid) || quote(day) || quote(clock) || quote(ts) || quote(tz) || quote(doc) FROM every ORDER BY id"
    LEFT = "SELECT '0'"

q = w.Writes(db)
w.Writes.apply_migrations(db)
hints = {
    c: typing.get_type_hints(c, vars(w))
    for c in vars(w).values()
    if hasattr(c, "__dataclass_fields__") and getattr(c, "__module__", "") == w.__name__
}


def say(what: str, call: Callable[[], Any]) -> None:
    try:
        result = str(call())
    except Exception as error:
        result = f"{type(error).__name__}: {error}"
    print(what + ": " + result.split("\n")[0])


def text(sql: str) -> Any:
    return db.execute(sql).fetchone()[0]


def kv(k: int, v: str, doc: Any = b"d") -> Any:
    return w.KvRow(k, v, doc, None, None)


def kvs(start: int, end: int, v: str) -> Iterator[Any]:
    return (kv(k, v) for k in range(start, end))


def with_last(size: int, row: Any) -> Iterator[Any]:
    return (row if i == 2 else kv(200_000 + i, "x") for i in range(size))


def broken(count: int) -> Iterator[Any]:
    yield from kvs(200_000, 200_000 + count, "x")
    raise LookupError("no more rows")


def results() -> None:
    def total() -> Any:
        return text(
            "SELECT count(*) || ' ' || sum(k) || ' ' || count(DISTINCT v) || ' ' || min(v) FROM kv"
        )

    no, long = kv(200_002, "x", None), kv(200_002, "eleven bytes")
    say("insert", lambda: q.insert_all_kv(kvs(0, 100_000, "a")))
    for size in (3, 5000):  # by another way each
        say(f"null of {size}", lambda: q.insert_all_kv(with_last(size, no)))
        say(f"long of {size}", lambda: q.insert_all_kv(with_last(size, long)))
        say(f"duplicate of {size}", lambda: q.insert_all_kv(with_last(size, kv(7, "x"))))
        say(f"twice of {size}", lambda: q.insert_all_kv(with_last(size, kv(200_001, "x"))))
        say(f"upsert null of {size}", lambda: q.upsert_all_kv(with_last(size, no)))
        say(f"upsert long of {size}", lambda: q.upsert_all_kv(with_last(size, long)))
        say(
            f"update long of {size}",
            lambda: q.update_all_kv(
                kv(i, "eleven bytes" if i == 2 else "fine") for i in range(size)
            ),
        )
        say(f"type of {size}", lambda: q.insert_all_kv(with_last(size, kv("seven", "x"))))  # type: ignore[arg-type]
        say(f"broken after {size}", lambda: q.insert_all_kv(broken(size)))
    say(
        "late",
        lambda: q.insert_all_kv(
            kv(200_000 + i, "x", None if i == 150_000 else b"d") for i in range(200_000)
        ),
    )
    say("nothing behind", total)

    say("update", lambda: q.update_all_kv(kv(10_000 + i, "b") for i in range(90_001)))
    say(
        "update twice",
        lambda: q.update_all_kv(
            kv(i % 10_000, ("first", "last")[i // 10_000]) for i in range(20_000)
        ),
    )
    say("update some", lambda: q.update_all_kv([kv(1, "some"), kv(2, "some"), kv(200_000, "none")]))
    say("update one twice", lambda: q.update_all_kv([kv(1, "first"), kv(1, "last")]))
    counts = " || ' ' || ".join(
        f"sum(CASE v WHEN '{v}' THEN 1 ELSE 0 END)" for v in ("first", "last", "b")
    )
    say("last wins", lambda: text(f"SELECT {counts} FROM kv"))
    say("upsert", lambda: q.upsert_all_kv(kvs(50_000, 120_000, "u")))
    say("upsert twice", lambda: q.upsert_all_kv(kv(i % 120_000, f"u{i}") for i in range(160_000)))
    say("upsert some", lambda: q.upsert_all_kv([kv(1, "u1"), kv(120_000, "u120000")]))
    say("upserted", total)
    say("delete", lambda: q.delete_all_kv(w.KvKey(i // 2) for i in range(100_000)))
    say("delete some", lambda: q.delete_all_kv([w.KvKey(50_000), w.KvKey(1), w.KvKey(50_000)]))
    say("deleted", total)
    say(
        "no rows",
        lambda: [
            q.insert_all_kv([]),
            q.update_all_kv([]),
            q.delete_all_kv([]),
            q.upsert_all_kv([]),
        ],
    )

    # Keys of which a part is NULL.
    say("two", lambda: q.insert_all_two(w.TwoRow(None, i, 1.0) for i in range(5000)))
    say("two updated", lambda: q.update_all_two(w.TwoRow(None, i, 2.5) for i in range(4000)))
    say("two deleted", lambda: q.delete_all_two(w.TwoKey(None, i) for i in range(3000)))
    say("two left", lambda: text("SELECT count(*) || ' ' || cast(sum(x) AS integer) FROM two"))

    def two(a: str, b: int, x: float) -> Any:  # "" and 0 are NULL
        return w.TwoRow(a or None, b or None, x)

    say("three more", lambda: q.insert_all_two([two("", 0, 1), two("x", 0, 1), two("x", 3000, 1)]))
    conditions = (
        "a IS NULL AND b IS NULL",
        "a = 'x' AND b IS NULL",
        "a = 'x' AND b = 3000",
        "a IS NULL AND b = 3000",
    )

    def nulls() -> str:
        return " ".join(
            str(text(f"SELECT '' || cast(x * 2 AS integer) FROM two WHERE {c}")) for c in conditions
        )

    say(
        "few of NULL",
        lambda: q.update_all_two([two("", 0, 5), two("x", 0, 20), two("", 0, 30), two("y", 0, 7)]),
    )
    say("they are", nulls)
    say(
        "many of NULL",
        lambda: q.update_all_two(two(("", "x")[i % 2], i // 2 % 4 * 1000, i) for i in range(6000)),
    )
    say("they are now", nulls)
    say(
        "many deleted",
        lambda: q.delete_all_two(
            w.TwoKey(("", "x")[i % 2] or None, i // 2 % 2 * (3000 + i // 4) or None)
            for i in range(6000)
        ),
    )
    say(
        "two of NULL left",
        lambda: text("SELECT count(*) || ' ' || cast(sum(x) AS integer) FROM two"),
    )

    db.execute("BEGIN")
    say("in a transaction", lambda: q.insert_all_kv(kvs(300_000, 400_000, "t")))
    say("upsert in it", lambda: q.upsert_all_kv(kvs(300_000, 310_000, "tt")))
    db.execute("ROLLBACK")
    say("rolled back", total)
    db.execute("BEGIN")
    say("in another", lambda: q.insert_all_kv(kvs(300_000, 300_010, "t")))
    db.execute("COMMIT")
    say("committed", total)
    say("left", lambda: text(LEFT))
    if engine == "postgres":
        postgres()
    if engine == "duckdb":
        inside()


def inside() -> None:
    """Nothing of a call that fails stays in a transaction that goes on."""
    for route, size in (("arrow", 150_000), ("lists", 10_010)):
        db.execute("BEGIN TRANSACTION")
        say(f"{route} broken inside", lambda: q.insert_all_kv(broken(size), route=route))
        say(f"{route} upsert broken inside", lambda: q.upsert_all_kv(broken(size), route=route))
        say(
            f"{route} is inside",
            lambda: (text("SELECT count(*) FROM kv WHERE v = 'x'"), text(LEFT)),
        )
        say(
            f"{route} more inside",
            lambda: q.insert_all_kv(kvs(500_000, 500_000 + size, "in"), route=route),
        )
        say(
            f"{route} upsert inside",
            lambda: q.upsert_all_kv(kvs(500_000, 500_010, "up"), route=route),
        )
        db.execute("COMMIT")
        say(
            f"{route} more",
            lambda: (
                text("SELECT count(*) FROM kv WHERE k >= 500000"),
                text("SELECT count(*) FROM kv WHERE v = 'up'"),
                text(LEFT),
            ),
        )
        db.execute("DELETE FROM kv WHERE k >= 500000")
    db.execute("BEGIN TRANSACTION")
    say("dry run inside", lambda: w.Writes.apply_migrations(db, "another", dry_run=True))
    db.execute("ROLLBACK")


def postgres() -> None:
    def moment(second: int) -> datetime.datetime:
        return datetime.datetime.fromtimestamp(second, datetime.timezone.utc)

    for size in (3, 5000):
        rows = [
            w.KvRow(500_000 + i, "at", b"", None, moment(500_001 if i == 2 else 500_000 + i))
            for i in range(size)
        ]
        say(f"other key of {size}", lambda: q.upsert_all_kv(rows))

    def one(field: str, value: Any) -> Any:
        rows = every(100)
        object.__setattr__(rows[49], field, value)
        return q.insert_all_every(rows)

    say("ragged", lambda: one("grid", [[1], []]))
    say("out of range", lambda: one("i2", 40_000))
    for size in (3, 5000):  # as the binary form of COPY takes it, few rows take it
        naive = [
            w.KvRow(
                700_000 + i,
                "n",
                b"",
                None,
                datetime.datetime(2024, 1, 1) if i == 2 else moment(700_000 + i),
            )
            for i in range(size)
        ]
        say(f"naive of {size}", lambda: q.insert_all_kv(naive))
    for size in (8, 1000):
        aware = every(size)
        object.__setattr__(aware[4], "ts", moment(0))
        say(f"aware of {size}", lambda: q.insert_all_every(aware))
    odd = [
        w.OddRow(
            i,
            datetime.time(10, tzinfo=datetime.timezone(datetime.timedelta(hours=2))),
            "10.0.0.1",
            "tab\tnew\nline\\",
        )
        for i in range(5000)
    ]
    say("odd", lambda: q.upsert_all_odd(odd))
    say("odd again", lambda: q.upsert_all_odd(odd + odd[:2]))
    say(
        "odd is",
        lambda: text(
            r"SELECT DISTINCT replace(concat_ws(' ', clockz, ip, s), E'\n', '$') FROM odd"
        ),
    )
    odd[2] = w.OddRow(5002, None, None, "a\0b")
    for size in (3, 5000):
        say(f"zero of {size}", lambda: q.upsert_all_odd(odd[:size]))
    db.execute("BEGIN")
    say("inside", lambda: q.insert_all_kv(kvs(600_000, 605_000, "in")))
    say("fails inside", lambda: q.insert_all_kv(kvs(604_000, 606_000, "in")))
    say("still inside", lambda: text("SELECT count(*) FROM kv WHERE v = 'in'"))
    db.execute("ROLLBACK")
    say("and out", lambda: text("SELECT count(*) FROM kv WHERE v = 'in'"))


PIECES = [
    "a",
    "ü",
    "€",
    "😀",
    "\n",
    "'",
    "\\",
    "\t",
    '"',
    ",",
    "{",
    "long enough not to be inlined",
]
DIGITS = {"d": (10, 2), "d4": (4, 1), "d9": (9, 3), "d18": (18, 3), "d38": (38, 10)}
BITS = {
    "id": 31,
    "i2": 15,
    "i8": 63 if engine == "postgres" else 7,
    "o": -32,
    "i16": 15,
    "i64": 63,
    "i128": 126,
    "u8": -8,
    "u16": -16,
    "u32": -32,
    "u64": -64,
    "u128": -128,
}


def value(r: random.Random, kind: Any, name: str) -> Any:
    """A random value of a type of a row."""
    of = typing.get_args(kind)
    if type(None) in of:
        return None if r.randrange(4) == 0 else value(r, of[0], name)
    origin = typing.get_origin(kind)
    if origin is list:
        nested = (
            typing.get_origin(
                next(a for a in (typing.get_args(of[0]) or of) if a is not type(None))
            )
            is list
            or typing.get_origin(of[0]) is list
        )
        length = 3 if name == "three" else 2 if nested or name == "inner" else r.randrange(5)
        item = (
            next(a for a in typing.get_args(of[0]) if a is not type(None))
            if nested and typing.get_origin(of[0]) is not list
            else of[0]
        )
        return [value(r, item, "inner" if nested else name.rstrip("s")) for _ in range(length)]
    if origin is dict:
        return {
            value(r, of[0], ""): value(r, of[1], "") for _ in range(r.randrange(2))
        }  # of more the order is anybody's
    if kind in hints:
        return kind(**{f: value(r, t, f) for f, t in hints[kind].items()})
    if issubclass(kind, enum.Enum):
        return r.choice(list(kind))
    moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(
        seconds=r.randrange(-(2**31), 2**31), microseconds=r.randrange(10**6)
    )
    if kind is datetime.datetime:
        whole = {
            "ts_s": moment.replace(microsecond=0),
            "ts_ms": moment.replace(microsecond=5000),
        }.get(name, moment)
        return (
            whole.replace(tzinfo=datetime.timezone.utc)
            if name.startswith(("tz", "stamp"))
            else whole
        )
    if kind is decimal.Decimal:
        digits, scale = DIGITS.get(name, (20, r.randrange(20)))
        return decimal.Decimal(r.randrange(-(10 ** r.randrange(1, digits + 1)), 10**digits)).scaleb(
            -scale, decimal.Context(prec=50)
        )
    if kind is str:
        text = "".join(r.choice(PIECES) for _ in range(r.randrange(7)))
        if name in ("j", "jb", "doc"):
            return f'{{"a": [{r.randrange(9)}, null]}}'
        return {
            "word": text[:4] + "~",
            "s": text[:4] + "~",
            "c": text[:4] + "~",
            "v": f"ä{r.randrange(1000)}",
        }.get(name, text)
    if kind is int:
        bits = BITS.get(name, 31)
        return r.randrange(2**-bits) if bits < 0 else r.randrange(-(2**bits), 2**bits)
    simple: dict[Any, Callable[[], Any]] = {
        bool: lambda: r.random() < 0.5,
        float: lambda: r.randrange(1000) / 8,
        bytes: lambda: r.randbytes(r.randrange(30)),
        uuid.UUID: lambda: uuid.UUID(int=r.getrandbits(128)),
        datetime.date: moment.date,
        datetime.time: moment.time,
    }
    if name == "clockz":
        return moment.time().replace(tzinfo=datetime.timezone(datetime.timedelta(minutes=330)))
    if kind in simple:
        return simple[kind]()
    return kind(r.randrange(-50, 50), r.randrange(-50, 50), r.randrange(2**40))  # an interval


def every(count: int, seed: int = 1, kind: Any = w.EveryRow) -> list[Any]:
    """Rows with random values and many NULLs."""
    r = random.Random(seed)
    rows = []
    for i in range(count):
        fields = {
            f: i + 1 if f == "id" else None if i == 0 else value(r, t, f)
            for f, t in hints[kind].items()
        }
        rows.append(kind(**fields))
    return rows


def types() -> None:
    def all_text(table: str = "every") -> list[str]:
        return [row[0] for row in db.execute(EVERY.replace("every", table)).fetchall()]

    def same(what: str, table: str = "every") -> None:
        now = all_text(table)
        print(what, now == whole)
        for mine, theirs in zip(now, whole):
            if mine != theirs:
                print("differs:", mine, "from", theirs)
                return

    rows = every(1500)
    say("every", lambda: q.insert_all_every(rows))
    whole = all_text()
    print("row 1:", whole[0])
    keys = [w.EveryKey(r.id) for r in rows]
    say("delete", lambda: q.delete_all_every(keys))
    for r in rows:
        q.insert_all_every([r])
    same("one by one the same:")
    say("delete", lambda: q.delete_all_every(keys))
    say("upsert", lambda: q.upsert_all_every(rows))
    same("upserted the same:")
    say("upsert others", lambda: q.upsert_all_every(every(1500, 2)))
    print("changed:", all_text() != whole)
    say("update", lambda: q.update_all_every(rows))
    same("updated the same:")
    for route in {
        "postgres": ("unnest", "binary", "text"),
        "duckdb": ("arrow", "lists"),
        "sqlite": (),
    }[engine]:
        q.delete_all_every(keys, route=route)
        q.insert_all_every(rows, route=route)
        same("inserted by route:")
        q.upsert_all_every(every(1500, 2), route=route)
        q.update_all_every(rows, route=route)
        same("changed by route:")
    if engine != "sqlite":
        say("no route", lambda: q.insert_all_every(rows, route="copy"))
    if engine == "postgres":
        # Every type that psycopg has in binary form.
        rows = every(1500, 3, w.FlatRow)
        say("flat", lambda: q.insert_all_flat(rows))
        whole = all_text("flat")
        say("delete flat", lambda: q.delete_all_flat(w.FlatKey(r.id) for r in rows))
        for r in rows:
            q.insert_all_flat([r])
        same("flat one by one the same:", "flat")


def hang(operation: str) -> None:
    """Writes without an end, says so once much is written, and waits to be killed."""
    q.insert_all_kv(kvs(0, 1000, "old"))

    def endless(row: Callable[[int], Any]) -> Iterator[Any]:
        for i in range(1 << 30):
            if i == 200_000:
                print("written", flush=True)
            if i > 200_000:
                time.sleep(0.001)
            yield row(i)

    if operation == "insert":
        q.insert_all_kv(endless(lambda i: kv(1000 + i, "new")))
    elif operation == "update":
        q.update_all_kv(endless(lambda i: kv(i, "new")))
    elif operation == "delete":
        q.delete_all_kv(endless(w.KvKey))
    else:
        q.upsert_all_kv(endless(lambda i: kv(i, "new")))


def count() -> None:
    print(text("SELECT count(*) || ' ' || sum(CASE v WHEN 'old' THEN 1 ELSE 0 END) FROM kv"))


{"types": types, "results": results, "hang": lambda: hang(sys.argv[4]), "count": count}[
    sys.argv[2]
]()
