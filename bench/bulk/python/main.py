"""Writes rows by all ways that Python has; bench/bulk asks it line by line."""

from __future__ import annotations

import csv
import datetime
import decimal
import gc
import http.client
import io
import json
import os
import sys
import time
import urllib.parse
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "py"))

UTC = datetime.timezone.utc
LOCATIONS = [f"location-{i}" for i in range(10)]
DEVICES = [uuid.UUID(f"00000000-0000-4000-8000-{i:012d}") for i in range(100)]
PRESSURES = [decimal.Decimal(98000 + i).scaleb(-2) for i in range(4000)]
NAMES = ("id", "device", "taken", "temperature", "pressure", "battery", "anomaly", "location")
SLOW = 10_000
PER_REQUEST = 100_000  # of a server, whose requests are bounded
Rows = list[tuple[Any, ...]]
SET = ", ".join(f"{n} = excluded.{n}" for n in NAMES[1:])
FROM_STAGE = ", ".join(f"{n} = s.{n}" for n in NAMES[1:])
COLUMNS = ", ".join(NAMES)


def row_of(i: int, generation: int) -> tuple[Any, ...]:
    """A row; see rows.go of bench/bulk."""
    h = (i * 2654435761 + generation * 97) % 4294967296
    at = datetime.datetime.fromtimestamp(1735689600 + i * 10 + generation, UTC)
    return (
        i,
        DEVICES[h % 100],
        at,
        (18000 + h % 15000) / 1000,
        PRESSURES[h % 4000],
        20 + h % 80,
        h % 20 == 0,
        LOCATIONS[h % 10],
    )


@dataclass
class Engine:
    versions: dict[str, str]
    empty: Callable[[], None]
    fill: Callable[[Rows], None]
    sums: Callable[[], list[int]]
    # The operation, the name, the largest number of rows or 0, and what runs it.
    ways: list[tuple[str, str, int, Callable[[Any], Any]]] = field(default_factory=list)


def sums_of(device: str, at: str, anomaly: str) -> str:
    of = [
        device,
        at,
        "CAST(round(temperature * 1000) AS BIGINT)",
        "CAST(round(pressure * 100) AS BIGINT)",
        "battery",
        anomaly,
        "CAST(substr(location, 10) AS BIGINT)",
    ]
    return (
        "SELECT count(*), "
        + ", ".join(f"CAST(coalesce(sum((id % 997 + 1) * {o}), 0) AS BIGINT)" for o in of)
        + " FROM readings"
    )


def generated(engine: Engine, q: Callable[[], Any], routes: tuple[str, ...] = ()) -> None:
    """The ways of the generated code, which takes its own rows."""
    methods = {
        "INSERT": "insert_all_readings",
        "UPDATE": "update_all_readings",
        "DELETE": "delete_all_readings",
        "UPSERT": "upsert_all_readings",
    }
    for operation, method in methods.items():
        for route in routes:
            engine.ways.append(
                (
                    operation,
                    f"scoter, {route}",
                    SLOW,
                    lambda rows, method=method, route=route: getattr(q(), method)(
                        rows, route=route
                    ),
                )
            )
        engine.ways.append(
            (operation, "scoter", 0, lambda rows, method=method: getattr(q(), method)(rows))
        )


