"""Prints what rows in Arrow's form do over HTTP: a test compares it."""

import decimal
import importlib
import sys
from collections.abc import Callable
from typing import Any

from . import scoter_http as rt, writes as w

pa: Any = importlib.import_module("pyarrow")
connection = rt.Connection(sys.argv[1])
q = w.Writes(connection)
w.Writes.apply_migrations(connection)


def say(what: str, call: Callable[[], Any]) -> None:
    try:
        result = str(call())
    except Exception as error:
        result = f"{type(error).__name__}: {error}"
    print(what + ": " + result.split("\n")[0])


def columns(**values: Any) -> Any:
    n = len(values["k"])
    return pa.table(
        {"n": pa.nulls(n), "seen": pa.nulls(n), "tags": [["a", None]] * n, "v": ["x"] * n, **values}
    )


def values() -> str:
    rows = list(
        connection.run(
            "SELECT count(*) AS n, sum(k) AS k, string_agg(DISTINCT v, ' ' ORDER BY v) AS v FROM kv",
            [],
        )
    )
    return " ".join(str(v) for v in rows[0].values())


many = [w.KvRow(k=i, v="x" * 100, n=None, tags=None, seen=None) for i in range(10_000)] + [
    w.KvRow(k=-1, v="x", n=decimal.Decimal("12345.67"), tags=None, seen=None)
]
say("one of many", lambda: q.insert_all_kv(many))
say(
    "one of many in Arrow's form",
    lambda: q.insert_all_kv(columns(k=range(100_000), v=["x"] * 99_999 + [None])),
)
connection.run("TRUNCATE kv", [])
say("insert", lambda: q.insert_all_kv(columns(k=range(100_000))))
say("inserted", values)
say("null", lambda: q.insert_all_kv(columns(k=[-1, -2], v=["x", None])))
say("unknown", lambda: q.insert_all_kv(columns(k=[1], w=[2])))
say("missing", lambda: q.delete_all_kv(columns(k=[1]).drop_columns(["k"])))
say(
    "update",
    lambda: q.update_all_kv(
        columns(k=[1, 2, -1], v=pa.array(["b", "c", "none"]).dictionary_encode())
    ),
)
say("upsert", lambda: q.upsert_all_kv(columns(k=[2, 100_000], v=["u", "u"])))
say("delete", lambda: q.delete_all_kv(pa.table({"k": range(0, 100_000, 2)})))
say("changed", values)
table = q.all_kv_arrow().read_all()
say("columns", lambda: table.schema.names)
say("rows", lambda: table.num_rows)
say("first", lambda: list(table.slice(0, 1).to_pylist()[0].values()))
batches = iter(q.all_kv_arrow())
say("some", lambda: next(batches).num_rows > 0)
say("beside", lambda: len(q.all_kv()))
say("the rest", lambda: sum(b.num_rows for b in batches) > 0)
say("failing", lambda: sum(b.num_rows for b in q.failing_arrow()))
say("afterwards", values)
