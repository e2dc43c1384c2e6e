"""Runs the generated code over Scoter's HTTP interface. Uses only the standard library."""

from __future__ import annotations

import base64
import decimal
import http.client
import json
import re
import select
import urllib.parse
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or __package__:
    from . import scoter_arrow, scoter_pack, scoter_runtime as core
    from .scoter_arrow import ArrowStream as ArrowStream, RecordBatches as RecordBatches
    from .scoter_runtime import *  # noqa: F403 (what generated code uses as rt)
else:
    import scoter_arrow
    import scoter_pack
    import scoter_runtime as core
    from scoter_arrow import ArrowStream, RecordBatches
    from scoter_runtime import *  # noqa: F403

# The maximum numbers of rows and bytes in one request of a bulk operation. The server applies each
# request atomically.
CHUNK_ROWS = 10_000
STREAM_ROWS = 65_536  # for Arrow data
CHUNK_BYTES = 4 << 20

# The number of bytes that are read from a response at a time.
READ_BYTES = 65_536


class ScoterError(Exception):
    """The server refused a request. Nothing of that request was applied.

    docs/API.md lists the values of kind.
    """

    def __init__(self, kind: str, message: str, hint: str | None = None) -> None:
        super().__init__(message if hint is None else f"{message} ({hint})")
        self.kind = kind
        self.hint = hint


class Connection:
    """A Scoter server and the database to use on it.

    Must not be used by several threads at once.
    """

    def __init__(
        self,
        url: str = "http://127.0.0.1:7287",
        token: str | None = None,
        database: str = "default",
        timeout: float = 300,
    ) -> None:
        at = urllib.parse.urlsplit(url)
        if at.scheme not in ("http", "https") or at.hostname is None:
            raise ValueError(f"not the address of a server: {url}")
        self._open = (
            http.client.HTTPSConnection if at.scheme == "https" else http.client.HTTPConnection
        )
        self._address = (at.hostname, at.port)
        self._timeout = timeout
        self._base = at.path.rstrip("/")
        self._headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        self.database = database
        self._idle: http.client.HTTPConnection | None = None

    def post(
        self, path: str, body: bytes | memoryview, kind: str
    ) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
        """Sends a request. Returns the HTTP connection and the response.

        The caller must read the response and then either pass the connection to free or close it.
        """
        link, self._idle = self._idle, None
        # If an idle connection has something to read, the server has closed it.
        if link is None or link.sock is None or select.select([link.sock], [], [], 0)[0]:
            link = self._open(*self._address, timeout=self._timeout)
        link.request("POST", self._base + path, body, {**self._headers, "Content-Type": kind})
        response = link.getresponse()
        if response.status >= 400:
            answer = response.read()
            self.free(link)
            raise _error(response.status, answer)
        return link, response

    def free(self, link: http.client.HTTPConnection) -> None:
        """Keeps a connection for the next request. Its response must have been read to the end."""
        if self._idle is None:
            self._idle = link
        else:
            link.close()

    def run(self, sql: str, values: Sequence[Any]) -> Iterator[dict[str, Any]]:
        """Yields the objects of a response, one per line.

        They are rows, or the counts of a statement without rows.
        """
        link, response = self._answer(sql, values, "ndjson")
        whole = False
        try:
            for line in _lines(response):
                row = json.loads(line, parse_float=decimal.Decimal)
                if len(row) == 1 and isinstance(row.get("$error"), dict):
                    raise _refused(row["$error"])
                yield row
            whole = True
        finally:
            # If the response was not read to its end, the HTTP connection cannot be reused.
            response.close()
            self.free(link) if whole else link.close()

    def record_batches(self, operation: str, sql: str, values: Sequence[Any]) -> RecordBatches:
        """Returns the rows as Arrow batches, which are read as they arrive from the server."""
        pa = scoter_arrow.required(operation)
        link, response = self._answer(sql, values, "arrow")
        try:
            answer = pa.ipc.open_stream(response)
        except BaseException:
            response.close()
            link.close()
            raise

        def batches() -> Iterator[Any]:
            whole = False
            try:
                yield from answer
                whole = not response.read()
            finally:
                response.close()
                self.free(link) if whole else link.close()

        reader: RecordBatches = pa.RecordBatchReader.from_batches(answer.schema, batches())
        return reader

    def _answer(
        self, sql: str, values: Sequence[Any], form: str
    ) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
        body = json.dumps(
            {"sql": sql, "params": [_bound(v) for v in values], "database": self.database},
            ensure_ascii=False,
        ).encode()
        return self.post("/api/v1/sql?format=" + form, body, "application/json")

    def execute(self, sql: str, values: Sequence[Any] = ()) -> int:
        """Runs a statement that returns no rows. Returns the number of rows it changed."""
        return sum(
            int(answer.get(k, 0))
            for answer in self.run(sql, values)
            for k in ("inserted", "updated", "deleted")
        )

    def close(self) -> None:
        """Closes the idle HTTP connection."""
        if self._idle is not None:
            self._idle.close()
            self._idle = None


