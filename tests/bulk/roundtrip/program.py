"""Reads rows of every type and writes them into another table by each bulk operation; what differs there is printed."""

import sys
from collections.abc import Callable
from typing import Literal

import duckdb

from . import every

connection = duckdb.connect()
every.Every.apply_migrations(connection)
q = every.Every(connection)
q.fill()
rows = list(q.source())
route: Literal["arrow", "lists"] = "arrow" if sys.argv[1] == "arrow" else "lists"


def check(operation: str, write: Callable[[], int]) -> None:
    try:
        written: object = write()
    except Exception as error:
        written = f"{type(error).__name__}: {error}"
    different = list(q.different())
    print(f"{operation}: {written}, different: {len(different)}")
    for d in different[:5]:
        print(f"  {d.name}: {d.values} values, {d.first}")


check("insert", lambda: q.insert_all_copied(rows, route=route))
q.clear()
q.blank()
check("update", lambda: q.update_all_copied(rows, route=route))
q.clear()
q.blank()
q.halve()
check("upsert", lambda: q.upsert_all_copied(rows, route=route))
check(
    "delete",
    lambda: (
        q.delete_all_copied([every.CopiedKey(r.id) for r in rows[:100]], route=route)
        + q.insert_all_copied(rows[:100], route=route)
    ),
)