def postgres(url: str) -> Engine:
    import psycopg
    from postgres import writes as w

    conn = psycopg.connect(url, autocommit=True)
    queries = w.Writes(conn)
    create = w.Writes.get_migrations()[0]

    def empty() -> None:
        conn.execute("DROP TABLE IF EXISTS readings")
        conn.execute(create.encode())

    def fill(rows: Rows) -> None:
        queries.insert_all_readings(w.ReadingsRow(*r) for r in rows)
        conn.execute("VACUUM ANALYZE readings")

    sums = sums_of(
        "CAST(substr(CAST(device AS TEXT), 25) AS BIGINT)",
        "CAST(extract(epoch FROM taken) AS BIGINT)",
        "CAST(anomaly AS INTEGER)",
    )
    e = Engine(
        {"psycopg": psycopg.__version__},
        empty,
        fill,
        lambda: list(map(int, conn.execute(sums.encode()).fetchone() or ())),
    )
    marks = ", ".join(["%s"] * 8)
    statements = {
        "INSERT": f"INSERT INTO readings VALUES ({marks})",
        "UPDATE": "UPDATE readings SET "
        + ", ".join(f"{n} = %s" for n in NAMES[1:])
        + " WHERE id = %s",
        "DELETE": "DELETE FROM readings WHERE id = %s",
        "UPSERT": f"INSERT INTO readings VALUES ({marks}) ON CONFLICT (id) DO UPDATE SET {SET}",
    }
    applied = {
        "UPDATE": f"UPDATE readings t SET {FROM_STAGE} FROM staged s WHERE t.id = s.id",
        "DELETE": "DELETE FROM readings t USING staged s WHERE t.id = s.id",
        "UPSERT": f"INSERT INTO readings SELECT * FROM staged ON CONFLICT (id) DO UPDATE SET {SET}",
    }
    for operation, sql in statements.items():

        def order(r: tuple[Any, ...], operation: str = operation) -> tuple[Any, ...]:
            return (
                r[:1] if operation == "DELETE" else (*r[1:], r[0]) if operation == "UPDATE" else r
            )

        def each(rows: Rows, sql: str = sql, order: Any = order) -> None:
            with conn.transaction():
                for r in rows:
                    conn.execute(sql.encode(), order(r))

        def many(rows: Rows, sql: str = sql, order: Any = order) -> None:
            with conn.transaction(), conn.cursor() as cursor:
                cursor.executemany(sql.encode(), map(order, rows))

        def copy(rows: Rows, operation: str = operation) -> None:
            with conn.transaction(), conn.cursor() as cursor:
                table = "readings"
                if operation != "INSERT":
                    table = "staged"
                    columns = "id" if operation == "DELETE" else "*"
                    cursor.execute(
                        f"CREATE TEMP TABLE staged ON COMMIT DROP AS SELECT {columns} FROM readings LIMIT 0".encode()
                    )
                with cursor.copy(f"COPY {table} FROM STDIN".encode()) as out:
                    for r in rows:
                        out.write_row(r[:1] if operation == "DELETE" else r)
                if operation != "INSERT":
                    cursor.execute(applied[operation].encode())

        e.ways.append((operation, "a statement per row", SLOW, each))
        e.ways.append((operation, "executemany", 100_000, many))
        e.ways.append(
            (operation, "copy" if operation == "INSERT" else "copy, temporary table", 0, copy)
        )
    generated(e, lambda: queries, ("unnest", "binary"))
    return e


