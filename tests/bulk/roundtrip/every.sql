-- MIGRATE 1
CREATE TYPE mood AS ENUM ('sad', 'so so', 'grün');
CREATE TABLE every (
    id INTEGER NOT NULL, b BOOLEAN, i8 TINYINT, i16 SMALLINT, i64 BIGINT, i128 HUGEINT, u8 UTINYINT, u16 USMALLINT, u32 UINTEGER, u64 UBIGINT,
    u128 UHUGEINT, f4 FLOAT, f8 DOUBLE, d4 DECIMAL(4,1), d9 DECIMAL(9,3), d18 DECIMAL(18,3), d38 DECIMAL(38,10), big BIGNUM, s VARCHAR, bits BIT, raw BLOB,
    uid UUID, day DATE, clock TIME, clock_ns TIME_NS, clockz TIMETZ, ts_s TIMESTAMP_S, ts_ms TIMESTAMP_MS, ts TIMESTAMP, ts_ns TIMESTAMP_NS, tz TIMESTAMPTZ,
    span INTERVAL, doc JSON, feeling mood, tags VARCHAR[], grid INTEGER[][], three INTEGER[3], moments TIMESTAMP_NS[], prices DECIMAL(18,3)[], moods mood[],
    pt STRUCT(x DOUBLE, tags VARCHAR[]), pts STRUCT(x DOUBLE, s VARCHAR)[], m MAP(VARCHAR, INTEGER), ml MAP(INTEGER, VARCHAR[]), ids UUID[2]
);
CREATE TABLE copied AS FROM every;
ALTER TABLE copied ALTER id SET NOT NULL;

