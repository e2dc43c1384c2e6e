"""DuckDB's own client reads the parts of a data directory, without Scoter."""

import glob
import sys

import duckdb

files = [f for f in glob.glob(sys.argv[1] + "/parts/**/*.parquet", recursive=True)]
print(
    *duckdb.sql(
        "SELECT count(*), sum(n), min(load), count(DISTINCT host) FROM read_parquet($files) WHERE load IS NOT NULL",
        params={"files": files},
    ).fetchone()
)
