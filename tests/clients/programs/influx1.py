"""The influxdb library (InfluxDB 1) writes points."""

import sys
from urllib.parse import urlparse

from influxdb import InfluxDBClient
from influxdb.exceptions import InfluxDBClientError

url = urlparse(sys.argv[1])
client = InfluxDBClient(
    url.hostname, url.port, username="any", password="any", database="v1", gzip=len(sys.argv) > 2
)
assert client.ping()
client.create_database("v1")
assert {"name": "v1"} in client.get_list_database()
points = [
    {
        "measurement": "cpu",
        "tags": {"host": f"h {i % 3}"},
        "time": 1_700_000_000_000 + i,
        "fields": {"load": i / 4, "n": i, "text": 'a "quoted" text', "ok": i % 2 == 0},
    }
    for i in range(1000)
]
assert client.write_points(points, time_precision="ms", batch_size=300)
try:
    client.write_points(
        [{"measurement": "cpu", "tags": {}, "time": 1, "fields": {"load": "text"}}],
        time_precision="ms",
    )
    raise SystemExit("text in a number was taken")
except InfluxDBClientError as e:
    assert e.code == 400 and "partial write" in str(e), e
