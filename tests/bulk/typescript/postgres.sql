-- MIGRATE 1
CREATE TABLE kv (k INTEGER PRIMARY KEY, v varchar(10) NOT NULL, n DECIMAL(6,2));

-- QUERY summary
SELECT v, count(*) AS keys, min(k) AS lowest, max(k) AS highest FROM kv GROUP BY v ORDER BY v;

-- WRITE kv insert|update|delete|upsert key(k)