def _lines(response: http.client.HTTPResponse) -> Iterator[bytes]:
    """Yields the lines of a response as they arrive.

    Iterating over the response itself would not notice if the server breaks it off.
    """
    if not response.chunked:
        yield from response.read().splitlines()
        return
    begun: list[bytes] = []  # the parts of an incomplete line
    while portion := response.read1(READ_BYTES):
        *lines, last = portion.split(b"\n")
        if lines:
            yield b"".join((*begun, lines[0]))
            yield from lines[1:]
            begun.clear()
        begun.append(last)
    if any(begun):
        yield b"".join(begun)


def _refused(e: Mapping[str, Any]) -> ScoterError:
    return ScoterError(e["kind"], e["message"], e.get("hint"))


def _error(status: int, answer: bytes) -> ScoterError:
    try:
        return _refused(json.loads(answer)["error"])
    except (ValueError, KeyError, TypeError):
        return ScoterError("internal", f"status {status}: {answer[:200].decode(errors='replace')}")


def _json(v: Any) -> Any:
    """Converts a value for JSON. The column's type determines how the server reads text."""
    if isinstance(v, dict):
        return {k if isinstance(k, str) else str(_json(k)): _json(e) for k, e in v.items()}
    if isinstance(v, (list, tuple)):
        return [_json(e) for e in v]
    if isinstance(v, (bytes, bytearray)):
        return "".join(f"\\x{b:02X}" for b in v)
    if v is None or isinstance(v, (bool, int, str)):
        return v
    if isinstance(v, float):
        return v if v - v == 0 else str(v)
    return core.to_text(v)


def _bound(v: Any) -> Any:
    """Converts a parameter for JSON: to a number, text, a boolean or None.

    A nested value becomes text that contains JSON.
    """
    v = _json(v)
    if isinstance(v, int) and not -(2**63) <= v < 2**63:
        return str(v)
    return json.dumps(v, ensure_ascii=False) if isinstance(v, (dict, list)) else v


class Runtime(core.Observed):
    """Runs statements on one connection."""

    def __init__(self, conn: Connection, observer: core.Observer | None = None) -> None:
        super().__init__(observer)
        self._conn = conn

    def all(self, name: str, sql: str, values: Sequence[Any], read: core.Reader[T]) -> list[T]:
        return self._run(name, lambda: list(read(self.fetch(sql, values))), len)

    def one(
        self, name: str, sql: str, values: Sequence[Any], make: Callable[[core.Row], T]
    ) -> T | None:
        return self._run(name, lambda: core.first_of(make, self.fetch_one(sql, values)), core.found)

    def fetch(self, sql: str, values: Sequence[Any]) -> list[core.Row]:
        return [tuple(r.values()) for r in self._conn.run(sql, values)]

    def fetch_one(self, sql: str, values: Sequence[Any]) -> core.Row | None:
        rows = self.fetch(sql, values)
        return rows[0] if rows else None

    def stream(
        self, name: str, sql: str, values: Sequence[Any], read: core.Reader[T]
    ) -> Iterator[T]:
        return self._each(
            name, lambda: read(tuple(r.values()) for r in self._conn.run(sql, values))
        )

    def arrow(self, name: str, sql: str, values: Sequence[Any]) -> RecordBatches:
        return self._run(name, lambda: self._conn.record_batches(name, sql, values), core.unknown)

    def exec(self, name: str, sql: str, values: Sequence[Any]) -> int:
        return self._run(name, lambda: self._conn.execute(sql, values), core.same)

    def batch(
        self, name: str, sql: str, values: Callable[[T], Sequence[Any]], rows: Iterable[T]
    ) -> int:
        return self._run(
            name, lambda: sum(self._conn.execute(sql, values(row)) for row in rows), core.same
        )

    def bulk(self, bulk: core.Bulk[T], rows: Iterable[T] | ArrowStream) -> int:
        """Sends rows in several requests. Returns the number of changed rows once all are durable.

        Each request is atomic: if one fails, the rows of earlier requests stay stored.
        """
        path = f"/api/v1/tables/{urllib.parse.quote(self._conn.database, safe='')}/{bulk.sql}"

        def body() -> int:
            count = stored = 0
            try:
                for kind, n, portion in _portions(bulk, rows):
                    link, response = self._conn.post(path, portion, kind)
                    stored += n
                    answer = json.loads(response.read())
                    self._conn.free(link)
                    count += sum(int(answer[k]) for k in ("inserted", "updated", "deleted"))
            except Exception as error:
                if stored:
                    note = f"rows are counted from row {stored + 1}, those before it are stored"
                    if isinstance(error, ScoterError):
                        error.args = (f"{error} ({note})",)
                    else:
                        error.add_note(note)
                raise
            return count

        return self._run(bulk.name, body, core.same)


