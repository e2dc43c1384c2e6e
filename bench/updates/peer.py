"""Runs SQL for the benchmark: a JSON string per line of standard input is a statement, a line of
JSON its answer. Arguments: duckdb, ducklake or chdb; a folder for data; threads."""

import decimal
import json
import os
import pathlib
import sys
import time

MEMORY = "4GB"


def duckdb(folder, threads, lake):
    import duckdb

    path = ":memory:" if lake else os.path.join(folder, "native.duckdb")
    connection = duckdb.connect(path, config={"threads": threads, "memory_limit": MEMORY})
    version = f"DuckDB {duckdb.__version__}"
    if lake:
        import duckdb_extension_ducklake as wheel

        extension = next(pathlib.Path(wheel.__file__).parent.rglob("*.duckdb_extension"))
        connection.execute(f"LOAD '{extension}'")
        connection.execute(
            f"ATTACH 'ducklake:{folder}/lake.ducklake' AS lake (DATA_PATH '{folder}/lake')"
        )
        connection.execute("USE lake")
        version += " with DuckLake"
    return version, lambda sql: connection.execute(sql).fetchall()


def chdb(folder, threads):
    import chdb
    from chdb import session

    # Nothing happens in the background that the benchmark does not ask for.
    database = session.Session(folder)
    # A LIKE that no row meets would be remembered for parts without patches and for them alone, and
    # the same query again would read nothing.
    database.query(f"SET max_threads = {threads}, use_query_condition_cache = 0")
    database.query("CREATE DATABASE bench")
    database.query("USE bench")

    def run(sql):
        text = str(database.query(sql, "JSONCompact"))
        return json.loads(text)["data"] if text.startswith("{") else []

    return f"chDB {chdb.__version__} (ClickHouse {chdb.engine_version})", run


def plain(value):
    return float(value) if isinstance(value, decimal.Decimal) else value


def main():
    kind, folder, threads = sys.argv[1], sys.argv[2], int(sys.argv[3])
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # libraries that print do not disturb the answers
    try:
        version, run = (
            chdb(folder, threads) if kind == "chdb" else duckdb(folder, threads, kind == "ducklake")
        )
        print(json.dumps({"version": version}), file=out, flush=True)
    except Exception as e:
        print(json.dumps({"error": str(e)}), file=out, flush=True)
        return
    for line in sys.stdin:
        began = time.perf_counter()
        try:
            rows = run(json.loads(line))
            took = time.perf_counter() - began
            answer = {"millis": took * 1000, "rows": [[plain(v) for v in row] for row in rows]}
        except Exception as e:
            answer = {"error": str(e)}
        print(json.dumps(answer, default=str), file=out, flush=True)


if __name__ == "__main__":
    main()
