"""Runs the operations by hand and by the generated code; bench/sqlite asks it line by line.

See typescript/main.ts for the lines.
"""

from __future__ import annotations

import dataclasses
import datetime
import gc
import json
import sqlite3
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import blog
import hand

USERS = 10_000
POSTS = 500_000
PRAGMAS = (
    "journal_mode = WAL",
    "synchronous = NORMAL",
    "cache_size = -64000",
    "temp_store = MEMORY",
    "mmap_size = 268435456",
    "wal_autocheckpoint = 0",
)
BULK = [
    blog.UsersRow(1_000_000 + i, f"bulk {i}", f"bulk{i}@example.com", i % 90, "2025-06-01 00:00:00")
    for i in range(5000)
]


def user(i: int) -> int:
    return i * 7919 % USERS + 1


def post(i: int) -> int:
    return i * 7919 % POSTS + 1


# The i-th call of an operation: look-ups hit, and no two neighbours are of one row.
CALLS: dict[str, Callable[[Any, int], Any]] = {
    "getAllUsers": lambda o, i: o.get_all_users(),
    "getUserById": lambda o, i: o.get_user_by_id(user(i)),
    "getUserByEmail": lambda o, i: o.get_user_by_email(f"user{user(i)}@example.com"),
    "getUsersByIds": lambda o, i: o.get_users_by_ids([user(20 * i + k) for k in range(20)]),
    "countUsers": lambda o, i: o.count_users(),
    "getPostsByUser": lambda o, i: o.get_posts_by_user(user(i)),
    "getPublishedPosts": lambda o, i: o.get_published_posts(),
    "getPostWithAuthor": lambda o, i: o.get_post_with_author(post(i)),
    "countPostsByUser": lambda o, i: o.count_posts_by_user(user(i)),
    "getOrders": lambda o, i: o.get_orders(user(i)),
    "postsFrom": lambda o, i: o.posts_from_stream(post(i) % (POSTS - 1000)),
    "insertUser": lambda o, i: o.insert_user(
        "new", f"new{i}@example.com", 30, "2025-06-01 00:00:00"
    ),
    "updatePostViews": lambda o, i: o.update_post_views(post(i)),
    "insertAllUsers": lambda o, i: o.insert_all_users(BULK),
}


def plain(v: Any) -> Any:
    """A result as arrays of values."""
    if isinstance(v, datetime.datetime):
        return v.isoformat(" ", "milliseconds")
    if dataclasses.is_dataclass(v):
        return [plain(getattr(v, f.name)) for f in dataclasses.fields(v)]
    return [plain(row) for row in v] if isinstance(v, (list, Iterator)) else v


def size(v: Any) -> int:
    """How much a result is: rows, or a number."""
    if isinstance(v, int):
        return v
    if isinstance(v, list):
        return len(v)
    if isinstance(v, Iterator):
        return sum(1 for _ in v)
    return 0 if v is None else 1


class Program:
    def __init__(self, name: str) -> None:
        self.name = name
        self.conn = sqlite3.connect(":memory:")
        self.sides: dict[str, Any] = {}
        self.calls: dict[str, int] = {}

    def open(self, file: str) -> dict[str, Any]:
        self.conn.close()
        self.conn = sqlite3.connect(file, isolation_level=None)
        for pragma in PRAGMAS:
            self.conn.execute("PRAGMA " + pragma)
        self.sides = {"hand": hand.Hand(self.conn), "generated": blog.Blog(self.conn)}
        return {
            "versions": {
                self.name: f"Python {sys.version.split()[0]}, SQLite {sqlite3.sqlite_version}"
            }
        }

    def check(self, operation: str, side: str, first: str, calls: str) -> dict[str, Any]:
        call = CALLS[operation]
        return {
            "results": [plain(call(self.sides[side], int(first) + i)) for i in range(int(calls))]
        }

    def value(self, sql: str) -> dict[str, Any]:
        return {"value": self.conn.execute(sql).fetchone()[0]}

    def execute(self, sql: str) -> dict[str, Any]:
        self.conn.execute(sql)
        return {}

    def turn(self, operation: str, millis: str, most: str, first: str, undo: str) -> dict[str, Any]:
        call = CALLS[operation]
        following = int(first)
        sums = {"hand": 0, "generated": 0}

        def slice(side: str, n: int) -> tuple[float, float]:
            nonlocal following
            o, total, last = self.sides[side], 0, following + n
            cpu, start = time.process_time_ns(), time.perf_counter_ns()
            for i in range(following, last):
                total += size(call(o, i))
            took = (time.perf_counter_ns() - start) / 1e6, (time.process_time_ns() - cpu) / 1e6
            following = last
            sums[side] += total
            if undo:
                self.execute(undo)
            return took

        n = self.calls.get(operation, 0)
        if n == 0:
            n, spent = 1, 0.0
            while spent < int(millis):
                took, _ = slice("generated" if n % 2 else "hand", n)
                spent += took
                n = max(1, min(int(most), 4000, round(4 * n / took)))
            self.calls[operation] = n
        slices: dict[str, list[tuple[float, float]]] = {"hand": [], "generated": []}
        spent = 0.0
        while spent < 2 * int(millis) or len(slices["hand"]) < 4:
            for side in (
                ("hand", "generated") if len(slices["hand"]) % 2 == 0 else ("generated", "hand")
            ):
                slices[side].append(slice(side, n))
                spent += slices[side][-1][0]

        def of(side: str) -> dict[str, float]:
            millis, cpu = (statistics.median(s) for s in zip(*slices[side]))
            return {"millis": millis, "cpu": cpu, "allocated": 0}

        ratio = statistics.median(g[1] / h[1] for h, g in zip(slices["hand"], slices["generated"]))
        return {
            "calls": n,
            "next": following,
            "sums": sums,
            "hand": of("hand"),
            "generated": of("generated"),
            "ratio": ratio,
        }


def main() -> None:
    program = Program(sys.argv[1])
    gc.disable()  # there is nothing to collect: it would hit either side as it likes
    for line in sys.stdin:
        command, *args = line.rstrip("\n").split("\t")
        print(json.dumps(getattr(program, command)(*args)), flush=True)


main()
