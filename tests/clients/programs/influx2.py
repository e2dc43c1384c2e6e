"""The influxdb-client library (InfluxDB 2) writes points, at once and in the background."""

import datetime as dt
import sys

from influxdb_client import InfluxDBClient, Point, WriteOptions, WritePrecision
from influxdb_client.client.write_api import SYNCHRONOUS
from influxdb_client.rest import ApiException

with InfluxDBClient(url=sys.argv[1], token="any", org="any", enable_gzip=True) as client:
    assert client.ping()
    with client.write_api(write_options=SYNCHRONOUS) as api:
        start = dt.datetime(2024, 1, 1, tzinfo=dt.timezone.utc)
        api.write(
            bucket="v2",
            record=[
                Point("cpu")
                .tag("host", f"h{i % 3}")
                .field("load", i / 4)
                .field("n", i)
                .time(start + dt.timedelta(seconds=i))
                for i in range(500)
            ],
        )
        try:
            api.write(bucket="v2", record="cpu load=")
            raise SystemExit("garbage was taken")
        except ApiException as e:
            assert e.status == 400 and "unable to parse" in str(e.body), e
    failures = []
    with client.write_api(
        write_options=WriteOptions(batch_size=100), error_callback=lambda *a: failures.append(a)
    ) as api:
        for i in range(500, 1000):
            api.write(
                bucket="v2/autogen",
                record=f"cpu,host=h{i % 3} load={i / 4},n={i}i {1_704_067_200 + i}",
                write_precision=WritePrecision.S,
            )
    assert not failures, failures
