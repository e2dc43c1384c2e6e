"""The msgpack library writes in Arc's formats, plain and packed."""

import gzip
import sys
import urllib.request

import msgpack


def post(value, pack=lambda b: b):
    request = urllib.request.Request(
        sys.argv[1] + "/api/v1/write/msgpack",
        data=pack(msgpack.packb(value)),
        headers={"x-arc-database": "arc", "Content-Type": "application/msgpack"},
    )
    with urllib.request.urlopen(request) as response:
        assert response.status == 204, response.status


start = 1_700_000_000_000
columns = {
    "time": [start + i for i in range(1000)],
    "host": [f"h{i % 3}" for i in range(1000)],
    "load": [i / 4 for i in range(1000)],
    "n": [i if i % 10 else None for i in range(1000)],
}
post({"m": "columnar", "columns": columns})
post({"m": "columnar", "columns": columns}, gzip.compress)
post({"m": "rows", "t": start, "h": "h0", "fields": {"load": 0.5}, "tags": {"region": "eu"}})
post(
    {
        "batch": [
            {"m": "rows", "t": start + 1, "h": "h1", "fields": {"load": 1.5}},
            {"m": "columnar", "columns": columns},
        ]
    }
)
post([{"m": "rows", "t": start + 2, "h": "h2", "fields": {"load": 2.5}}])