-- EXEC fill
-- About one value in five is NULL.
INSERT INTO every SELECT id, [COLUMNS(* EXCLUDE id), NULL][1 + (hash(id, COLUMNS(* EXCLUDE id)::VARCHAR) % 5 = 0)::INTEGER] FROM (SELECT
    i AS id,
    i % 3 = 0 AS b,
    (i % 256 - 128)::TINYINT AS i8,
    (i * 13 % 65536 - 32768)::SMALLINT AS i16,
    [-9223372036854775808, 9223372036854775807, (hash(i) // 2)::BIGINT][i % 3 + 1] AS i64,
    ['-170141183460469231731687303715884105728'::HUGEINT, '170141183460469231731687303715884105727', -5 * hash(i)::HUGEINT][i % 3 + 1] AS i128,
    (i % 256)::UTINYINT AS u8,
    (i * 13 % 65536)::USMALLINT AS u16,
    (4294967295 - i)::UINTEGER AS u32,
    ['18446744073709551615'::UBIGINT, hash(i)][i % 2 + 1] AS u64,
    '340282366920938463463374607431768211455'::UHUGEINT - i::UHUGEINT AS u128,
    ['NaN'::FLOAT, '-Infinity', 'Infinity', i / 3, '3.4028235e38'][i % 5 + 1] AS f4,
    ['NaN'::DOUBLE, '-Infinity', 'Infinity', i / 3, '1.7976931348623157e308', '-0.0'][i % 6 + 1] AS f8,
    ((i % 19999 - 9999) / 10)::DECIMAL(4,1) AS d4,
    ['999999.999'::DECIMAL(9,3), '-999999.999', i / 1000][i % 3 + 1] AS d9,
    ['999999999999999.999'::DECIMAL(18,3), '-999999999999999.999', i][i % 3 + 1] AS d18,
    ['9999999999999999999999999999.9999999999'::DECIMAL(38,10), '-0.0000000001', '1234567890123456789012345678.0123456789'][i % 3 + 1] AS d38,
    (['', '-'][i % 2 + 1] || repeat('123456789', i % 9 + 1))::BIGNUM AS big,
    ['', 'twelve bytes', repeat('ü€😀', i % 20), 'a' || chr(0) || 'b', 'line' || chr(10) || '"''\'][i % 5 + 1] AS s,
    ['0'::BIT, '1', '01010101010', repeat('110', i % 50 + 1)::BIT][i % 4 + 1] AS bits,
    [''::BLOB, '\x00\xFF'::BLOB, encode(repeat('b', i % 40))][i % 3 + 1] AS raw,
    ['ffffffff-ffff-ffff-ffff-ffffffffffff'::UUID, md5(i::VARCHAR)::UUID][i % 2 + 1] AS uid,
    ['1970-01-01'::DATE, '0001-01-01', '9999-12-31', DATE '2000-01-01' + i::INTEGER][i % 4 + 1] AS day,
    ['00:00:00'::TIME, '23:59:59.999999', TIME '00:00:00' + to_microseconds(i * 1234567)][i % 3 + 1] AS clock,
    ['00:00:00'::TIME_NS, '23:59:59.999999', '12:34:56.123456'][i % 3 + 1] AS clock_ns,
    ['00:00:00+00'::TIMETZ, '23:59:59.999999-12', '12:34:56.5+05:45'][i % 3 + 1] AS clockz,
    ['1969-12-31 23:59:59'::TIMESTAMP_S, '9999-12-31 23:59:59', make_timestamp(i * 1000000000)][i % 3 + 1] AS ts_s,
    ['1969-12-31 23:59:59.999'::TIMESTAMP_MS, '9999-12-31 23:59:59.999', make_timestamp(i * 1000000000)][i % 3 + 1] AS ts_ms,
    ['1969-12-31 23:59:59.999999'::TIMESTAMP, '0001-01-01', '9999-12-31 23:59:59.999999', make_timestamp(i * 1000000001)][i % 4 + 1] AS ts,
    ['1969-12-31 23:59:59.999999999'::TIMESTAMP_NS, '2261-12-31 23:59:59.123456789', make_timestamp_ns(i * 1000000001)][i % 3 + 1] AS ts_ns,
    ['1969-12-31 23:59:59.999999+00'::TIMESTAMPTZ, '0001-01-02 00:00:00+00', '9999-12-30 23:59:59.999999+00', to_timestamp(i * 1000)][i % 4 + 1] AS tz,
    [INTERVAL 0 DAY, INTERVAL (-i) MONTH, INTERVAL '1 year -2 days 03:04:05.000006'][i % 3 + 1] AS span,
    ['null'::JSON, '{"a":[1,null,"ü"]}', '1e400'][i % 3 + 1] AS doc,
    ['sad'::mood, 'so so', 'grün'][i % 3 + 1] AS feeling,
    [[]::VARCHAR[], ['a', NULL, 'longer than twelve bytes'], [NULL]][i % 3 + 1] AS tags,
    [[]::INTEGER[][], [[1, NULL], NULL, []], [[i]]][i % 3 + 1] AS grid,
    [i, NULL, -i]::INTEGER[3] AS three,
    [NULL, make_timestamp_ns(i * 1000000001)] AS moments,
    [i / 1000, NULL]::DECIMAL(18,3)[] AS prices,
    ['grün', NULL, 'sad']::mood[] AS moods,
    [{'x': i / 2, 'tags': ['a', NULL]}, {'x': NULL, 'tags': NULL}][i % 2 + 1] AS pt,
    [[], [{'x': i / 2, 's': 'ü'}, NULL, {'x': NULL, 's': NULL}]][i % 2 + 1] AS pts,
    [MAP {}, MAP {'': 1, 'ü': NULL, 'longer than twelve bytes': i}][i % 2 + 1] AS m,
    MAP {1: ['a', NULL], i + 2: NULL, -1: []} AS ml,
    [md5(i::VARCHAR)::UUID, NULL]::UUID[2] AS ids
    FROM range(2500) AS r(i));

-- QUERY source
SELECT * FROM every ORDER BY id;

-- QUERY different
-- The columns that are not the same in both tables, as text: not every type can be compared. A map has no order.
WITH there AS (UNPIVOT (SELECT id, COLUMNS(* EXCLUDE (id, m, ml))::VARCHAR, list_sort(map_entries(m))::VARCHAR AS m, list_sort(map_entries(ml))::VARCHAR AS ml FROM every)
        ON COLUMNS(* EXCLUDE id) INTO NAME col VALUE v),
    written AS (UNPIVOT (SELECT id, COLUMNS(* EXCLUDE (id, m, ml))::VARCHAR, list_sort(map_entries(m))::VARCHAR AS m, list_sort(map_entries(ml))::VARCHAR AS ml FROM copied)
        ON COLUMNS(* EXCLUDE id) INTO NAME col VALUE v)
SELECT coalesce(col, '') AS name, count(*) AS values, coalesce(min({'there': t.v, 'written': w.v})::VARCHAR, '') AS first FROM there t FULL JOIN written w USING (id, col)
WHERE t.v IS DISTINCT FROM w.v GROUP BY col ORDER BY col;

-- EXEC clear
DELETE FROM copied;

-- EXEC blank
INSERT INTO copied (id) SELECT id FROM every;

-- EXEC halve
DELETE FROM copied WHERE id % 2 = 0;

-- WRITE copied insert|update|delete|upsert key(id)
