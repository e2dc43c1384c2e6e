"""Calls over psycopg that are nested or of several threads."""

import os
import threading
import unittest
from collections.abc import Iterator
from typing import Any

import psycopg
import scoter_postgres

NUMBERS = "SELECT i FROM generate_series(1, %(p1)s) AS g (i)"


class Cursors(unittest.TestCase):
    def setUp(self) -> None:
        self.conn = psycopg.connect(os.environ["DATABASE_URL"], autocommit=True)
        self.addCleanup(self.conn.close)
        self.conn.execute("DROP TABLE IF EXISTS t")
        self.conn.execute("CREATE TABLE t (x integer)")
        self.rt = scoter_postgres.Runtime(self.conn)

    def test_rows_of_a_batch_may_come_of_other_calls(self) -> None:
        def rows() -> Iterator[int]:
            for i in range(2500):
                found = self.rt.fetch_one("SELECT %(p1)s::int", {"p1": i})
                assert found is not None
                yield found[0]

        self.assertEqual(
            self.rt.batch("b", "INSERT INTO t VALUES (%(p1)s)", lambda x: {"p1": x}, rows()), 2500
        )
        self.assertEqual(
            self.rt.fetch("SELECT count(*), sum(x) FROM t", {}), [(2500, 2500 * 2499 // 2)]
        )

    def test_threads(self) -> None:
        wrong: list[Any] = []

        def ask(n: int) -> None:
            for _ in range(200):
                if (got := self.rt.fetch(NUMBERS, {"p1": n})) != [(i,) for i in range(1, n + 1)]:
                    wrong.append((n, got))

        threads = [threading.Thread(target=ask, args=(n,)) for n in range(1, 9)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(wrong, [])


unittest.main()
