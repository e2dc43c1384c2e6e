"""Answers of a server that breaks them off or fails on the way, and how bulk writes are cut."""

import http.client
import socket
import threading
import unittest
from collections.abc import Iterator
from typing import Any

import scoter_http
import scoter_runtime

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nConnection: close\r\n"
COUNTS = b'{"inserted":1,"updated":0,"deleted":0}'


def chunked(*parts: bytes) -> bytes:
    return (
        HEAD
        + b"Transfer-Encoding: chunked\r\n\r\n"
        + b"".join(b"%x\r\n%s\r\n" % (len(p), p) for p in parts)
    )


def sized(text: bytes, size: int | None = None) -> bytes:
    return HEAD + b"Content-Length: %d\r\n\r\n" % (len(text) if size is None else size) + text


class Server:
    """Gives each request one of the answers, and closes its connection."""

    def __init__(self, *answers: bytes) -> None:
        self.sizes: list[int] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._serve, args=(answers,), daemon=True).start()

    def _serve(self, answers: tuple[bytes, ...]) -> None:
        with self._listener:
            for answer in answers:
                connection, _ = self._listener.accept()
                with connection, connection.makefile("rb") as request:
                    size = 0
                    while (line := request.readline()) not in (b"\r\n", b""):
                        if line.lower().startswith(b"content-length:"):
                            size = int(line.split(b":")[1])
                    self.sizes.append(len(request.read(size)))
                    connection.sendall(answer)


class Answers(unittest.TestCase):
    def rows(self, answer: bytes, gets: list[Any]) -> None:
        gets.extend(scoter_http.Connection(Server(answer).url).run("SELECT", []))

    def test_whole(self) -> None:
        for answer in (
            chunked(b'{"n":1}\n{"n":', b"2}", b'\n{"n":"\xc3\xbc\xe2\x80\xa8"}\n') + b"0\r\n\r\n",
            sized('{"n":1}\n{"n":2}\n{"n":"ü\u2028"}\n'.encode()),
        ):
            got: list[Any] = []
            self.rows(answer, got)
            self.assertEqual(got, [{"n": 1}, {"n": 2}, {"n": "ü\u2028"}])

    def test_broken_off(self) -> None:
        for answer in (
            chunked(b'{"n":1}\n'),
            chunked(b'{"n":1}\n{"n"'),
            sized(b'{"n":1}\n', 100),
            chunked(b'{"n":1}\n') + b"50\r\n{",
        ):
            got: list[Any] = []
            with self.assertRaises(http.client.IncompleteRead, msg=answer):
                self.rows(answer, got)

    def test_failed_on_the_way(self) -> None:
        got: list[Any] = []
        with self.assertRaises(scoter_http.ScoterError) as failed:
            self.rows(
                chunked(
                    b'{"n":1}\n',
                    b'{"$error":{"kind":"canceled","message":"time is over","hint":"ask for less"}}\n',
                )
                + b"0\r\n\r\n",
                got,
            )
        self.assertEqual(
            (got, failed.exception.kind, str(failed.exception)),
            ([{"n": 1}], "canceled", "time is over (ask for less)"),
        )
        self.rows(sized(b'{"$error":5}\n'), got)  # a column of that name
        self.assertEqual(got[1:], [{"$error": 5}])


BULK: scoter_runtime.Bulk[str] = scoter_runtime.Bulk(
    name="b", sql="t/rows", values=lambda r: [r], columns=("x",)
)


class Portions(unittest.TestCase):
    def test_requests_are_cut_by_their_size(self) -> None:
        answers = [sized(COUNTS)] * 100
        server = Server(*answers)
        rows = ["x" * 1000] * 10_000 + ["y" * 3_000_000] * 3 + ["z"] * 10_000
        written = scoter_http.Runtime(scoter_http.Connection(server.url)).bulk(BULK, rows)
        self.assertEqual(written, len(server.sizes))
        self.assertLess(max(server.sizes), scoter_http.CHUNK_BYTES + 1)
        self.assertGreater(sum(server.sizes), sum(map(len, rows)))

    def test_every_error_tells_what_is_stored(self) -> None:
        def failing() -> Iterator[str]:
            yield from ["x"] * 10_000
            raise LookupError("no more rows")

        for error, answers, rows in (
            (LookupError, [sized(COUNTS)], failing()),
            (ConnectionError, [sized(COUNTS), b""], iter(["x"] * 20_000)),
            (http.client.IncompleteRead, [sized(COUNTS), sized(b"{", 10)], iter(["x"] * 20_000)),
        ):
            with self.assertRaises(error) as raised:
                scoter_http.Runtime(scoter_http.Connection(Server(*answers).url)).bulk(BULK, rows)
            stored = "20001" if error is http.client.IncompleteRead else "10001"
            self.assertIn(f"rows are counted from row {stored}", raised.exception.__notes__[0])


unittest.main()
