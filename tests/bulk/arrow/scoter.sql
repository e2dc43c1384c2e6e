-- MIGRATE 1
CREATE TABLE kv (k BIGINT PRIMARY KEY, v VARCHAR NOT NULL, n DECIMAL(6,2), tags VARCHAR[], seen TIMESTAMPTZ) WITH (on_insert = 'replace');

-- QUERY all_kv
SELECT * FROM kv ORDER BY k;

-- QUERY failing
SELECT CASE WHEN i = 3000000 THEN error('no more') ELSE 'value ' || i END AS v FROM range(4000000) AS r(i);

-- QUERY numbers :pluck
@set text = '5'
SELECT CAST(${text}::VARCHAR AS INTEGER) AS n FROM range(5);

-- WRITE kv insert|update|delete|upsert key(k)