def _portions(
    bulk: core.Bulk[T], rows: Iterable[T] | ArrowStream
) -> Iterator[tuple[str, int, Any]]:
    """Yields the media type, number of rows and body of each request."""
    if isinstance(rows, ArrowStream):
        pa = scoter_arrow.required(bulk.name)
        for table in scoter_arrow.tables(bulk.name, rows, bulk.columns, STREAM_ROWS):
            sink = pa.BufferOutputStream()
            with pa.ipc.new_stream(sink, table.schema) as out:
                out.write_table(table)
            yield "application/vnd.apache.arrow.stream", table.num_rows, memoryview(sink.getvalue())
        return
    source, size = iter(rows), CHUNK_ROWS
    while chunk := list(islice(source, size)):
        for n, body in _packed(bulk, chunk):
            yield "application/msgpack", n, body
            # Assume that the next rows have about the same size.
            size = max(1, min(CHUNK_ROWS, n * CHUNK_BYTES // len(body)))


def _packed(bulk: core.Bulk[T], rows: list[T]) -> Iterator[tuple[int, bytes]]:
    """Yields the number of rows and the body of each request for these rows."""
    body = scoter_pack.body(bulk.columns, list(zip(*map(bulk.values, rows), strict=True)))
    if len(body) <= CHUNK_BYTES or len(rows) == 1:
        yield len(rows), body
        return
    step = max(1, len(rows) * CHUNK_BYTES // len(body))
    for at in range(0, len(rows), step):
        yield from _packed(bulk, rows[at : at + step])


def apply_migrations(
    conn: Connection, project: str, migrations: Sequence[core.Migration], dry_run: bool = False
) -> list[str]:
    """Applies the pending migrations. Returns the ids of the applied migrations.

    Each statement is a transaction of its own: if a migration fails, its earlier statements stay
    applied.
    """
    if dry_run:
        raise ValueError(
            "there is no dry run over HTTP: every statement is a transaction of its own"
        )
    conn.execute(core.CREATE_MIGRATIONS.replace(", PRIMARY KEY (project, migration_id)", ""))
    rows = conn.run(
        "SELECT migration_id, checksum FROM _sqg_migrations WHERE project = $1", [project]
    )
    applied: Mapping[str, str | None] = {r["migration_id"]: r["checksum"] for r in rows}
    todo = core.pending(project, migrations, applied)
    for m in todo:
        for statement in m.statements:
            conn.execute(statement)
        conn.execute(
            "INSERT INTO _sqg_migrations (project, migration_id, checksum) VALUES ($1, $2, $3)",
            [project, m.id, m.checksum],
        )
    return [m.id for m in todo]


# The functions below read values from JSON and convert parameters.

_DURATION = re.compile(r"([+-]?[\d.]+)([YMWDHS])")


def json_blob(v: Any) -> bytes:
    """Reads bytes, which are hexadecimal, or base64 inside a list."""
    return bytes.fromhex(v[2:]) if v.startswith("\\x") else base64.b64decode(v)


def json_interval(v: Any) -> core.Interval:
    """Reads an interval, which is ISO 8601 inside a list, and otherwise the database's text."""
    if not v.lstrip("-").startswith("P"):
        return core.interval(v)
    months = days = 0
    micros = decimal.Decimal(0)
    day, _, clock = v.partition("T")
    for n, unit in _DURATION.findall(day):
        months += int(n) * {"Y": 12, "M": 1}.get(unit, 0)
        days += int(n) * {"W": 7, "D": 1}.get(unit, 0)
    for n, unit in _DURATION.findall(clock):
        micros += decimal.Decimal(n) * {"H": 3600, "M": 60, "S": 1}[unit] * 1_000_000
    return core.Interval(months, days, int(micros))


def json_map(
    key: Callable[[Any], Any], value: Callable[[Any], Any]
) -> Callable[[Any], dict[Any, Any]]:
    """Makes a reader of maps. A map is an object, or a list of pairs if the keys are not text."""

    def read(v: Any) -> dict[Any, Any]:
        pairs = v.items() if isinstance(v, dict) else ((e["key"], e["value"]) for e in v)
        return {key(k): core.opt(value, e) for k, e in pairs}

    return read


def plain(v: Any) -> Any:
    """Returns a value that JSON accepts unchanged."""
    return v


def to_list(write: Callable[[Any], Any]) -> Callable[[Any], list[Any]]:
    """Makes a writer of list parameters."""
    return lambda v: [core.opt(write, e) for e in v]


def to_map(
    key: Callable[[Any], Any], value: Callable[[Any], Any]
) -> Callable[[Any], dict[str, Any]]:
    """Makes a writer of map parameters."""
    return lambda v: {key(k): core.opt(value, e) for k, e in v.items()}
