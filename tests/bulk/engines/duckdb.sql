-- MIGRATE 1
CREATE TYPE mood AS ENUM ('sad', 'so so', 'grün');
CREATE TABLE kv (k INTEGER PRIMARY KEY, v VARCHAR NOT NULL CHECK (length(v) <= 10), doc BLOB NOT NULL, n DECIMAL(10,2), seen TIMESTAMPTZ);
CREATE TABLE two (a VARCHAR, b INTEGER, x DOUBLE);
CREATE TABLE every (
    id INTEGER NOT NULL PRIMARY KEY, b BOOLEAN, i8 TINYINT, i16 SMALLINT, i64 BIGINT, i128 HUGEINT, u8 UTINYINT, u16 USMALLINT, u32 UINTEGER, u64 UBIGINT,
    u128 UHUGEINT, f4 FLOAT, f8 DOUBLE, d4 DECIMAL(4,1), d9 DECIMAL(9,3), d18 DECIMAL(18,3), d38 DECIMAL(38,10), s VARCHAR, raw BLOB, uid UUID,
    day DATE, clock TIME, ts_s TIMESTAMP_S, ts_ms TIMESTAMP_MS, ts TIMESTAMP, ts_ns TIMESTAMP_NS, tz TIMESTAMPTZ, span INTERVAL, doc JSON, feeling mood,
    tags VARCHAR[], grid INTEGER[][], three INTEGER[3], pt STRUCT(x DOUBLE, tags VARCHAR[]), pts STRUCT(x DOUBLE, s VARCHAR)[], m MAP(VARCHAR, INTEGER),
    ml MAP(INTEGER, VARCHAR[])
);
CREATE TABLE stays (id INTEGER PRIMARY KEY, days DATE[], stay STRUCT(first DATE, prices DECIMAL(9,2)[]), of_day MAP(DATE, DECIMAL(9,2)), spans STRUCT(first DATE)[]);
CREATE TABLE bigs (big BIGNUM, bigs BIGNUM[]);

-- WRITE stays insert

-- WRITE bigs insert

-- QUERY all_every
SELECT * FROM every ORDER BY id;

-- QUERY many
@set count = 5
SELECT i AS n, 'value ' || i AS v FROM range(${count}) AS r(i);

-- QUERY unnamed
-- A struct whose fields have no names.
SELECT row(1, 2) AS pair;

-- QUERY raised
UPDATE kv SET v = v || '!' RETURNING k, v;
