-- MIGRATE 1
CREATE TYPE mood AS ENUM ('sad', 'so so', 'grün');
CREATE TABLE every (
    id INTEGER NOT NULL, b BOOLEAN, i8 TINYINT, i16 SMALLINT, i64 BIGINT, i128 HUGEINT, u8 UTINYINT, u16 USMALLINT, u32 UINTEGER, u64 UBIGINT,
    u128 UHUGEINT, f4 FLOAT, f8 DOUBLE, d4 DECIMAL(4,1), d9 DECIMAL(9,3), d18 DECIMAL(18,3), d38 DECIMAL(38,10), s VARCHAR, raw BLOB, uid UUID,
    day DATE, clock TIME, clockz TIMETZ, ts_s TIMESTAMP_S, ts_ms TIMESTAMP_MS, ts TIMESTAMP, ts_ns TIMESTAMP_NS, tz TIMESTAMPTZ, span INTERVAL,
    doc JSON, feeling mood, tags VARCHAR[], grid INTEGER[][], three INTEGER[3], pt STRUCT(x DOUBLE, tags VARCHAR[]), pts STRUCT(x DOUBLE, s VARCHAR)[],
    m MAP(VARCHAR, INTEGER), ml MAP(INTEGER, VARCHAR[])
);
CREATE TABLE kv (k INTEGER PRIMARY KEY, v VARCHAR NOT NULL, n DECIMAL(6,2), three INTEGER[3]);
CREATE TABLE measured (slot SMALLINT, device UUID, taken TIMESTAMPTZ, tiny TINYINT, number INTEGER, huge HUGEINT, price DECIMAL(9,2), ok BOOLEAN, ratio FLOAT, day DATE);

-- WRITE every insert

-- WRITE kv insert|update|delete|upsert key(k)

-- WRITE measured insert|update|delete|upsert key(slot, device, taken)

-- EXEC set_kv :batch
@set k = 1
@set v = 'x'
UPDATE kv SET v = ${v} WHERE k = ${k};

-- TABLE appended :appender
kv

-- TABLE appended_measured :appender
measured

-- QUERY all_every
SELECT * FROM every ORDER BY id;

-- QUERY numbers
@set most = 10
SELECT i::INTEGER AS k, 'v' || i AS v FROM range(${most}) AS r(i);
