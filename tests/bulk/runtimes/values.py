"""Values that are refused, and how those of SQLite are written."""

import datetime
import sqlite3
import unittest
from typing import Any

import scoter_runtime
import scoter_sqlite
import scoter_values as v

UTC = datetime.timezone.utc


class Values(unittest.TestCase):
    def test_intervals_of_one_style(self) -> None:
        for text in (
            "1-2",
            "3 4:05:06",
            "P1Y2M",
            "PT1H",
            "@ 1 year 2 mons",
            "",
            "1 year x",
            "1 day ago",
        ):
            with self.assertRaises(ValueError, msg=text):
                v.interval(text)
        self.assertEqual(
            v.interval("1 year 2 mons -3 days -04:05:06.7"), v.Interval(14, -3, -14_706_700_000)
        )
        self.assertEqual(v.interval("2 months"), v.Interval(2))
        self.assertEqual(v.interval("00:00:00"), v.Interval())

    def test_bytes(self) -> None:
        self.assertEqual(v.blob("\\x6162"), b"ab")
        self.assertEqual(v.blob(memoryview(b"ab")), b"ab")
        with self.assertRaises(ValueError):
            v.blob("ab\\001")
        self.assertEqual(
            [scoter_sqlite.content(c) for c in ("ü", b"\0", memoryview(b"x"))],
            ["ü".encode(), b"\0", b"x"],
        )
        for number in (3, 2.5):
            with self.assertRaises(TypeError):
                scoter_sqlite.content(number)

    def test_none_is_no_value(self) -> None:
        writers: list[Any] = [v.to_text, v.bit, v.to_array(v.to_text), v.json_list]
        for write in writers:
            with self.assertRaises(TypeError):
                write(None)
        self.assertEqual(v.to_array(v.to_text)([None, 1]), '{NULL,"1"}')

    def test_numbers_that_json_does_not_have(self) -> None:
        values = [1.5, "ü", float("nan"), float("inf"), float("-inf")]
        self.assertEqual(v.json_list(values), '[1.5, "ü", null, 9e999, -9e999]')
        self.assertEqual(v.json_list(iter(values[:2])), '[1.5, "ü"]')
        conn = sqlite3.connect(":memory:")
        found = conn.execute(
            "SELECT typeof(value), value FROM json_each(?)", [v.json_list(values)]
        ).fetchall()
        self.assertEqual(
            found[2:], [("null", None), ("real", float("inf")), ("real", float("-inf"))]
        )

    def test_moments_of_sqlite_have_no_offset(self) -> None:
        east = datetime.timezone(datetime.timedelta(hours=5, minutes=30))
        moment = datetime.datetime(2024, 1, 1, 2, 0, 0, 500_000, east)
        self.assertEqual(v.to_moment(moment), "2023-12-31 20:30:00.500000")
        self.assertEqual(v.instant(v.to_moment(moment)), moment)
        self.assertEqual(v.to_moment(datetime.datetime(2024, 1, 1)), "2024-01-01 00:00:00")
        # It is compared with what SQLite itself writes.
        now = sqlite3.connect(":memory:").execute("SELECT CURRENT_TIMESTAMP").fetchone()[0]
        self.assertEqual(
            len(now), len(v.to_moment(datetime.datetime.now(UTC).replace(microsecond=0)))
        )

    def test_an_appender_that_failed_stays_failed(self) -> None:
        calls = []

        def write(rows: list[int]) -> int:
            calls.append(rows)
            raise LookupError("no room")

        appender = scoter_runtime.Appender(write, 2)
        with self.assertRaises(LookupError):
            appender.append_many([1, 2, 3])
        appender.append(4)
        with self.assertRaises(LookupError):
            appender.close()
        self.assertEqual(calls, [[1, 2]])


unittest.main()