def duckdb_engine(file: str) -> Engine:
    import duckdb
    import pyarrow
    from duck import writes as w

    state: dict[str, Any] = {}
    create = w.Writes.get_migrations()[0]

    def empty() -> None:
        if "conn" in state:
            state["conn"].close()
        for name in (file, file + ".wal"):
            if os.path.exists(name):
                os.remove(name)
        state["conn"] = duckdb.connect(file)
        state["queries"] = w.Writes(state["conn"])
        state["conn"].execute(create)

    def fill(rows: Rows) -> None:
        state["queries"].insert_all_readings(w.ReadingsRow(*r) for r in rows)
        state["conn"].execute("CHECKPOINT")

    sums = sums_of(
        "CAST(substr(CAST(device AS VARCHAR), 25) AS BIGINT)",
        "CAST(epoch(taken) AS BIGINT)",
        "CAST(anomaly AS INTEGER)",
    )
    e = Engine(
        {"duckdb for Python": duckdb.__version__, "pyarrow": pyarrow.__version__},
        empty,
        fill,
        lambda: list(state["conn"].execute(sums).fetchone()),
    )
    marks = ", ".join(["?"] * 8)
    statements = {
        "INSERT": f"INSERT INTO readings VALUES ({marks})",
        "UPDATE": "UPDATE readings SET "
        + ", ".join(f"{n} = ?" for n in NAMES[1:])
        + " WHERE id = ?",
        "DELETE": "DELETE FROM readings WHERE id = ?",
        "UPSERT": f"INSERT OR REPLACE INTO readings VALUES ({marks})",
    }
    applied = {
        "INSERT": "INSERT INTO readings SELECT * FROM staged",
        "UPDATE": f"UPDATE readings AS t SET {FROM_STAGE} FROM staged AS s WHERE t.id = s.id",
        "DELETE": "DELETE FROM readings AS t USING staged AS s WHERE t.id = s.id",
        "UPSERT": f"MERGE INTO readings AS t USING staged AS s ON t.id = s.id WHEN MATCHED THEN UPDATE SET {FROM_STAGE} WHEN NOT MATCHED THEN INSERT",
    }
    for operation, sql in statements.items():

        def order(r: tuple[Any, ...], operation: str = operation) -> tuple[Any, ...]:
            return (
                r[:1] if operation == "DELETE" else (*r[1:], r[0]) if operation == "UPDATE" else r
            )

        def many(rows: Rows, sql: str = sql, order: Any = order) -> None:
            conn = state["conn"]
            conn.execute("BEGIN")
            conn.executemany(sql, [order(r) for r in rows])
            conn.execute("COMMIT")

        def arrow(rows: Rows, operation: str = operation) -> None:
            conn = state["conn"]
            columns = list(zip(*rows, strict=True))
            columns[1] = tuple(str(d) for d in columns[1])
            count = 1 if operation == "DELETE" else 8
            staged = pyarrow.table(
                [pyarrow.array(c) for c in columns[:count]], names=list(NAMES[:count])
            )
            conn.register("staged", staged)
            conn.execute(applied[operation])
            conn.unregister("staged")

        e.ways.append((operation, "executemany", SLOW // 10, many))
        e.ways.append((operation, "a table of Arrow", 0, arrow))
    generated(e, lambda: state["queries"])
    return e


def sqlite(file: str) -> Engine:
    import sqlite3

    from sqlite import writes as w

    state: dict[str, Any] = {}
    create = w.Writes.get_migrations()[0]

    def empty() -> None:
        if "conn" in state:
            state["conn"].close()
        for name in (file, file + "-wal", file + "-shm"):
            if os.path.exists(name):
                os.remove(name)
        conn = state["conn"] = sqlite3.connect(file, isolation_level=None)
        conn.execute("PRAGMA journal_mode = wal")
        conn.execute("PRAGMA synchronous = normal")
        state["queries"] = w.Writes(conn)
        conn.execute(create)

    def fill(rows: Rows) -> None:
        state["queries"].insert_all_readings(w.ReadingsRow(*r) for r in rows)

    sums = sums_of(
        "CAST(substr(device, 25) AS INTEGER)", "CAST(strftime('%s', taken) AS INTEGER)", "anomaly"
    )
    e = Engine(
        {"sqlite of Python": sqlite3.sqlite_version},
        empty,
        fill,
        lambda: list(state["conn"].execute(sums).fetchone()),
    )
    marks = "?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8"
    statements = {
        "INSERT": f"INSERT INTO readings VALUES ({marks})",
        "UPDATE": "UPDATE readings SET "
        + ", ".join(f"{n} = ?{i}" for i, n in enumerate(NAMES[1:], 2))
        + " WHERE id = ?1",
        "DELETE": "DELETE FROM readings WHERE id = ?1",
        "UPSERT": f"INSERT INTO readings VALUES ({marks}) ON CONFLICT (id) DO UPDATE SET {SET}",
    }
    fields = ", ".join(f"value ->> {i}" for i in range(8))
    listed = {
        "INSERT": f"INSERT INTO readings SELECT {fields} FROM json_each(?)",
        "UPDATE": "UPDATE readings SET "
        + ", ".join(f"{n} = j.value ->> {i}" for i, n in enumerate(NAMES[1:], 1))
        + " FROM json_each(?) AS j WHERE readings.id = j.value ->> 0",
        "DELETE": "DELETE FROM readings WHERE id IN (SELECT value ->> 0 FROM json_each(?))",
        "UPSERT": f"INSERT INTO readings SELECT {fields} FROM json_each(?) WHERE true ON CONFLICT (id) DO UPDATE SET {SET}",
    }

    def plain(r: tuple[Any, ...]) -> tuple[Any, ...]:
        return (r[0], str(r[1]), r[2].isoformat(" "), r[3], str(r[4]), r[5], int(r[6]), r[7])

    for operation, sql in statements.items():

        def many(rows: Rows, sql: str = sql, operation: str = operation) -> None:
            conn = state["conn"]
            conn.execute("BEGIN IMMEDIATE")
            conn.executemany(
                sql, ((r[0],) for r in rows) if operation == "DELETE" else map(plain, rows)
            )
            conn.execute("COMMIT")

        def each(rows: Rows, sql: str = sql, operation: str = operation) -> None:
            conn = state["conn"]
            conn.execute("BEGIN IMMEDIATE")
            for r in rows:
                conn.execute(sql, r[:1] if operation == "DELETE" else plain(r))
            conn.execute("COMMIT")

        def document(rows: Rows, operation: str = operation) -> None:
            conn = state["conn"]
            conn.execute("BEGIN IMMEDIATE")
            for start in range(0, len(rows), 1000):
                part = rows[start : start + 1000]
                conn.execute(
                    listed[operation],
                    [
                        json.dumps(
                            [(r[0],) for r in part]
                            if operation == "DELETE"
                            else list(map(plain, part))
                        )
                    ],
                )
            conn.execute("COMMIT")

        e.ways.append((operation, "a statement per row", 0, each))
        e.ways.append((operation, "executemany", 0, many))
        e.ways.append((operation, "json_each, 1,000 rows", 0, document))
    generated(e, lambda: state["queries"])
    return e


def scoter(url: str) -> Engine:
    import pyarrow

    from typed import scoter_http, writes as w

    link = scoter_http.Connection(url)
    queries = w.Writes(link)
    server = http.client.HTTPConnection(urllib.parse.urlsplit(url).netloc)
    create = w.Writes.get_migrations()[0]

    def empty() -> None:
        link.execute("DROP TABLE IF EXISTS readings")
        link.execute(create)

    def fill(rows: Rows) -> None:
        queries.insert_all_readings(w.ReadingsRow(*r) for r in rows)

    sums = sums_of(
        "CAST(substr(CAST(device AS VARCHAR), 25) AS BIGINT)",
        "CAST(epoch(taken) AS BIGINT)",
        "CAST(anomaly AS INTEGER)",
    )
    e = Engine(
        {"pyarrow": pyarrow.__version__},
        empty,
        fill,
        lambda: [int(v) for v in next(link.run(sums, ())).values()],
    )

    def plain(r: tuple[Any, ...]) -> tuple[Any, ...]:
        return (r[0], str(r[1]), r[2].isoformat(), r[3], str(r[4]), r[5], r[6], r[7])

    def document(rows: Rows, names: tuple[str, ...]) -> bytes:
        return json.dumps(
            [dict(zip(names, plain(r) if len(names) > 1 else r[:1])) for r in rows]
        ).encode()

    def lines(rows: Rows, names: tuple[str, ...]) -> bytes:
        out = io.StringIO()
        to = csv.writer(out)
        to.writerow(names)
        to.writerows(map(plain, rows) if len(names) > 1 else ((r[0],) for r in rows))
        return out.getvalue().encode()

    def arrow(rows: Rows, names: tuple[str, ...]) -> memoryview:
        columns: list[Any] = list(zip(*(r[: len(names)] for r in rows)))
        if len(names) > 1:
            columns[1] = [str(d) for d in columns[1]]
        table = pyarrow.table([pyarrow.array(c) for c in columns], names=list(names))
        sink = pyarrow.BufferOutputStream()
        with pyarrow.ipc.new_stream(sink, table.schema) as to:
            to.write_table(table)
        return memoryview(sink.getvalue())

    kinds = {
        "JSON": ("application/json", document),
        "CSV": ("text/csv", lines),
        "Arrow": ("application/vnd.apache.arrow.stream", arrow),
    }
    for operation in ("INSERT", "UPDATE", "DELETE", "UPSERT"):
        path = "/api/v1/tables/default/readings/rows" + (
            "" if operation == "INSERT" else f"?mode={operation.lower()}&key=id"
        )
        for name, (kind, make) in kinds.items():

            def send(
                rows: Rows,
                operation: str = operation,
                path: str = path,
                kind: str = kind,
                make: Any = make,
            ) -> None:
                for start in range(0, len(rows), PER_REQUEST):
                    server.request(
                        "POST",
                        path,
                        make(
                            rows[start : start + PER_REQUEST],
                            NAMES[:1] if operation == "DELETE" else NAMES,
                        ),
                        {"Content-Type": kind},
                    )
                    response = server.getresponse()
                    answer = response.read()
                    if response.status != 200:
                        raise RuntimeError(answer)

            e.ways.append((operation, f"{name}, {PER_REQUEST:,} rows", 0, send))
    generated(e, lambda: queries)
    return e


def measure(
    e: Engine, w: Any, way: tuple[str, str, int, Callable[[Any], Any]], n: int
) -> dict[str, Any]:
    operation, name, _, run = way
    e.empty()
    spans = {
        "INSERT": (0, n, 0),
        "UPDATE": (0, n, 1),
        "DELETE": (0, n, 0),
        "UPSERT": (n // 2, n // 2 + n, 1),
    }
    start, end, generation = spans[operation]
    rows: Iterable[Any] = [
        row_of(i, generation) for i in range(start, end) if operation != "DELETE" or i % 4 != 0
    ]
    if name.startswith("scoter"):
        kind = w.ReadingsKey if operation == "DELETE" else w.ReadingsRow
        rows = [kind(r[0]) if operation == "DELETE" else kind(*r) for r in rows]
    if operation != "INSERT":
        e.fill([row_of(i, 0) for i in range(n)])
    gc.collect()
    cpu, began = time.process_time(), time.perf_counter()
    run(rows)
    took, used = time.perf_counter() - began, time.process_time() - cpu
    return {"Millis": took * 1000, "CPU": used, "Allocated": 0, "Sums": e.sums()}


def main() -> None:
    name, file, url = sys.argv[1:4]
    engine = {
        "postgres": lambda: postgres(url),
        "duckdb": lambda: duckdb_engine(file),
        "sqlite": lambda: sqlite(file),
        "scoter": lambda: scoter(url),
    }[name]()
    w = __import__(
        {"duckdb": "duck", "scoter": "typed"}.get(name, name) + ".writes", fromlist=["writes"]
    )
    for line in sys.stdin:
        if line.strip() == "ways":
            ways = [{"Operation": o, "Method": m, "Most": most} for o, m, most, _ in engine.ways]
            print(
                json.dumps(
                    {"Versions": engine.versions | {"python": sys.version.split()[0]}, "Ways": ways}
                ),
                flush=True,
            )
            continue
        operation, method, count = line.rstrip("\n").split("\t")
        way = next(way for way in engine.ways if way[:2] == (operation, method))
        print(json.dumps(measure(engine, w, way, int(count))), flush=True)


main()
