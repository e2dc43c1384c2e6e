"""pyarrow: writes a table of every type as an Arrow stream, reads it back, compares."""

import datetime as dt
import decimal
import json
import sys
import urllib.request

import pyarrow as pa

url = sys.argv[1]


def post(path, body, **headers):
    request = urllib.request.Request(
        url + path, data=body, headers={k.replace("_", "-"): v for k, v in headers.items()}
    )
    with urllib.request.urlopen(request) as response:
        return response.read()


schema = pa.schema(
    [
        ("i8", pa.int8()),
        ("i16", pa.int16()),
        ("i32", pa.int32()),
        ("i64", pa.int64()),
        ("u8", pa.uint8()),
        ("u16", pa.uint16()),
        ("u32", pa.uint32()),
        ("u64", pa.uint64()),
        ("f32", pa.float32()),
        ("f64", pa.float64()),
        ("b", pa.bool_()),
        ("s", pa.string()),
        ("ls", pa.large_string()),
        ("sv", pa.string_view()),
        ("bin", pa.binary()),
        ("fixed", pa.binary(4)),
        ("d", pa.date32()),
        ("t", pa.time64("us")),
        ("ts_s", pa.timestamp("s")),
        ("ts_ms", pa.timestamp("ms")),
        ("ts_us", pa.timestamp("us")),
        ("ts_ns", pa.timestamp("ns")),
        ("tz", pa.timestamp("us", tz="UTC")),
        ("dec", pa.decimal128(38, 10)),
        ("list", pa.list_(pa.int64())),
        ("nested", pa.list_(pa.list_(pa.string()))),
        ("struct", pa.struct([("a", pa.int32()), ("b", pa.list_(pa.float64()))])),
        ("map", pa.map_(pa.string(), pa.int64())),
        ("dictionary", pa.dictionary(pa.int32(), pa.string())),
    ]
)
moment = dt.datetime(2024, 2, 29, 23, 59, 59)
one = {
    "i8": -128,
    "i16": -32768,
    "i32": -(2**31),
    "i64": -(2**63),
    "u8": 255,
    "u16": 65535,
    "u32": 2**32 - 1,
    "u64": 2**64 - 1,
    "f32": 1.5,
    "f64": -0.0,
    "b": True,
    "s": "zażółć 🦆",
    "ls": "",
    "sv": "longer than twelve bytes",
    "bin": b"\x00\xff",
    "fixed": b"abcd",
    "d": dt.date(1969, 12, 31),
    "t": dt.time(23, 59, 59, 999999),
    "ts_s": moment,
    "ts_ms": moment,
    "ts_us": moment.replace(microsecond=999999),
    "ts_ns": moment,
    "tz": moment.replace(tzinfo=dt.timezone.utc),
    "dec": decimal.Decimal("1234567890123456789012345678.0123456789"),
    "list": [1, None, 3],
    "nested": [["a"], [], None],
    "struct": {"a": 1, "b": [0.5, None]},
    "map": [("k", 1), ("l", None)],
    "dictionary": "x",
}
extreme = dict(
    one,
    f32=float("inf"),
    f64=float("-inf"),
    i64=2**63 - 1,
    dictionary="y",
    list=[],
    struct={"a": None, "b": None},
    map=[],
)
empty = {name: None for name in schema.names}
rows = [one, extreme, empty] * 1000
table = pa.Table.from_pylist(rows, schema).append_column("n", pa.array(range(len(rows))))

for compression in (None, "zstd", "lz4"):
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(
        sink, table.schema, options=pa.ipc.IpcWriteOptions(compression=compression)
    ) as writer:
        writer.write_table(table, max_chunksize=700)
    name = f"arrow_{compression}"
    answer = json.loads(
        post(
            f"/api/v1/tables/default/{name}/rows",
            sink.getvalue().to_pybytes(),
            Content_Type="application/vnd.apache.arrow.stream",
        )
    )
    assert answer["rows"] == len(rows) and answer["durable"], answer

    body = post(
        "/api/v1/sql",
        f"SELECT * FROM {name} ORDER BY n".encode(),
        Accept="application/vnd.apache.arrow.stream",
    )
    with pa.ipc.open_stream(body) as reader:
        result = reader.read_all()
    assert result.schema.names == table.schema.names, result.schema
    for column in table.schema.names:
        want, got = table.column(column).to_pylist(), result.column(column).to_pylist()
        if column == "map":
            want, got = (
                [None if m is None else dict(m) for m in want],
                [None if m is None else dict(m) for m in got],
            )
        assert want == got, (compression, column, want[:3], got[:3], result.schema.field(column))
        assert repr(want) == repr(got) or column in ("f32",), (
            column,
            want[:3],
            got[:3],
        )  # -0.0 is not 0.0

import pyarrow.parquet as pq

sink = pa.BufferOutputStream()
pq.write_table(table.drop_columns(["nested", "sv"]), sink)
post(
    "/api/v1/tables/default/from_parquet/rows",
    sink.getvalue().to_pybytes(),
    Content_Type="application/vnd.apache.parquet",
)
body = post("/api/v1/sql?format=parquet", b"SELECT * FROM from_parquet ORDER BY n")
result = pq.read_table(pa.BufferReader(body))
for column in result.schema.names:
    want, got = table.column(column).to_pylist(), result.column(column).to_pylist()
    if column == "map":
        want, got = (
            [None if m is None else dict(m) for m in want],
            [None if m is None else dict(m) for m in got],
        )
    assert want == got, (column, want[:3], got[:3])
print("rows", len(rows))
